"""The good tests, how many wrong variants each kills, and the smallest set."""

from draw.tables._pitfalls import WORDS, kills, letters

from tilewise.pitfalls.suite import SUITE, smallest


def draw(lang):
    """A Markdown table, and a sentence on the smallest set."""
    words, chosen = WORDS[lang], smallest(kills())
    say, letter = words.SAY, letters(SUITE)
    lines = [f"| {' | '.join(say['tests'])} |", "|---|---|--:|---|"]
    for name in SUITE:
        n = sum(name in killers for killers in kills().values())
        yes = say["chosen"] if name in chosen else ""
        lines.append(f"| {letter[name]} | {words.TEST[name]} | {n} | {yes} |")
    *first, last = (letter[name] for name in chosen)
    sentence = say["smallest"].format(
        letters=say["comma"].join(first) + say["and"] + last,
        all=len(kills()), fewer=len(chosen) - 1, tests=len(SUITE),
    )
    return "\n".join([*lines, "", sentence])
