"""Give a page what it needs before it can be drawn in few bytes and requests.

One style sheet replaces the theme's two and ours; scripts wait until the page has been
read. Indentation, a tenth of a large page even when compressed, is left out, and so is
what a browser knows without it: the namespaces of MathML and SVG, and that a name in a
listing has the colour of the listing. Tables stand already in the boxes that the
theme's script would put them in, and have a class, so that it leaves them there: to be
taken off a page that is drawn costs more than all else that a script does to it.
"""

import posixpath
import re

SHEET = "assets/all.css"
# sheets beside it, which a page asks for at once if it has what they are for
MORE = {"<tw-": "assets/widgets.css", "tw-home": "assets/home.css"}
UNUSED = "assets/_mkdocstrings.css"  # scripts/website/api replaces what it is for
KEPT = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.S)
BREAK = re.compile(r"\s*\n\s*")
LINK = re.compile(r'<link rel="stylesheet" href="([^"]*?)(assets/[^"]*\.css)">')
SCRIPT = re.compile(r'<script src="')
KNOWN = re.compile(
    r' xmlns="http://www.w3.org/(?:1998/Math/MathML|2000/svg)"'
    r'|<span class="n">([^<]*)</span>'
)
TABLE = re.compile(r"<table>(.*?)</table>", re.S)
BOXED = (
    '<div class="md-typeset__scrollwrap"><div class="md-typeset__table">'
    r'<table class="">\1</table></div></div>'
)
URL = re.compile(r"""url\(["']?(?!data:|#)([^"')]+)["']?\)""")


def squeezed(page):
    """A page without KNOWN, and, but for blocks that keep them, without empty space."""
    page = KNOWN.sub(lambda match: match[1] or "", page)
    parts = KEPT.split(page)  # text, a block, its tag, text, …
    return "".join(
        BREAK.sub("\n", text) + "".join(block)
        for text, *block in zip(parts[::3], [*parts[1::3], ""])
    )


def restyled(sheet):
    """A sheet, the theme's or ours, for tables that BOXED hides from the script."""
    return sheet.replace("table:not([class])", 'table[class=""]')


def sheets(page):
    """The names of a page's style sheets, in their order."""
    return [name for _, name in LINK.findall(page)]


def one_sheet(page, root):
    """A page that asks for one style sheet instead of several, and for its own MORE."""
    here = LINK.search(page)[1]
    wanted = [here + SHEET] + [here + root + MORE[x] for x in MORE if x in page]
    links = iter(["\n".join(f'<link rel="stylesheet" href="{x}">' for x in wanted)])
    return LINK.sub(lambda _: next(links, ""), page)


def moved(text, path, folder):
    """The text of a style sheet at a path, its addresses seen from another folder."""

    def address(match):
        here = posixpath.join(posixpath.dirname(path), match[1])
        return f"url({posixpath.relpath(here, folder)})"

    return URL.sub(address, text)


def joined(home, pages, root):
    """{path: page} of a language's pages with one style sheet, which this writes.

    `root` leads from the language's folder `home` to that of the whole site.
    """
    names = next(map(sheets, pages.values()), [])
    for path, page in pages.items():
        if sheets(page) != names:
            raise ValueError(f"{path} has other style sheets than {names}")
        page = SCRIPT.sub('<script defer src="', one_sheet(page, root))
        pages[path] = TABLE.sub(BOXED, squeezed(page))
    if names:
        texts = [
            moved((home / name).read_text("utf-8"), name, posixpath.dirname(SHEET))
            for name in names
            if name != UNUSED
        ]
        (home / SHEET).write_text(restyled("\n".join(texts)), "utf-8")
    for name in names:
        (home / name).unlink()
        (home / f"{name}.map").unlink(missing_ok=True)
    return pages
