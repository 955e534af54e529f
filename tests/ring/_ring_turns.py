"""What the processes of tests/ring/test_turns.py run, begun by _ring_start.py.

The cases of _ring.py with few heads at a time, and the memory that a call takes.
"""

import datetime

import torch
import torch.distributed as dist
from _ring import CASES, HELD, LEASTS, MOST, attend, draw, share


def fake_forward(q, k, v, mask, options):
    """Takes the memory of a kernel, o and L, and computes nothing."""
    wide = torch.promote_types(q.dtype, torch.float32)
    o = q.new_zeros(*q.shape[:3], v.shape[-1])
    return o, q.new_zeros(q.shape[:3], dtype=wide)


def fake_backward(q, k, v, *more):
    """The same of the Gluon kernel: L and δ, dq, dk, dv, and dq in fp32."""
    wide = torch.promote_types(q.dtype, torch.float32)
    numbers = q.new_zeros(2, *q.shape[:3], dtype=wide)
    grads = [torch.zeros_like(x) for x in (q, k, v)]
    summed = grads[0] if q.dtype == wide else q.new_zeros(q.shape, dtype=wide)
    assert len(numbers) == 2 and summed.shape == q.shape
    return *grads, None


def held(name, rank, world):
    """[forward, backward]: the most bytes alive beside the results of the pass.

    What ranks tell each other is little, and gloo lets go of it late: left out.
    """
    from tilewise.ring import ops as ring
    from tilewise.training.kept import Alive

    (q, k, v, do, _), lengths = draw(name, world)
    q, do = (share(x, name, rank, world) for x in (q, do))
    inputs = [q, *(share(x, name, rank, world, lengths) for x in (k, v))]
    inputs = [x.clone().requires_grad_() for x in inputs]
    ring.agree = lambda *_: (q.shape[2], lengths)
    with Alive() as forward:
        out = ring.ring_attention(
            *inputs, causal=CASES[name][1] and "zig-zag", return_lse=True
        )
    with Alive() as backward:
        grads = torch.autograd.grad(out[0], inputs, do)
    return [
        alive.peak - sum(x.numel() * x.element_size() for x in made)
        for alive, made in ((forward, out), (backward, grads))
    ]


def all_held(rank, world):
    """{(case, heads at once): what `held` found}; these kernels only take memory."""
    from tilewise.attention import passes
    from tilewise.ring import ops as ring

    real = passes.forward, passes.backward, ring.at_once, ring.agree
    passes.forward, passes.backward = fake_forward, fake_backward
    CASES.update(HELD)
    found = {}
    for name in HELD:
        for most in (1, 2, 4):
            ring.at_once = lambda *_, most=most, **__: most
            found[name, most] = held(name, rank, world)
    passes.forward, passes.backward, ring.at_once, ring.agree = real
    return found


def in_turns(rank, world):
    """{(case, heads at once): five results}, and every message's bytes, in order."""
    from tilewise.ring import ops as ring
    from tilewise.ring import ranks

    found, sent, rule = {}, {}, ring.at_once
    real = dist.batch_isend_irecv

    def batch(todo):
        mine = [x.tensor for x in todo if x.op is dist.isend]
        sent[at].append(sum(x.numel() * x.element_size() for x in mine))
        return real(todo)

    ranks.dist.batch_isend_irecv = batch
    for name in ("uneven", "causal", "causal-16"):
        for most in MOST:
            at, sent[name, most] = (name, most), []
            ring.at_once = rule if most is None else lambda *_, n=most, **__: n
            found[at] = attend(name, rank, world)
    ranks.dist.batch_isend_irecv, ring.at_once = real, rule
    return found, sent


def by_rule(name, least, rank, world):
    """(results, turns of both passes) of a case with another LEAST."""
    from tilewise.ledger import ring as ledger_ring
    from tilewise.ring import ops as ring

    usual, ledger_ring.LEAST = ledger_ring.LEAST, least
    real, made = ring.turns, []
    ring.turns = lambda *given: made.append(real(*given)) or made[-1]
    results = attend(name, rank, world)
    ledger_ring.LEAST, ring.turns = usual, real
    return results, [len(x) for x in made]


def work(rank, world, folder):
    """All of it on one rank, saved as `folder`/RANK.pt."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)  # new memory is filled with NaN
    dist.init_process_group(
        "gloo",
        init_method=f"file://{folder}/meet",
        rank=rank,
        world_size=world,
        timeout=datetime.timedelta(seconds=60),
    )
    from tilewise.attention import passes

    passes.tile_sizes = lambda q: (5, 4)  # more than one tile
    results, sent = in_turns(rank, world)
    found = {"results": results, "sent": sent}
    found["again"] = by_rule("causal-16", 1, rank, world)
    found["uneven"] = [by_rule("uneven", x, rank, world) for x in LEASTS]
    torch.use_deterministic_algorithms(False)  # what fills memory is no part of it
    found["held"] = all_held(rank, world)
    torch.save(found, folder / f"{rank}.pt")
    dist.destroy_process_group()
