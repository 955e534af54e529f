"""What the processes of tests/ring/test_ring.py run, begun by _ring_start.py.

Every case is drawn whole on every rank, from one seed, and cut; what a rank found is
saved for the test, which puts it together. All new memory begins as NaN.
"""

import datetime

import torch
import torch.distributed as dist

WORLDS = (2, 4)
HEADS, KV_HEADS, D, D_V = 4, 2, 8, 6
DTYPES = {"float64": torch.float64, "float32": torch.float32, "bf16": torch.bfloat16}
CASES = {  # name: dtype, causal, N_q / P, N_k / P of rank 0, more with each rank, scale
    "plain": ("float64", False, 7, 9, 0, None),
    "uneven": ("float64", False, 5, 3, 2, 0.3),
    "causal": ("float64", True, 14, 14, 0, None),
    "shortest": ("float64", True, 2, 2, 0, -0.2),
    "plain-32": ("float32", False, 33, 21, 0, None),
    "causal-32": ("float32", True, 34, 34, 0, None),
    "plain-16": ("bf16", False, 33, 21, 0, None),
    "causal-16": ("bf16", True, 34, 34, 0, None),
}
MOST = (None, 1, 2, 3)  # heads of keys at once, for _ring_turns; None is the rule: all
LEASTS = 4000, 7000, 9000  # where ranks' own lengths would mean different turns
HELD = {  # like CASES, of other lengths: dtype, causal, N_q / P, N_k / P, more
    "held-16": ("bf16", True, 64, 64, 0, None),
    "held-32": ("float32", False, 40, 24, 0, None),
    "held-uneven": ("bf16", False, 40, 24, 8, None),
}


def draw(name, world):
    """Whole q, k, v, do, dlse of a case, and N_k of each rank."""
    dtype, _, n_q, n_k, more, _ = CASES[name]
    lengths = [n_k + more * rank for rank in range(world)]
    n_q, n_k = n_q * world, sum(lengths)
    torch.manual_seed([*CASES].index(name))
    shapes = (HEADS, n_q, D), (KV_HEADS, n_k, D), (KV_HEADS, n_k, D_V)
    shapes = *shapes, (HEADS, n_q, D_V), (HEADS, n_q)
    made = [torch.randn(2, *shape, dtype=torch.float64) for shape in shapes]
    *made, dlse = (x.to(DTYPES[dtype]) for x in made)
    wide = torch.promote_types(dlse.dtype, torch.float32)
    return [*made, dlse.to(wide)], lengths


def share(x, name, rank, world, lengths=None):
    """A rank's part of x along its axis 2."""
    from tilewise.ring.zigzag import zigzag

    if CASES[name][1]:
        return zigzag(x, rank, world, dim=2)
    return x.split(lengths or x.shape[2] // world, 2)[rank]


def attend(name, rank, world, **options):
    """[o, lse, dq, dk, dv] of a rank's share of a case."""
    from tilewise.ring.ops import ring_attention

    (q, k, v, do, dlse), lengths = draw(name, world)
    keys = [share(x, name, rank, world, lengths) for x in (k, v)]
    q, do, dlse = (share(x, name, rank, world) for x in (q, do, dlse))
    inputs = [x.clone().requires_grad_() for x in (q, *keys)]
    more = {
        "causal": CASES[name][1] and "zig-zag",
        "scale": CASES[name][5],
        "return_lse": True,
    }
    o, lse = ring_attention(*inputs, **more | options)
    grads = torch.autograd.grad((o, lse), inputs, (do, dlse))
    return [o.detach(), lse.detach(), *grads]


def observed(name, rank, world):
    """What a call sends, forward and backward, computes, and keeps, beside the math."""
    from tilewise.attention import passes
    from tilewise.ring import ranks

    sent, met, kept = [], [], []
    real, forward = dist.batch_isend_irecv, passes.forward

    def batch(todo):
        mine = [x.tensor for x in todo if x.op is dist.isend]
        sent.append(sum(x.numel() * x.element_size() for x in mine))
        return real(todo)

    def watched(q, k, v, mask, options):
        met.append((q.shape[2], k.shape[2], options.causal))
        return forward(q, k, v, mask, options)

    ranks.dist.batch_isend_irecv, passes.forward = batch, watched
    keep = torch.autograd.graph.saved_tensors_hooks(
        lambda x: kept.append(x.numel()) or x, lambda x: x
    )
    with keep:
        attend(name, rank, world)
    ranks.dist.batch_isend_irecv, passes.forward = real, forward
    return {"sent": sent, "met": met, "kept": kept}


def in_pairs(rank, world):
    """The case causal in groups of two ranks, in the second with twice the values."""
    groups = [dist.new_group([n, n + 1]) for n in range(0, world, 2)]
    from tilewise.ring.ops import ring_attention

    q, k, v, *_ = draw("causal", 2)[0]
    q, k, v = (share(x, "causal", rank % 2, 2) for x in (q, k, v))
    return ring_attention(
        q, k, v * (1 + rank // 2), group=groups[rank // 2], causal="zig-zag"
    )


def moved(rank, world):
    """o of the case plain; then the keys' shares moved on: other orders to merge."""
    from tilewise.ring.ops import ring_attention

    (q, k, v, *_), lengths = draw("plain", world)
    q = share(q, "plain", rank, world)
    keys = [
        [share(x, "plain", (rank + n) % world, world, lengths) for x in (k, v)]
        for n in range(3)
    ]
    return [ring_attention(q, *pair) for pair in keys]


def alone(rank):
    """Seconds after which a rank is told that the others do not come."""
    from tilewise.ring.ops import ring_attention

    group = dist.new_group(timeout=datetime.timedelta(seconds=1))
    told = ""
    if rank == 0:
        try:
            ring_attention(*[torch.zeros(1, 1, 2, 2)] * 3, group=group)
        except RuntimeError as error:
            told = str(error)
    dist.barrier()
    return told


def work(rank, world, folder):
    """All cases on one rank, saved as `folder`/RANK.pt."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)  # new memory is filled with NaN
    assert torch.empty(3).isnan().all()
    dist.init_process_group(
        "gloo",
        init_method=f"file://{folder}/meet",
        rank=rank,
        world_size=world,
        timeout=datetime.timedelta(seconds=60),
    )
    from _ring_wrong import refusals

    from tilewise.attention import passes

    passes.tile_sizes = lambda q: (5, 4)  # more than one tile
    found = {name: attend(name, rank, world) for name in CASES}
    found["again"] = attend("causal-16", rank, world)
    for name in ("uneven", "causal", "causal-16"):
        found[f"observed {name}"] = observed(name, rank, world)
    found["refused"] = refusals(rank)
    found["pairs"], found["moved"] = in_pairs(rank, world), moved(rank, world)
    found["alone"] = alone(rank)
    torch.save(found, folder / f"{rank}.pt")
    dist.destroy_process_group()
