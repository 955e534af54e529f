from tilewise.ledger import flash2_forward

n, d = 8192, 64
share = 1 / 64  # of all scores: 128 keys for each query
print("tile   128 keys here and there   128 keys in one window")
for size in (1, 4, 16, 64, 128):
    scattered = 1 - (1 - share) ** (size * size)  # a tile with none at all is skipped
    bill = flash2_forward(n, d, size, size, window=(64, 63))
    window = bill["flops"] / flash2_forward(n, d, size, size)["flops"]
    print(f"{size:4} {scattered:20.1%} of all tiles {window:13.1%} of all tiles")
