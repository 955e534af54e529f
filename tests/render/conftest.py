"""What the tests of tilewise.render share: problems, exact steps, numbers read back."""

import math
import re
from fractions import Fraction

import pytest

from tilewise import worked_example
from tilewise.cli.problem import problem
from tilewise.cli.trace import settle, states
from tilewise.trace import forward
from tilewise.worked_example import EXACT

OPTIONS = {"block_rows": 2, "block_cols": 2, "order": "kv-outer", "causal": False}


@pytest.fixture
def given():
    """given(n, d, …): the problem that the command line computes for these options."""

    def make(n=None, d=None, path=None, **options):
        return problem(path, n, d, **{**OPTIONS, **options})

    return make


@pytest.fixture
def shown():
    """shown(lines, problem, …): all lines of one form of output."""

    def make(lines, one, **how):
        return list(lines(one, states(one), settle(one), **how))

    return make


@pytest.fixture
def example():
    """example(…): the exact steps of the running example, S and m in units of τ."""

    def make(**options):
        w = worked_example
        how = {**OPTIONS, **options, **EXACT}
        return list(forward(w.Q, w.K, w.V, **how))

    return make


@pytest.fixture
def number():
    """number(text): -9/4 or -∞ as the number it is."""
    return lambda x: -math.inf if x == "-∞" else Fraction(x)


@pytest.fixture
def check_tex():
    """check_tex(tex): braces and environments close in order."""

    def check(tex):
        assert tex.count("{") == tex.count("}")
        assert tex.count(r"\left[") == tex.count(r"\right]")
        still_open = []
        for kind, name in re.findall(r"\\(begin|end)\{([a-z*]+)\}", tex):
            if kind == "begin":
                still_open.append(name)
            else:
                assert still_open.pop() == name
        assert not still_open

    return check
