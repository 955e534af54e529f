"""Numbers in the prose of the page on shared keys and values: DeepSeek-V3's choices."""

from tilewise.examples.mla_cache import MODELS
from tilewise.hardware import ridge
from tilewise.ledger.kv_cache import cached, flops_per_key

HEADS, D, ROPE, D_V, LATENT = 128, 128, 64, 128, 512  # DeepSeek-V3, section 4.2
TOKENS = 131_072


def token(name):
    """Bytes that a token of this model leaves in the cache, in bf16."""
    (found,) = (x for x in MODELS if x[0].startswith(name))
    _, layers, _, kv_heads, d, d_v, within = found
    return 2 * layers * cached(kv_heads, d, d_v, within=within)


def numbers():
    """{name: text} of every number that this page takes."""
    expanded = flops_per_key(HEADS, D + ROPE, D_V)
    absorbed = flops_per_key(HEADS, LATENT + ROPE, LATENT)
    build = 2 * LATENT * HEADS * (D + D_V)  # K and V of one token from its c
    gpt, v3, if_mha = (token(x) for x in ("GPT", "DeepSeek-V3, MLA", "DeepSeek-V3, if"))
    return {
        "gpt_mb": f"{gpt / 1e6:.1f}",
        "gpt_gb": f"{gpt * TOKENS / 1e9:.0f}",
        "v3_gb": f"{v3 * TOKENS / 1e9:.0f}",
        "smaller": f"{if_mha / v3:.0f}",
        "per_head": f"{cached(HEADS, D + ROPE, D_V):,}",
        "expanded": f"{expanded:,}",
        "absorbed": f"{absorbed:,}",
        "more": f"{absorbed / expanded:.1f}",
        "build": f"{build:,}",
        "build_more": f"{(build + expanded) / absorbed:.0f}",
        "even": f"{build / (absorbed - expanded):.0f}",
        "ridge": f"{ridge('H100'):.0f}",
        "intensity": f"{absorbed / (2 * (LATENT + ROPE)):.0f}",
    }
