"""The symbols of the FlashAttention paper for the numbers in a tile's dict.

Each symbol is written once, in Unicode; its other notations are derived from that. Its
colour is that of a tensor: q, k, v, o, s for scores and weights, m for statistics.
An index is a text such as "12", or "" for a symbol without one.
"""

SYMBOLS = {  # key: (symbol, colour, whether it is in units of τ where scale is 1)
    "q": ("Q_i", "q", False),
    "k": ("K_j", "k", False),
    "v": ("V_j", "v", False),
    "o": ("O_i", "o", False),
    "l": ("ℓ_i", "m", False),
    "m": ("m_i", "m", True),
    "s": ("S_ij", "s", True),
    "m_tilde": ("m̃_ij", "m", True),
    "p_tilde": ("P̃_ij", "s", False),
    "l_tilde": ("ℓ̃_ij", "m", False),
    "m_new": ("m_i^new", "m", True),
    "alpha": ("α", "m", False),
    "beta": ("β", "m", False),
    "l_new": ("ℓ_i^new", "m", False),
    "lse": ("L_i", "m", True),
    "do": ("dO_i", "o", False),  # from here on: the backward pass
    "p": ("P_ij", "s", False),
    "dp": ("dP_ij", "s", False),
    "delta": ("δ_i", "m", False),
    "ds": ("dS_ij", "s", False),
    "dq": ("dQ_i", "q", True),
    "dk": ("dK_j", "k", True),
    "dv": ("dV_j", "v", False),
}
TEX = {"ℓ": r"\ell", "α": r"\alpha", "β": r"\beta", "δ": r"\delta"}
TILDE = "\u0303"


def symbol(key: str) -> tuple:
    """The row of SYMBOLS for a key; o_old, o_new, dq_add and the like are O_i, dQ_i."""
    return SYMBOLS.get(key) or SYMBOLS[key.split("_")[0]]


def colour(key: str) -> str:
    """The tensor whose colour a number has: q, k, v, o, s or m."""
    return symbol(key)[1]


def in_units(key: str) -> bool:
    """Whether an exact trace, with scale 1 and 2^x, has this number in units of τ.

    What has no symbol, such as the rows of a tile, has no unit either.
    """
    return key.split("_")[0] in SYMBOLS and symbol(key)[2]


def pieces(key: str) -> tuple:
    """The parts of a symbol: "d" or nothing, its letter, its index, its exponent."""
    name, _, rest = symbol(key)[0].partition("_")
    index, _, exponent = rest.partition("^")
    d = "d" if name[0] == "d" else ""
    return d, name[len(d) :], index, exponent


def subscript(key: str) -> str:
    """The letters of a symbol's index: "ij", "i", "j" or nothing."""
    return pieces(key)[2]


def plain(key: str, index: str) -> str:
    """The symbol in Unicode for a terminal: P̃_12, m_1^new."""
    d, letter, _, exponent = pieces(key)
    name = d + letter + ("_" + index if index else "")
    return name + ("^" + exponent if exponent else "")


def braced(key: str) -> str:
    """The symbol as the page's script reads it: P̃_{ij}, m_{i}^{new}."""
    d, letter, index, exponent = pieces(key)
    name = d + letter + ("_{" + index + "}" if index else "")
    return name + ("^{" + exponent + "}" if exponent else "")


def html(key: str, index: str) -> str:
    """The symbol in HTML, its letter in italics: d<i>Q</i><sub>1</sub>."""
    d, letter, _, exponent = pieces(key)
    name = f"{d}<i>{letter}</i>" + (f"<sub>{index}</sub>" if index else "")
    return name + (f"<sup>{exponent}</sup>" if exponent else "")


def latex(key: str, index: str) -> str:
    r"""The symbol in LaTeX: \tilde P_{12}, m_{1}^{\mathrm{new}}."""
    d, letter, _, exponent = pieces(key)
    name = TEX.get(letter[0], letter[0])
    if letter[1:] == TILDE:
        name = r"\tilde" + ("" if name[0] == "\\" else " ") + name
    name = (r"\mathrm{d}" if d else "") + name + ("_{" + index + "}" if index else "")
    return name + (r"^{\mathrm{" + exponent + "}}" if exponent else "")
