"""Which query heads use which keys and values: MHA, GQA, MQA and MLA."""

from draw.figures import _svg as s
from draw.figures._plot import line

HEADS, SIDE, STEP = 8, 14, 20  # query heads, a head's box, from one to the next
WIDE, HIGH, TOP = 192, 112, 24  # a panel, and where its boxes begin
KINDS = {"MHA": 8, "GQA": 2, "MQA": 1, "MLA": 0}  # KV heads; MLA has one latent vector
SAY = {
    "en": {
        "label": "Eight query heads and the keys and values that they use. MHA: one KV"
        " head each. GQA: two KV heads, each for four query heads. MQA: one for all."
        " MLA: one latent vector c and one small key with the position, from which each"
        " head's keys and values follow.",
    },
    "zh": {
        "label": "八个查询头，以及它们使用的键和值。MHA：每个查询头各有一个 KV 头。"
        "GQA：两个 KV 头，各供四个查询头使用。MQA：全部共用一个。"
        "MLA：一个潜向量 c 和一个带位置信息的 RoPE 键，各个头的键和值都由它们算出。",
    },
}


def boxes(x, y, kv):
    """The cached boxes of a panel below its queries, and a line from each query."""
    first = x + SIDE / 2
    if kv == 0:
        middle = x + STEP * (HEADS - 1) / 2 + SIDE / 2
        ends = [(first + STEP * n, middle - 6) for n in range(HEADS)]
        out = [line("tw-line", (a, y + SIDE), (b, y + 46)) for a, b in ends]
        out.append(s.rect(middle - 36, y + 46, 60, SIDE + 4, "tw-latent"))
        out.append(s.middle(middle - 6, y + 59, "$c$", "tw-small"))
        return [*out, s.rect(middle + 24, y + 46, 12, SIDE + 4, "tw-k")]
    group, out = HEADS // kv, []
    for n in range(HEADS):
        start = first + STEP * (n // group * group + (group - 1) / 2)
        out.append(line("tw-line", (first + STEP * n, y + SIDE), (start, y + 46)))
    for n in range(kv):
        left = x + STEP * (n * group + (group - 1) / 2)
        out.append(s.rect(left, y + 46, SIDE, SIDE, "tw-k"))
        out.append(s.rect(left, y + 46 + SIDE, SIDE, SIDE, "tw-v"))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, out = SAY[lang], []
    for place, (name, kv) in enumerate(KINDS.items()):
        x, y = 8 + WIDE * (place % 2), TOP + HIGH * (place // 2)
        out.append(s.text(x, y - 8, name, "tw-strong"))
        out += boxes(x, y, kv)
        out += [s.rect(x + STEP * n, y, SIDE, SIDE, "tw-q") for n in range(HEADS)]
    bottom = TOP + 2 * HIGH - 14
    for n, (cls, text) in enumerate(
        (("tw-q", "$Q$"), ("tw-k", "$K$"), ("tw-v", "$V$"), ("tw-latent", "$c$"))
    ):
        out.append(s.rect(8 + 56 * n, bottom, SIDE, SIDE, cls))
        out.append(s.text(28 + 56 * n, bottom + 12, text, "tw-small"))
    return s.svg(384, bottom + 22, say["label"], *out)
