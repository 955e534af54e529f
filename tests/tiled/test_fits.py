"""Which tensors fit together: each mistake alone, and the sentence that names it."""

import re

import pytest
import torch

from tilewise.fits import check, check_saved


def x(*shape, dtype=torch.float32):
    return torch.empty(shape, dtype=dtype, device="meta")


RIGHT = {"q": x(2, 4, 6, 8), "k": x(2, 2, 5, 8), "v": x(2, 2, 5, 3)}
RIGHT |= {"block_rows": 2, "block_cols": 3, "causal": False}
INTS = torch.int64, torch.bool, torch.int32


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"causal": True},
        {"causal": "top-left"},
        {"block_rows": 1, "block_cols": 1},
        {"k": x(2, 4, 5, 8), "v": x(2, 4, 5, 3)},
        {"k": x(2, 1, 1, 8), "v": x(2, 1, 1, 1)},
        {"q": x(6, 8), "k": x(5, 8), "v": x(5, 3)},
        {"q": x(4, 6, 8), "k": x(2, 5, 8), "v": x(2, 5, 3)},
        {"q": x(7, 2, 4, 6, 8), "k": x(7, 2, 2, 5, 8), "v": x(7, 2, 2, 5, 3)},
    ],
)
def test_what_fits_passes(change):
    assert check(**RIGHT | change) is None


WRONG = {  # the beginning of a sentence that ends with the three shapes
    "q, k and v must be (..., N, d) and not empty": [
        {"q": x(8)},
        {"k": x(8)},
        {"v": x(3)},
        {"q": x(2, 4, 0, 8)},
        {"k": x(2, 2, 0, 8)},
        {"v": x(2, 2, 5, 0)},
        {"q": x(0, 4, 6, 8)},
    ],
    "q, k and v differ in batch or heads": [
        {"q": x(6, 8)},
        {"v": x(2, 5, 3)},
        {"k": x(2, 5, 8), "v": x(2, 5, 3)},
        {"v": x(2, 4, 5, 3)},
        {"v": x(1, 2, 5, 3)},
        {"k": x(5, 8), "v": x(5, 3)},
    ],
    "q, k and v do not fit in batch or heads": [
        {"q": x(3, 4, 6, 8)},
        {"q": x(4, 4, 6, 8)},
        {"q": x(2, 3, 6, 8)},
        {"q": x(2, 1, 6, 8)},
        {"k": x(2, 3, 5, 8), "v": x(2, 3, 5, 3)},
    ],
    "q and k differ in d": [{"q": x(2, 4, 6, 7)}, {"k": x(2, 2, 5, 3)}],
    "k and v differ in N": [{"v": x(2, 2, 8, 3)}, {"k": x(2, 2, 3, 8)}],
}


@pytest.mark.parametrize("sentence", WRONG)
def test_shapes_that_do_not_fit_are_named(sentence):
    for change in WRONG[sentence]:
        given = RIGHT | change
        shapes = ", ".join(f"{name} {tuple(given[name].shape)}" for name in "qkv")
        with pytest.raises(ValueError, match=f"^{re.escape(f'{sentence}: {shapes}')}$"):
            check(**given)


@pytest.mark.parametrize("name", "qkv")
def test_dtypes_that_differ_are_named(name):
    for other in (torch.float64, torch.bfloat16, *INTS):
        given = RIGHT | {name: RIGHT[name].to(other)}
        dtypes = ", ".join(str(given[n].dtype) for n in "qkv")
        with pytest.raises(ValueError, match=f"must be one float: {dtypes}$"):
            check(**given)


def test_whole_numbers_are_no_attention():
    for dtype in INTS:
        given = RIGHT | {n: RIGHT[n].to(dtype) for n in "qkv"}
        with pytest.raises(
            ValueError, match=f"be one float: {dtype}, {dtype}, {dtype}"
        ):
            check(**given)


@pytest.mark.parametrize("name", ["block_rows", "block_cols"])
@pytest.mark.parametrize("size", [0, -1, 1.0, "2", None])
def test_blocks_that_cannot_be_are_named(name, size):
    sentence = f"^{name} must be a whole number of at least 1, not {size!r}$"
    with pytest.raises(ValueError, match=sentence):
        check(**RIGHT | {name: size})


@pytest.mark.parametrize("causal", ["left", "bottom-right", 2, None])
def test_causal_is_one_of_three(causal):
    sentence = f"^causal must be False, True or 'top-left', not {causal!r}$"
    with pytest.raises(ValueError, match=sentence):
        check(**RIGHT | {"causal": causal})


def test_what_was_saved_has_the_shape_of_the_result():
    q, v = RIGHT["q"], RIGHT["v"]
    whole = {"o": x(2, 4, 6, 3), "do": x(2, 4, 6, 3)}
    whole |= dict.fromkeys(("m", "l", "lse"), x(2, 4, 6))
    assert check_saved(q, v, **whole) is None
    for name, right in whole.items():
        for wrong in (x(2, 4, 6, 8), x(2, 4, 3), x(2, 4, 5, 3), x(2, 4, 6, 1)):
            said = f"{name} must be {tuple(right.shape)}, not {tuple(wrong.shape)}"
            with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
                check_saved(q, v, **whole | {name: wrong})
