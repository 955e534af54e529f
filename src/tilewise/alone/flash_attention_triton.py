"""FlashAttention in Triton, forward and backward, for NVIDIA GPUs from Ampere on.

    o = flash_attention(q, k, v, causal=True)

computes softmax(τ q kᵀ) v in fp16, bf16 and fp32, with d a multiple of 8 up to 128. Its
kernels are `causal` and `backward_split` of the ladder. Windows, softcap, ALiBi, sinks,
dropout and a v of another d are in flash_attention_options_triton.py. Without a GPU,
TRITON_INTERPRET=1 has Triton interpret the kernels, slowly and with NumPy.
"""

import torch
import triton

from tilewise.kernels.backward_split import TILES as BACKWARD
from tilewise.kernels.backward_split import delta_kernel, dkdv_kernel, dq_kernel
from tilewise.kernels.causal import TILES, causal_rows
from tilewise.kernels.shared.common import padded, positive, shift
from tilewise.kernels.shared.common_backward import ELSEWHERE, PAD
from tilewise.kernels.shared.order import crew_of


def tiles(q):
    """The tiles for o, for dk and dv, and for dq: rows, columns, warps, stages."""
    if q.dtype == torch.float32:  # no tensor cores
        return (32, 32, 4, 1), (32, 32, 8, 1), (32, 32, 8, 1)
    hopper = not q.is_cuda or torch.cuda.get_device_capability(q.device)[0] == 9
    d = max(64, padded(q.shape[-1]))
    return TILES[d], *(BACKWARD if hopper else ELSEWHERE)[d]


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, causal, scale):
        """o and L; between the passes only q, k, v, o and L are kept."""
        (batch, heads, n_q, d), n_k = q.shape, k.shape[2]
        o, lse = torch.empty_like(q), q.new_empty(q.shape[:3], dtype=torch.float32)
        (q_, tau), (rows, cols, warps, stages) = positive(q, scale), tiles(q)[0]
        causal_rows[(triton.cdiv(n_q, rows) * batch * heads,)](
            q_, k, v, o, lse, *(x.stride()[:3] for x in (q_, k, v, o)), n_q, n_k,
            shift(causal, n_q, n_k), tau, heads, heads // k.shape[1], batch * heads,
            crew_of(q, k), d, padded(d), rows, cols, num_warps=warps, num_stages=stages,
        )
        ctx.save_for_backward(q, k, v, o, lse)
        ctx.options = shift(causal, n_q, n_k), scale
        return o, lse

    @staticmethod
    def backward(ctx, do, dlse):
        """dq, dk and dv, from P that is computed again."""
        q, k, v, o, lse = ctx.saved_tensors
        do, dlse = do.contiguous(), dlse.contiguous()
        (batch, heads, n_q, d), n_k, dims = q.shape, k.shape[2], padded(q.shape[-1])
        n_pad, rows = -(-n_q // PAD) * PAD, 8192 // dims
        lse2, delta = q.new_empty(2, batch, heads, n_pad, dtype=torch.float32)
        delta_kernel[(batch * heads * triton.cdiv(n_pad, rows),)](
            o, do, lse, dlse, lse2, delta, o.stride()[:3], do.stride()[:3], n_q, n_pad,
            heads, d, dims, rows,
        )
        dq, dk, dv = map(torch.empty_like, (q, k, v))
        over_k, over_q = (dkdv_kernel, k, 1, (dk, dv)), (dq_kernel, q, 0, (dq,))
        for (kernel, x, axis, results), tile in zip((over_k, over_q), tiles(q)[1:]):
            inputs = q, k, v, do, *results
            kernel[(x.shape[:2].numel() * triton.cdiv(x.shape[2], tile[axis]),)](
                *inputs, lse2, delta, *(x.stride()[:3] for x in inputs), n_q, n_k,
                n_pad, *ctx.options, heads, heads // k.shape[1], d, dims, *tile[:2],
                num_warps=tile[2], num_stages=tile[3],
            )
        return dq, dk, dv, None, None


def flash_attention(q, k, v, *, causal=False, scale=None, return_lse=False):
    """o = softmax(τ q kᵀ) v, or (o, L) with L = log Σ e^s; differentiable once.

    q (batch, heads, N_q, d), k and v (batch, key heads, N_k, d), where key heads divide
    heads (GQA, MQA) → o like q and L (batch, heads, N_q) in fp32. scale None is 1/√d.
    causal True lets row r see keys 0 .. r + N_k − N_q, and "top-left" 0 .. r. A row
    without keys has o = 0, L = −∞.
    """
    d, group = q.shape[3], q.shape[1] / k.shape[1]
    if k.shape != v.shape or k.shape[3] != d or d not in range(8, 129, 8) or group % 1:
        raise ValueError(f"q, k, v do not fit: {q.shape}, {k.shape}, {v.shape}")
    if q.dtype == torch.float64 or not q.dtype == k.dtype == v.dtype:
        raise ValueError(f"q, k, v must be fp16, bf16 or fp32: {q.dtype}, {k.dtype}")
    q, k, v = (x.contiguous() for x in (q, k, v))
    with torch.cuda.device_of(q):
        o, lse = Attention.apply(q, k, v, causal, d**-0.5 if scale is None else scale)
    return (o, lse) if return_lse else o


def largest_error():
    """The largest error in fp32, gradients included, against the formula in float64."""
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    q, k, v, do = torch.randn(4, 2, 2, 100, 32, device=device)
    q, k, v = (x.requires_grad_() for x in (q, k[:, :1], v[:, :1]))
    s = q.double() @ k.double().mT / 32**0.5
    s = s.masked_fill(torch.ones_like(s).triu(1) > 0, -torch.inf)
    both = s.softmax(-1) @ v.double(), flash_attention(q, k, v, causal=True)
    both = [(o, *torch.autograd.grad(o, (q, k, v), do.to(o.dtype))) for o in both]
    return max((a - b).abs().max().item() for a, b in zip(*both))


if __name__ == "__main__":
    print(f"o, dq, dk, dv: the largest error in fp32 is {(e := largest_error()):.0e}")
    assert e < 1e-5
