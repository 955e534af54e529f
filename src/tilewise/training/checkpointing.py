"""What of a transformer's block stays for its backward pass: five policies.

none    all that autograd keeps
block   the block's input, and the whole block is computed again
apart   attention stays as it is; what stands before and after it is computed again
o       the block's input, O and L: the block is computed again, but for attention
mlp     all but the MLP's inside

Non-reentrant checkpointing throughout: T. Chen et al., "Training Deep Nets with
Sublinear Memory Cost", 2016, as torch.utils.checkpoint has it.
"""

# --8<-- [start:imports]
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

from tilewise.attention import library
from tilewise.checks import check_choice

# --8<-- [end:imports]

# --8<-- [start:policies]
POLICIES = "none", "block", "apart", "o", "mlp"
ATTENTION = [  # operators whose results "o" keeps: ours, and PyTorch's by backend
    library.attention._opoverload,
    torch.ops.aten._scaled_dot_product_flash_attention.default,
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default,
    torch.ops.aten._scaled_dot_product_efficient_attention.default,
    torch.ops.aten._scaled_dot_product_cudnn_attention.default,
]
again = partial(checkpoint, use_reentrant=False)
keep_o = partial(create_selective_checkpoint_contexts, ATTENTION)


def run(block: Any, x: Tensor, policy: str) -> Any:
    """block(x) with a policy: block has qkv(x), attend(q, k, v), join(x, o), mlp(x).

    x (batch, N, embed_dim) → the same shape, in the block's dtype. Results and
    gradients do not depend on the policy. Raises ValueError for an unknown one.
    """
    check_choice("policy", policy, POLICIES)
    if policy == "block":
        return again(block.whole, x)
    if policy == "o":
        return again(block.whole, x, context_fn=keep_o)
    if policy == "apart":
        o = block.attend(*again(block.qkv, x))
        return again(lambda x, o: block.mlp(block.join(x, o)), x, o)
    if policy == "mlp":
        return again(block.mlp, block.join(x, block.attend(*block.qkv(x))))
    return block.whole(x)
    # --8<-- [end:policies]
