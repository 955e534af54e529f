"""d = 256 on an H200: TFLOP/s of both passes, by N, with a mask and without."""

from draw.figures._plot import results

from tilewise.bench.cells import SIZES

FILE = "h200-2026-11-30-wide"
KERNELS = {  # pass → columns
    "forward": ("flash", "cudnn", "descriptors", "flash_attention"),
    "backward": ("flash", "cudnn", "backward_descriptors", "flash_attention"),
}
NAMES = "FlashAttention-2", "cuDNN", "Triton", "Gluon"
SAY = {
    "en": {
        "head": ("pass", "mask", "<i>N</i>", *NAMES),
        "forward": "forward",
        "backward": "backward",
        False: "none",
        True: "causal",
    },
    "zh": {
        "head": ("方向", "掩码", "<i>N</i>", *NAMES),
        "forward": "前向",
        "backward": "反向",
        False: "无",
        True: "因果",
    },
}


def speeds():
    """{(pass, causal, n): [TFLOP/s in the order of KERNELS]}."""
    keys = "pass", "causal", "n", "kernel"
    found = {tuple(x[k] for k in keys): x["tflops"] for x in results(FILE)["rows"]}
    return {
        (way, causal, n): [found[way, causal, n, name] for name in names]
        for way, names in KERNELS.items()
        for causal in (False, True)
        for n in SIZES
    }


def draw(lang):
    """A Markdown table; the fastest of a line is bold."""
    say = SAY[lang]
    lines = ["| " + " | ".join(say["head"]) + " |", "|:--|:--|" + 5 * "--:|"]
    for (way, causal, n), line in speeds().items():
        if n in (1024, 4096, 16384):
            shown = [f"**{x:.0f}**" if x == max(line) else f"{x:.0f}" for x in line]
            cells = say[way], say[causal], f"{n:,}" if n > 9999 else f"{n}", *shown
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
