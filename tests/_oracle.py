"""Independent references: brute force over plain lists, and float64 in PyTorch.

Nothing here imports tilewise, subtracts a maximum by hand or goes tile by tile.
"""

import math
import random
from fractions import Fraction

import torch

CAUSALS = (False, True, "top-left")
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
    """True where a key is hidden, (N_q, N_k), filled row by row."""
    hidden = torch.ones(n_q, n_k, dtype=torch.bool)
    for r in range(n_q):
        hidden[r, list(visible(r, n_q, n_k, causal))] = False
    return hidden


def plain(q, k, v, *, scale=None, causal=False):
    """Plain PyTorch attention in the dtype of its input: (o, log-sum-exp of a row)."""
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    hidden = hidden_mask(q.shape[-2], k.shape[-2], causal)
    s = (torch.matmul(q, k.transpose(-2, -1)) * scale).masked_fill(hidden, -torch.inf)
    p = torch.where(hidden.all(-1, keepdim=True), 0, s.softmax(-1))
    return torch.matmul(p.to(q.dtype), v), s.logsumexp(-1)


def reference(q, k, v, **options):
    """The same in float64."""
    return plain(q.double(), k.double(), v.double(), **options)


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
