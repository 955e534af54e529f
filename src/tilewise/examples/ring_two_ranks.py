import tempfile

import torch
import torch.distributed as dist
from torch.multiprocessing import spawn

from tilewise.ring.ops import ring_attention
from tilewise.ring.zigzag import unzigzag, zigzag
from tilewise.worked_example import DO, SCALE, K, Q, V


def one_rank(rank, world, folder):
    """What each process runs, on GPUs with "nccl" in place of "gloo"."""
    dist.init_process_group(
        "gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=world
    )
    whole = torch.tensor([Q, K, V, DO], dtype=torch.float64)[:, None, None]
    q, k, v, do = whole.chunk(world, -2)[rank]  # two positions of four
    q, k, v = (x.clone().requires_grad_() for x in (q, k, v))
    o = ring_attention(q, k, v, scale=SCALE)
    o.backward(do)
    results = {"O": o, "9 dQ/τ": 9 * q.grad / SCALE}
    results |= {"9 dK/τ": 9 * k.grad / SCALE, "9 dV": 9 * v.grad}
    for name, x in results.items():
        show(f"rank {rank}: {name}", x.detach().round().long().flatten(0, 2).tolist())

    q, k, v, _ = zigzag(whole, rank, world)  # positions 0 and 3, or 1 and 2
    o = ring_attention(q, k, v, causal="zig-zag", scale=SCALE)
    shares = [torch.empty_like(o) for _ in range(world)]
    dist.all_gather(shares, o)
    if rank == 0:
        o = 7 * unzigzag(shares)  # of all ranks, in the order of the sequence
        print("causal: 7 O", o.round().long().flatten(0, 2).tolist())
    dist.destroy_process_group()


def show(name, rows):
    """Print what each rank found, one after another."""
    for turn in range(dist.get_world_size()):
        if turn == dist.get_rank():
            print(name, rows, flush=True)
        dist.barrier()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        spawn(one_rank, (2, folder), nprocs=2)
