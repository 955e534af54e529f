"""What the page adds to MicroPython does what CPython's own modules do."""

import fractions
import importlib.util
import itertools
import math
import operator
import random

import pytest

from tilewise.live import micropython
from tilewise.render.listings import SOURCE

SIGNS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.eq]
SIGNS += [operator.lt, operator.le, operator.gt, operator.ge, operator.ne]


PATH = SOURCE / "live/library/fractions.py"
spec = importlib.util.spec_from_file_location("ours", PATH)
ours = importlib.util.module_from_spec(spec)
spec.loader.exec_module(ours)
Ours, Theirs = ours.Fraction, fractions.Fraction


def text(x):
    return repr(x).replace("fractions.", "")


def tried(function, *args):
    """The result as text, or the kind of the error."""
    try:
        return text(function(*args))
    except ArithmeticError as error:
        return type(error).__name__


def test_fractions():
    draw = random.Random(5)
    for _ in range(500):
        p, q, r, s = (draw.randint(-12, 12) for _ in range(4))
        a, b = Ours(p, q or 1), Theirs(p, q or 1)
        others = [(Ours(r, s or 1), Theirs(r, s or 1)), (r, r), (r / 8, r / 8)]
        for (c, d), sign in itertools.product(others, SIGNS):
            assert tried(sign, a, c) == tried(sign, b, d), (a, sign, c)
            assert tried(sign, c, a) == tried(sign, d, b), (c, sign, a)
        for one in (str, text, float, int, abs, bool, operator.neg, hash):
            assert one is hash or tried(one, a) == tried(one, b)
        for n in (r, r // 3, Ours(r), 0.5):
            m = Theirs(r) if isinstance(n, Ours) else n
            assert tried(pow, abs(a), n) == tried(pow, abs(b), m)
        for x in (2, 0.5):
            assert tried(pow, x, a) == tried(pow, x, b), (x, a)
        assert len({a, Ours(2 * p, 2 * (q or 1))}) == 1 and hash(Ours(r)) == hash(r)


def test_fractions_are_made_from_what_they_are_made_from_elsewhere():
    for args in ((), (3,), (6, -4), ("3/4",), ("-7",), (0.375,), (Theirs(1, 3), 2)):
        ours = [Ours(1, 3) if isinstance(x, Theirs) else x for x in args]
        assert text(Ours(*ours)) == text(Theirs(*args))
    assert not Ours(1) == "1" and Ours(1, 2) != None  # noqa: E711
    with pytest.raises(ZeroDivisionError, match=r"Fraction\(3, 0\)"):
        Ours(3, 0)
    with pytest.raises(TypeError):
        Ours(1) + "1"


def test_accumulate():
    for items, how in itertools.product(([], [3], [1, 2, 4]), ({}, {"initial": 9})):
        ours = micropython.accumulate(items, **how)
        assert [*ours] == [*itertools.accumulate(items, **how)]


def test_math():
    draw = random.Random(5)
    for _ in range(200):
        x = 10 ** draw.uniform(-300, 2) * draw.choice([1, -0.009])
        assert math.isclose(micropython.log1p(x), math.log1p(x), rel_tol=1e-15)
        assert micropython.exp2(x) == 2.0**x and micropython.exp(x) == math.exp(x)
    assert micropython.log1p(math.inf) == math.inf
