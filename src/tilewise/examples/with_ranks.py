import os
import tempfile
from copy import deepcopy
from functools import partial

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.multiprocessing import spawn
from torch.nn.parallel import DistributedDataParallel

from tilewise import FlashAttention


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = FlashAttention(64, num_heads=4, causal=True)

    def forward(self, x):
        return x + self.attention(x)


def gradient(block, x):
    block(x).square().mean().backward()
    parts = [p.grad for p in block.parameters()]
    parts = [g.full_tensor() if hasattr(g, "full_tensor") else g for g in parts]
    return torch.cat([g.flatten() for g in parts])


def compare(rank, world):
    """The gradients that two ways to train give, and that of the whole batch."""
    mesh = init_device_mesh("cpu", (world,))
    torch.manual_seed(0)
    block, batch = Block(), torch.randn(4, 50, 64)  # the same on every rank
    whole = gradient(deepcopy(block), batch)
    ways = {"DDP": DistributedDataParallel, "FSDP2": partial(fully_shard, mesh=mesh)}
    for name, wrap in ways.items():
        found = gradient(wrap(deepcopy(block)), batch.chunk(world)[rank])
        if rank == 0:
            same = torch.allclose(found, whole, atol=1e-6)
            print(f"{name}: the gradient of the whole batch: {same}", flush=True)


def one_rank(rank, world, folder):
    """What each process runs, on GPUs with "nccl" and "cuda" for "gloo" and "cpu"."""
    meet = f"file://{folder}/meet"
    dist.init_process_group("gloo", init_method=meet, rank=rank, world_size=world)
    compare(rank, world)
    dist.barrier()
    dist.destroy_process_group()
    os._exit(0)  # gloo's threads can abort a process that ends as usual


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        spawn(one_rank, (2, folder), nprocs=2)
