"""What an SM of three GPUs has, and the most that it holds, each with its source."""

from draw.figures._svg import count
from draw.tables.why.gpu_memory import MARK, entry

from tilewise.hardware import GPUS, KB, SOURCES
from tilewise.ledger.occupancy import SM, block_shared

SAY = {
    "en": {
        "head": "SXM", "sms": "SMs", "warps": "warps on an SM, at most",
        "blocks": "thread blocks on an SM, at most",
        "block_threads": "threads in a block, at most",
        "registers": "registers on an SM, 4 bytes each",
        "thread_registers": "registers of a thread, at most",
        "shared": "shared memory on an SM", "block_shared": "of it, for one block",
        "parts": "schedulers, and Tensor Cores, on an SM",
        "m": "The small number is the source; m: reported by the device.",
        "sources": " Sources: ", "from": ", ", "next": "; ", "end": ".",
        "others": " et al., ",
        "here": "measured for this book on one NVIDIA H200, 2026-11-20",
    },
    "zh": {
        "head": "SXM", "sms": "SM 的个数", "warps": "每个 SM 最多驻留的 warp",
        "blocks": "每个 SM 最多驻留的线程块", "block_threads": "每个线程块最多的线程",
        "registers": "每个 SM 的寄存器，每个 4 字节",
        "thread_registers": "每个线程最多的寄存器", "shared": "每个 SM 的共享内存",
        "block_shared": "其中一个线程块最多可用",
        "parts": "每个 SM 的调度器，以及 Tensor Core",
        "m": "小号数字是出处的编号；m：由设备报告。",
        "sources": "出处：", "from": "，", "next": "；", "end": "。",
        "others": " 等，",
        "here": "本书在一张 NVIDIA H200 上实测，2026-11-20",
    },
}
ROWS = ["sms", "parts", "warps", "blocks", "block_threads", "registers"]
ROWS += ["thread_registers", "shared", "block_shared"]
AMPERE = {"hopper-in-depth": "a100-whitepaper", "hopper-tuning": "cuda-guide"}


def fact(gpu, row):
    """(text, source, kind) of a number; the limits have the same value on all three."""
    levels = GPUS[gpu]["levels"]
    if row == "block_shared":
        return f"{block_shared(gpu) // KB}\u00a0KiB", "cuda-guide", "stated"
    one = {"sms": GPUS[gpu]["sms"], "shared": levels["shared"]["per_sm"]}.get(row)
    one = one or SM[row]
    source, value = one["source"], one["value"]
    if gpu == "A100":
        source = AMPERE.get(source, source)
    text = f"{value // KB}\u00a0KiB" if row == "shared" else count(value)
    return text, source, one["kind"]


def draw(lang):
    """A Markdown table of limits and GPUs, and its sources."""
    say = SAY[lang]
    facts = {row: [fact(gpu, row) for gpu in GPUS] for row in ROWS}
    used = {source for row in facts.values() for _, source, _ in row}
    number = {key: n for n, key in enumerate((k for k in SOURCES if k in used), 1)}
    names = [gpu["name"].replace(" SXM", "") for gpu in GPUS.values()]
    lines = [f"| {say['head']} | {' | '.join(names)} |", "|---|--:|--:|--:|"]
    for row, cells in facts.items():
        shown = [
            f'{text} <sup class="tw-hung">{number[key]}{MARK[kind]}</sup>'
            for text, key, kind in cells
        ]
        lines.append(f"| {say[row]} | {' | '.join(shown)} |")
    entries = say["next"].join(entry(key, n, say) for key, n in number.items())
    return "\n".join([*lines, "", say["m"] + say["sources"] + entries + say["end"]])
