"""Floor 0 gives in the page what it gives here: the same numbers and sentences."""

import ast
import re

import pytest

from tilewise.render.listings import plain

from . import _cases as c
from ._cases_layer import LAYER
from ._cases_memory import MEMORY
from ._draws import backward, cached, counted, row, seeded, size, tiled
from ._equal import equal

MANY = 100
CASES = (
    {
        "softmax": {
            "naive_softmax": c.plain(row),
            "weight": c.plain(c.number, c.finite),
            "safe_softmax": c.plain(row),
            "online_softmax": c.plain(row),
            "online_step": c.plain(c.state, c.number),
            "merge": c.merged,
        },
        "one_pass": {
            "dot": c.plain(c.vector, c.vector),
            "attend_step": c.attended,
            "attention_row": c.one_row,
        },
        "trace": {
            "moves": c.moved,
            "blocks": c.plain(c.whole, c.whole),
            "tiles": c.only(tiled),
            "scores": c.scored,
            "step": c.scanned(tiled, True),
            "start": c.plain(c.square, c.square),
            "forward": c.exact(tiled),
            "scan": c.scanned(tiled, False),
            "check": c.checked,
            "moves_backward": c.moved,
            "tiles_backward": c.only(backward),
            "product": c.plain(c.square, c.square, c.finite),
            "columns": c.plain(c.square),
            "plus": c.plain(c.square, c.square),
            "step_backward": c.scanned(backward, True, "_backward"),
            "start_backward": c.plain(c.square, c.square, c.square),
            "backward": c.exact(backward),
            "scan_backward": c.scanned(backward, False, "_backward"),
            "check_backward": c.checked_backward,
        },
        "ledger": {
            "ceil_div": c.plain(size, size),
            "keys": c.keys,
            "block_sizes": c.plain(size, size),
            "standard_forward": lambda draw: counted(draw, False),
            "tile_sram": lambda draw: ([size(draw) for _ in range(5)], {}),
            "flash1_forward": counted,
            "flash2_forward": counted,
            "in_bytes": c.sized,
            "standard_backward": lambda draw: counted(draw, False),
            "flash1_backward": counted,
            "flash2_backward": counted,
            "saved": c.saved,
        },
        "ledger.cache": {
            "lru": c.streamed,
            "programs": c.programmed,
            "events": c.evented,
            "dram": cached,
            "bounds": cached,
            "march": c.marched,
        },
        "hardware": {
            "stated": c.plain(c.finite, c.text, c.text),
            "derived": c.plain(c.finite, c.text, c.text, c.text),
            "measured": c.plain(c.finite, c.text),
            "describe": c.described,
            "roofs": c.plain(c.gpu),
            "ridge": c.plain(c.gpu),
            "attainable": c.plain(c.gpu, c.finite),
        },
        "occupancy": {
            "block_shared": c.plain(c.gpu),
            "resident": c.block,
            "occupancy": c.block,
        },
        "checks": {
            "check_causal": lambda draw: ([draw.choice([True, "top-left", "x"])], {}),
            "check_sizes": lambda draw: ([], {x: size(draw) for x in ("n", "d")}),
            "check_choice": lambda draw: (["x", draw.choice("abc"), ["a", "b"]], {}),
            "short": lambda draw: ([draw.choice(["a b", "it's", 7]), 4], {}),
        },
        "worked_example": {"two_to": c.powered},
    }
    | LAYER
    | MEMORY
)


def public():
    """{module: the names of its functions}; a package offers those of some files."""
    found = {}
    for module, path in plain().items():
        name = re.sub(r"\.(_\w+|grid|sizes)$", "", module.removeprefix("tilewise."))
        tree = ast.parse(path.read_text("utf-8"))
        functions = {x.name for x in tree.body if isinstance(x, ast.FunctionDef)}
        found[name] = found.get(name, set()) | functions
    return found


def test_every_public_function_is_called():
    assert public() == {module: set(calls) for module, calls in CASES.items()}


@pytest.mark.few(6)
@pytest.mark.parametrize("module", [name for name, calls in CASES.items() if calls])
def test_the_same_under_both(module, both):
    calls = []
    for name, make in CASES[module].items():
        draw = seeded(f"{module}.{name}")
        calls += [(module, name, *make(draw)) for _ in range(MANY)]
    failed = {}
    for (_, name, args, how), (here, there) in zip(calls, both(calls), strict=True):
        assert equal(here, there), (name, args, how, here, there)
        failed[name] = failed.get(name, 0) + ("error" in here)
    print(f"{module}: {failed} of {MANY} calls were errors, as they should be")
    assert all(count < MANY for count in failed.values()), failed


def test_overflow(both):
    calls = [
        ("softmax", name, [[1000, 0]], {}) for name in ("naive_softmax", "safe_softmax")
    ]
    (here, there), safe = both(calls)
    assert here == there == {"error": "OverflowError"} and safe[0]["made"] == [1, 0]


def test_constants(both):
    names = {"worked_example": ["Q", "K", "V", "DO", "O", "SCALE", "BLOCK_ROWS"]}
    names |= {"hardware": ["SOURCES", "LEVELS", "GPUS", "CEILINGS", "GB"]}
    names |= {"occupancy": ["SM", "WARP", "STEP"]}
    names |= {"softmax": ["IDENTITY"], "trace": ["ORDERS"], "ledger": ["DTYPES"]}
    calls = [(m, x, [], {}) for m in names for x in names[m]]
    for call, (here, there) in zip(calls, both(calls), strict=True):
        assert "made" in here and equal(here, there), call


def test_unequal_results_are_noticed():
    assert equal({"a": [1.0, 2]}, {"a": [1 + 1e-13, 2]})
    for other in ({"a": [1 + 1e-11, 2]}, {"a": [1.0]}, {"b": [1.0, 2]}, {"a": None}):
        assert not equal({"a": [1.0, 2]}, other)
    assert not equal(float("nan"), 1.0) and not equal(1, 2) and not equal("a", 1)
