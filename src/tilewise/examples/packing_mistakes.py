import torch
from torch.nn import functional as F

from tilewise.examples.packing_model import Model, draw
from tilewise.packing import collate, pack, unpack

documents = draw()
changed = [(documents[0] + 1) % 50, *documents[1:]]
right, other = (collate(pack(x, 16)) for x in (documents, changed))
T = len(right["tokens"])
one = torch.tensor([0, T], dtype=torch.int32)  # all tokens as one document
run_on = torch.arange(T)
crossing = F.pad(right["tokens"][1:], (0, 1), value=-100)


def mean_of_means(logits, labels):
    """Every document counts the same, however short."""
    lengths = right["cu_seqlens"].diff().tolist()
    pairs = zip(logits.split(lengths), labels.split(lengths))
    return torch.stack([F.cross_entropy(*pair) for pair in pairs]).mean()


def run(row, rotary, causal=True, loss=F.cross_entropy):
    """Each document's logits, the loss, its gradient as one vector."""
    torch.manual_seed(0)
    model = Model(rotary).double()
    logits = model(row["tokens"], row["positions"], row["cu_seqlens"], causal)
    value = loss(logits, row["labels"])
    grads = torch.autograd.grad(value, [*model.parameters()], materialize_grads=True)
    grad = torch.cat([x.flatten() for x in grads])
    return unpack([logits.detach()], [right]), value.item(), grad


def report(name, wrong=(), rotary=False, **options):
    """The loss, how far off its gradient is, what other documents feel of the first."""
    logits, loss, grad = run(right | dict(wrong), rotary, **options)
    after, _, _ = run(other | dict(wrong), rotary, **options)
    _, _, exact = run(right, rotary)
    off = (grad - exact).norm() / exact.norm()
    leak = max((logits[i] - after[i]).abs().max() for i in logits if i > 0)
    print(f"{name:28}{loss:6.3f}{off:10.2f}{leak:7.2f}")


print(f"{'':28}{'loss':>6}{'gradient':>10}{'leak':>7}")
report("right")
report("no mask", {"cu_seqlens": one}, causal=False)
report("is_causal over all", {"cu_seqlens": one})
report("labels cross", {"labels": crossing})
report("positions run on, learned", {"positions": run_on})
report("right, with RoPE", rotary=True)
report("positions run on, with RoPE", {"positions": run_on}, rotary=True)
report("mean of documents' means", loss=mean_of_means)
