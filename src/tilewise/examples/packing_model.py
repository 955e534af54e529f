import torch
from torch import nn
from torch.nn import functional as F

from tilewise import flash_attention_varlen
from tilewise.packing import collate, pack

VOCABULARY, LONGEST, HEADS, D = 50, 128, 2, 16


class Model(nn.Module):
    """A language model with one layer of attention, for packed tokens."""

    def __init__(self, rotary=False):
        super().__init__()
        self.rotary = rotary
        self.token = nn.Embedding(VOCABULARY, HEADS * D)
        self.place = nn.Embedding(LONGEST, HEADS * D)
        self.qkv = nn.Linear(HEADS * D, 3 * HEADS * D)
        self.out = nn.Linear(HEADS * D, VOCABULARY)

    def forward(self, tokens, positions, cu_seqlens, causal=True):
        x = self.token(tokens)  # (T, heads · d)
        x = x if self.rotary else x + self.place(positions)
        q, k, v = self.qkv(x).unflatten(-1, (3, HEADS, D)).unbind(1)  # (T, heads, d)
        if self.rotary:
            q, k = rotated(q, positions), rotated(k, positions)
        o = flash_attention_varlen(q, k, v, cu_seqlens, cu_seqlens, causal=causal)
        return self.out(x + o.flatten(1))  # (T, vocabulary)


def rotated(x, positions):
    """Pairs of numbers turned by the position times a frequency (RoPE)."""
    rate = 10_000 ** (-torch.arange(0, D, 2, dtype=x.dtype) / D)
    angle = positions[:, None, None] * rate  # (T, 1, d / 2)
    a, b = x.chunk(2, -1)
    turned = a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()
    return torch.cat(turned, -1)


def draw(seed=0):
    """Twelve documents of random tokens."""
    generator = torch.Generator().manual_seed(seed)
    lengths = [14, 3, 5, 9, 2, 7, 4, 11, 3, 6, 12, 4]
    return [torch.randint(VOCABULARY, (n,), generator=generator) for n in lengths]


def loss(model, row):
    """The mean over all tokens that have a next one."""
    logits = model(row["tokens"], row["positions"], row["cu_seqlens"])
    return F.cross_entropy(logits, row["labels"])


if __name__ == "__main__":
    torch.manual_seed(0)
    model, documents = Model().double(), draw()
    packed = loss(model, collate(pack(documents, 16)))
    alone, count = 0, 0
    for document in documents:
        (row,) = pack([document], 16)
        alone = alone + loss(model, row) * (len(document) - 1)
        count += len(document) - 1
    print(f"packed into five rows {packed:.6f}, one by one {alone / count:.6f}")
    print("the same to within 1e-12:", abs(packed - alone / count).item() < 1e-12)
