# --8<-- [start:setup]
import torch

from tilewise.pitfalls import named, use
from tilewise.pitfalls.assembled import run
from tilewise.pitfalls.inputs import INPUTS


def both(name, case, what="o"):
    """What the wrong and the right attention give: only the named piece differs."""
    pitfall = named(name)
    return [run(use(pitfall, right), case)[what][0] for right in (False, True)]


def show(name, case):
    for label, o in zip(("wrong", "right"), both(name, case)):
        print(f"{label}  {(o.round(decimals=4) + 0).tolist()}")


example = INPUTS["example"]()  # N = 4, d = 2, tiles 2 × 2
# --8<-- [end:setup]

# --8<-- [start:rescale]
wrong, right = both("output_not_rescaled", INPUTS["falling"]())
print("largest score first:", torch.allclose(wrong, right))
show("output_not_rescaled", example)
# --8<-- [end:rescale]


# --8<-- [start:triangle]
def pattern(*tiles):
    """What tril_in_every_tile shows of 8 × 8 scores, cut into tiles."""
    tril = named("tril_in_every_tile").wrong
    parts = [torch.cat([tril(rows, cols, 8, 8) for cols in tiles], 1) for rows in tiles]
    return torch.cat(parts)


for one, four in zip(pattern(torch.arange(8)), pattern(*torch.arange(8).split(4))):
    print("   ".join(" ".join(".#"[x] for x in row) for row in (one, four)))
# --8<-- [end:triangle]

# --8<-- [start:columns]
show("columns_divided", example)
other = example["q"].clone()
other[0] = 0  # row 0 weighs all keys alike: ℓ = 4, no longer 9/4
print("another first query:")
show("columns_divided", example | {"q": other})
# --8<-- [end:columns]

# --8<-- [start:future]
case = INPUTS["causal"]()
before, _ = both("mask_after_softmax", case)
for name in ("v", "k"):
    other = case[name].clone()
    other[-1] += 3  # the last key or value, which only the last row may see
    after, _ = both("mask_after_softmax", case | {name: other})
    change = (after - before)[:-1].abs().max()
    print(f"another {name} at the end: earlier rows change by {change:.2f}")
# --8<-- [end:future]

# --8<-- [start:zeros]
for given in ("causal_shorter", "window"):
    wrong, right = both("nan_set_to_zero", INPUTS[given]())
    zero = [(o == 0).all(-1).nonzero()[:, 0].tolist() for o in (wrong, right)]
    print(f"{given:14}  rows of zeros: wrong {zero[0]}, right {zero[1]}")
# --8<-- [end:zeros]

# --8<-- [start:loss]
for right in (False, True):
    attention = use(named("jacobian_unweighted"), right)
    case, losses = dict(example), []
    for _ in range(60):
        o = run(attention, case)["o"][0]
        losses.append(o.square().sum().item())
        result = run(attention, case | {"do": 2 * o})
        case |= {x: case[x] - 0.002 * result[f"d{x}"][0] for x in "qkv"}
    print("right" if right else "wrong", [round(x, 1) for x in losses[::10]])
# --8<-- [end:loss]

# --8<-- [start:stream]
for name in ("dropout_one_tile", "dropout"):
    case = INPUTS[name]()
    result = run(use(named("mask_from_stream")), case)
    a, b = ((case[x] * result[y][0]).sum() for x, y in (("do", "o"), ("v", "dv")))
    print(f"{name:16}  <dO, O> = {a:.2f}  <V, dV> = {b:.2f}")
# --8<-- [end:stream]

# --8<-- [start:comparing]
for name, case in (("nan_agrees", "not_a_number"), ("shapes_agree", "another_shape")):
    pitfall, inputs = named(name), INPUTS[case]()
    answers = [f(**inputs) for f in (pitfall.wrong, pitfall.right)]
    print(name, *answers)
# --8<-- [end:comparing]
