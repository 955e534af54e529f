"""The forward kernels of the book as steps: a link, a bar, what each one gained."""

from draw.figures._bench import bench, mean
from draw.figures._methods import colour

PAGE = "gpu/kernel-ladder.html#"
SAY = {
    "en": {
        "naive": ("naive", "three kernels, S and P in memory", "naive"),
        "fa1_order": (
            "FA1 order",
            "loops of FlashAttention-1: keys outside",
            "fa1-order",
        ),
        "fa2_order": (
            "FA2 order",
            "loops of FlashAttention-2: O stays on the chip",
            "fa2-order",
        ),
        "exp2": ("base 2", "fewer instructions for each exponential", "base-2"),
        "causal": ("skipping", "hidden tiles are not computed", "causal"),
        "descriptors": (
            "descriptors",
            "hardware of its own (TMA) copies whole tiles",
            "descriptors",
        ),
        "gluon_forward": ("Gluon", "some threads copy, others compute", ""),
        "gain": "× {:.2f}",
        "line": "cuDNN: {:.0f}",
        "heads": "<i>TFLOP/s</i><i>factor</i>",
    },
    "zh": {
        "naive": ("朴素", "三个内核，S 和 P 写进显存", "naive"),
        "fa1_order": ("FA1 次序", "FlashAttention-1 的循环：键在外层", "fa1-order"),
        "fa2_order": ("FA2 次序", "FlashAttention-2 的循环：O 留在片上", "fa2-order"),
        "exp2": ("底数 2", "每次求指数少用几条指令", "base-2"),
        "causal": ("跳过空块", "被遮住的分块不再计算", "causal"),
        "descriptors": ("描述符", "由专门的硬件（TMA 单元）搬运分块", "descriptors"),
        "gluon_forward": ("Gluon", "有的线程搬运，有的线程计算", ""),
        "gain": "× {:.2f}",
        "line": "cuDNN：{:.0f}",
        "heads": "<i>TFLOP/s</i><i>倍数</i>",
    },
}


def step(say, speed, before, most, address, cls):
    """One kernel: its name as a link, its sentence, its bar and its speed."""
    name, about, _ = say
    gain = SAY["en"]["gain"].format(speed / before) if before else ""
    bar = f'<i class="{cls}" style="width:{100 * speed / most:.1f}%"></i>'
    return (
        f'<li><a href="{address}"><b>{name}</b><span>{about}</span>'
        f'<span class="tw-track">{bar}</span>'
        f"<span>{speed:.0f}</span><span>{gain}</span></a></li>"
    )


def draw(lang):
    """An ordered list; cuDNN is a line across its bars. In TFLOP/s, means of cells."""
    say, kernels = SAY[lang], bench()["names"]["forward"]["rungs"]
    speeds = [mean("forward", x) for x in kernels]
    cudnn, most = mean("forward", "cudnn"), max(speeds)
    place = f'style="--at:{cudnn / most:.4f}"'
    line = f"<span>{say['line'].format(cudnn)}</span>{say['heads']}"
    out = [f'<p class="tw-peer tw-drawn" {place}>{line}</p>']
    out.append(f'<ol class="tw-steps tw-drawn" {place}>')
    for name, speed, before in zip(kernels, speeds, [None, *speeds], strict=False):
        here = say[name][2]
        address = PAGE + here if here else "gpu/hopper-pipeline.html#results"
        out.append(step(say[name], speed, before, most, address, colour(name)))
    return "\n".join([*out, "</ol>"])
