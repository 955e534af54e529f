"""Floor 0 gives in the page what it gives here: the same numbers and sentences."""

import ast
import importlib
import json
import random
import sys

import pytest

from tilewise.ledger.decode import decode
from tilewise.render.listings import plain

from ._arguments import arguments, one_of, size, state, whole
from ._called import called
from ._equal import equal

MANY = 100
CALLED = {  # each calls the rest of its module, as the second test sees
    "checks": "short short_path",
    "hardware": "ridge attainable",
    "ledger": """block_sizes tile_sram saved in_bytes standard_forward flash1_forward
        flash2_forward standard_backward flash1_backward flash2_backward""",
    "ledger.activations": "kept_bytes step price",
    "ledger.cache": "bounds",
    "ledger.decode": "decode decode_bytes",
    "ledger.kv_cache": "cached flops_per_key intensity",
    "ledger.layer": "card account",
    "ledger.occupancy": "occupancy",
    "ledger.ring": """flops step_bytes ring_bytes ulysses_bytes least_share needed
        at_once""",
    "ledger.tiles": "floor_sum visits kernel_tiles",
    "ledger.units": "whole three size binary si time plain",
    "one_pass": "attention_row",
    "softmax": "naive_softmax safe_softmax online_softmax merge",
    "trace": "forward backward sink_gradient",
    "trace.split_kv": "decode choose_splits",
    "trace.symbols": "colour in_units subscript plain braced html latex",
    "worked_example": "two_to",
}
FEW = dict.fromkeys(("n", "block_rows", "block_cols"), whole(1, 40))
TILES = dict.fromkeys(("block_rows", "block_cols"), one_of(1, 1, 2, 2, 3, 3, 4, 0, "2"))
OWN = {  # where a name means something else than usual
    "checks": {
        "value": one_of("a b", "it's", 7),
        "path": one_of("a b", "x.py"),
        "limit": one_of(4),
    },
    "ledger.cache": FEW | {"d": whole(1, 8), "heads": whole(1, 3)},
    "ledger.decode": FEW
    | dict.fromkeys(("heads", "kv_heads", "d", "d_v", "n_q", "splits"), whole(1, 8))
    | {"left": one_of(None, 0, 3)}
    | {"count": one_of(dict.fromkeys(decode(7, 2, 1, 2, 2, splits=2), 5))},
    "ledger.kv_cache": {"within": one_of(False, True)},
    "ledger.tiles": dict.fromkeys(("count", "a", "b", "m"), whole(1, 60)),
    "ledger.units": {"size": size, "units": one_of(["x", "y"]), "base": one_of(2)},
    "one_pass": {
        "q": lambda draw, given: given["q"][0] if given["q"] else [],
        "keys": lambda draw, given: given["k"],
        "values": lambda draw, given: given["v"],
    },
    "trace.split_kv": dict.fromkeys(
        "programs tiles rows tile row sms".split(), whole(1, 40)
    )
    | {"q": one_of([[1, 2]], [[1, 2], [0, 3]]), "n_q": one_of(1), "splits": whole(0, 4)}
    | {"k": one_of([[1, 0], [2, 1], [1, 1]]), "v": one_of([[1, 2], [3, 4], [5, 6]])}
    | {"sinks": one_of(None, [1, 0]), "window": one_of(None, [1, 0])},
    "softmax": {"a": state, "b": state},
    "trace": TILES,
    "worked_example": {"x": whole(-30, 30)},
}
AT_IMPORT = {"stated", "derived", "measured", "describe"}  # test_constants sees these


def calls_of(module, many=MANY):
    for name in CALLED[module].split():
        draw = random.Random(f"floor 0, {module}.{name}")  # the same on every run
        function = getattr(importlib.import_module(f"tilewise.{module}"), name)
        for _ in range(many):
            yield module, name, *arguments(function, draw, OWN.get(module, {}))


@pytest.mark.few(6)
@pytest.mark.parametrize("module", CALLED)
def test_the_same_under_both(module, both):
    calls, errors = [*calls_of(module)], {}
    for (_, name, args, how), (here, there) in zip(calls, both(calls), strict=True):
        assert equal(here, there), (name, args, how, here, there)
        errors[name] = errors.get(name, 0) + ("error" in here)
    assert all(count < MANY for count in errors.values()), errors


def test_every_function_is_called():
    """By some of these calls, or by what they call."""
    reached = set()
    sys.setprofile(lambda frame, *_: reached.add(place(frame.f_code)))
    for call in (call for module in CALLED for call in calls_of(module, 20)):
        called(json.dumps(dict(zip(("module", "name", "args", "how"), call))))
    sys.setprofile(None)
    for path in plain().values():
        tree = ast.parse(path.read_text("utf-8"))
        names = {x.name for x in tree.body if isinstance(x, ast.FunctionDef)}
        missing = {x for x in names - AT_IMPORT if (str(path), x) not in reached}
        assert missing == set(), path


def place(code):
    return code.co_filename, code.co_name


def test_overflow(both):
    calls = [
        ("softmax", name, [[1000, 0]], {}) for name in ("naive_softmax", "safe_softmax")
    ]
    (here, there), safe = both(calls)
    assert here == there == {"error": "OverflowError"} and safe[0]["made"] == [1, 0]


def test_constants(both):
    names = {"worked_example": ["Q", "K", "V", "DO", "O", "SCALE", "BLOCK_ROWS"]}
    names |= {"hardware": ["SOURCES", "LEVELS", "GPUS", "CEILINGS", "GB"]}
    names |= {"ledger.occupancy": ["SM", "WARP", "STEP"]}
    names |= {"softmax": ["IDENTITY"], "trace": ["ORDERS"], "ledger": ["DTYPES"]}
    calls = [(m, x, [], {}) for m in names for x in names[m]]
    for call, (here, there) in zip(calls, both(calls), strict=True):
        assert "made" in here and equal(here, there), call
