"""Memory on top of inputs and results against N, both axes logarithmic."""

from draw.figures import _methods as methods
from draw.figures import _svg as s
from draw.figures._bench import bench
from draw.figures._plot import dot, line, scale
from draw.tables.gpu.peak_memory import D, extra

from tilewise.bench.cells import SIZES

LEFT, RIGHT, TOP, BOTTOM = 62, 384, 30, 300
X = scale(SIZES[0], SIZES[-1], LEFT, RIGHT)
Y = scale(0.25, 2**18, BOTTOM, TOP)  # MiB
METHODS, PARTS = ("math", "flash", "flash_attention"), ("step", "forward")
DASHES = {"step": "5 3", "forward": ""}
OURS = "flash_attention", "forward"
SAY = {
    "en": {
        "label": "Memory in MiB that a call takes beyond its inputs and results,"
        " against N from 1k to 16k with 16,384 tokens in all, both axes logarithmic,"
        " d = 128. {rows}. Standard attention grows with N, since there are fewer, but"
        " longer, sequences; the others stay flat.",
        "row": "{name}: {first} at 1k, {last} at {n}", "y": "MiB",
        "x": "$N$\u2002(16,384 tokens in all)", "forward": "forward",
        "step": "forward and backward", "flash_attention": "ours", "flash": "FA2",
        "math": "standard attention", "join": "; ", "comma": ", ",
        "scores": "one score matrix",
    },
    "zh": {
        "label": "一次调用在输入和结果之外占用的显存（MiB）随 N 的变化，"
        "N 从 1k 到 16k，token 总数 16,384 不变，两个坐标轴都是对数刻度，d = 128。"
        "{rows}。"
        "标准注意力随 N 增长，因为序列少了却更长；其余都是平的。",
        "row": "{name}：1k 时 {first}，{n} 时 {last}", "y": "MiB",
        "x": "$N$（共 16,384 个 token）", "forward": "前向", "step": "前向加反向",
        "flash_attention": "本书", "flash": "FA2", "math": "标准注意力", "join": "；",
        "comma": "，", "scores": "一个分数矩阵",
    },
}


def measured():
    """{(kernel, part): {N: MiB}} at d = 128, without what did not fit."""
    found = {(method, part): {} for method in METHODS for part in PARTS}
    for row in bench()["memory"]:
        if row["d"] == D and extra(row) is not None:
            found[row["kernel"], row["pass"]][row["n"]] = max(0.5, extra(row))
    return found


def axes(say):
    """Ticks, numbers, titles."""
    out = [line("tw-line", (LEFT, TOP - 6), (LEFT, BOTTOM), (RIGHT, BOTTOM))]
    for n in SIZES:
        out.append(line("tw-line", (X(n), BOTTOM), (X(n), BOTTOM + 4)))
        out.append(s.middle(round(X(n)), BOTTOM + 18, f"{n // 1024}k", "tw-small"))
    for mib in (1, 16, 256, 4096, 65536):
        out.append(line("tw-rule", (LEFT, Y(mib)), (RIGHT, Y(mib))))
        out.append(s.text(LEFT - 6, round(Y(mib)) + 4, s.count(mib), "tw-small", "end"))
    out.append(s.text(RIGHT, BOTTOM + 38, say["x"], "tw-small", "end"))
    return [*out, s.text(0, 14, say["y"], "tw-small")]


def names(say, found):
    """The name of each line, above or below its left end."""
    out, below = [], {OURS: 17, (OURS[0], "step"): 17, ("math", "forward"): 19}
    for key, values in found.items():
        name = say["comma"].join(say[part] for part in key)
        colour = f"tw-small {methods.name(key[0])}"
        if key == ("math", "step"):  # above the right end, where the line is highest
            y = round(Y(values[max(values)])) - 12
            out.append(s.text(RIGHT, y, name, colour, "end"))
            continue
        y = round(Y(values[SIZES[0]])) + below.get(key, -8)
        out.append(s.text(round(X(SIZES[0])) + 8, y, name, colour))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, found, told = SAY[lang], measured(), []
    parts = axes(say)
    for key, values in found.items():
        cls, dashes = methods.mark(key[0]), DASHES[key[1]]
        points = [(X(n), Y(mib)) for n, mib in sorted(values.items())]
        parts.append(line(f"{cls} tw-open", *points, dashes=dashes))
        parts += [dot(*point, cls, 2.5) for point in points]
        last = max(values)
        ends = {"first": values[SIZES[0]], "last": values[last]}
        facts = {name: s.count(round(x)) for name, x in ends.items()}
        name = say["comma"].join(say[part] for part in key)
        told.append(say["row"].format(name=name, n=f"{last // 1024}k", **facts))
    label = say["label"].format(rows=say["join"].join(told))
    return s.svg(400, BOTTOM + 46, label, *parts, *names(say, found))
