from tilewise.hardware import GPUS, attainable, ridge
from tilewise.ledger import standard_forward

for gpu in sorted(GPUS):
    print(f"{gpu}: the ridge is at {ridge(gpu):.0f} FLOP per byte")

cost = standard_forward(n=1024, d=64)
intensity = cost["flops"] / (2 * (cost["reads"] + cost["writes"]))  # 2 bytes each
print(f"standard attention: {intensity:.0f} FLOP per byte,", end=" ")
print(f"on an H200 at most {attainable('H200', intensity) / 1e12:.0f} TFLOP/s")
