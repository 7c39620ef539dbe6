"""How a run is asked to stop: by Ctrl-C or by its time limit, with everything saved first."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, after everything was saved."""

    def __init__(self, step: int) -> None:
        super().__init__(f"stopped at step {step}; the same command continues from there")


@contextlib.contextmanager
def interrupt_flag(seconds: float | None = None) -> Iterator[threading.Event]:
    """Turn the first Ctrl-C, or the time limit, into a flag the loop reads between segments.

    A second Ctrl-C is real.
    """
    asked = threading.Event()
    if seconds is not None:
        timer = threading.Timer(seconds, asked.set)
        timer.daemon = True
        timer.start()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def handler(number: int, frame: Any) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    previous = signal.signal(signal.SIGINT, handler)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, previous)
