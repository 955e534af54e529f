# Bytes in and out of SRAM for a tile:
# one of two groups of warps, 64 keys, 64 rows, d = 128, bf16. A product reads each
# operand once, unless it is in registers.
tile, square = 2 * 64 * 128, 2 * 64 * 64  # of Q, K, V, dO; of P, dS

right = 5 * tile  # Qᵀ, dOᵀ, dO, Q, and half the columns of 128 keys' K
left = tile + tile + 0 + 0 + 2 * square  # K, V, Pᵀ and dSᵀ in registers, both dS
stored = square + tile  # dS; a half of dQ, in fp32
copies = tile + tile  # half of Q and half of dO come; half of dQ, fp32, goes

least = right + left + stored + copies
most = least + 3 * square  # P stored; Pᵀ, dSᵀ read
for name, size in (("from registers", least), ("through SRAM", most)):  # 128 B a cycle
    print(f"{name:14} {size // 1024} KiB {size // 128} cycles")
print(f"tensor cores {5 * 2 * 64 * 64 * 128 // 4096:13} cycles")  # 4096 FLOP a cycle
