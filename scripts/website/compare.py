"""Compare two built sites page by page, by what a reader sees.

    python scripts/website/compare.py BEFORE AFTER          a summary in Markdown
    python scripts/website/compare.py BEFORE AFTER --diff   and every changed line

Of each page, these are compared: what the head tells search engines, headings with
their anchors, text, listings, program output, equations, figures, widgets and links. A
listing also counts as a program if it runs something else, that is if more changes than
its imports, docstrings, comments and line breaks. The theme around the page is not
compared. The exit status is 1 if anything differs.
"""

import argparse
import ast
import difflib
import re
import sys
import textwrap
from pathlib import Path

from bs4 import BeautifulSoup, SoupStrainer

KINDS = ["head", "headings", "text", "listings", "programs", "output", "equations"]
KINDS += ["figures", "widgets", "links"]
BLOCKS = "p li td th dt dd summary figcaption".split()
UNCOUNTED = (ast.Import, ast.ImportFrom)
RUN = "# Run: "  # and the line that a Run button adds
MOST = 12  # names in a list of files


def flat(node):
    """The text of a node, in one line."""
    return re.sub(r"\s+", " ", node.get_text()).strip()


def listings(article):
    """Take the blocks of code out of the article: (listings, other blocks)."""
    blocks = {True: [], False: []}
    for node in article.select("div.highlight"):
        run = f"{RUN}{node.get('data-try', '')}\n" if "tw-run" in node["class"] else ""
        code = node.get_text().strip("\n")
        blocks["language-python" in node["class"]].append(run + code)
        node.extract()
    return blocks[True], blocks[False]


def program(listing):
    """What a listing runs, in one line."""
    try:
        tree = ast.parse(textwrap.dedent(listing.removeprefix(RUN)))
    except SyntaxError:  # an excerpt that begins within a function
        return " ".join(listing.split())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [x for x in body if not isinstance(x, UNCOUNTED)] or body[:1]
            if ast.unparse(node.body[0])[:1] in ("'", '"'):  # a docstring
                node.body[0] = ast.Pass()
    return ast.unparse(tree).replace("\n", "\\n")


def equations(article):
    """The TeX of every equation, which stays in the text in its place."""
    found = []
    for node in article.select(".arithmatex"):
        source = node.find("annotation") or node
        tex = re.sub(r"^\\[(\[]|\\[)\]]$", "", source.get_text().strip()).strip()
        found.append(tex)
        node.replace_with(f"${tex}$")
    return found


def figures(article):
    """Take the drawings out of the article: their markup without white space."""
    found = []
    for node in article.find_all(["svg", "img"]):
        if not node.find_parent("svg"):
            found.append(re.sub(r">\s+<", "><", str(node)))
    for node in article.find_all(["svg", "img"]):
        node.extract()
    return found


def head(text):
    """The title, the description, Open Graph, the addresses and the JSON-LD."""
    strainer = SoupStrainer(["title", "meta", "link", "script"])
    page = BeautifulSoup(text, "html.parser", parse_only=strainer)
    found = [flat(page.title)]
    for node in page.find_all("meta", content=True):
        key = node.get("name") or node.get("property")
        if key not in (None, "generator", "viewport"):
            found.append(f"{key}: {node['content']}")
    links = page.select("link[rel=canonical], link[hreflang]")
    found += [f"{' '.join(x['rel'])}: {x['href']}" for x in links]
    return found + [x.get_text() for x in page.select("script[type*=ld]")]


def parts(path):
    """{kind: what the page has of it, in order}."""
    text = path.read_text("utf-8")
    strainer = SoupStrainer("article")
    page = BeautifulSoup(text, "html.parser", parse_only=strainer)
    for node in page.select(".headerlink, wbr, tw-exercise button, .md-source-file"):
        node.extract()
    made = dict(zip(("listings", "output"), listings(page), strict=True))
    made["programs"] = [program(x) for x in made["listings"]]
    made |= {"equations": equations(page), "figures": figures(page)}
    made["head"] = head(text.partition("</head>")[0])
    widgets = page.find_all(re.compile("^tw-"))
    made["widgets"] = [f"{x.name} {sorted(x.attrs.items())}" for x in widgets]
    headings = page.find_all(re.compile("^h[1-6]$"))
    made["headings"] = [f"{x.name} #{x.get('id')} {flat(x)}" for x in headings]
    made["links"] = [x["href"] for x in page.select("a[href]")]
    page.smooth()
    innermost = (x for x in page.find_all(BLOCKS) if not x.find(BLOCKS))
    made["text"] = [flat(x) for x in innermost if flat(x)]
    return made


def changed(before, after):
    """The lines of a diff between two lists of texts, without its context."""
    a, b = ("\n".join(x).splitlines() for x in (before, after))
    lines = difflib.unified_diff(a, b, lineterm="", n=0)
    return [x for x in lines if x[:3] not in ("---", "+++") and x[:2] != "@@"]


def compared(before, after):
    """{page: {kind: changed lines}} of the pages that both sites have."""
    old, new = files(before), files(after)
    made = {}
    for name in (x for x in old if x in new and x.endswith(".html")):
        a, b = parts(old[name]), parts(new[name])
        made[name] = {k: lines for k in KINDS if (lines := changed(a[k], b[k]))}
    return made


def short(names):
    """A few of these names, and how many others there are."""
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(f"`{x}`" for x in names[:MOST]) + more


def files(site):
    """{name: path} of all files of a site, its pages first."""
    names = {p.relative_to(site).as_posix(): p for p in site.rglob("*") if p.is_file()}
    return dict(sorted(names.items(), key=lambda x: (x[1].suffix != ".html", x[0])))


def apart(before, after):
    """[(what they are, names)] of the files that only one site has, or that differ."""
    old, new = files(before), files(after)
    both = [x for x in old if x in new and not x.endswith(".html")]
    made = [
        ("Only before", [x for x in old if x not in new]),
        ("Only after", [x for x in new if x not in old]),
        ("Other files that differ", both),
    ]
    both[:] = [x for x in both if old[x].read_bytes() != new[x].read_bytes()]
    return [(what, names) for what, names in made if names]


def lines(found, diff):
    """The summary of the pages, in Markdown."""
    different = {name: kinds for name, kinds in found.items() if kinds}
    yield f"{len(found)} pages compared, {len(different)} differ.\n"
    yield "| page | changed lines |\n|---|---|"
    for name, kinds in different.items():
        told = (f"{kind} {len(text)}" for kind, text in kinds.items())
        yield f"| {name} | {', '.join(told)} |"
    for name, kinds in different.items() if diff else ():
        for kind, text in kinds.items():
            yield f"\n### {name}: {kind}\n\n```diff\n" + "\n".join(text) + "\n```"


def main():
    parser = argparse.ArgumentParser(description="Compare two built sites.")
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--diff", action="store_true", help="show every changed line")
    args = parser.parse_args()
    found = compared(args.before, args.after)
    print("\n".join(lines(found, args.diff)))
    others = apart(args.before, args.after)
    for what, names in others:
        print(f"\n{what}: {short(names)}.")
    return bool(others or any(found.values()))


if __name__ == "__main__":
    sys.exit(main())
