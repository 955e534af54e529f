"""Ring attention: a sequence over P ranks, with keys and values that travel round.

Each rank keeps its queries. At step t it attends to the keys that were rank r − t's at
the start, merges the outcome into what it has, and passes the keys on meanwhile. The
backward pass goes round once more, and the keys take their gradients along. Heads take
turns, so that only a few are on their way or in fp32 at a time.
Source: Ring Attention, H. Liu, M. Zaharia, P. Abbeel, arXiv 2310.01889.
"""

# --8<-- [start:imports]
import torch

# --8<-- [end:imports]
from tilewise import passes
from tilewise.ledger_ring import at_once
from tilewise.merge import merge_into
from tilewise.ops import Once, flash_attention
from tilewise.ranks import agree, pass_on, ring_of
from tilewise.zigzag import meets

FP32 = torch.float32


# --8<-- [start:ring_attention]
def ring_attention(q, k, v, *, group=None, causal=False, scale=None, return_lse=False):
    """o = softmax(τ q kᵀ) v over all ranks of a process group, differentiable.

    Each rank of torch.distributed calls it with its share and gets its share of o, and
    with return_lse of L: q (batch, heads, N_q / P, d), k (batch, heads, N_k / P, d),
    v (batch, heads, N_k / P, d_v) → o (batch, heads, N_q / P, d_v) in q's dtype, L
    (batch, heads, N_q / P) in fp32 or wider. fp16, bf16, fp32, fp64; fewer heads of k
    and v as in flash_attention. None for scale is 1/√d.

    group None is all processes. Without causal the order of the shares does not matter
    and their lengths may differ. causal=True takes the zig-zag order of
    `tilewise.zigzag`, and shares of one even length. One rank, or no process group, is
    flash_attention. The ring goes round once for a few heads at a time: as many as
    `tilewise.ledger_ring.at_once` says, beside which a rank holds no more than its q,
    k, v, o, L and their gradients.

    What fits on no rank, or not with other ranks, raises ValueError on all of them. All
    must make the same calls, forward and backward: one that does not leaves the others
    waiting for the `timeout` of init_process_group. NCCL takes the current device of
    each process: torch.cuda.set_device.
    """
    rank, world = ring_of(group)
    if world == 1:
        return flash_attention(
            q, k, v, causal=causal, scale=scale, return_lse=return_lse
        )
    rows, lengths = agree(q, k, v, causal, scale, group)
    options = causal, None if scale is None else float(scale), group, rank, lengths
    o, lse = Ring.apply(q, k, v, rows, options)
    return (o, lse) if return_lse else o
    # --8<-- [end:ring_attention]


# --8<-- [start:Ring]
class Ring(torch.autograd.Function):
    """o and L; keeps this rank's q, k, v, o and L, and nothing of the others."""

    @staticmethod
    def forward(ctx, q, k, v, rows, options):
        ctx.rows, ctx.options = rows, options
        ctx.set_materialize_grads(False)
        same, wide = q.shape[-1] == v.shape[-1], torch.promote_types(q.dtype, FP32)
        o = torch.empty_like(q) if same else q.new_empty(*q.shape[:3], v.shape[-1])
        lse = q.new_empty(q.shape[:3], dtype=wide)
        for few, keys in turns(q, k, v, rows, max(options[-1]), False):
            o[few], lse[few] = ring_forward(q[few], k[keys], v[keys], *options)
        ctx.save_for_backward(q, k, v, o, lse)
        return o, lse

    @staticmethod
    def backward(ctx, do, dlse):
        once = RingOnce.apply if torch.is_grad_enabled() else all_backward
        return *once(*ctx.saved_tensors, do, dlse, ctx.rows, ctx.options), None, None


class RingOnce(Once):
    """The backward pass, with no gradient of its own: create_graph asks for one."""

    @staticmethod
    def forward(ctx, *given):
        return all_backward(*given)


def all_backward(q, k, v, o, lse, do, dlse, rows, options):
    """dQ, dK, dV of all heads, turn by turn, each in its tensor's dtype."""
    grads = tuple(torch.empty_like(x) for x in (q, k, v))
    for few, keys in turns(q, k, v, rows, max(options[-1]), True):
        more = (None if x is None else x[few] for x in (o, lse, do, dlse))
        made = ring_backward(q[few], k[keys], v[keys], *more, *options)
        for grad, heads, x in zip(grads, (few, keys, keys), made):
            grad[heads] = x
        del made, x  # else they would be there through the next turn
    return grads


def turns(q, k, v, rows, keys, backward):
    """[(entries and heads of q, those of k and v)], as slices: what goes round at once.

    rows and keys are the most that any rank has, so every rank finds the same turns.
    """
    (batch, heads), kv_heads = q.shape[:2], k.shape[1]
    sizes = q.shape[-1], v.shape[-1], q.element_size()
    most = at_once(rows, keys, heads, kv_heads, *sizes, batch=batch, backward=backward)
    group = heads // kv_heads
    return [
        ((entries, slice(group * few.start, group * few.stop)), (entries, few))
        for entries in cut(batch, max(1, most // kv_heads))
        for few in cut(kv_heads, most)
    ]


def cut(n, most):
    """Slices of 0 .. n − 1, at most `most` long and of about one size."""
    parts = -(-n // most)
    return [slice(n * i // parts, n * (i + 1) // parts) for i in range(parts)]
    # --8<-- [end:Ring]


# --8<-- [start:steps]
def shapes(k, v, lengths, step, rank):
    """The shapes of k and v that this rank holds at a step."""
    n = lengths[(rank - step) % len(lengths)]
    return [(*x.shape[:2], n, x.shape[-1]) for x in (k, v)]


def wider(x):
    """x for sums: in fp32, or float64 for float64."""
    return x.to(torch.promote_types(x.dtype, FP32))
    # --8<-- [end:steps]


# --8<-- [start:ring_forward]
@torch.no_grad()
def ring_forward(q, k, v, causal, scale, group, rank, lengths):
    """o and L of this rank's rows; options as in `ring_attention`, N_k by rank.

    q (batch, heads, N_q / P, d) and so on → o (batch, heads, N_q / P, d_v) and L
    (batch, heads, N_q / P), both in fp32 or wider.
    """
    world = len(lengths)
    for step in range(world):
        source, last = (rank - step) % world, step + 1 == world
        if not last:  # away while this rank computes with it
            wait = pass_on([k, v], shapes(k, v, lengths, step + 1, rank), group)
        rows, keys, mask = meets(rank, source, q.shape[2], k.shape[2], causal)
        given = q[:, :, rows], k[:, :, keys], v[:, :, keys]
        part = passes.forward(*given, None, (mask, scale, 0.0, None))
        if step == 0:
            o, lse = wider(part[0]), part[1]
        else:
            merge_into(o[:, :, rows], lse[:, :, rows], *part)
        del given, part  # else they would be there through the next step
        if not last:
            k, v = wait()
    return o, lse
    # --8<-- [end:ring_forward]


# --8<-- [start:ring_backward]
@torch.no_grad()
def ring_backward(q, k, v, o, lse, do, dlse, causal, scale, group, rank, lengths):
    """dQ, dK, dV of this rank's share, in fp32 or wider; all else as in `ring_forward`.

    o and L are those of all keys, so e^{S − L} is P itself and each block's gradients
    are summands: nothing is rescaled. dQ stays; dK and dV, sums in fp32, follow their
    keys one step behind and are home after P of them. do and dlse may be None.
    """
    do, world = torch.zeros_like(o) if do is None else do, len(lengths)
    come = None
    for step in range(world):
        source, last = (rank - step) % world, step + 1 == world
        after = shapes(k, v, lengths, step + 1, rank)
        if not last:
            wait = pass_on([k, v], after, group)
        rows, keys, mask = meets(rank, source, q.shape[2], k.shape[2], causal)
        saved = (None if x is None else x[:, :, rows] for x in (o, do, lse, dlse))
        given = q[:, :, rows], k[:, :, keys], v[:, :, keys], *saved
        parts = passes.backward(*given, None, False, (mask, scale, 0.0, None))[:3]
        if step == 0:
            dq, dk, dv = map(wider, parts)
        else:
            dq[:, :, rows] += parts[0]
            dk, dv = come()  # sums of the ranks before, for the keys that are here
            dk[:, :, keys] += parts[1]
            dv[:, :, keys] += parts[2]
        del given, parts
        come = pass_on([dk, dv], after, group)
        if not last:
            k, v = wait()
    return dq, *come()
    # --8<-- [end:ring_backward]
