from foretell.compiler.forms import ZERO, Form, interval, single


def test_forms_add_up_and_forget_zeros():
    a, b = single("a"), single("b")
    assert a + b - a == b
    assert (a * 2 + b * 4).divisor == 2
    assert (a - a) == ZERO == a * 0
    assert Form.total([a, b, a]).weight("a") == 2
    assert (a + b).without("a") == b
    assert str(a * -1 + b) == "-1 a + b"


def test_equal_values_are_equal_forms_whatever_the_order():
    assert hash(single("b") + single("a")) == hash(single("a") + single("b"))


def test_intervals_take_the_worst_of_every_direction():
    form = Form.of({"a": 2, "b": -3})
    assert interval(form, {"a": (0, 1), "b": (-1, 2)}) == (-6, 5)
    assert interval(ZERO, {}) == (0, 0)
