"""Short equations as text: what a search finds and shows, and what a card says.

A subscript stands in _{…} and a superscript in ^{…}, without others inside; their
spaces do not break. Whoever shows the text makes tags of both.
"""

import html
import re

TOKEN = re.compile(r"\\[a-zA-Z]+\s*|\\.|.", re.S)
NAMES = r"""\tau \ell \delta \infty \alpha \beta \rho \sigma \epsilon \varepsilon \Theta
\Delta \partial \times \cdot \circ \pm \le \leq \ge \geq \ne \neq \approx \in \gg \iff
\sum \dots \ldots \lceil \rceil \lfloor \rfloor \langle \rangle \lvert \rvert \lVert
\rVert \top \bmod \quad \, \; \: \!"""
SIGNS = """τ ℓ δ ∞ α β ρ σ ε ε Θ Δ ∂ × · ∘ ± ≤ ≤ ≥ ≥ ≠ ≠ ≈ ∈ ≫ ⇔ Σ … … ⌈ ⌉ ⌊ ⌋ ⟨ ⟩
| | ‖ ‖ ⊤ mod"""
SIGN = dict(zip(NAMES.split(), [*SIGNS.split(), *"    "])) | {r"\!": "", r"\T": "^{⊤}"}
PLAIN = r"\mathrm \mathsf \mathbb \mathrel \text \operatorname \big \Big \left \right"
ACCENTS = {r"\tilde": "\u0303", r"\bar": "\u0304"}
SMALL = dict(zip("0123456789aeoxijrklmnpst", "₀₁₂₃₄₅₆₇₈₉ₐₑₒₓᵢⱼᵣₖₗₘₙₚₛₜ"))
AS_TYPED = {"-": "−", "'": "′", "~": "\xa0", "&": ""}


def bracketed(text):
    """A part of a fraction or a root."""
    return text if re.fullmatch(r"[\w.]*|\W", text) else f"({text})"


def raised(mark, text, deep):
    """A subscript or a superscript; within another one it has no marks of its own."""
    text = re.sub(" +", "\xa0", text.strip())
    if not deep:
        return f"{mark}{{{text}}}"
    small = mark == "_" and {*text} <= {*SMALL}
    return "".join(map(SMALL.get, text)) if small else text


def one(token, tokens, deep):
    """What a token and its arguments say."""
    name = token.strip() or " "
    if name == "{":
        return inside(tokens, deep)
    if name in "_^":
        return raised(name, one(next(tokens, ""), tokens, True), deep)
    if name in (r"\tfrac", r"\frac"):
        parts = [bracketed(one(next(tokens, ""), tokens, deep)) for _ in "ab"]
        return "/".join(parts)
    if name == r"\sqrt":
        return "√" + bracketed(one(next(tokens, ""), tokens, deep))
    if name in ACCENTS:
        return one(next(tokens, ""), tokens, deep) + ACCENTS[name]
    if name in PLAIN.split():
        return ""
    if name[0] == "\\":
        sign = SIGN.get(name, name[1:])
        return (sign.strip("^{}") if deep else sign) + " " * token[-1].isspace()
    return AS_TYPED.get(name, name)


def inside(tokens, deep=False):
    """What stands before the next closing brace."""
    made = ""
    for token in tokens:
        if token == "}":
            break
        made += one(token, tokens, deep)
    return made


def read(tex):
    """An equation of HTML as one would type it: N × N, m_{i}, e^{S − m}."""
    tokens = iter(TOKEN.findall(html.unescape(tex)))
    return html.escape(re.sub(" +", " ", inside(tokens)).strip(), quote=False)
