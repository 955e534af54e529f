from tilewise.ledger.ring import at_once, working_set

N, HEADS, D = 131_072, 16, 128  # as many heads of K and V as of Q; bf16
GIB = 2**30

print("backward, GiB  kept  heads per turn  for them   sum")
for world in (4, 8, 16):
    n = N // world
    saved = 8 * n * HEADS * D * 2 + 4 * n * HEADS  # q, k, v, o and their gradients; L
    few = at_once(n, n, HEADS, HEADS, D, D, backward=True)
    more = few * sum(working_set(n, n, 1, D, D, backward=True).values())
    line = f"P = {world:2} {saved / GIB:12.2f} {few:15} {more / GIB:9.2f}"
    print(f"{line} {(saved + more) / GIB:5.2f}")
