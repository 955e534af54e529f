"""All pages of the book by part, in the order of the menu, for the front page."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
SAY = {
    "en": (
        "run it, and find your way", "what a GPU waits for",
        "a whole row, seen in pieces", "the algorithm, forward and backward",
        "kernels that reach the speed", "long sequences in practice",
        "what goes wrong without an error message", "to look things up",
    ),
    "zh": (
        "认认路，先运行起来", "GPU 在等什么", "把一整行拆开来算", "算法的前向与反向",
        "真正跑得快的内核", "在实际任务里处理长序列", "不报错的错误", "随用随查",
    ),
}  # fmt: skip
PART, PAGE = re.compile(r"  - ([^:]+):"), re.compile(r"      - (\S+)")
TITLE = re.compile(r"^(?:# )?# (.+?) \{", re.MULTILINE)


def nav(lang):
    """{part: its pages} of the menu, without the front page itself."""
    file = ROOT / ("mkdocs.yml" if lang == "en" else "mkdocs.zh.yml")
    lines = file.read_text("utf-8").split("\nnav:\n")[1].split("\n\n")[0].splitlines()
    parts = {}
    for line in lines:
        if found := PART.fullmatch(line):
            parts[found[1]] = pages = []
        elif (found := PAGE.fullmatch(line)) and found[1] != "index.md":
            pages.append(found[1])
    return parts


def draw(lang):
    """A Markdown list: a part, what it is about, and a link for each of its pages."""
    colon, lines = ("<i>：</i>**", "<i>:</i>** ")[lang == "en"], []
    for (part, pages), what in zip(nav(lang).items(), SAY[lang], strict=True):
        lines.append(f"- <span>**{part}{colon}<br>{what}</span>")
        for page in pages:
            text = (ROOT / "docs" / lang / page).read_text("utf-8")
            lines.append(f"    - [{TITLE.search(text)[1]}]({page})")
    return "\n".join(lines) + "\n"
