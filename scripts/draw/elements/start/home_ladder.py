"""The forward kernels of the book as steps: a link, a bar, what each one gained."""

from draw.figures._bench import bench, mean
from draw.figures._methods import colour
from draw.tables._rungs import NAMES

PAGE = "gpu/kernel-ladder.html#"
SAY = {  # a rung: its sentence, and where it is on the page of the ladder
    "en": {
        "naive": ("three kernels, S and P in memory", "naive"),
        "fa1_order": ("loops of FlashAttention-1: keys outside", "fa1-order"),
        "fa2_order": ("loops of FlashAttention-2: O stays on the chip", "fa2-order"),
        "exp2": ("fewer instructions for each exponential", "base-2"),
        "causal": ("hidden tiles are not computed", "causal"),
        "descriptors": ("hardware of its own (TMA) copies whole tiles", "descriptors"),
        "gluon_forward": ("some threads copy, others compute", ""),
        "line": "cuDNN: {:.0f}",
        "heads": "<i>TFLOP/s</i><i>factor</i>",
    },
    "zh": {
        "naive": ("三个内核，S 和 P 写进显存", "naive"),
        "fa1_order": ("FlashAttention-1 的循环：键在外层", "fa1-order"),
        "fa2_order": ("FlashAttention-2 的循环：O 留在片上", "fa2-order"),
        "exp2": ("每次求指数少用几条指令", "base-2"),
        "causal": ("被遮住的分块不再计算", "causal"),
        "descriptors": ("由专门的硬件（TMA 单元）搬运分块", "descriptors"),
        "gluon_forward": ("有的线程搬运，有的线程计算", ""),
        "line": "cuDNN：{:.0f}",
        "heads": "<i>TFLOP/s</i><i>倍数</i>",
    },
}


def step(name, about, speed, before, most, address, cls):
    """One kernel: its name as a link, its sentence, its bar and its speed."""
    gain = f"× {speed / before:.2f}" if before else ""
    bar = f'<i class="{cls}" style="width:{100 * speed / most:.1f}%"></i>'
    return (
        f'<li><a href="{address}"><b>{name}</b><span>{about}</span>'
        f'<span class="tw-track">{bar}</span>'
        f"<span>{speed:.0f}</span><span>{gain}</span></a></li>"
    )


def draw(lang):
    """An ordered list; cuDNN is a line across its bars. In TFLOP/s, means of cells."""
    say = SAY[lang]
    kernels = [x for x in bench()["names"]["forward"]["rungs"] if x in say]
    speeds = [mean("forward", x) for x in kernels]
    cudnn, most = mean("forward", "cudnn"), max(speeds)
    place = f'style="--at:{cudnn / most:.4f}"'
    line = f"<span>{say['line'].format(cudnn)}</span>{say['heads']}"
    out = [f'<p class="tw-peer tw-drawn" {place}>{line}</p>']
    out.append(f'<ol class="tw-steps tw-drawn" {place}>')
    for name, speed, before in zip(kernels, speeds, [None, *speeds], strict=False):
        about, here = say[name]
        address = PAGE + here if here else "gpu/hopper-pipeline.html#results"
        text = NAMES[lang][name], about
        out.append(step(*text, speed, before, most, address, colour(name)))
    return "\n".join([*out, "</ol>"])
