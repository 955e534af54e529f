"""Where the texts of a drawing lie, if they are set in the widest of the usual fonts.

That is DejaVu Sans; mathematics has the widths of KaTeX's fonts, which the site brings
along. Both tables hold advances in thousandths of an em, each for several characters
that are about as wide. Whatever is in neither, as every Chinese character, is one em.
"""

from typing import NamedTuple

SVG = "{http://www.w3.org/2000/svg}"
WORDS = {
    278: "ijlI",
    318: " ,.·’'",
    337: "/:;",
    361: "f-",
    392: "()t",
    413: "rℓ²³",
    521: "s_˜",
    550: "czL",
    579: "kFvx",
    603: "yPτT",
    613: "aoδe∘E",
    636: "hnuSbdgpq0123456789",
    686: "KAVBR",
    732: "CU",
    752: "NH",
    787: "DGOQ",
    838: "w∞+=×←→−≈≥",
    871: "M⊤",
    974: "%¼½⅛m",
}
MATH = {
    278: "',.:;il’′ ",
    361: "fj-It()",
    318: "·",
    417: "rsℓcezδτ",
    500: "/0123456789_go˜∘bpyq",
    572: "kvduxahnT",
    643: "VPFS",
    681: "LU",
    764: "CwEABORHN",
    778: "GQ×−+=≈≥⊤",
    850: "DKm%",
    970: "M",
}
ADVANCES = [
    {one: width for width, several in table.items() for one in several}
    for table in (WORDS, MATH)
]
BOLD = 1.12  # DejaVu Sans Bold, beside the regular one
SCALES = {"tw-math": 1.06, "tw-it": 1.06, "tw-sub": 0.8}  # as in tilewise.css


class Box(NamedTuple):
    """A text of a drawing and the rectangle around its letters."""

    text: str
    left: float
    right: float
    top: float
    bottom: float


def length(text, size):
    """The width of a <text>, with the tspans in it."""
    bold = BOLD if "tw-strong" in text.get("class", "") else 1
    words, mathematics = ADVANCES
    total = size * bold * sum(words.get(x, 1000) for x in text.text or "") / 1000
    for run in text.iter(f"{SVG}tspan"):
        classes = run.get("class", "").split()
        first = classes[0] if classes else ""
        table = mathematics if {"tw-math", "tw-it"} & {*classes} else words
        em = size * SCALES.get(first, 1)
        total += em * float(run.get("dx", "0em").removesuffix("em"))
        total += em * sum(table.get(x, 1000) for x in run.text or "") / 1000
        total += size * sum(words.get(x, 1000) for x in run.tail or "") / 1000
    return total


def boxes(element, cells=False):
    """The boxes of all texts in an element; `cells` says if a matrix is around it."""
    classes = element.get("class", "").split()
    cells = cells or "tw-cells" in classes
    if element.tag == f"{SVG}text":
        size = 14 if cells else 13 if "tw-small" in classes else 15
        x, y = float(element.get("x")), float(element.get("y"))
        wide = length(element, size)
        anchor = "middle" if cells else element.get("text-anchor", "start")
        left = x - wide * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        text = "".join(element.itertext())
        return [Box(text, left, left + wide, y - 0.75 * size, y + 0.2 * size)]
    return [box for child in element for box in boxes(child, cells)]


def outside(element, width, height):
    """The boxes that leave a drawing of this size."""
    return [
        box
        for box in boxes(element)
        if not (0 <= box.left and box.right <= width)
        or not (0 <= box.top and box.bottom <= height)
    ]


def overlapping(element):
    """The pairs of texts of which one lies on the other."""
    found = sorted(boxes(element), key=lambda box: box.left)
    return [
        (one.text, other.text)
        for n, one in enumerate(found)
        for other in found[n + 1 :]
        if one.right > other.left
        and min(one.bottom, other.bottom) - max(one.top, other.top) > 2
    ]
