import random

random.seed(0)
for n in (64, 1024, 4096):
    moves = 0
    for _ in range(200):
        m = float("-inf")
        for x in (random.gauss(0, 1) for _ in range(n)):
            moves += x > m
            m = max(m, x)
    harmonic = sum(1 / i for i in range(1, n + 1))
    print(f"N = {n:4}   {moves / 200:.1f} moves on average, H_N = {harmonic:.1f}")
