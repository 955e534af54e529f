"""One sentence for each thing that a caller got wrong."""

import ast
import json
import re
from functools import partial

import pytest
from every import every

from tilewise import ledger
from tilewise.checks import check_causal, check_choice, check_sizes, short, strict_json
from tilewise.ledger import activations, cache, layer, ring
from tilewise.ledger.occupancy import resident
from tilewise.render.listings import plain


@pytest.mark.parametrize("causal", ["left", None, 2, "True"])
def test_causal(causal):
    with pytest.raises(ValueError, match=f"'top-left', not {causal!r}$"):
        check_causal(causal)


@pytest.mark.parametrize("size", [0, -1, 2.0, "3", None, True])
def test_sizes(size):
    with pytest.raises(ValueError, match="^d must be a whole number of at least 1"):
        check_sizes(n=4, d=size)


def test_what_fits_passes():
    for causal in (False, True, "top-left"):
        check_causal(causal)
    check_sizes(n=1, d=2**40)
    check_choice("order", "kv-outer", ("kv-outer", "q-outer"))


SIZES = {"n": 6, "d": 2, "n_k": 4}
TILES = SIZES | {"block_rows": 2, "block_cols": 3}
RING = {"n": 8, "world": 2, "kv_heads": 2, "d": 3, "size": 2}
HELD = {"n_q": 3, "n_k": 5, "heads": 2, "d": 3, "d_v": 4, "size": 2}
CACHE = {"heads": 1, "capacity": 9}
SIZED = [  # functions, and arguments that fit
    (ledger.block_sizes, {"sram": 9, "d": 2}),
    (ledger.standard_forward, SIZES),
    (ledger.standard_backward, SIZES),
    (ledger.flash1_forward, TILES),
    (ledger.flash1_backward, TILES),
    (ledger.flash2_forward, TILES),
    (ledger.flash2_backward, TILES),
    (ledger.saved, SIZES),
    (partial(cache.dram, 6, 2, 2, 3, order="q-outer", side=1), CACHE),
    (partial(activations.kept, num_heads=2), {"n": 4, "embed_dim": 8}),
    (activations.step, {"n": 4, "embed_dim": 8}),
    (
        partial(layer.account, 6, 2, layer.card("H100", "bf16")),
        {"batch": 2, "heads": 2},
    ),
    (partial(ring.scores, step=0), {"n": 8, "world": 2}),
    (ring.step_bytes, RING),
    (ring.ring_bytes, RING),
    (ring.ulysses_bytes, RING | {"heads": 2}),
    (ring.working_set, HELD),
    (ring.at_once, HELD | {"kv_heads": 2, "batch": 1}),
    (partial(ring.needed, peak=1e15), {"share": 8, "heads": 2, "kv_heads": 2}),
    (partial(resident, "H100", shared=0), {"threads": 128, "registers": 32}),
]


@every("case", SIZED)
def test_each_size_that_cannot_be_is_named(case):
    function, good = case
    function(**good)
    for name in good:
        with pytest.raises(ValueError, match=f"^{name} must be a whole number"):
            function(**good | {name: 0})


USUAL = """causal=False backward=False size=2 batch=1 attention='ours' policy='none'
    order='kv-outer' exp=math.exp way='forward' dtype='bf16' rule='paper'""".split()


def test_what_is_left_out_means_the_same_everywhere():
    for path in plain().values():
        for name, value in re.findall(
            r"\b(\w+)(?:: [^=,()]+)?=([^,)\n]+)", heads(path)
        ):
            usual = [x for x in USUAL if x.startswith(f"{name}=")]
            assert usual in ([], [f"{name}={value}"]), path


def heads(path):
    """The arguments of all functions in a file."""
    functions = ast.parse(path.read_text("utf-8")).body
    return "\n".join(
        ast.unparse(x.args) for x in functions if isinstance(x, ast.FunctionDef)
    )


def test_choice():
    with pytest.raises(ValueError, match="^order must be one of a, b, not 'c'$"):
        check_choice("order", "c", ("a", "b"))


def test_short():
    assert short("a\nb") == r"'a\nb'" and short("x" * 99, 3) == "'xxx…'"


REFUSED = {
    b'{"a": 1, "a": 2}': "names 'a' twice",
    b'{"b": [{"a": 1, "a": 1}]}': "names 'a' twice",
    b"[NaN]": "contains NaN",
    b"-Infinity": "contains -Infinity",
    b"[1,]": "not valid JSON .line 1",
    b"\xff": "UTF-8",
    b"[" * 100_000: "nested",
    b"": "line 1, column 1",
}


@pytest.mark.parametrize("data", REFUSED, ids=range(len(REFUSED)))
def test_json_that_is_not_strict(data):
    with pytest.raises(strict_json.NotStrict, match=REFUSED[data]):
        strict_json.loads(data)


def test_strict_json_is_read():
    data = json.dumps({"a": [1, -2.5e3, None, True, "é"], "b": {}}).encode()
    value = strict_json.loads(b"\xef\xbb\xbf" + data)
    assert value == json.loads(data) and type(value["a"][0]) is float
    assert strict_json.loads(b"1e999") == float("inf")


def test_names_may_be_limited():
    assert strict_json.loads(b'{"a": 1, "b": 2}', 2) == {"a": 1, "b": 2}
    with pytest.raises(strict_json.NotStrict, match="has 2 names in one object"):
        strict_json.loads(b'[{"a": 1, "b": 2}]', 1)


def test_many_names_take_linear_time():
    """110,000 names and one of them twice: a list of names would take minutes."""
    names = ",".join(f'"{n}":0' for n in range(110_000))
    with pytest.raises(strict_json.NotStrict, match="'7' twice"):
        strict_json.loads(f'{{{names},"7":1}}'.encode())
