"""Numbers in the prose of the page on FlashAttention-2: time and traffic, an H200."""

from draw.numbers import io_complexity
from draw.tables import _counters

KEYS_OUTSIDE, QUERIES_OUTSIDE = ("kv-outer", 64, 128, 4), ("q-outer", 64, 64, 4)
SHAPES = {
    "many": {"batch": 64, "heads": 16, "n": 1024},
    "few": {"batch": 1, "heads": 16, "n": 8192},
}


def faster(shape):
    """How many times as fast queries outside are."""
    slow, fast = (
        _counters.row(*kernel, **shape)["ms"]
        for kernel in (KEYS_OUTSIDE, QUERIES_OUTSIDE)
    )
    return slow / fast


def dram(kernel):
    """Gigabytes through DRAM, measured."""
    return _counters.measured(_counters.row(*kernel))[1] / 1e9


def touched():
    """Programs at once with keys outside, and the megabytes that they go through."""
    programs, size = io_complexity.touched(KEYS_OUTSIDE)
    return {"programs_keys": f"{programs}", "touched_keys": f"{size / 1e6:.0f}"}


def numbers():
    """{name: text} of every number that this page takes."""
    return {
        "faster_many": f"{faster(SHAPES['many']):.1f}",
        "faster_few": f"{faster(SHAPES['few']):.0f}",
        "dram_keys": f"{dram(KEYS_OUTSIDE):.2f}",
        "dram_queries": f"{dram(QUERIES_OUTSIDE):.2f}",
        **touched(),
    }
