"""A reader's program runs alike under both Pythons, and leaves nothing behind."""

import sys
from unittest import mock

import pytest

OURS = "tilewise", "fractions"


@pytest.fixture
def ran(both):
    """ran(*programs): the runner's answers, one program after another, of each Python.

    Programs here have modules of their own, which they may spoil; the runner takes
    them out of sys.modules, and at the end everything is put back.
    """

    def ran(*programs):
        with mock.patch.dict(sys.modules):
            for name in [x for x in sys.modules if x.startswith(OURS)]:
                del sys.modules[name]
            made = both([("live.runner", "run", [x], {}) for x in programs])
        return [[x.get("made") for x in pair] for pair in made]

    return ran


def test_errors(ran):
    """The message without the place, which has a number of its own."""
    programs = {
        "x = 1\nraise ValueError('no')": ("ValueError: no", 2),
        "\n\nraise KeyError": ("KeyError", 3),
        "def f():\n    raise OSError('a: ')\nf()\n": ("OSError: a", 2),
        "import math\nmath.exp(1000)": ("OverflowError: math range error", 2),
    }
    for pair, (message, line) in zip(ran(*programs), programs.values(), strict=True):
        assert pair == [{"message": message, "line": line}] * 2
    (pair,) = ran("x = 1\nx = = 2")
    for made in pair:
        assert made["message"].startswith("SyntaxError: ")
        assert made["line"] == 2 and "listing" not in made["message"]


def test_programs_that_end_well(ran):
    names = "import sys\nassert __name__ == '__main__'\nsys.exit()"
    assert ran("", names, "x = [1]\nx[0] += 1") == [[None, None]] * 3


@pytest.mark.parametrize(
    ("module", "name", "use"),
    [
        ("tilewise.softmax", "weight", "assert m.weight(0, 0) == 1"),
        ("fractions", "Fraction", "assert m.Fraction(1, 2) * 2 == 1"),
        ("math", "exp", "assert m.exp(0) == 1"),
        ("math", "sqrt", "assert m.sqrt(4) == 2"),
    ],
)
def test_what_a_program_changed_ends_with_it(ran, module, name, use):
    """In the page also of `math`, which no program here may spoil."""
    page = "import sys\nif sys.implementation.name == 'micropython': "
    spoil = f"{page if module == 'math' else ''}m.{name} = None"
    first = f"import {module} as m\n{spoil}"
    assert ran(first, f"import {module} as m\n{use}") == [[None, None]] * 2
