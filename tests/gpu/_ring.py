"""What the processes of tests/gpu/test_ring.py run: `python _ring.py WORLD FOLDER`.

One process a GPU, NCCL between them; every case is drawn whole, from one seed, and cut.
"""

import datetime
import os
import sys
from pathlib import Path

import torch
import torch.distributed as dist
from torch.multiprocessing import spawn

HALF, BF16, FP32 = torch.float16, torch.bfloat16, torch.float32
CASES = {  # name: dtype, causal, N_q / P, N_k / P, heads, key heads, d
    "causal": (BF16, True, 512, 512, 8, 2, 128),
    "plain": (BF16, False, 384, 500, 4, 4, 64),
    "half": (HALF, True, 258, 258, 4, 2, 128),
    "wide": (HALF, True, 64, 64, 2, 2, 256),
    "single": (FP32, True, 130, 130, 2, 1, 64),
    "by tiles": (BF16, True, 66, 66, 2, 1, 20),
}


def draw(name, world):
    """Whole q, k, v, do, dlse of a case, on the CPU."""
    dtype, _, n_q, n_k, heads, kv_heads, d = CASES[name]
    torch.manual_seed([*CASES].index(name))
    sizes = (heads, n_q), (kv_heads, n_k), (kv_heads, n_k), (heads, n_q)
    made = [torch.randn(2, h, n * world, d).to(dtype) for h, n in sizes]
    return [*made, torch.randn(2, heads, n_q * world)]


def attend(name, rank, world):
    """[o, lse, dq, dk, dv] of a rank's share of a case, back on the CPU."""
    from tilewise.ring.ops import ring_attention
    from tilewise.ring.zigzag import zigzag

    causal = CASES[name][1]
    whole = (x.cuda() for x in draw(name, world))
    cut = (
        zigzag(x, rank, world, dim=2) if causal else x.chunk(world, 2)[rank]
        for x in whole
    )
    q, k, v, do, dlse = cut
    inputs = [x.clone().requires_grad_() for x in (q, k, v)]
    o, lse = ring_attention(*inputs, causal=causal and "zig-zag", return_lse=True)
    grads = torch.autograd.grad((o, lse), inputs, (do, dlse))
    return [x.detach().cpu() for x in (o, lse, *grads)]


def one_at_a_time(rank, world):
    """The case causal, each head of keys of each entry of the batch alone."""
    from tilewise.ledger import ring as ledger_ring

    usual, ledger_ring.LEAST = ledger_ring.LEAST, 1
    found = attend("causal", rank, world)
    ledger_ring.LEAST = usual
    return found


def refused(rank):
    """What each rank is told when one has another length."""
    from tilewise.ring.ops import ring_attention

    x = torch.zeros(1, 1, 16 + 2 * (rank == 1), 16, device="cuda")
    try:
        ring_attention(x, x, x, causal="zig-zag")
    except ValueError as error:
        return str(error)


def work(rank, world, folder):
    """All cases on one GPU, saved as RANK.pt; in two ways to tell ranks' lengths."""
    torch.cuda.set_device(rank)
    found = {}
    for backend in ("nccl", "cpu:gloo,cuda:nccl"):
        dist.init_process_group(
            backend,
            init_method=f"file://{folder}/{backend[:3]}",
            rank=rank,
            world_size=world,
            timeout=datetime.timedelta(seconds=120),
        )
        found["refused", backend] = refused(rank)
        for name in CASES if backend == "nccl" else ["causal"]:
            found[name, backend] = attend(name, rank, world)
        torch.use_deterministic_algorithms(True)  # new memory is filled with NaN
        found["filled", backend] = attend("causal", rank, world)
        found["again", backend] = attend("causal", rank, world)
        found["turns", backend] = one_at_a_time(rank, world)
        torch.use_deterministic_algorithms(False)
        dist.barrier()
        dist.destroy_process_group()
    torch.save(found, Path(folder, f"{rank}.pt"))


if __name__ == "__main__":
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    spawn(work, (int(sys.argv[1]), sys.argv[2]), nprocs=int(sys.argv[1]))
