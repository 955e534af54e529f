"""FlashAttention in Triton with options, forward and backward, from Ampere on.

    o = flash_attention(q, k, v, causal=True, window=(1023, 0), softcap=50.0)

computes softmax(τ q kᵀ) v in fp16, bf16 and fp32, with d and v's d multiples of 8 up to
128: windows, softcap, ALiBi, sinks and dropout, as `scores` and `scores_backward` of
the package do, to the bit. Block masks and packed documents are in the package. Without
a GPU, TRITON_INTERPRET=1 has Triton interpret the kernels, slowly and with NumPy.
"""

import torch
import triton

from tilewise.alone.options_backward import delta_kernel, keys_kernel, queries_kernel
from tilewise.alone.options_forward import rows_kernel
from tilewise.alone.options_truth import largest_error
from tilewise.kernels.shared.common import LOG2E, padded


def tiles(q, v):
    """The tiles for o, for dk and dv, and for dq: rows, columns, warps, stages."""
    if q.dtype == torch.float32:  # no tensor cores
        return (32, 32, 4, 1), (32, 32, 8, 1), (32, 32, 8, 1)
    small = max(q.shape[-1], v.shape[-1]) <= 64
    if not q.is_cuda or torch.cuda.get_device_capability(q.device)[0] == 9:
        last = (128, 64, 8, 3) if small else (64, 64, 4, 2)
        return (64, 64, 4, 3), (64, 64, 4, 2), last
    warps = 4 if small else 8
    return (64, 64, 4, 3), (32, 64, warps, 2), (64, 64, warps, 2)


def launch(kernel, axis, q, k, v, slopes, tensors, how, tile):
    """Start a program for each block of rows (axis 0) or of keys (axis 1)."""
    x, (n_q, d), (n_k, d_v) = (q, k)[axis], q.shape[2:], v.shape[2:]
    slopes = None if slopes is None else (slopes * LOG2E.value).contiguous()
    kernel[(x.shape[:2].numel() * triton.cdiv(x.shape[2], tile[axis]),)](
        q, k, v, slopes, *tensors, n_q, n_k, *how, d, d_v, q.shape[1],
        q.shape[1] // k.shape[1], d, padded(d), d_v, padded(d_v), *tile[:2],
        num_warps=tile[2], num_stages=tile[3],
    )


def numbers(q, k, causal, scale, window, softcap, dropout_p):
    """What kernels are told of a call's options: low, high, diagonal … rest."""
    here, (left, right) = k.shape[2] - q.shape[2], window or (None, None)
    far = k.shape[2] + q.shape[2]  # no key is further away
    left, right = (far if x is None else x for x in (left, right))
    if left < 0 or right < 0 or not 0 <= dropout_p < 1:
        raise ValueError(f"window or dropout_p cannot be: {window}, {dropout_p}")
    if softcap is not None and not softcap > 0:
        raise ValueError(f"softcap must be None or above 0, not {softcap}")
    high = here + min(right, {False: far, True: 0, "top-left": -here}[causal])
    scale = q.shape[3] ** -0.5 if scale is None else scale
    cap = None if softcap is None else softcap * LOG2E.value
    rule = cap, None, None, None
    if dropout_p:
        seed = int(torch.randint(2**63 - 1, (), device="cpu"))
        rule = cap, round(dropout_p * 2**32), seed, 1 / (1 - dropout_p)
    return here - left, high, here, scale, *rule


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, slopes, sinks, how):
        """o and L; between the passes these and the input are kept."""
        o = q.new_empty(*q.shape[:3], v.shape[3])
        lse = q.new_empty(q.shape[:3], dtype=torch.float32)
        launch(rows_kernel, 0, q, k, v, slopes, (sinks, o, lse), how, tiles(q, v)[0])
        ctx.save_for_backward(q, k, v, slopes, sinks, o, lse)
        ctx.how = how
        return o, lse

    @staticmethod
    def backward(ctx, do, dlse):
        """The gradients, from P that is computed again."""
        (*qkv, slopes, sinks, o, lse), how = ctx.saved_tensors, ctx.how
        do, dlse, (n_q, d_v) = do.contiguous(), dlse.contiguous(), o.shape[2:]
        n_pad, rows = -(-n_q // 128) * 128, 8192 // padded(d_v)
        dslopes = torch.empty_like(lse)
        lse2, delta = lse.new_empty(2, *lse.shape[:2], n_pad)
        delta_kernel[(lse.shape[:2].numel() * triton.cdiv(n_pad, rows),)](
            o, do, lse, dlse, lse2, delta, n_q, d_v, padded(d_v), rows
        )
        dq, dk, dv = map(torch.empty_like, qkv)
        given, (_, over_k, over_q) = (do, lse2, delta), tiles(qkv[0], qkv[2])
        launch(keys_kernel, 1, *qkv, slopes, (*given, dk, dv), how, over_k)
        launch(queries_kernel, 0, *qkv, slopes, (*given, dq, dslopes), how, over_q)
        dslopes = None if slopes is None else dslopes.sum(-1)
        if sinks is not None:  # of each row, the weight of its sink times −δ
            sinks = -((sinks[:, None] - lse).exp() * delta[..., :n_q]).sum((0, 2))
        return dq, dk, dv, dslopes, sinks, None


def flash_attention(
    q, k, v, *, causal=False, scale=None, window=None, softcap=None, alibi_slopes=None,
    sinks=None, dropout_p=0.0, return_lse=False,
):
    """o = softmax(τ q kᵀ) v, or (o, L) with L = log Σ e^s; differentiable once.

    q (batch, heads, N_q, d), k (batch, key heads, N_k, d) and v (…, N_k, d_v), where
    key heads divide heads → o (batch, heads, N_q, d_v), L (batch, heads, N_q) in fp32.
    scale None is 1/√d. causal True lets row r see keys 0 .. r + N_k − N_q, "top-left"
    0 .. r. softcap c makes c tanh(s / c) of a score, alibi_slopes (heads,) or (batch,
    heads) add −slope |r + N_k − N_q − j|, window (left, right) hides keys further away,
    sinks (heads,) are logits that only the sum counts, and dropout_p, with a seed from
    PyTorch's CPU generator, drops weights. A row without keys has o = 0, L = −∞.
    """
    sizes = {q.shape[3], v.shape[3]} <= {*range(8, 129, 8)} and k.shape[3] == q.shape[3]
    if not sizes or k.shape[:3] != v.shape[:3] or q.shape[1] % k.shape[1]:
        raise ValueError(f"q, k, v do not fit: {q.shape}, {k.shape}, {v.shape}")
    if q.dtype == torch.float64 or not q.dtype == k.dtype == v.dtype:
        raise ValueError(f"q, k, v must be fp16, bf16 or fp32: {q.dtype}, {k.dtype}")
    how = numbers(q, k, causal, scale, window, softcap, dropout_p)
    if alibi_slopes is not None:
        alibi_slopes = alibi_slopes.float().expand(q.shape[:2])
    if sinks is not None:
        sinks = sinks.float().expand(q.shape[1]).contiguous()
    q, k, v = (x.contiguous() for x in (q, k, v))
    with torch.cuda.device_of(q):
        o, lse = Attention.apply(q, k, v, alibi_slopes, sinks, how)
    return (o, lse) if return_lse else o


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    slopes, sinks = torch.tensor([[0.5, 0.1], [1.0, -1.0]], device=device)
    options = {"causal": True, "window": (9, 3), "softcap": 2.0, "dropout_p": 0.4}
    options |= {"alibi_slopes": slopes, "sinks": sinks}
    for how in ({}, *({x: options[x]} for x in options), options):
        error = largest_error(flash_attention, how, device)
        print(f"{'all' if len(how) > 1 else [*how, 'plain'][0]}: error {error:.0e}")
        assert error < 1e-4
