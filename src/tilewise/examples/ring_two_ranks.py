import tempfile

import torch
import torch.distributed as dist
from torch.multiprocessing import spawn

from tilewise.ring import ring_attention
from tilewise.worked_example import DO, SCALE, K, Q, V


def one_rank(rank, world, folder):
    """What each process runs; torchrun would start it too, on GPUs with NCCL."""
    dist.init_process_group(
        "gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=world
    )
    whole = torch.tensor([Q, K, V, DO], dtype=torch.float64)[:, None, None]
    q, k, v, do = whole.chunk(world, -2)[rank]  # this rank's two positions
    q, k, v = (x.clone().requires_grad_() for x in (q, k, v))
    o = ring_attention(q, k, v, scale=SCALE)
    o.backward(do)
    ninths = [9 * q.grad / SCALE, 9 * k.grad / SCALE, 9 * v.grad]
    mine = [[[round(y) for y in row] for row in x[0, 0].tolist()] for x in [o, *ninths]]
    everyone = [None] * world
    dist.all_gather_object(everyone, mine)
    if rank == 0:
        for r, results in enumerate(everyone):
            print(f"rank {r}:", dict(zip(("O", "9 dQ/τ", "9 dK/τ", "9 dV"), results)))
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        spawn(one_rank, (2, folder), nprocs=2)
