import torch

from tilewise.low_precision import RECIPES, Recipe, nearest, quantise, values

for name in ("e4m3", "e5m2", "e2m1"):
    _, *found = values(name)
    print(f"{name}  {len(found):3} numbers above 0, {found[0]:.2g} to {found[-1]:g}")

x = torch.tensor([[0.3, -0.7, 1.1, 0.9, 30.0, 0.2, -0.4, 0.6]])
for name, recipe in (
    ("e4m3", RECIPES["e4m3"]),
    ("e2m1, one scale", Recipe("e2m1")),
    ("e2m1, a scale for each 4", Recipe("e2m1", 4)),
):
    print(f"{name:24}", *(f"{value:6.2f}" for value in quantise(x, recipe)[0]))
bare = nearest(torch.tensor([0.3, 0.0005, 1000.0]), "e4m3")
print("0.3, 0.0005, 1000 without a scale:", *(f"{value:.2f}" for value in bare))
