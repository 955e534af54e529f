from tilewise.ledger.ring import ring_bytes, ulysses_bytes
from tilewise.ledger.units import size

n, d, heads = 131_072, 128, 16
for kv_heads in (16, 2):
    print(f"{heads} heads, {kv_heads} of K and V: a rank sends, forward + backward")
    for world in (2, 4, 8, 16):
        ring = size(sum(ring_bytes(n, world, kv_heads, d).values()))
        line = f"  P = {world:2}: ring {ring:>8}"
        if kv_heads % world == 0:
            all_to_all = ulysses_bytes(n, world, heads, kv_heads, d)
            line += f", Ulysses {size(sum(all_to_all.values())):>8}"
        print(line)
