from tilewise.hardware import roofs
from tilewise.ledger.ring import LINKS, least_share, needed

peak, _ = roofs("H200")  # bf16 FLOP/s, the vendor's
ways = [(causal, backward) for causal in (False, True) for backward in (False, True)]
print("the least N/P, causal:          no     no    yes    yes")
print("              pass:          forw.  backw. forw.  backw.")
for link in ("NVLink", "InfiniBand"):
    rate, _ = LINKS[link]
    for heads, kv_heads in ((16, 16), (16, 2)):
        least = [
            least_share(peak, rate, heads, kv_heads, causal=causal, backward=backward)
            for causal, backward in ways
        ]
        name = f"{link:10} {heads:2} heads, {kv_heads:2} of K"
        print(name, *(f"{round(x):6,}" for x in least))

print("\nwhat a rank must send, causal, 16 heads, 2 of K, in GB/s")
for share in (4096, 16_384, 65_536):
    rates = [needed(share, peak, 16, 2, causal=True, backward=b) for b in (False, True)]
    print(f"N/P = {share:6,}:", *(f"{x / 1e9:6.1f}" for x in rates))
