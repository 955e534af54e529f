"""PyTorch's own sample inputs for its function: our results and gradients are right.

Its module of samples is for its own test-suite: imported, it freezes switches of the
whole process and asks for a package of test tools. So a child makes the samples.
"""

import subprocess
import sys

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention as theirs

from tilewise import scaled_dot_product_attention as ours
from tilewise.attention import passes
from tilewise.dropout import keep_factors

from .._oracle import with_gradients

DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
CHILD = """
import sys, types, unittest, warnings
warnings.simplefilter("ignore")
known = {"expecttest": {"TestCase": unittest.TestCase}}
known["torch._inductor.utils"] = {"GPU_TYPES": []}  # all that is asked of the compiler
for name in known:
    sys.modules.setdefault(name, types.SimpleNamespace(**known[name]))
import torch
from torch.testing._internal.common_methods_invocations import op_db
name = "nn.functional.scaled_dot_product_attention"
(op,) = [op for op in op_db if op.name == name]
assert op.error_inputs_func is None, "PyTorch has error inputs now: test them too"
samples = {}
for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
    assert dtype in op.dtypes
    torch.manual_seed(0)
    drawn = op.sample_inputs("cpu", dtype, requires_grad=True)
    samples[dtype] = [((x.input, *x.args), x.kwargs) for x in drawn]
torch.save(samples, sys.argv[1])
"""


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    path = tmp_path_factory.mktemp("samples") / "samples.pt"
    done = subprocess.run(
        [sys.executable, "-c", CHILD, path], capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    return torch.load(path)


def with_our_dropout(q, k, v, *, dropout_p, is_causal):
    """PyTorch's own formula, told which weights to keep: those of the next seed."""
    lead = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2])
    z = keep_factors(dropout_p, int(torch.randint(2**63 - 1, ())), *lead)
    kept = z(torch.arange(q.shape[-2])[:, None], torch.arange(k.shape[-2])) > 0
    math = torch.ops.aten._scaled_dot_product_attention_math
    return math(q, k, v, None, dropout_p, is_causal, kept)[0]


def run(f, tensors, options):
    """f's result and the gradients of its tensors, all in float64, from one seed."""
    torch.manual_seed(1)
    shape = torch.broadcast_shapes(*(x.shape[:-2] for x in tensors[:3]))
    shape = *shape, tensors[0].shape[-2], tensors[2].shape[-1]
    do = torch.randn(shape).to(tensors[0].dtype)
    torch.manual_seed(2)
    results = with_gradients(lambda *x: [f(*x, **options)], tensors, [do])
    delta = (do * results[0]).double().sum(-1).abs().max().item()
    assert {x.dtype for x in results} == {do.dtype} and results[0].shape == shape
    return [x.double() for x in results], delta


def floors(q, k, delta):
    """Half a unit in the last place of O, and what that of O makes of the gradients.

    δ = rowsum(dO ∘ O) is from the O that was stored, and dS = P ∘ (dP − δ).
    """
    q, k = (x.abs().max().item() * q.shape[-1] ** -0.5 for x in (q, k))
    return 0, delta * k, delta * q, 0, delta


@pytest.mark.few(2)
@pytest.mark.parametrize("tiles", [(2, 4), None], ids=["small tiles", "one tile"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_as_close_to_float64_as_pytorch(samples, dtype, tiles, monkeypatch):
    """The largest error over all samples is at most twice PyTorch's, plus floors."""
    if tiles:
        monkeypatch.setattr(passes, "tile_sizes", lambda q: tiles)
    assert len(samples[dtype]) >= 25
    own = 1e-10 if dtype == torch.float64 else 0.0  # it is its own reference
    errors, allowed = [0.0] * 5, [own] * 5
    for tensors, options in samples[dtype]:
        options, mask = dict(options), options.get("attn_mask")
        tensors = tensors if mask is None else (*tensors, options.pop("attn_mask"))
        plain = with_our_dropout if options["dropout_p"] else theirs
        exact, delta = run(plain, [x.double() for x in tensors], options)
        found, (other, _) = run(ours, tensors, options)[0], run(plain, tensors, options)
        least = floors(*tensors[:2], delta)
        for i, (x, y, z) in enumerate(zip(found, exact, other, strict=True)):
            floor = torch.finfo(dtype).eps / 2 * max(least[i], y.abs().max().item())
            errors[i] = max(errors[i], (x - y).abs().max().item())
            allowed[i] = max(allowed[i], 2 * (z - y).abs().max().item() + floor)
    assert all(e <= most for e, most in zip(errors, allowed)), (errors, allowed)
