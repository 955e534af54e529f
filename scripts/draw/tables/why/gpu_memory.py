"""The memory levels of three GPUs in numbers, each with its source."""

from draw.figures._plot import digits, rate, size

from tilewise.hardware import GPUS, SOURCES

ROWS = [  # level, quantity
    ("registers", "per_sm"), ("registers", "capacity"), ("registers", "bandwidth"),
    ("shared", "per_sm"), ("shared", "with_l1_per_sm"), ("shared", "capacity"),
    ("shared", "bandwidth"), ("shared", "latency"), ("l2", "capacity"),
    ("l2", "bandwidth"), ("l2", "latency"), ("hbm", "capacity"), ("hbm", "bandwidth"),
    ("hbm", "latency"), ("nvlink", "bandwidth"), ("pcie", "bandwidth"),
]
SAY = {
    "en": {
        "registers": "Registers, ", "shared": "Shared memory, ", "l2": "L2 cache, ",
        "hbm": "HBM, ", "nvlink": "NVLink, ", "pcie": "PCIe, ", "per_sm": "each SM",
        "with_l1_per_sm": "each SM, with L1", "capacity": "in all",
        "bandwidth": "bandwidth", "latency": "latency in cycles", "none": "not stated",
        "title": "Units, clocks and sources of this table",
        "kinds": (
            "The small number is the source; d: derived from what it states, m:"
            " measured. SXM is the form for servers, as opposed to a PCIe card.",
            "A GB of capacity is 2³⁰ bytes, as vendors count it; TB/s and GB/s are"
            " powers of ten. NVLink and PCIe: both directions together.",
            "Bandwidths on Hopper are bytes per clock cycle times 132 SMs times the"
            " clock: for registers 1536 bytes (128 multiply-adds) at 1.98 GHz, the"
            " clock that the stated fp32 peak implies; for shared memory 128 bytes at"
            " 1.83 GHz, that of the stated bf16 peak.",
            "Source {luo} took its latencies on an A100 PCIe and an H800 PCIe (the"
            " H100's chip), with another program than source {ours}, so compare"
            " latencies only within a column.",
        ),
        "sources": "Sources: ", "from": ", ", "next": "; ", "end": ".",
        "others": " et al., ",
        "here": "measured for this book on one NVIDIA H200, 2026-11-20",
    },
    "zh": {
        "registers": "寄存器，", "shared": "共享内存，", "l2": "L2 缓存，",
        "hbm": "HBM，", "nvlink": "NVLink，", "pcie": "PCIe，", "per_sm": "每个 SM",
        "with_l1_per_sm": "每个 SM（含 L1）", "capacity": "总容量",
        "bandwidth": "带宽", "latency": "延迟（周期）", "none": "未公布",
        "title": "这张表的单位、时钟和出处",
        "kinds": (
            "小号数字是出处的编号；d：由出处给的数推算，m：实测。SXM 指服务器专用的"
            "版本，区别于 PCIe 插卡。",
            "容量的 GB 是 2³⁰ 字节，与厂商的算法相同；TB/s、GB/s 按 10 的幂。NVLink"
            " 和 PCIe 是双向合计。",
            "Hopper 的带宽是每周期的字节数乘 132 个 SM 再乘时钟：寄存器每周期 1536"
            " 字节（128 次乘加），时钟取标称 fp32 峰值对应的 1.98 GHz；共享内存每周期"
            " 128 字节，时钟取标称 bf16 峰值对应的 1.83 GHz。",
            "出处 {luo} 的延迟是在 A100 PCIe 和 H800 PCIe（芯片和 H100 的一样）上测"
            "的，用的程序和出处 {ours} 不同，所以延迟只能在同一列里比较。",
        ),
        "sources": "出处：", "from": "，", "next": "；", "end": "。",
        "others": " 等，",
        "here": "本书在一张 NVIDIA H200 上实测，2026-11-20",
    },
}
MARK = {"stated": "", "derived": "\u00a0d", "measured": "\u00a0m"}
FORM = {"bandwidth": rate, "latency": digits}


def cell(fact, quantity, number):
    """A number with its unit, its source's number and the mark of its kind."""
    shown = FORM.get(quantity, size)(fact["value"]).replace(" ", "\u00a0")
    mark = f"{number[fact['source']]}{MARK[fact['kind']]}"
    return f'{shown} <sup class="tw-hung">{mark}</sup>'


def entry(key, number, say):
    """A source in the list under the table; a file of this project has no address."""
    title, publisher, address = SOURCES[key]
    publisher = publisher.replace(" et al., ", say["others"])
    if "://" in address:
        return f"<sup>{number}</sup> {publisher}{say['from']}[{title}]({address})"
    return f"<sup>{number}</sup> {say['here']}{say['from']}`{address}`"


def draw(lang):
    """A Markdown table of levels and GPUs; its units and sources are folded below."""
    say, levels = SAY[lang], [gpu["levels"] for gpu in GPUS.values()]
    facts = {(a, b): [x[a].get(b) for x in levels] for a, b in ROWS}
    used = {f["source"] for row in facts.values() for f in row if f}
    number = {key: n for n, key in enumerate((k for k in SOURCES if k in used), 1)}
    names = [gpu["name"].replace(" SXM", "") for gpu in GPUS.values()]
    lines = [f"| SXM {{ .tw-above }} | {' | '.join(names)} |", "|---|--:|--:|--:|"]
    for (level, quantity), row in facts.items():
        cells = [cell(f, quantity, number) if f else say["none"] for f in row]
        lines.append(f"| {say[level]}{say[quantity]} | {' | '.join(cells)} |")
    entries = say["next"].join(entry(key, n, say) for key, n in number.items())
    notes = [x.format(luo=number["luo"], ours=number["latency"]) for x in say["kinds"]]
    notes.append(say["sources"] + entries + say["end"])
    fold = [f'??? info "{say["title"]}"', *(f"    - {note}" for note in notes)]
    return "\n".join([*lines, "", *fold])
