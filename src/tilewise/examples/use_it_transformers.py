import torch
from transformers import AutoModelForCausalLM, LlamaConfig

import tilewise
from tilewise.integrations.transformers import register

torch.set_num_threads(1)  # for a model this small
register()  # from now on "tilewise" is the name of an attention
SIZES = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2}
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 2}
CONFIG = LlamaConfig(vocab_size=256, **SIZES, **HEADS)
text = torch.tensor([[*tilewise.__doc__.encode()]])  # a token is a byte


def losses(implementation, steps=31):
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(CONFIG, attn_implementation=implementation)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(steps):
        loss = model(text, labels=text).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


print("step   eager  tilewise")
for step, (a, b) in enumerate(zip(losses("eager"), losses("tilewise"))):
    if step % 10 == 0:
        print(f"{step:4}  {a:6.3f}  {b:8.3f}")
