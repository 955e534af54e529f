"""What each forward rung asks for, by the ledger, with its own tiles."""

from draw.tables._rungs import HEADS, NAMES, RUNGS, D, N, asked, tile

SAY = {
    "en": {
        "head": ("rung", "tile", "elements per head", "GB"),
        "masked": "skipping, causal", "bf16": "FA1 order, O in bf16",
    },
    "zh": {
        "head": ("级", "块", "每个头的元素", "GB"),
        "masked": "跳过空块，因果", "bf16": "FA1 次序，O 用 bf16",
    },
}
FORMULA = {
    "naive": "$4N^2 + 4Nd$",
    "fa1_order": "$T_c \\cdot N(3d + 4)$",
    "fa2_order": "$T_r \\cdot 2Nd$",
}


def rows(say, names):
    """(name, tile, formula, bytes) of each rung; two of them in another way as well."""
    for rung in RUNGS:
        block = "{}\u00a0×\u00a0{}".format(*tile(rung))
        yield names[rung], block, FORMULA.get(rung, FORMULA["fa2_order"]), asked(rung)
        if rung == "fa1_order":
            yield say["bf16"], block, "", asked(rung, kept=2)
        if rung == "causal":
            yield say["masked"], block, "", asked(rung, causal=True)


def draw(lang):
    """A Markdown table for HEADS heads of N × D."""
    assert HEADS * N * D == 16384 * 2048
    lines = [f"| {' | '.join(SAY[lang]['head'])} |", "|---|---|---|--:|"]
    for name, block, formula, size in rows(SAY[lang], NAMES[lang]):
        lines.append(f"| {name} | {block} | {formula} | {size / 1e9:.2f} |")
    return "\n".join(lines)
