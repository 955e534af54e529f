"""d = 256 on an H200: TFLOP/s of both passes, by N, with a mask and without."""

from draw.figures._plot import results

from tilewise.bench.cells import SIZES

FILE = "h200-2026-11-30-wide"
KERNELS = {  # pass → columns
    "forward": ("flash", "cudnn", "descriptors", "flash_attention"),
    "backward": ("flash", "cudnn", "backward_descriptors", "flash_attention"),
}
NAMES = "<i>N</i>", "FA2", "cuDNN", "Triton", "Gluon"
SAY = {
    "en": {
        "pass": "pass",
        ("forward", False): "forward",
        ("forward", True): "forward, causal",
        ("backward", False): "backward",
        ("backward", True): "backward, causal",
    },
    "zh": {
        "pass": "方向",
        ("forward", False): "前向",
        ("forward", True): "前向，因果",
        ("backward", False): "反向",
        ("backward", True): "反向，因果",
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
    lines = [f"| {say['pass']} | {' | '.join(NAMES)} |", "|:--|" + len(NAMES) * "--:|"]
    for (way, causal, n), line in speeds().items():
        if n in (1024, 4096, 16384):
            shown = [f"**{x:.0f}**" if x == max(line) else f"{x:.0f}" for x in line]
            cells = say[way, causal], f"{n:,}" if n > 9999 else f"{n}", *shown
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
