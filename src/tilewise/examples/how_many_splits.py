from tilewise.trace.split_kv import choose_splits

sms, d, block = 132, 128, 64  # an H200; keys in tiles of 64
tile, row = block * 2 * d * 2, (d + 1) * 4  # bytes: K and V in bf16, (o, L) in fp32
print("     n batch programs   splits per SM × tiles  ideal ×")
for n in (1024, 16_384, 131_072):
    for batch in (1, 3, 12, 40):
        programs, tiles = 8 * batch, n // block  # 8 heads of K and V, 32 of Q
        splits = choose_splits(programs, tiles, 4, tile, row, sms)
        most, each = -(-programs * splits // sms), -(-tiles // splits)
        over = most * each / (programs * tiles / sms)
        print(f"{n:6} {batch:5} {programs:8} {splits:8} {most:6} × {each:<8}", end="")
        print(f"{over:6.2f}")
