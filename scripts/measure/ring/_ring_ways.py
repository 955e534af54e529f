"""The ways of scripts/measure/ring/ring.py to compute attention over several GPUs."""

import contextlib

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from tilewise.ring import ops as ring
from tilewise.ring import passes as ring_passes
from tilewise.ring import ranks

SHAPES = {  # heads, heads of k and v, d: 2048 columns of Q in both
    "16 heads of 128": (16, 16, 128),
    "16 heads, 2 of keys": (16, 2, 128),
}
WAYS = "ring", "ring_first", "ring_priority", "torch_allgather", "torch_alltoall"
PASS_ON = ranks.pass_on


@contextlib.contextmanager
def attention(way, n, device):
    """A function of local q, k, v in zig-zag order: the way of that name."""
    if not way.startswith("ring"):
        with contextlib.ExitStack() as stack:
            yield theirs(way, n, device, stack)
        return
    group = None
    if way == "ring_priority" and device.type == "cuda":
        options = dist.ProcessGroupNCCL.Options(is_high_priority_stream=True)
        group = dist.new_group(backend="nccl", pg_options=options)
    ring_passes.pass_on = waited_for if way == "ring_first" else PASS_ON
    options = {"group": group, "causal": "zig-zag"}
    yield lambda q, k, v: ring.ring_attention(q, k, v, **options)
    ring_passes.pass_on = PASS_ON


def theirs(way, n, device, stack):
    """PyTorch's function, within its context for several GPUs."""
    stack.enter_context(sdpa_kernel(SDPBackend.FLASH_ATTENTION))
    if (world := dist.get_world_size()) > 1:
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.tensor.experimental import _attention

        _attention.set_rotate_method(way.removeprefix("torch_"))
        whole = torch.empty(1, n, device=device)  # the context wants one to cut
        mesh = init_device_mesh(device.type, (world,))
        cut = {"buffers": [whole], "buffer_seq_dims": [1]}
        stack.enter_context(
            _attention.context_parallel(mesh, **cut, no_restore_buffers={whole})
        )
    return lambda q, k, v: F.scaled_dot_product_attention(
        q, k, v, is_causal=True, enable_gqa=q.shape[1] != k.shape[1]
    )


def waited_for(*given):
    """`pass_on`, but what comes is there before this returns: nothing overlaps."""
    received = PASS_ON(*given)()
    return lambda: received


def draw(shape, n, device, seed):
    """q, k, v, do (1, heads, n, d) in bf16, the same for one seed on every rank."""
    heads, kv_heads, d = SHAPES[shape]
    source = torch.Generator(device).manual_seed(seed)
    sizes = heads, kv_heads, kv_heads, heads
    return [
        torch.randn(1, h, n, d, generator=source, device=device, dtype=torch.bfloat16)
        for h in sizes
    ]
