import torch
from torch.nn import functional as F

from tilewise.examples.packing_model import Model, draw
from tilewise.packing import collate, pack, unpack

torch.manual_seed(0)
model, documents = Model(), draw()


def run(documents):
    """Each document's logits, and the gradient at its embedded tokens."""
    row, embeddings = collate(pack(documents, 16)), []
    hook = model.token.register_forward_hook(lambda *call: embeddings.append(call[2]))
    logits = model(row["tokens"], row["positions"], row["cu_seqlens"])
    hook.remove()
    (grad,) = torch.autograd.grad(F.cross_entropy(logits, row["labels"]), embeddings)
    return {"logits": unpack([logits], [row]), "gradients": unpack([grad], [row])}


before = run(documents)
documents[7] = (documents[7] + 1) % 50  # other tokens, as many
after = run(documents)
for name, parts in before.items():
    changed = [i for i in parts if not torch.equal(parts[i], after[name][i])]
    print(f"{name:9} that are not the same to the bit: those of document", *changed)
