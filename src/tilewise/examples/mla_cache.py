from tilewise.ledger.kv_cache import cached, intensity

MODELS = (  # layers, query heads, KV heads, columns of K and of V, is V within K?
    ("GPT-3 175B, MHA", 96, 96, 96, 128, 128, False),
    ("Llama 3 405B, GQA", 126, 128, 8, 128, 128, False),
    ("Gemma 2B, MQA", 18, 8, 1, 256, 256, False),
    ("DeepSeek-V3, if MHA", 61, 128, 128, 192, 128, False),
    ("DeepSeek-V3, MLA", 61, 128, 1, 576, 512, True),
)

if __name__ == "__main__":
    print("                     per layer  per token   131,072 tokens  FLOP/byte")
    for name, layers, heads, kv_heads, d, d_v, within in MODELS:
        numbers = cached(kv_heads, d, d_v, within=within)
        token = 2 * layers * numbers  # bytes in bf16
        work = intensity(heads, kv_heads, d, d_v, within=within)
        row = f"{numbers:9} {token / 1e3:7.1f} kB {token * 131072 / 1e9:13.1f} GB"
        print(f"{name:20} {row} {work:10.1f}")
