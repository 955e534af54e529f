"""Give the theme's search index the text that a reader sees, in few bytes."""

import json
import re

SEPARATOR = (
    r"[\s<>\-、。，．？！；：（）“”《》]"  # of words, as the search reads the index
)
NO_WIDTH = re.compile(f"(?<={SEPARATOR})\u200b|\u200b(?={SEPARATOR})")
TAG = re.compile(r"</?[a-z][^>]*>")
TEX = re.compile(r"\\\((.*?)\\\)", re.S)
COMMAND = re.compile(
    r"\\(?:mathrm|mathsf|text|operatorname|tfrac|tilde|T|quad|,|;|big)\b ?"
)
NAMES = r"\tau \ell \delta \infty \times \cdot \le \ge \log \ln \sqrt \sum \max \min"
SIGNS = dict(zip(NAMES.split(), "τ ℓ δ ∞ × · ≤ ≥ log ln √ Σ max min".split()))


def readable(match):
    """A short equation as one would type it: N × N, m_i, e^{S − m}."""
    text = COMMAND.sub("", match[1])
    for command, sign in SIGNS.items():
        text = re.sub(re.escape(command) + r"(?![a-z])", sign, text)
    return re.sub(r"[{}\\]", "", text)


def plain(text):
    """The words of a section, without tags, and its equations without TeX."""
    return re.sub(r"\s+", " ", TAG.sub(" ", TEX.sub(readable, text))).strip()


def shorten(folder):
    """Rewrite the index in a folder of the site, if the theme has written one.

    A function is looked for by its name, so its title loses the arguments. The theme
    puts a space of no width on both sides of every Chinese word; beside a separator
    it says nothing.
    """
    path = folder / "search/search_index.json"
    if not path.exists():  # Zensical has an index of its own
        return
    index = json.loads(path.read_text("utf-8"))
    for entry in index["docs"]:
        if "#tilewise" in entry["location"]:
            entry["title"] = re.sub(r"\(.*\)", "", entry["title"], flags=re.S)
        entry["text"] = plain(entry["text"])
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    text = NO_WIDTH.sub("", text)
    path.write_text(text, "utf-8")
    path.with_suffix(".js").write_text(f"var __index = {text}", "utf-8")
