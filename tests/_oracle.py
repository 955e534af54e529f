"""Independent references: brute force over plain lists, and float64 in PyTorch.

Nothing here imports tilewise, subtracts a maximum by hand or goes tile by tile.
"""

import math
import random
from fractions import Fraction

import torch

CAUSALS = (False, True, "top-left")
# Of the running example, in ninths, dQ and dK also divided by τ; checkable by hand
DV = [[5, 5], [6, 4], [9, 6], [7, 3]]
DQ = [[-26, -4], [18, -24], [-6, -54], [-8, -34]]
DK = [[24, 18], [18, 42], [-30, -66], [-12, 6]]
torch.set_num_threads(1)  # on tensors this small, threads only wait for each other


def exp2(x):
    """2^x as a fraction: e^{τx} for the running example's τ = ln 2."""
    return Fraction(2) ** x


def visible(r, n_q, n_k, causal):
    """The keys that row r may see."""
    past = {False: n_k, True: r + n_k - n_q + 1, "top-left": r + 1}[causal]
    return range(max(0, min(past, n_k)))


def brute_row(q_r, keys, values, scale, exp=math.exp):
    """One row straight from the definition, Σ e^s v / Σ e^s; zeros without keys."""
    scores = [scale * sum(a * b for a, b in zip(q_r, k, strict=True)) for k in keys]
    total = sum(exp(s) for s in scores)
    columns = zip(*values, strict=True)
    weighted = [
        sum(exp(s) * x for s, x in zip(scores, c, strict=True)) for c in columns
    ]
    return [x / total for x in weighted]


def brute(q, k, v, *, scale=None, causal=False, exp=math.exp):
    """Standard attention over nested lists, row by row, key by key."""
    scale = 1 / math.sqrt(len(q[0])) if scale is None else scale
    rows = []
    for r, q_r in enumerate(q):
        seen = visible(r, len(q), len(k), causal)
        seen_k, seen_v = [k[c] for c in seen], [v[c] for c in seen]
        nothing = [0] * len(v[0])
        rows.append(brute_row(q_r, seen_k, seen_v, scale, exp) if seen else nothing)
    return rows


def hidden_mask(n_q, n_k, causal):
    """True where a key is hidden, (N_q, N_k)."""
    past = {False: n_k, True: n_k - n_q + 1, "top-left": 1}[causal]
    return torch.arange(n_k) >= torch.arange(n_q)[:, None] * bool(causal) + past


def attend(q, k, v, *, scale=None, causal=False, seen=None, bias=0, factors=1):
    """(o, log-sum-exp of a row): whole matrices, as the formula is written.

    seen is True where a key may be seen, factors are dropout's Z.
    """
    if q.ndim > 2:  # heads of k and v may be fewer
        group = q.shape[-3] // k.shape[-3]
        k, v = (x.repeat_interleave(group, -3) for x in (k, v))
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    hidden = hidden_mask(q.shape[-2], k.shape[-2], causal).to(q.device)
    hidden = hidden if seen is None else hidden | ~seen
    s = torch.matmul(q, k.transpose(-2, -1)) * scale + bias
    s = s.masked_fill(hidden, -torch.inf)
    p = torch.where(hidden.all(-1, keepdim=True), 0, s.softmax(-1)).to(q.dtype)
    return torch.matmul(p * factors, v), s.logsumexp(-1)


def autograd(q, k, v, do, **options):
    """(o, lse, dq, dk, dv) of the above, in the dtype of the input."""
    q, k, v = (x.detach().clone().requires_grad_() for x in (q, k, v))
    o, lse = attend(q, k, v, **options)
    return o.detach(), lse.detach(), *torch.autograd.grad(o, (q, k, v), do)


def with_gradients(f, tensors, given):
    """f's results, then the gradients of those of its arguments that are floats."""
    tensors = [x.detach().clone() for x in tensors]
    wanted = [x.requires_grad_() for x in tensors if x.is_floating_point()]
    out = f(*tensors)
    grads = torch.autograd.grad(out, wanted, given[: len(out)])
    return *(x.detach() for x in out), *grads


def floors(q, k, v, do, dlse=None, scale=None, z=1):
    """The largest number that each of o, L, dq, dk, dv is a sum of, or a difference.

    dS = P ∘ (dP − δ) + dL P subtracts two numbers as large as dP = Z ∘ dO Vᵀ, both
    rounded, and is exactly 0 where a row sees one key (δ = dP): the code has δ from the
    stored O, and one key or query carries that into dQ or dK.
    """
    scale = abs(q.shape[-1] ** -0.5 if scale is None else scale)
    q, k, v, do = (x.double() for x in (q, k, v, do))
    dp = do @ v.repeat_interleave(q.shape[1] // v.shape[1], 1).mT
    q, k, v, do, dp = (x.abs().max().item() for x in (q, k, v, do, dp))
    ds = scale * (2 * z * dp + (0 if dlse is None else dlse.abs().max().item()))
    return z * v, 1, ds * k, ds * q, z * do


def assert_as_good(found, exact, plain, least=(), *, units=1, eps=None, doubt=0):
    """Each error is at most twice plain PyTorch's, both against float64.

    Plus units in the last place of the largest number on the way: the result's, or what
    `least` has. With `doubt`, L's too: it is in fp32, and P = e^{S − L} as uncertain.
    """
    for i, (x, y, z) in enumerate(zip(found, exact, plain, strict=True)):
        assert x.shape == y.shape and torch.equal(x.isinf(), y.isinf()), i
        unit = eps or torch.finfo(x.dtype).eps
        if doubt:
            lse = exact[1].masked_fill(exact[1].isinf(), 0).abs().flatten()
            unit += torch.finfo(torch.float32).eps * (lse.max() if len(lse) else 0)
        x, y, z = (a.double().masked_fill(y.isinf(), 0) for a in (x, y, z))
        error, allowed = ((a - y).abs().max().item() for a in (x, z.nan_to_num()))
        top = units * unit * max([*least[i : i + 1], y.abs().max().item()])
        assert error <= 2 * allowed + top, (i, error, allowed, top)


def random_matrix(rng, rows, cols, dtype=float):
    """A list of lists of normal numbers, or of small whole ones for dtype int."""
    if dtype is int:
        return [[rng.randint(-2, 2) for _ in range(cols)] for _ in range(rows)]
    return [[rng.gauss(0, 1) for _ in range(cols)] for _ in range(rows)]


def random_qkv(seed, *, most=12):
    """Lists q, k, v of random sizes, N_q ≠ N_k and d_v ≠ d among them, and blocks."""
    rng = random.Random(seed)
    n_q, n_k, d, d_v = (rng.randint(1, most) for _ in range(4))
    q, k, v = (random_matrix(rng, *s) for s in ((n_q, d), (n_k, d), (n_k, d_v)))
    return q, k, v, rng.randint(1, n_q + 2), rng.randint(1, n_k + 2)


def flat(x):
    """The numbers of nested lists, from left to right."""
    return [y for part in x for y in flat(part)] if isinstance(x, list) else [x]


def largest_difference(a, b):
    """The largest |a − b| over nested lists of one length; NaN if there is any."""
    errors = [abs(x - y) for x, y in zip(flat(a), flat(b), strict=True)]
    return max(errors, key=lambda e: (e != e, e), default=0)
