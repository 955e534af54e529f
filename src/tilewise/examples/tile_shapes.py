from tilewise.ledger import block_sizes, ceil_div, flash1_forward

n, d = 4096, 64  # one head
m = 163 * 1024 // 2  # A100: elements of 2 bytes that a block may use
rows, cols = block_sizes(m, d)
side = int((m // 4) ** 0.5)  # the scores take a quarter of M
shapes = [
    ("formula", rows, cols),
    ("turned", cols, rows),
    ("square", side, side),
    ("thin", 16, 512),
]
for name, rows, cols in shapes:
    count = flash1_forward(n, d, rows, cols)
    tiles = ceil_div(n, rows) * ceil_div(n, cols)
    moved = (count["reads"] + count["writes"]) / 1e6
    share = count["sram"] / m
    print(f"{name:8} {rows:3} x {cols:3}  {share:4.0%} of M", end="")
    print(f"{tiles:6} tiles {moved:6.1f} million moved")
