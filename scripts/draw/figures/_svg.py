"""Small helpers that write SVG: each returns markup as text, without blank lines.

In texts, what stands between dollar signs is mathematics: $S_{ij}$, $K_1^⊤$.
Colours come from the classes of docs/assets/tilewise.css, never from here.
"""

import math
import re
from fractions import Fraction
from html import escape

ZOOM = 1.1  # a figure is never shown larger than this many CSS pixels a unit
PIECE = re.compile(r"[_^]\{[^}]*\}|[_^].|[A-Za-zα-ωℓ]\u0303?|[^_^A-Za-zα-ωℓ]+")
WORDS = re.compile(r"[A-Za-zα-ωℓ]+|[^A-Za-zα-ωℓ]+")  # of an index or an exponent
SIZE = {"tw-it": 1.06, "tw-math": 1.06, "tw-sub": 0.8, "": 1}  # em, as in the CSS
CELL, ROW = 25, 22  # one number in a matrix: width and height


def num(x):
    """A number as a reader writes it: −9/4, 0, −∞."""
    if x == -math.inf:
        return "−∞"
    return f"{Fraction(x)}".replace("-", "−")


def count(x):
    """A whole number as the pages write it: 98,304, and 4096."""
    return f"{x:,}" if x >= 10_000 else f"{x}"


def listed(numbers, lang):
    """Numbers one after the other in a sentence: 0, 1, 2 or 0、1、2."""
    return {"en": ", ", "zh": "、"}[lang].join(map(num, numbers))


def tspan(content, cls, shift, level, dx=0):
    """A run of text at height `shift`, coming from height `level` (em, down is +)."""
    size = SIZE[cls.split()[0] if cls else ""]
    made = f' class="{cls}"' if cls else ""
    for name, move in (("dx", dx), ("dy", shift - level)):
        made += f' {name}="{move / size:.2f}em"' if abs(move) > 0.001 else ""
    return f"<tspan{made}>{escape(content)}</tspan>" if made else escape(content)


def tokens(mathematics):
    """(characters, height, class) of each run: letters are italic, also in indices.

    Numbers and signs look as in the words around; an index, as what it belongs to.
    """
    face = ""
    for token in PIECE.findall(mathematics):
        if token[0] not in "_^":
            face = "tw-it" if token[0].isalpha() else ""
            yield token, 0, face or "tw-math" * (token == "⊤")
            continue
        for word in WORDS.findall(token[1:].strip("{}")):
            cls = " tw-it" if word.isalpha() else " tw-math" if face else ""
            yield word, 0.25 if token[0] == "_" else -0.38, f"tw-sub{cls}"


def runs(text):
    """Text with $mathematics$ as tspans: letters italic, _ and ^ lowered and raised."""
    out, level, kern = [], 0, 0
    for part, piece in enumerate(text.split("$")):
        plain = [(piece, 0, "")] if piece else []
        for token, shift, cls in tokens(piece) if part % 2 else plain:
            bare = token.rstrip("\u0303")
            out.append(tspan(bare, cls, shift, level, kern))
            level, kern = shift, 0
            if bare != token:  # no font sets a tilde over a letter reliably
                back, rise = (0.53, -0.27) if token[0].isupper() else (0.71, 0)
                out.append(tspan("\u02dc", "tw-math", rise, level, -back))
                level, kern = rise, back - 0.53
    return "".join(out)


def text(x, y, content, cls="", anchor="", more=""):
    """Text with its baseline at y; anchor is "", "middle" or "end"."""
    css = f' class="{cls}"' if cls else ""
    at = f' text-anchor="{anchor}"' if anchor else ""
    more = f" {more}" if more else ""
    return f'<text x="{x:g}" y="{y:g}"{css}{at}{more}>{runs(content)}</text>'


def middle(x, y, content, cls=""):
    """Text centred at x."""
    return text(x, y, content, cls, "middle")


def lines(x, y, step, contents, cls="", anchor=""):
    """Lines of text under each other."""
    return [text(x, y + step * n, line, cls, anchor) for n, line in enumerate(contents)]


def rect(x, y, w, h, cls, more=""):
    """A rectangle; `more` holds further attributes."""
    more = f" {more}" if more else ""
    size = f'width="{w:g}" height="{h:g}"'
    return f'<rect x="{x:g}" y="{y:g}" {size} class="{cls}"{more}/>'


def path(d, cls):
    """A path."""
    return f'<path d="{d}" class="{cls}"/>'


def group(*parts, cls="", more=""):
    """A group, one line a part."""
    css = f' class="{cls}"' if cls else ""
    return f"<g{css}{' ' + more if more else ''}>\n" + "\n".join(parts) + "\n</g>"


def numbers(x, y, rows, cell=CELL, row=ROW):
    """The numbers of a matrix, each centred in its cell."""
    rows = [r if isinstance(r, list) else [r] for r in rows]  # a vector is a column
    made = [
        text(x + (c + 0.5) * cell, y + (r + 0.5) * row + 5, num(value))
        for r, line in enumerate(rows)
        for c, value in enumerate(line)
    ]
    return group(*made, cls="tw-cells")


def grid(x, y, rows, cols, cls, cell=CELL, row=ROW):
    """The box of a matrix with rules between its cells."""
    rules = [f"M{x:g} {y + r * row:g}h{cols * cell:g}" for r in range(1, rows)]
    rules += [f"M{x + c * cell:g} {y:g}v{rows * row:g}" for c in range(1, cols)]
    box = rect(x, y, cols * cell, rows * row, cls)
    return box + (path("".join(rules), "tw-rule") if rules else "")


def arrow(x, y, dx, dy, width, cls, both=False):
    """An arrow, `width` units wide for what it carries, horizontal or vertical."""
    length, sign = abs(dx or dy), math.copysign(1, dx or dy)
    half, head = width / 2, max(5, width / 2 + 3)
    tip = min(head, length)
    back = [(tip, half), (tip, head), (0, 0), (tip, -head), (tip, -half)]
    start = back if both else [(0, half), (0, -half)]
    end = [(length - a, -b) for a, b in back]
    points = [(sign * a, b) if dx else (b, sign * a) for a, b in start + end]
    d = "L".join(f"{x + a:g} {y + b:g}" for a, b in points)
    return path(f"M{d}Z", cls)


def svg(width, height, label, *parts):
    """The whole figure; `label` says in a sentence what it shows."""
    size = f'viewBox="0 0 {width:g} {height:g}" style="max-width:{ZOOM * width:g}px"'
    head = f'<svg class="tw" xmlns="http://www.w3.org/2000/svg" {size}'
    head += f' role="img" aria-label="{escape(label)}">'
    return "\n".join([head, *parts, "</svg>"])


def pair(*drawings):
    """Drawings beside each other where there is room, else below each other."""
    return "\n".join(['<div class="tw-pair">', *drawings, "</div>"])
