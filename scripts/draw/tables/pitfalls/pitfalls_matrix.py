"""Which test kills which wrong variant: a letter where it does, a dot where not."""

from draw.tables._pitfalls import WORDS, anchor, kills, letters

from tilewise.pitfalls import PITFALLS
from tilewise.pitfalls.suite import SUITE


def draw(lang):
    """A folded Markdown table of two columns, narrow enough for a phone."""
    say, letter = WORDS[lang].SAY, letters(SUITE)
    title = say["folded"].format(all=len(PITFALLS), tests=len(SUITE))
    lines = [f'??? note "{title}"', ""]
    lines += [f"    | {' | '.join(say['matrix'])} |", "    |---|---|"]
    for pitfall in PITFALLS:
        killers = kills()[pitfall.name]
        marks = "".join(letter[x] if x in killers else "·" for x in SUITE)
        name = f"[{pitfall.name}](#{anchor(pitfall.name)})"
        lines.append(f"    | {name} | `{marks}` |")
    return "\n".join(lines)
