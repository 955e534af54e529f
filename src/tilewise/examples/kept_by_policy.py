"""What one block keeps by policy, in units of batch · N · E, and what it computes."""

from unittest import mock

import torch

from tilewise import flash2
from tilewise.ledger.activations import kept_bytes
from tilewise.training.kept import Alive, saved
from tilewise.training.transformer import Block

N, E, HEADS = 512, 64, 2
torch.manual_seed(0)
x = torch.randn(1, N, E, requires_grad=True)
dy = torch.randn(1, N, E)
unit, first = x.nbytes, None
print("attention policy   hooks  alive  counted  S made  gradients")
for attention, policy in (
    ("standard", "none"),
    ("ours", "none"),
    ("ours", "mlp"),
    ("ours", "apart"),
    ("ours", "o"),
    ("ours", "block"),
):
    torch.manual_seed(1)  # the same weights
    block = Block(E, HEADS, attention=attention, policy=policy)
    hooks = sum(saved(block, x, without=block.parameters()).values())
    with Alive() as alive:
        y = block(x)
    rest = alive.bytes() - y.nbytes + x.nbytes  # y is the next block's x
    counted = kept_bytes(N, E, HEADS, "fp32", attention=attention, policy=policy)

    with mock.patch.object(flash2, "scores", wraps=flash2.scores) as counter:
        with torch.no_grad():
            block(x)
        tiles = counter.call_count  # tiles of a forward pass
        y = block(x)
        grads = torch.autograd.grad(y, [x, *block.parameters()], dy)
    times = f"{counter.call_count // tiles - 1} times" if tiles else "once"
    if attention == "ours":
        first = first or grads
        same = all(torch.equal(*pair) for pair in zip(first, grads))
    units = f"{hooks / unit:6.3f} {rest / unit:6.3f} {counted / unit:8.3f}"
    end = f"  {'equal' if same else 'other'}" if attention == "ours" else ""
    print(f"{attention:9} {policy:6} {units}  {times:7}{end}".rstrip())
