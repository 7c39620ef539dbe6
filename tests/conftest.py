"""What the whole suite shares, to be quick: type checks."""

import collections
import functools
from types import FunctionType

import jaxtyping
import pytest

# In every test the types of a function are checked at its first calls only: a check takes longer
# than most functions, and a function inside another is made, and its check compiled, every time.
CHECKED_CALLS, CALLS_LIKE_COMPILING = 30, 10
_calls: collections.Counter[int] = collections.Counter()
_jaxtyped = jaxtyping.jaxtyped


def _at_first(*, typechecker):
    """As `jaxtyping.jaxtyped`, which the import hook of `--jaxtyping-packages` looks up."""

    def decorate(what):
        if isinstance(what, FunctionType):
            return sparing(what, lambda: _jaxtyped(what, typechecker=typechecker))
        plain = what.__init__
        if getattr(plain, "__globals__", None) is globals():  # inherited, and checked already
            return what
        decorated = _jaxtyped(what, typechecker=typechecker)
        checked = what.__init__
        if checked is not plain and isinstance(plain, FunctionType):  # a data class
            what.__init__ = sparing(plain, lambda: checked)
        return decorated

    def sparing(function, check):
        code, checked = id(function.__code__), None

        @functools.wraps(function)
        def called(*arguments, **named):
            nonlocal checked
            __tracebackhide__ = True
            if _calls[code] >= CHECKED_CALLS:
                return function(*arguments, **named)
            if checked is None:
                checked = check()
                _calls[code] += CALLS_LIKE_COMPILING
            _calls[code] += 1
            return checked(*arguments, **named)

        return called

    return decorate


jaxtyping.jaxtyped = _at_first


class _EveryTest:
    """Registered, since hooks of this file do not reach the doctests of the source."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        _calls.clear()


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_EveryTest())


@pytest.fixture
def only_seeds_below_seven_fit(monkeypatch):
    """At the first check models with seeds below 7 fit, and no others ever do."""
    from foretell.training import fleet

    usual = fleet.SequenceFleet.check

    def check(self, states, last):
        states, scores = usual(self, states, last)
        seeds = [int(own.seed) for own in self.loop.gather(self.data)]
        return self.mark(states, [seed < 7 for seed in seeds]), scores

    monkeypatch.setattr(fleet.SequenceFleet, "check", check)
