"""Which path is taken when: the table as a function, without any GPU."""

import ast
import itertools
import sys
from pathlib import Path

import pytest
import torch

from tilewise.attention import dispatch
from tilewise.attention.dispatch import Pair, functions, route, rungs
from tilewise.attention.passes import Options
from tilewise.block_sparse import spans_mask
from tilewise.masks import causal

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="triton is for Linux only")

HOPPER = Pair("gluon_forward", "gluon_backward")
WIDE = Pair("gluon_forward", "gluon_wide_backward")
TMA = Pair("descriptors", "backward_descriptors")
SAME_BITS = Pair("gluon_varlen", "varlen_backward")  # each time
POINTERS = Pair("causal", "backward_split")
DTYPES = torch.float16, torch.bfloat16, torch.float32, torch.float64
CARDS = (7, 5), (8, 0), (8, 6), (8, 7), (8, 9), (9, 0), (10, 0), (10, 3), (12, 0)
DIMS = 8, 16, 20, 64, 80, 96, 100, 128, 136, 192, 256, 264


def expected(capability, dtype, d, gluon):
    """The same in other words."""
    major, _ = capability
    if major < 8 or dtype == torch.float64 or d > 256 or d % 8:
        return None
    if dtype == torch.float32:
        return POINTERS
    if major == 9 and gluon:
        return HOPPER if d <= 128 else WIDE
    if major in (9, 10):
        return TMA
    return POINTERS if d <= 128 or capability == (8, 0) else None


@pytest.mark.parametrize("gluon", [False, True])
@pytest.mark.parametrize("capability", CARDS, ids=str)
def test_every_card_dtype_and_size(capability, gluon):
    for dtype, d in itertools.product(DTYPES, DIMS):
        found = rungs(capability, dtype, d, gluon)
        assert found == expected(capability, dtype, d, gluon), (dtype, d)
        assert rungs(capability, dtype, d, gluon, deterministic=True) == found


@LINUX
def test_the_table_names_kernels_that_are_there():
    from tilewise import kernels

    for row in dispatch.TABLE + dispatch.WINDOWS + dispatch.PACKED_VARIANTS:
        assert row.pair.forward in kernels.FORWARD + kernels.VARIANTS
        known = kernels.BACKWARD + kernels.WIDE + kernels.VARIANTS
        assert row.pair.backward in known
        assert row.least <= row.most and row.largest_d % 8 == 0


@pytest.fixture
def hopper(monkeypatch):
    """Takes the tensors' device for an H200."""
    monkeypatch.setattr(dispatch, "card", lambda device: ((9, 0), True))


X = torch.zeros(1, 2, 5, 64, dtype=torch.bfloat16)
OPTIONS = [{"dropout_p": 0.1}, {"window": (2, None)}, {"softcap": 5.0}]
OPTIONS += [{"alibi_slopes": torch.ones(2)}, {"sinks": torch.ones(2)}]
BLOCKS = {"block_mask": spans_mask(5, 5, causal(5, 5))}
OPTIONS += [BLOCKS]


@LINUX
@pytest.mark.parametrize("capability", CARDS, ids=str)
def test_options_have_kernels_of_their_own(capability, monkeypatch):
    monkeypatch.setattr(dispatch, "card", lambda device: (capability, False))
    pairs = dispatch.VARIANT, dispatch.PACKED_VARIANT
    own, packed = map(functions, pairs) if capability[0] >= 8 else (None, None)
    for more in OPTIONS:
        assert route(X, X, X, None, Options(True, 0.5, **more)) == own, more
        expected = None if more is BLOCKS else packed
        how = Options(True, **more)
        assert route(X[0], X[0], X[0], None, how, packed=True) == expected, more
        how = Options(True, **more | BLOCKS)
        assert route(X[0], X[0], X[0], None, how, packed=True) is None, more
        assert route(X, X, X, None, Options(True, **more | BLOCKS)) == own, more
    assert route(X, X, X[..., :32]) == own
    assert route(X[0], X[0], X[0, ..., :32], packed=True) == packed
    assert route(X[0], X[0], X[0, ..., :20], packed=True) is None
    wide = torch.zeros(1, 2, 5, 192, dtype=torch.bfloat16)
    largest = own if capability[0] in (9, 10) or capability == (8, 0) else None
    assert route(wide, wide, X) == largest
    assert own is None or (own.variants and packed.variants)


@LINUX
def test_windows_and_sinks_have_gluon_on_hopper(hopper):
    """One of them or both, in 16 bits, for d up to 128; otherwise Triton's kernels."""
    few = {"window": (2, None), "sinks": torch.ones(2)}
    own, others = functions(dispatch.HOPPER_WINDOWS), functions(dispatch.VARIANT)
    assert own.variants
    for names in (["window"], ["sinks"], few):
        how = Options(True, 0.5, **{name: few[name] for name in names})
        assert route(X, X, X, None, how) == own
        for x, v in ((X.float(), X.float()), (X, X[..., :32])):
            assert route(x, x, v, None, how) == others
        wide = torch.zeros(1, 2, 5, 136, dtype=torch.bfloat16)
        assert route(wide, wide, wide, None, how) == others
        for name in ("dropout_p", "softcap", "alibi_slopes", "block_mask"):
            more = how._replace(**{name: {**OPTIONS[0], **OPTIONS[2]}.get(name, 1)})
            assert route(X, X, X, None, more) == others, name


@LINUX
def test_what_no_kernel_covers_goes_by_tiles_in_pytorch(hopper):
    assert route(X, X, X) == functions(HOPPER)
    mask = torch.ones(5, 5, dtype=torch.bool)
    assert route(X, X, X, mask) is None
    assert route(X, X, X, mask.float()) is None
    assert route(X, X, X, None, Options(True, 0.5)) == functions(HOPPER)
    assert route(X, X, X[..., :20]) is None
    assert route(X.double(), X.double(), X.double()) is None
    assert route(X[..., :12], X[..., :12], X[..., :12]) is None
    wide = torch.zeros(1, 2, 5, 264, dtype=torch.bfloat16)
    assert route(wide, wide, wide) is None


@LINUX
def test_deterministic_algorithms_are_honoured(hopper):
    torch.use_deterministic_algorithms(True)
    try:
        assert route(X, X, X) == functions(HOPPER)  # its dQ is added up in one order
        assert route(X[0], X[0], X[0], packed=True) == functions(SAME_BITS)
        windows = functions(Pair("gluon_windows", "scores_backward"))
        assert route(X, X, X, None, Options(True, window=(2, 0))) == windows
    finally:
        torch.use_deterministic_algorithms(False)
    assert route(X[0], X[0], X[0], packed=True) == functions(dispatch.HOPPER_PACKED)


@pytest.mark.parametrize("name", ["cpu", "meta"])
def test_other_devices_have_no_kernels(name):
    x = X.to(name)
    assert dispatch.card(x.device) is None and route(x, x, x) is None


@pytest.fixture
def without(monkeypatch):
    """A function that takes modules of kernels away, on what is said to be a GPU."""
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (9, 0))

    def without(*names):
        for cached in (dispatch.card, dispatch.kernel):
            cached.cache_clear()
        for name in names:
            monkeypatch.setitem(sys.modules, f"tilewise.kernels.{name}", None)
        return dispatch.card(torch.device("cuda", 0))

    yield without
    for cached in (dispatch.card, dispatch.kernel):
        cached.cache_clear()


def test_a_gpu_without_triton_says_so_once(without):
    with pytest.warns(RuntimeWarning, match="needs Triton from 3.6 on .*descriptors"):
        assert without("descriptors", "shared.gluon") is None
    assert dispatch.card(torch.device("cuda", 0)) is None  # not said again


@LINUX
@pytest.mark.parametrize("name", ["gluon_forward", "gluon_varlen_backward"])
def test_triton_without_gluon_has_the_other_kernels(without, name):
    with pytest.warns(RuntimeWarning, match=f"without.*in Gluon: .*{name}"):
        assert without(name) == ((9, 0), False)


@LINUX
def test_triton_with_gluon_has_all_kernels(without):
    assert without() == ((9, 0), True)


def subscripted_calls(path):
    """Calls of the form x[…](…), as kernels are launched by Triton itself."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):
            yield ast.unparse(node.func)


@pytest.mark.parametrize("name", sorted(dispatch.LIGHT))
def test_what_is_replayed_launches_by_launch_alone(name):
    folder = Path(dispatch.__file__).parents[1] / "kernels"
    assert list(subscripted_calls(folder / f"{name}.py")) == []
    assert list(subscripted_calls(folder / "causal.py"))  # the rule finds something
