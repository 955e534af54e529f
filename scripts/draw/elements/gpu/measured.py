"""What <tw-measured> filters: every cell that was timed, of every kernel and pass."""

import json
import math

from draw.figures import _methods as methods
from draw.figures._bench import LONG, PLAIN, SHORT, TOP, bench, speeds
from draw.tables._rungs import NAMES

from tilewise.bench.cells import DIMS, PASSES, RUNGS, SIZES

MASKS = ("full", "causal")
OWN = ("ours", "plain", "math", "backward_split")  # names that SAY has
STEP = 100  # TFLOP/s: an axis begins at the last step below the slowest that is shown
SAY = {
    "en": {
        "pass": "Direction", "d": "Head dimension", "mask": "Mask", "kernel": "Kernels",
        "forward": "forward", "backward": "backward", "full": "none",
        "causal": "causal", "ours": "ours", "plain": "plain Triton",
        "length": "length", "math": "standard attention", "math short": "standard",
        "backward_split": "two walks",
        "title-full": "{way}, d = {d}", "title-causal": "{way}, d = {d}, causal",
        "short": " ({})",
        "row-full": "{n}", "row-causal": "{n} causal",
        "table": "{way}, d = {d}, TFLOP/s", "none": "Choose at least one of each.",
        "tables": "The same as tables",
        "point": "{kernel}: {speed} TFLOP/s, {ms} ms\n{title}, N = {n}",
        "plot": "Points of the plot; the arrow keys go from one to the next",
    },
    "zh": {
        "pass": "方向", "d": "头维度", "mask": "掩码", "kernel": "内核",
        "forward": "前向", "backward": "反向", "full": "无",
        "causal": "因果", "ours": "本书", "plain": "纯 Triton",
        "length": "长度", "math": "标准注意力", "math short": "标准",
        "backward_split": "走两遍",
        "title-full": "{way}，d = {d}", "title-causal": "{way}，d = {d}，因果",
        "short": "（{}）",
        "row-full": "{n}", "row-causal": "{n} 因果",
        "table": "{way}，d = {d}，TFLOP/s", "none": "每项至少选一个。",
        "tables": "用表格看同样的数",
        "point": "{kernel}：{speed} TFLOP/s，{ms} ms\n{title}，N = {n}",
        "plot": "图中的点，用方向键从一个走到另一个",
    },
}


def kernels():
    """Kernel as the widget knows it -> {pass: kernel as it was timed}, ours first."""
    found = {"ours": TOP}
    for name in ("cudnn", "fa4", "flash", "flex"):
        found[name] = dict.fromkeys(PASSES, name)
    found["plain"] = PLAIN
    found["fa3"] = {"forward": "fa3"}
    for name in ("math", "efficient"):
        found[name] = dict.fromkeys(PASSES, name)
    for way in PASSES:
        for name in RUNGS[way]:
            if name not in (TOP[way], PLAIN[way]) and speeds(way, name):
                found[name] = {way: name}
    return found


def described(name, lang):
    """A kernel's name, its short name, the class and the dashes of its line."""
    say, rungs = SAY[lang], NAMES[lang]
    own = say[name] if name in OWN else rungs.get(name, name)
    long = "memory-efficient" if name == "efficient" else LONG.get(name, own)
    short = say["math short"] if name == "math" else SHORT.get(name, own)
    if name in LONG and short != long:
        long += say["short"].format(short)  # the table's head has it
    look = {"css": methods.mark(name), "dashes": methods.dashes(name)}
    return {"name": long, "short": short} | look


def values(way, name):
    """{d: {mask: by N}}: [TFLOP/s, ms], null where none was timed."""
    rows = {
        (row["d"], row["causal"], row["n"]): [round(row["tflops"]), digits(row["ms"])]
        for row in bench()["rows"]
        if row["pass"] == way and row["kernel"] == name and "tflops" in row
    }
    return {
        d: {mask: [rows.get((d, mask == "causal", n)) for n in SIZES] for mask in MASKS}
        for d in DIMS
    }


def slowest(timed):
    """The least TFLOP/s of a kernel, {pass: kernel as it was timed}, in whole ones."""
    rows = (row for row in bench()["rows"] if "tflops" in row)
    return int(min(x["tflops"] for x in rows if timed.get(x["pass"]) == x["kernel"]))


def digits(x):
    """x with four significant digits."""
    return float(f"{x:.4g}")


def draw(lang):
    """The data as the element's script, names in English or Chinese."""
    say = SAY[lang]
    sizes = [f"{n // 1024}k" for n in SIZES]
    fastest = max(row.get("tflops", 0) for row in bench()["rows"])
    made = {"words": say, "sizes": sizes, "dims": DIMS, "kernels": {}}
    made["most"] = 250 * math.ceil(fastest / 250)  # the top of a plot
    for name, timed in kernels().items():
        cells = {way: values(way, kernel) for way, kernel in timed.items()}
        least = {"least": STEP * (slowest(timed) // STEP)}
        made["kernels"][name] = described(name, lang) | least | cells
    data = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
    return f'<script type="application/json">{data}</script>'
