"""A Griffe extension: docstrings become the text of the reference page.

mkdocstrings finds the objects, without importing them; scripts/website/api lays them
out. What a docstring says in plain text is printed as it is meant: paragraphs, lines
and columns, `code`, and e^{x} and B_r as mathematics.
"""

import html
import re

import griffe

WIDTH, NARROW = 88, 40  # of a line of code; of a formula that fits a phone
ENGLISH = ' lang="en"'  # also on the Chinese page
CODE = re.compile(
    r"""(`[^`]+`|\b(?:causal|scale|sinks|softcap|window)(?= (?:None|True|"|\(|c\b))"""
    r"""|\b[a-z]\w*=(?:"[^"]*"|\w+)|[\w/]+\.py\b|[\w/{},]+/[\w{},]+\.h\b"""
    r"""|\b(?:tilewise|torch)(?:\.\w+)+(?:\(True\))?|\b(?!max_)(?:[a-z][a-z0-9]+_\w+|[a-z]_[a-z]{3,}\w*))"""
)
SYMBOL = r"(?:(?<![\w'])(?:d?[A-Zℓδτ]|[a-z]|max|Σ)\u0303?'?|(?<=\)))"  # S, ℓ, dV, m̃
INDEX = re.compile(rf"({SYMBOL})_([a-z]{{1,2}}|[A-Zℓ\d])(?![^\Wᵀ])")
POWER = re.compile(r"\^(?:\{([^{}]*)\}|(−?\([^()]*\)|−?\w+))")
PROSE = re.compile(r"\b(a|[a-z]{2,}),?$")  # a line that ends amid a sentence


def inline(text):
    """The text as HTML: names as code, indices, powers."""
    parts = CODE.split(html.escape(text, quote=False))
    for n, part in enumerate(parts):
        if n % 2:
            parts[n] = f"<code>{part.strip('`')}</code>"
        else:
            part = INDEX.sub(r"\1<sub>\2</sub>", part)
            parts[n] = POWER.sub(lambda m: f"<sup>{m[1] or m[2]}</sup>", part)
    return "".join(parts)


def formulas(line):
    """A line as HTML. Two spaces stand between formulas; a short one does not break."""
    parts = re.split(r" {2,}", line)
    if len(parts) > 1:
        spans = ("<span>%s</span>" if len(x) <= NARROW else "%s" for x in parts)
        return "\u2003".join(s % inline(x) for s, x in zip(spans, parts))
    return inline(line)


def columns(lines):
    """[[term, text], …] where the lines stand in two columns, else nothing."""
    first = re.match(r"\S.*? {2,}(?=\S)", lines[0])
    if not first or len(lines) == 1:
        return []
    at, rows = first.end(), []
    for line in lines:
        if line[at - 2 : at] != "  " or line[at : at + 1] in ("", " "):
            return []
        if line[0] == " ":
            rows[-1][1] += " " + line[at:]
        else:
            rows.append([line[:at].strip(), line[at:]])
    return rows


def joined(lines, indent):
    """The lines, a sentence's rest joined to its beginning.

    A break was meant after formulas, and where the next word had room before it.
    """
    made = lines[:1]
    for before, line in zip(lines, lines[1:]):
        fits = indent + len(before) + 1 + len(line.split()[0]) <= WIDTH
        if "  " in before or fits and not PROSE.search(before):
            made.append(line.strip())
        else:
            made[-1] += " " + line.strip()
    return made


def to_html(text, indent):
    """A docstring as HTML; `indent` is how far it stands in from the margin."""
    made = []
    for part in re.split(r"\n\s*\n", text.strip()):
        lines = part.splitlines()
        if rows := columns(lines):
            items = (f"<dt>{inline(a)}</dt><dd>{inline(b)}</dd>" for a, b in rows)
            made.append(f"<dl>{''.join(items)}</dl>")
        else:
            text = "<br>".join(map(formulas, joined(lines, indent)))
            text = text.replace(".<br>", ".</p><p>")  # a line that begins a sentence
            made.append(f"<p>{text}</p>")
    first, *rest = made  # a search finds names and what they are for
    if not rest:
        return first
    return f"{first}\n<div data-search-exclude>\n{chr(10).join(rest)}\n</div>"


class Docstrings(griffe.Extension):
    """Replaces each docstring by its HTML; scripts/website/api prints it unchanged."""

    def on_instance(self, *, obj, **kwargs):
        if obj.docstring:
            depth = len(obj.path.split(".")) - len(obj.module.path.split("."))
            made = to_html(obj.docstring.value, 4 * depth)
            obj.docstring.value = re.sub("<(p|dl)>", rf"<\1{ENGLISH}>", made)
