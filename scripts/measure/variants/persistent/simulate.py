"""Makespans of schedules over the 20 cells, in tiles of an SM, as a part of the ideal."""
import heapq, random, sys
W = 132
def share(total, cols, n, dims):
    heads = max(2**26 // (4*n*dims), 2**31 // (n*n))
    most = max(1, min(heads, 65535)); return -(-total // -(-total // most))
def crew_of(units, cols, causal):
    wide = 512 if causal and cols >= 32 else cols
    crew = max(1, min(units, wide // cols))
    return next(c for c in range(crew, 0, -1) if units % c == 0)
from pathlib import Path; src = (Path(__file__).parent / "persk/kernel.py").read_text()
start = src.index("def lengths("); stop = src.index("def tabulate(")
ns = {"heapq": heapq}; exec(src[start:stop], ns)
lengths, schedule = ns["lengths"], ns["schedule"]
def static(lists, long, over, noise, rng):
    return max(sum((long[c] + over) * rng.gauss(1, noise) for _, c in x) for x in lists)
def dynamic(work, long, over, noise, rng):
    free = [0.0] * W
    for u, c in work:
        at = heapq.heappop(free); heapq.heappush(free, at + (long[c] + over) * rng.gauss(1, noise))
    return max(free)
kinds = "greedy", "tail", "robin", "coprime", "snake"
print("cell".ljust(18), "ideal", "now1.2".rjust(8), "dyn.35".rjust(8), *(k.rjust(8) for k in kinds))
tot = {}
for d in 64, 128:
    rows = 128 if d == 64 else 64
    for causal in False, True:
        for n in 1024, 2048, 4096, 8192, 16384:
            cols = n // 128; total = 16384 // n * 2048 // d
            most = share(total, cols, n, d); turns = total // most
            crew = crew_of(most, cols, causal); long = lengths(cols, n, n, causal, rows)
            ideal = most * sum(long) / W
            rng = random.Random(3); rep = 3
            work = list(ns["natural"](most, cols, crew))
            r = [sum(dynamic(work, long, 1.2, .03, rng) for _ in range(rep)) / rep / ideal,
                 sum(dynamic(work, long, .35, .03, rng) for _ in range(rep)) / rep / ideal]
            for k in kinds:
                lists = schedule(k, most, cols, long, crew, W, d)
                r.append(sum(static(lists, long, .35, .03, rng) for _ in range(rep)) / rep / ideal)
            for i, x in enumerate(r): tot.setdefault(i, []).append(x)
            print(f"{d} {'causal' if causal else 'full':6} {n:6}".ljust(18), f"{ideal:6.0f}", *(f"{x:8.3f}" for x in r), f"turns {turns} most {most} cols {cols} crew {crew}")
