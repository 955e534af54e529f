"""The longest sequence of one attention layer on three cards, counted."""

from tilewise.ledger.layer import account, card

for gpu in ("A100", "H100", "H200"):
    for way in ("forward", "training"):
        algorithms = account(1, 128, card(gpu, "bf16"), heads=32, way=way)["algorithms"]
        standard, flash = (algorithms[x]["longest"] for x in ("standard", "flash2"))
        print(f"{gpu} {way:8}  standard {standard:6,}  FlashAttention-2 {flash:9,}")
