"""Numbers that a token leaves in the cache of one layer, in five models."""

from draw.figures import _svg as s

from tilewise.examples.mla_cache import MODELS
from tilewise.ledger.kv_cache import cached

LEFT, WIDE, TALL, STEP, TOP = 4, 300, 16, 44, 4
SAY = {
    "en": {
        "label": "Numbers that a token leaves in the cache of one layer: {all}.",
        "join": "; ", "if MHA": "if MHA", ", ": ", ",
    },
    "zh": {
        "label": "一个 token 在一层的缓存里留下多少个数：{all}。",
        "join": "；", "if MHA": "假如用 MHA", ", ": "，",
    },
}


def draw(lang):
    """The figure in English or Chinese."""
    say, out, told = SAY[lang], [], []
    most = max(cached(x[3], x[4], x[5], within=x[6]) for x in MODELS)
    for n, (model, _, _, kv_heads, d, d_v, within) in enumerate(MODELS):
        y, numbers = TOP + STEP * n, cached(kv_heads, d, d_v, within=within)
        name = model.replace("if MHA", say["if MHA"]).replace(", ", say[", "])
        out.append(s.text(LEFT, y + 12, name, "tw-small"))
        x = LEFT
        parts = [("tw-latent", d)] if within else [("tw-k", d), ("tw-v", d_v)]
        for cls, columns in parts:
            wide = WIDE * kv_heads * columns / most
            out.append(s.rect(x, y + 18, wide, TALL, cls))
            if wide > 40:
                letter = f"${cls[-1].upper()}$"
                out.append(s.middle(x + wide / 2, y + 31, letter, f"tw-t{cls[-1]}"))
            x += wide
        out.append(s.text(x + 6, y + 31, s.count(numbers), "tw-strong"))
        told.append(name + say[", "] + s.count(numbers))
    label = say["label"].format(all=say["join"].join(told))
    return s.svg(384, TOP + STEP * len(MODELS), label, *out)
