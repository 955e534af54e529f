"""The passes over packed documents as operators of PyTorch: tilewise::attention_varlen.

What `tilewise.library` is for batches. The lengths are tensors, so one compiled graph
serves all documents of a total length; their values are checked when it runs.
"""

# --8<-- [start:imports]
import torch

# --8<-- [end:imports]
from tilewise.library import CAUSAL, MEANING, like, placed
from tilewise.varlen_passes import backward, forward

PLACES = "Tensor cu_q, Tensor cu_k, str causal, float? scale"


def attend(q, k, v, cu_q, cu_k, causal, scale):
    """(o, L) by the operator."""
    return attention_varlen(q, k, v, cu_q, cu_k, CAUSAL[causal], scale)


# --8<-- [start:operators]
@torch.library.custom_op(
    "tilewise::attention_varlen",
    mutates_args=(),
    schema=f"(Tensor q, Tensor k, Tensor v, {PLACES}) -> (Tensor, Tensor)",
)
def attention_varlen(q, k, v, cu_q, cu_k, causal, scale):
    """o and L, as tilewise.varlen_passes has them."""
    made = forward(q, k, v, cu_q, cu_k, MEANING[causal], scale)
    return tuple(map(placed, made, rooms(q, k, v)))


@attention_varlen.register_fake
def rooms(q, k, v, *_):
    """Empty o and L."""
    lse = torch.promote_types(q.dtype, torch.float32)
    return like(q, v.shape[-1]), q.new_empty(q.shape[1::-1], dtype=lse).mT


@torch.library.custom_op(
    "tilewise::attention_varlen_backward",
    mutates_args=(),
    schema="(Tensor q, Tensor k, Tensor v, Tensor o, Tensor lse, Tensor? do_,"
    f" Tensor? dlse, {PLACES}) -> (Tensor, Tensor, Tensor)",
)
def attention_varlen_backward(q, k, v, o, lse, do, dlse, cu_q, cu_k, causal, scale):
    """dQ, dK and dV."""
    given = q, k, v, o, do, lse, dlse, cu_q, cu_k, MEANING[causal], scale
    return tuple(map(placed, backward(*given), rooms_backward(q, k, v)))


@attention_varlen_backward.register_fake
def rooms_backward(q, k, v, *_):
    """Empty dQ, dK and dV."""
    return like(q), like(k), like(v)


def keep(ctx, inputs, output):
    """What the backward pass needs."""
    *tensors, ctx.causal, ctx.scale = inputs
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(*tensors, *output)


def gradients(ctx, do, dlse):
    """Of the inputs of tilewise::attention_varlen."""
    q, k, v, cu_q, cu_k, o, lse = ctx.saved_tensors
    given = q, k, v, o, lse, do, dlse, cu_q, cu_k, ctx.causal, ctx.scale
    return *attention_varlen_backward(*given), None, None, None, None


attention_varlen.register_autograd(gradients, setup_context=keep)
# --8<-- [end:operators]
