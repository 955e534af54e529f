"""The fonts of the site, each with only those characters that some page shows in it.

They come from npm, as KaTeX does. The style sheet of KaTeX says which classes ask for
which of its fonts. Words, widgets and figures may use its upright and slanted letters
too, so these two keep whatever any page or script has in it.
"""

import base64
import html
import json
import re

from website.equations import NPM, node

KATEX = NPM / "node_modules/katex/dist"
INTER = NPM / "node_modules/inter-ui"
MONO = NPM / "node_modules/@fontsource-variable/jetbrains-mono"
WEIGHTS = {"wght": {"min": 400, "max": 700}}
# without what turns -> and 2 x 2 into other signs than those that are copied
FEATURES = ["kern", "tnum", "mark"]  # mark: the tilde of P̃ above its letter
TEXT = {"variationAxes": {**WEIGHTS, "opsz": 14}, "keepFeatures": FEATURES}
CODE = {"variationAxes": WEIGHTS, "keepFeatures": ["mark"]}
FREE = {"KaTeX_Main-Regular", "KaTeX_Math-Italic"}  # tilewise.css and the widgets
PLAIN = "".join(map(chr, range(32, 127))) + "˜"  # which stepper.css has
ENTITY = re.compile(r"&#?\w+;")
PART = re.compile(r'<(/?)\w+(?:[^>]*?\bclass="([^"]*)")?[^>]*?(/?)>|([^<]+)')
EQUATION = re.compile('<span class="katex-html"')
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
FACE = re.compile(r"@font-face\{[^}]*url\(fonts/(KaTeX_[\w-]+)\.woff2\)[^}]*\}")
OTHERS = re.compile(r',url\([^)]*\) format\("(?:woff|truetype)"\)')


def characters(texts):
    """All characters of some texts, and the printable ones of ASCII."""
    found = set(PLAIN).union(*texts)
    named = {name for text in texts for name in ENTITY.findall(text)}
    return found.union(*map(html.unescape, named))


def asked(css):
    """[(classes, font)]: whatever is inside elements of these classes is set in it."""
    found = []
    for selectors, block in RULE.findall(css):
        family = re.search(r"KaTeX_\w+", block)
        if "@" in selectors or not re.search("KaTeX_|font-(?:weight|style)", block):
            continue
        name = family[0] if family else "KaTeX_Main"
        bold = "Bold" * bool(re.search(r"font-weight:(?:bold|[6-9]00)", block))
        slant = "Italic" * ("italic" in block)
        for selector in selectors.split(","):
            needed = set(re.findall(r"\.([\w-]+)", selector))
            found.append((needed, f"{name}-{bold + slant or 'Regular'}"))
    return found


def around(texts):
    """{classes: characters} of the equations in some texts: what is inside of what."""
    found = {}
    for text in texts:
        for equation in EQUATION.finditer(text):
            inside = [frozenset({"katex"})]
            for part in PART.finditer(text, equation.start()):
                close, names, empty, words = part.groups()
                if words:
                    some = found.setdefault(inside[-1], set())
                    some.update(html.unescape(words))
                elif close:
                    inside.pop()
                elif not empty:
                    inside.append(inside[-1].union((names or "").split()))
                if len(inside) == 1:
                    break
    return found


def letters(texts, css):
    """{font: characters} of the equations, made by KaTeX, in some texts."""
    rules, found = asked(css), {}
    for classes, some in around(texts).items():
        for needed, name in rules:
            if needed <= classes:
                found.setdefault(name, set()).update(some)
    return found


def subsets(wanted):
    """{name: bytes}, as woff2, for {name: (font, characters, options)}."""
    jobs = [(str(x), "".join(sorted(some)), how) for x, some, how in wanted.values()]
    made = json.loads(node("subset.mjs", json.dumps(jobs).encode()))
    return dict(zip(wanted, map(base64.b64decode, made), strict=True))


def katex(equations, shown):
    """KaTeX's style sheet, without the fonts that no page needs, and {name: bytes}.

    `equations` are texts with what KaTeX made; `shown` has the characters of all pages.
    """
    css = OTHERS.sub("", (KATEX / "katex-swap.min.css").read_text("utf-8"))
    found = letters(equations, css)
    for name in FREE:
        found[name] = shown | found.get(name, set())
    wanted = {x: (KATEX / f"fonts/{x}.ttf", found[x], {}) for x in sorted(found)}
    css = FACE.sub(lambda face: face[0] if face[1] in wanted else "", css)
    return css, {f"{name}.woff2": font for name, font in subsets(wanted).items()}


def words(shown):
    """{name: bytes} of the fonts of text and of code, which site.css names."""
    made = subsets(
        {
            "inter.woff2": (INTER / "variable/InterVariable.woff2", shown, TEXT),
            "mono.woff2": (
                MONO / "files/jetbrains-mono-latin-wght-normal.woff2",
                shown,
                CODE,
            ),
        }
    )
    made["inter.txt"] = (INTER / "LICENSE.txt").read_bytes()
    made["mono.txt"] = (MONO / "LICENSE").read_bytes()
    return made
