"""Every wrong variant is wrong on its exposing input and passes its plausible check."""

import inspect
import math

import pytest
import torch

from tilewise.flash1 import flash1_forward
from tilewise.flash2 import flash2_backward, flash2_forward
from tilewise.pitfalls import KINDS, PITFALLS, named, pieces, use
from tilewise.pitfalls.assembled import RIGHT, assemble, run
from tilewise.pitfalls.checks import CHECKS
from tilewise.pitfalls.inputs import INPUTS
from tilewise.pitfalls.truth import error, truth

from ._independent import NAMES, difference, exact

BASES = (pieces.step, pieces.update, pieces.weights)  # three forward passes
HALVES = [name for name in INPUTS if "half" in name]

each = pytest.mark.parametrize("pitfall", PITFALLS, ids=lambda p: p.name)
each_input = pytest.mark.parametrize("name", INPUTS)
each_base = pytest.mark.parametrize("right", BASES, ids=lambda p: p.__name__)


def test_at_least_thirty_with_unique_names():
    names = [pitfall.name for pitfall in PITFALLS]
    assert len(names) >= 30 and len(set(names)) == len(names)
    assert all(named(pitfall.name) is pitfall for pitfall in PITFALLS)
    assert [p.kind for p in PITFALLS] == [
        k.__name__.rpartition(".")[2] for k in KINDS for _ in k.PITFALLS
    ]


@each
def test_says_what_is_wrong_and_what_is_right(pitfall):
    text = " ".join(pitfall.wrong.__doc__.split())
    wrong, _, right = text.partition(" Right: ")
    assert len(wrong) > 8 and wrong.endswith(".") and right.endswith(".")
    assert pitfall.right.__doc__.strip()


@each
def test_takes_the_place_of_its_right_piece(pitfall):
    wrong, right = map(inspect.signature, (pitfall.wrong, pitfall.right))
    assert list(wrong.parameters) == list(right.parameters)
    assert RIGHT[pitfall.right.__name__] is pitfall.right
    assert use(pitfall)[pitfall.right.__name__] is pitfall.wrong


@each
def test_differs_from_the_truth_on_its_exposing_input(pitfall):
    """By more than 100 times the error of the right code; NaN is different too."""
    case = INPUTS[pitfall.exposed_by]()
    wrong, right = use(pitfall), use(pitfall, right=True)
    allowed = difference(run(right, case), exact(case, right["keep"]))
    found = difference(run(wrong, case), exact(case, wrong["keep"]))
    assert math.isfinite(allowed)
    assert not found <= 100 * allowed, (found, allowed)
    assert not found <= 1e-5, "too little to be called wrong"


@each
def test_passes_its_plausible_check_and_so_does_the_right_one(pitfall):
    check = CHECKS[pitfall.passes]
    assert check(use(pitfall, right=True)) is True
    assert check(use(pitfall)) is True


def test_no_check_or_input_is_left_over():
    assert set(CHECKS) == {pitfall.passes for pitfall in PITFALLS}


@each_input
def test_the_gallery_s_truth_is_the_independent_one(name):
    case = INPUTS[name]()
    assert difference(truth(case), exact(case, pieces.keep)) < 1e-10


@each_base
@each_input
def test_the_right_pieces_are_right(name, right):
    case = INPUTS[name]()
    found = run(assemble(right, right), case)
    assert difference(found, exact(case, pieces.keep)) < (
        1e-2 if name in HALVES else 1e-6 if "single" in name else 1e-9
    )


@pytest.mark.parametrize("name", ["odd", "heads", "groups", "causal_longer"])
def test_the_right_pieces_make_the_package_s_own_algorithms(name):
    case = INPUTS[name]()
    q, k, v, do = (case[x] for x in ("q", "k", "v", "do"))
    sizes = (case.get("block_rows", 4), case.get("block_cols", 4))
    causal = case.get("causal", False)
    o, lse = flash2_forward(q, k, v, *sizes, causal=causal)
    grads = flash2_backward(q, k, v, o, do, lse, *sizes, causal=causal)
    found = run(assemble(pieces.step, pieces.step), case)
    for x, y in zip(NAMES, (o, lse[..., None], *grads)):
        torch.testing.assert_close(found[x][0], y, rtol=0, atol=1e-12)
    found = run(assemble(pieces.update, pieces.update), case)
    o, _, _ = flash1_forward(q, k, v, *sizes, causal=causal)
    torch.testing.assert_close(found["o"][0], o, rtol=0, atol=1e-12)


def test_the_error_sees_nan_infinity_and_shapes():
    one = {"o": torch.ones(2, 2)}
    hole = {"o": torch.tensor([[1.0, math.nan], [1.0, 1.0]])}
    for measure in (error, difference):
        assert measure(one, one) == 0
        assert not measure(hole, one) <= 1e9
        assert measure({"o": torch.ones(1, 2)}, one) == math.inf
        minus = {"o": torch.full((2, 2), -math.inf)}
        assert measure(minus, minus) == 0 and measure(one, minus) == math.inf


def test_inputs_are_the_same_on_every_machine():
    """Whole quarters, so that no digit hangs on how a normal number is made."""
    for name in ("odd", "heads", "dropout"):
        case, again = INPUTS[name](), INPUTS[name]()
        for x in ("q", "k", "v", "do"):
            assert torch.equal(4 * case[x], (4 * case[x]).round())
            assert case[x].abs().max() <= 2 and torch.equal(case[x], again[x])
