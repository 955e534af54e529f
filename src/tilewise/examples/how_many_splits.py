from tilewise.split_kv import choose_splits

places, d, block = 2 * 132, 128, 32  # an H200; keys in tiles of 32
tile, row = block * 2 * d * 2, (d + 1) * 4  # bytes: K and V in bf16, (o, L) in fp32
print("     n batch programs   splits rounds × tiles  ideal ×")
for n in (1024, 16_384, 131_072):
    for batch in (1, 3, 12, 40):
        programs, tiles = 8 * batch, n // block  # 8 heads of K and V, 32 of Q
        splits = choose_splits(programs, tiles, 4, tile, row, places)
        rounds, each = -(-programs * splits // places), -(-tiles // splits)
        over = rounds * each / (programs * tiles / places)
        print(f"{n:6} {batch:5} {programs:8} {splits:8} {rounds:6} × {each:<8}", end="")
        print(f"{over:6.2f}")
