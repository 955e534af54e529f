"""The GPU's part of precision.py: real kernels, TF32, exp2, what repeats to the bit."""

from contextlib import contextmanager
from functools import partial

import torch
import triton
from measure.precision import _precision_triton as ours
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

BACKENDS = {
    "flash": SDPBackend.FLASH_ATTENTION,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
    "math": SDPBackend.MATH,
}
PRECISIONS = (None, "tf32", "tf32x3", "ieee")  # of tl.dot
REPEATS = 20


@contextmanager
def float32_as(name):
    """fp32 products as they are, or by TF32 where the format is tf32."""
    torch.set_float32_matmul_precision("high" if name == "tf32" else "highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision("highest")


@contextmanager
def deterministic(wanted):
    """PyTorch's deterministic algorithms, or an error where there is none."""
    torch.use_deterministic_algorithms(wanted)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


def fused(backend, q, k, v, do=None):
    """o, or (o, dq, dk, dv), by one backend of scaled_dot_product_attention."""
    with sdpa_kernel(BACKENDS[backend]):
        if do is None:
            return scaled_dot_product_attention(q, k, v)
        leaves = [x.detach().requires_grad_() for x in (q, k, v)]
        o = scaled_dot_product_attention(*leaves)
        return o.detach(), *torch.autograd.grad(o, leaves, do)


def errors(draw, cast, standard, rows):
    """Rows for every kernel that takes the format; fp32 and tf32 are both float32."""
    out = []
    for name in ("fp32", "tf32", "bf16", "fp16"):
        tensors = cast(draw(), name)
        wanted = standard(*(x.double() for x in tensors))
        tensors = [x.cuda() for x in tensors]
        calls = {"standard": standard}
        for backend in BACKENDS:
            if name in ("bf16", "fp16") or backend in ("efficient", "math"):
                calls[backend] = partial(fused, backend)
        if name in ("bf16", "fp16"):
            calls["triton"] = lambda q, k, v, do: [ours.attention(q, k, v)]
        with float32_as(name):
            for what, f in calls.items():
                out += rows(what, name, f(*tensors), wanted)
        if name == "fp32":
            for precision in PRECISIONS:
                o = ours.attention(*tensors[:3], precision)
                what = f"triton {precision or 'default'}"
                out += rows(what, name, [o], wanted)
    return out


def probe():
    """Does TF32 round 1 + 3/4 of its spacing to the nearest, or cut it off?"""
    a = torch.eye(64, device="cuda") * (1 + 3 * 2.0**-12)
    b = torch.eye(64, device="cuda")
    found = {"torch highest": a @ b}
    with float32_as("tf32"):
        found["torch high"] = a @ b
    for precision in PRECISIONS:
        name = f"triton {precision or 'default'}"
        found[name] = ours.product(a, b, precision)
    values = {1.0: "cut off", 1 + 2.0**-10: "nearest", 1 + 3 * 2.0**-12: "kept"}
    return {name: values.get(c[0, 0].item(), "other") for name, c in found.items()}


def exponentials():
    """Largest relative error of 2^x and e^x in units of u; is 2^−130 more than 0?"""
    x = -torch.arange(126 * 1024 + 1, device="cuda") / 1024
    tiny = torch.full((1,), -130.0, device="cuda")
    out = {}
    for name, f in (("torch", torch.exp2), ("triton", ours.exp2)):
        wanted = torch.exp2(x.double())
        worst = ((f(x).double() - wanted).abs() / wanted).max().item()
        out[f"{name} exp2"] = {"worst": worst * 2**24, "subnormal": f(tiny).item() > 0}
    x = x[: 87 * 1024]
    wanted = torch.exp(x.double())
    worst = ((torch.exp(x).double() - wanted).abs() / wanted).max().item()
    return out | {"torch exp": {"worst": worst * 2**24}}


def different(f):
    """How many different values each result of f() takes in REPEATS calls."""
    seen = []
    for _ in range(REPEATS):
        for n, x in enumerate(f()):
            if n == len(seen):
                seen.append([])
            if not any(torch.equal(x, y) for y in seen[n]):
                seen[n].append(x.clone())
    return dict(zip(("o", "dq", "dk", "dv"), map(len, seen), strict=True))


def repeats(b=4, heads=16, n=4096, d=64):
    """Repeated forward and backward passes in bf16, one row a backend and mode."""
    torch.manual_seed(0)
    tensors = [torch.randn(b, heads, n, d, device="cuda").bfloat16() for _ in range(4)]
    out = []
    for backend in BACKENDS:
        for mode in (False, True):
            row = {"what": backend, "deterministic_algorithms": mode, "times": REPEATS}
            try:
                with deterministic(mode):
                    row |= different(partial(fused, backend, *tensors))
            except RuntimeError as problem:
                row["error"] = str(problem).split(".")[0]
            out.append(row)
    return {"shape": {"batch": b, "heads": heads, "n": n, "d": d}, "rows": out}


def batches():
    """Is the first element of a batch computed to the same bits as alone? In bf16."""
    torch.manual_seed(0)
    w = torch.randn(4096, 4096, device="cuda").bfloat16()
    x = torch.randn(512, 1, 4096, device="cuda").bfloat16()
    calls = {"linear": (lambda x: x.flatten(0, 1) @ w, [x])}
    for n_q, n_k in ((1, 16384), (1024, 1024)):
        sizes = (n_q, n_k, n_k)
        qkv = [torch.randn(64, 8, n, 64, device="cuda").bfloat16() for n in sizes]
        for what in ("flash", "cudnn", "math"):
            calls[f"{what} {n_q} x {n_k}"] = (partial(fused, what), qkv)
    out = []
    for what, (f, whole) in calls.items():
        alone = f(*(x[:1] for x in whole))[0]
        for size in (2, 8, 64, 512):
            if size <= len(whole[0]):
                here = f(*(x[:size] for x in whole))[0]
                gap = (here.double() - alone.double()).abs().max().item()
                same = torch.equal(here, alone)
                out.append({"what": what, "batch": size, "same": same, "max": gap})
    return out


def measure(draw, cast, standard, rows, by_case):
    """All of it, as a dict to be written."""
    long = [
        (what, name, lambda *x, w=what: fused(w, *(t.cuda() for t in x)))
        for what in ("flash", "cudnn")
        for name in ("bf16", "fp16")
    ]
    x = cast(draw(), "fp32")
    here, there = standard(*x)[0], standard(*(t.cuda() for t in x))[0].cpu()
    out = {"triton": triton.__version__, "probe": probe()}
    out |= {"exp2": exponentials(), "gpu_rows": errors(draw, cast, standard, rows)}
    out |= {"gpu_by_case": by_case(long)}
    out["cpu_gpu_equal"] = (here == there).double().mean().item()
    out |= {"repeats": repeats(), "batch": batches()}
    for key, value in out.items():
        print(key, *(value if isinstance(value, list) else [value]), sep="\n  ")
    return out
