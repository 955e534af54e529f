"""Number the figures of a page, and put each drawing beside it as a file of its own.

The caption begins with the number, which is the figure's own link, and ends with a link
to the drawing. The front page has neither.
"""

import posixpath
import re
from functools import cache
from pathlib import Path

SHEET = Path(__file__).resolve().parents[2] / "docs/assets/tilewise.css"
FIGURE = re.compile(r'<figure([^>]* class="tw-figure.*?)</figure>', re.S)
DRAWING = re.compile(r'<svg class="tw".*?</svg>', re.S)
PLACES = re.compile(r' (?:d|x|y|cx|cy|width|height)="[^"]*"')
WHOLE = re.compile(r'(?<=\d)\.0(?=[ "LHVZhv])')
CAPTION = re.compile(r"(<figcaption[^>]*>)(.*?)(?=</figcaption>)", re.S)
SAID = {"en": ("Figure {}", "Figure {} as {}"), "zh": ("图 {}", "图 {} 的 {}")}


@cache
def style():
    """What a drawing needs of the style sheet, with the scheme that its reader has."""
    sheet = SHEET.read_text("utf-8")
    light, dark = re.findall(r"\{\n((?:  --tw-.*\n)+)\}", sheet)
    rules = re.findall(r"^(?:svg\.tw|\.tw-of-).*", sheet, re.M)
    rules += [
        f"svg.tw text{x}"
        for x in re.findall(r"^\.md-typeset (\.tw-t\w .*)", sheet, re.M)
    ]
    return "\n".join([
        f":root {{\n  --md-text-font-family: system-ui, sans-serif;\n{light}}}",
        f"@media (prefers-color-scheme: dark) {{ :root {{\n{dark}}} }}",
        "svg.tw { background: var(--tw-paper); }", *rules,
    ])  # fmt: skip


def alone(drawing):
    """A drawing as a file."""
    head, inside = drawing.split(">", 1)
    return f"{head}><style>{style()}</style>{inside}\n"


def shortened(match):
    """A drawing without the zeros behind whole numbers: the page has to be light."""
    return PLACES.sub(lambda found: WHOLE.sub("", found[0]), match[0])


def taken(home, path, name, drawing, seen, says):
    """A link to a drawing of a page, which it writes as a file."""
    page = path.relative_to(home).with_suffix("").as_posix()
    target = home / f"assets/figures/{page}-{name}.svg"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(alone(drawing), "utf-8")
    address = posixpath.relpath(target.as_posix(), path.parent.as_posix())
    return f' <a class="tw-svg" href="{address}" aria-label="{says}">{seen}</a>'


def numbered(home, pages, language):
    """{path: page} with numbers; writes the drawings below a language's folder."""
    number, file = SAID[language]

    def figure(match):
        nonlocal count
        count += 1
        inside = f'<figure id="figure-{count}"{match[1]}</figure>'
        link = f'<a class="tw-number" href="#figure-{count}">{number.format(count)}</a>'
        found = [] if "tw-widget" in match[1] else DRAWING.findall(match[1])
        two = len(found) > 1
        parts = [("a", "SVG a"), ("b", "SVG b")] if two else [("", "SVG")]
        more = "".join(
            taken(home, path, f"{count}{x}", drawing, seen, file.format(count, seen))
            for (x, seen), drawing in zip(parts, found)
        )
        return CAPTION.sub(lambda m: f"{m[1]}{link} {m[2]}{more}", inside)

    for path, page in pages.items():
        count = 0
        if "tw-home" not in page:
            pages[path] = FIGURE.sub(figure, DRAWING.sub(shortened, page))
    return pages
