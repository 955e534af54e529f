from tilewise.hardware import GPUS, attainable, ridge
from tilewise.ledger import flash2_forward, standard_forward

n, d = 4096, 128
for gpu in GPUS:
    print(f"{gpu}  needs {ridge(gpu):.0f} FLOP a byte to be busy")

for name, cost in (
    ("standard", standard_forward(n, d)),
    ("flash", flash2_forward(n, d, block_rows=128, block_cols=64)),
):
    intensity = cost["flops"] / (2 * (cost["reads"] + cost["writes"]))  # 2 bytes each
    most = attainable("H200", intensity)
    print(f"{name:9} {intensity:5.0f} FLOP a byte, at most {most / 1e12:.0f} TFLOP/s")
