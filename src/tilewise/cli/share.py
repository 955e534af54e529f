"""`bench --share` and `bench --check`: a reader's card, and what a file of it holds."""

import os
from pathlib import Path
from typing import Any

from tilewise.bench import share, share_file
from tilewise.bench.cells import PASSES, PUBLIC
from tilewise.checks import short_path
from tilewise.cli.errors import Bad

WORDS: dict[str, dict[str, Any]] = {
    "en": {
        "bench --share": "measure a few cells for the book's table of readers' cards:\n"
        "one file that you can send",
        "bench --check": "read such a file and show what it holds; needs no GPU",
        "alone": "what --share measures is fixed: only --out and --lang go with it.",
        "check_alone": "--check only reads a file: no option but --lang goes with it.",
        "old": "bench --share needs a GPU with bfloat16, compute capability 8.0 or "
        "later, and this one has {found}.",
        "unreadable": "{file} cannot be read as text.",
        "json": "{file} is not a file of bench --share: it is no JSON.",
        "fields": "{file} is not a file of bench --share: {where} is missing or does "
        "not belong there.",
        "value": "{file} is not a file of bench --share: the value of {where} "
        "is not possible.",
        "follows": "{file} cannot be right: {where} does not follow from its other "
        "numbers.",
        "changed": "{file} was changed after it was measured: it has another SHA-256 "
        "than it says.",
        "head": ("pass", "N", "d", "causal", "TFLOP/s"),
        "ways": ("forward", "backward"),
        "no": ("no", "yes"),
        "mean": "mean",
        "left": "left out, {why}",
        "key": "TFLOP/s of tilewise.flash_attention, and how many times as fast it is "
        "as each backend of PyTorch.",
        "send": "{path} has been written. It names no person, machine or folder. Look "
        "at it, then\nattach it to a new issue: {place}",
        "tracker": "the project's issue tracker",
    },
    "zh": {
        "bench --share": "为书中“读者的显卡”一表测量少数几种情形，\n"
        "得到一个可以寄出的文件",
        "bench --check": "读取这样的文件并列出内容，不需要 GPU",
        "alone": "--share 测量的内容是固定的，只能再加 --out 和 --lang。",
        "check_alone": "--check 只读取文件，只能再加 --lang。",
        "old": "bench --share 需要支持 bfloat16 的 GPU，计算能力至少 8.0；"
        "这张卡是 {found}。",
        "unreadable": "无法把 {file} 当作文本读取。",
        "json": "{file} 不是 bench --share 的文件：它不是 JSON。",
        "fields": "{file} 不是 bench --share 的文件：缺少 {where}，或者不该有它。",
        "value": "{file} 不是 bench --share 的文件：{where} 的值不可能是这样。",
        "follows": "{file} 有误：{where} 与文件中的其他数字矛盾。",
        "changed": "{file} 在测量之后被改动过：SHA-256 与文件所记的不同。",
        "head": ("", "N", "d", "因果", "TFLOP/s"),
        "ways": ("前向", "反向"),
        "no": ("否", "是"),
        "mean": "平均",
        "left": "略去，显存不足",
        "key": "TFLOP/s 是 tilewise.flash_attention 的速度，"
        "其后是它相对 PyTorch 各后端的倍数。",
        "send": "已写出 {path}。文件里没有人名、主机名和目录名。请先看一遍，"
        "再附在新的 issue 里：\n{place}",
        "tracker": "项目的 issue 列表",
    },
}


class Unshared(Bad):
    """What keeps a card from being shared, or a file from being read."""

    def sentence(self, lang):
        return WORDS[lang][self.message].format(**self.values)


def run(args, out, progress, say):
    """Measure the cells, write the file, show it, and say where to send it."""
    import torch

    found = torch.cuda.get_device_capability()
    if found < (8, 0):
        raise Unshared("old", found=".".join(map(str, found)))
    from tilewise.bench import sharing

    path, data = sharing.measure(args.out, say, progress)
    out.writelines(line + "\n" for line in table(data, args.lang))
    words = WORDS[args.lang]
    address = os.environ.get("REPO_URL", "").rstrip("/")
    place = f"{address}/issues" if address else words["tracker"]
    out.write("\n" + words["send"].format(path=path, place=place) + "\n")
    rows = [row for cell in data["cells"] for row in cell.get("rows", ())]
    return int(any(row.get("missing") in ("failed", "wrong") for row in rows))


def check(args, out):
    """Read a file of `bench --share` and show it; Bad says what is wrong with it."""
    name = short_path(args.check)
    try:
        with Path(args.check).open(encoding="utf-8") as file:
            text = file.read(share_file.LARGEST + 1)
    except OSError as error:
        raise Bad("unreadable", file=name, why=error.strerror) from None
    except ValueError:
        raise Unshared("unreadable", file=name) from None
    try:
        data = share_file.read(text)
    except share_file.Unfit as unfit:
        raise Unshared(unfit.code, file=name, where=unfit.where) from None
    out.writelines(line + "\n" for line in table(data, args.lang))
    return 0


def table(data, lang):
    """Lines: the machine, a line for each cell and pass, and the means."""
    words, machine = WORDS[lang], data["machine"]
    names = ("gpu", "driver", "cuda", "torch", "triton")
    yield ", ".join(f"{x} {machine[x]}".removeprefix("gpu ") for x in names)
    yield f"tilewise {data['version']}, {data['commit']}, {data['date']}"
    yield ""
    yield row(words["head"], share.BACKENDS)
    for cell in data["cells"]:
        way = words["ways"][PASSES.index(cell["pass"])]
        first = way, cell["n"], cell["d"], words["no"][cell["causal"]]
        if "left_out" in cell:
            yield row((*first, ""), ()) + words["left"].format(why=cell["left_out"])
            continue
        speeds = {x["kernel"]: x.get("tflops") for x in cell["rows"]}
        ours = speeds[PUBLIC]
        both = [
            ours / speeds[x] if ours and speeds[x] else None for x in share.BACKENDS
        ]
        yield row((*first, f"{ours:.0f}" if ours else "–"), map(factor, both))
    for way, name in zip(PASSES, words["ways"], strict=True):
        means = [(data["ratios"][way][x] or {}).get("mean") for x in share.BACKENDS]
        yield row((name, words["mean"], "", "", ""), map(factor, means))
    yield ""
    yield words["key"]


def factor(x):
    return f"{x:.2f}" if x else "–"


def row(first, others):
    """A line of the table; a Chinese character is as wide as two letters."""
    columns = [(x, w) for x, w in zip(first, (9, 6, 5, 8, 9), strict=True)]
    columns += [(x, 11) for x in others]
    wide = [sum(1 + (c > "\u2e7f") for c in str(x)) for x, _ in columns]
    pads = [" " * (w - n) for (_, w), n in zip(columns, wide, strict=True)]
    (name, _), *rest = columns
    return f"{name}{pads[0]}" + "".join(f"{p}{x}" for p, (x, _) in zip(pads[1:], rest))
