"""Names of the ways to keep, in the order of the page."""

WAYS = (  # attention, policy
    ("standard", "none"), ("ours", "none"), ("ours", "mlp"), ("ours", "apart"),
    ("ours", "o"), ("ours", "block"),
)
NAMES = {
    "en": {
        "standard": "standard attention", "none": "FlashAttention, all kept",
        "mlp": "`mlp`", "apart": "`apart`", "o": "`o`", "block": "`block`",
    },
    "zh": {
        "standard": "标准注意力", "none": "FlashAttention，全部保留",
        "mlp": "`mlp`", "apart": "`apart`", "o": "`o`", "block": "`block`",
    },
}


def name(lang, attention, policy):
    """What a row is called."""
    return NAMES[lang]["standard" if attention == "standard" else policy]
