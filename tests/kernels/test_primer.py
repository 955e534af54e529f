"""The kernels of the page on Triton, and what it says of them and the interpreter."""

import pytest

from ._child import told


@pytest.fixture(scope="module")
def found():
    return told("_primer.py", None, "-W", "error")


@pytest.mark.full
def test_kernels_are_right(found):
    assert found["wrong"] == []


def test_kernels_move_what_the_page_counts(found):
    n = 7 * 300
    assert found["moved"] == {"softmax": [n, n], "online": [2 * n, n]}


def test_the_interpreter_hides_what_the_page_says(found):
    """If this fails, Triton got better: mend the page's section on the interpreter."""
    assert found["hidden"] == [1000.0, 1 - 2**-8, True]


def test_hoppers_instruction_asks_for_64_rows():
    old, new = ["mma.sync"], ["wgmma.mma_async"]
    assert told("_tile_rows.py") == {"16": old, "32": old, "64": new, "128": new}


def test_what_is_said_to_be_an_error_is_one():
    import triton.language as tl
    from triton.language.semantic import TritonSemantic

    with pytest.raises(ValueError, match="power of 2"):
        TritonSemantic.arange(None, 0, 10, ret_ty=tl.int32)
