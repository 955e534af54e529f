from tilewise.split_kv import choose_splits

sms, d, block = 132, 128, 64  # an H200; keys in tiles of 64
tile, row = block * 2 * d * 2, (d + 1) * 4  # bytes: K and V in bf16, (o, L) in fp32
print("   n  batch  programs  splits  tiles each  of the work's share")
for n in (1024, 16_384, 131_072):
    for batch in (1, 3, 12, 40):
        programs, tiles = 8 * batch, n // block  # 8 heads of K and V, 32 of Q
        splits = choose_splits(programs, tiles, 4, tile, row, sms)
        rounds, each = -(-programs * splits // sms), -(-tiles // splits)
        over = rounds * each / (programs * tiles / sms)
        print(
            f"{n:7} {batch:3} {programs:8} {splits:8} {rounds} × {each:<8} {over:.2f}"
        )
