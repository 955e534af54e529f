"""Every wrong variant and every test: a filled cell where the test finds it."""

from draw.figures import _svg as s
from draw.tables._pitfalls import kills, letters

from tilewise.pitfalls import PITFALLS
from tilewise.pitfalls.suite import SUITE, smallest

LEFT, TOP, WIDE, HIGH = 24, 22, 5, 16
QUIET = "tw-small tw-muted"
SAY = {
    "en": "{n} wrong variants, one per column, against {t} tests, one per row. Tests"
    " {least} together find every variant, and no smaller set does.",
    "zh": "{n} 种错误写法（每列一种）对 {t} 个测试（每行一个）。测试 {least} 合在一起"
    "能查出全部错误写法，更小的组合都不行。",
}
AXES = {
    "en": ("{t} tests ↓", "{n} wrong variants →"),
    "zh": ("{t} 个测试 ↓", "{n} 种错误写法 →"),
}
KEY = {
    "en": ("found by an outlined test", "by another test"),
    "zh": ("被加框的测试查出", "被其他测试查出"),
}


def cells(test, row, killed):
    """The filled cells of a test."""
    y, out = TOP + row * HIGH, []
    for n, pitfall in enumerate(PITFALLS):
        if test in killed[pitfall.name]:
            x, wide = LEFT + n * WIDE, WIDE - 1
            out.append(f"M{x:g} {y + 1}h{wide:g}v{HIGH - 2}h{-wide:g}z")
    return "".join(out)


def words(lang, width, below):
    """What columns and rows are, above, and what the two colours say, below."""
    rows, columns = AXES[lang]
    out = [s.text(0, 14, rows.format(t=len(SUITE)), QUIET)]
    out.append(s.text(LEFT + width, 14, columns.format(n=len(PITFALLS)), QUIET, "end"))
    for x, fill, said in zip((LEFT, LEFT + 215), ("tw-dot", "tw-shown"), KEY[lang]):
        out.append(s.rect(x, below + 8, 12, 12, fill))
        out.append(s.text(x + 18, below + 18, said, QUIET))
    return out


def draw(lang):
    """The map in English or Chinese; the smallest killing set is outlined."""
    killed, letter = kills(), letters(SUITE)
    least, width = smallest(killed), len(PITFALLS) * WIDE
    high = HIGH * len(SUITE)
    parts = [s.rect(LEFT, TOP, width, high, "tw-hbm tw-bare")]
    drawn = {"tw-dot": "", "tw-shown": "", "tw-line": ""}
    for row, test in enumerate(SUITE):
        y, chosen = TOP + row * HIGH, test in least
        drawn["tw-dot" if chosen else "tw-shown"] += cells(test, row, killed)
        name = "tw-small" + " tw-strong" * chosen
        parts.append(s.middle(12, y + 13, letter[test], name))
        if chosen:
            wide = width + 1
            drawn["tw-line"] += f"M{LEFT - 1} {y}h{wide}v{HIGH}h{-wide}z"
    parts += [s.path(d, css) for css, d in drawn.items()]
    names = {"en": ", ", "zh": "、"}[lang].join(letter[x] for x in least)
    label = SAY[lang].format(n=len(PITFALLS), t=len(SUITE), least=names)
    parts += words(lang, width, TOP + high)
    return s.svg(LEFT + width + 6, TOP + high + 26, label, *parts)
