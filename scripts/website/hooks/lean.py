"""MkDocs hook: what a page needs before it can be drawn, in few bytes and requests.

One style sheet in place of the theme's two and ours; scripts that wait until the page
has been read; no indentation, which is a tenth of a large page, compressed.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.plugins import event_priority

SHEET = "assets/all.css"
WIDGETS = "assets/widgets.css"  # where a widget has its place, it takes it at once
KEPT = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.S)
BREAK = re.compile(r"\s*\n\s*")
LINK = re.compile(r'<link rel="stylesheet" href="([^"]*?)(assets/[^"]*\.css)">')
SCRIPT = re.compile(r'<script src="')
URL = re.compile(r"""url\(["']?(?!data:|#)([^"')]+)["']?\)""")
_sheets: list[str] = []  # of this language, in their order


def squeezed(page):
    """A page without indentation and empty lines, but for what keeps its lines."""
    parts = KEPT.split(page)  # text, a block, its tag, text, …
    return "".join(
        BREAK.sub("\n", text) + "".join(block)
        for text, *block in zip(parts[::3], [*parts[1::3], ""])
    )


def one_sheet(page, root):
    """A page that asks for one style sheet instead of several, and for the widgets'."""
    found = LINK.findall(page)
    if not found:
        return page
    names = [name for _, name in found]
    if _sheets and names != _sheets:
        raise ValueError(f"style sheets differ between pages: {names}, {_sheets}")
    _sheets[:] = names
    here = found[0][0]
    wanted = [here + SHEET] + [here + root + WIDGETS] * ("<tw-" in page)
    links = iter(["\n".join(f'<link rel="stylesheet" href="{x}">' for x in wanted)])
    return LINK.sub(lambda _: next(links, ""), page)


def on_config(config):
    _sheets.clear()


@event_priority(-150)  # after equations are set, before scripts get their hashes
def on_post_page(output, page, config):
    made = one_sheet(output, config.extra["to_root"])
    return squeezed(SCRIPT.sub('<script defer src="', made))


@event_priority(-150)
def on_post_template(output_content, template_name, config):
    if template_name != "404.html":
        return output_content
    return on_post_page(output_content, None, config)


def moved(path, folder):
    """A style sheet's text, its addresses seen from another folder."""

    def address(match):
        here = posixpath.join(posixpath.dirname(path), match[1])
        return f"url({posixpath.relpath(here, folder)})"

    return URL.sub(address, Path(path).read_text("utf-8"))


@event_priority(-50)  # before the next language is built
def on_post_build(config):
    site = Path(config.site_dir)
    folder = (site / SHEET).parent.as_posix()
    texts = [moved((site / name).as_posix(), folder) for name in _sheets]
    (site / SHEET).write_text("\n".join(texts), "utf-8")
    for name in _sheets:
        (site / name).unlink()
        (site / f"{name}.map").unlink(missing_ok=True)
