"""What the calculator's two lists of examples put into its fields: models and cards.

A model is one attention layer: query heads, heads of K and V, head dimension. A card
is SRAM in KiB that one thread block may use (what an SM has, less 1 KiB), TB/s, dense
bf16 TFLOP/s with sums in fp32, and GiB; those of tilewise.hardware have a choice of
their own. The sources are named on the page.
"""

MODELS = {
    "Llama 3 8B, Qwen3 8B": (32, 8, 128),
    "Llama 3 70B, Qwen3 32B": (64, 8, 128),
    "DeepSeek-V3": (128, 128, 192),
    "gpt-oss-120b": (64, 8, 64),
}
CARDS = {
    "B200": (227, 8, 2250, 180),
    "RTX 4090": (99, 1.008, 165.2, 24),
    "RTX 5090": (99, 1.792, 209.5, 32),
}


def query(**fields):
    """The fields as the page's address has them."""
    return "&".join(f"{key}={x}" for key, x in fields.items())


def options():
    """{list: [(name, what it puts into the fields)]}."""
    models = [
        (name, query(heads=heads, kv_heads=shared, d=d))
        for name, (heads, shared, d) in MODELS.items()
    ]
    cards = [
        (name, query(gpu="own", sram=sram, bandwidth=rate, tflops=peak, memory=room))
        for name, (sram, rate, peak, room) in CARDS.items()
    ]
    return {"model": models, "card": cards}
