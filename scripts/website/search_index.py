"""Give the theme's search index the text that a reader sees, in few bytes."""

import json
import re
from collections import Counter

SEPARATOR = (
    r"[\s<>\-、。，．？！；：（）“”《》]"  # of words, as the search reads the index
)
NO_WIDTH = re.compile(f"(?<={SEPARATOR})\u200b|\u200b(?={SEPARATOR})")
WORDS = re.compile(r"[\s\u200b\-、。，．？！；：（）“”《》,.;:()\"']+")
ROOM, RARE = {"zh": 400, "en": 800}, 3  # characters of a section; sections with a word
TAG = re.compile(r"</?[a-z][^>]*>")
TEX = re.compile(r"\\\((.*?)\\\)", re.S)
COMMAND = re.compile(
    r"\\(?:mathrm|mathsf|text|operatorname|tfrac|tilde|T|quad|,|;|big)\b ?"
)
NAMES = r"\tau \ell \delta \infty \times \cdot \le \ge \log \ln \sqrt \sum \max \min"
SIGNS = dict(zip(NAMES.split(), "τ ℓ δ ∞ × · ≤ ≥ log ln √ Σ max min".split()))

CHILD, CHILD_AND_MARK = "e=e+s+o.id}", 'e=e+s+o.id+"."}'  # of lunr.TokenSet.toString


def readable(match):
    """A short equation as one would type it: N × N, m_i, e^{S − m}."""
    text = COMMAND.sub("", match[1])
    for command, sign in SIGNS.items():
        text = re.sub(re.escape(command) + r"(?![a-z])", sign, text)
    return re.sub(r"[{}\\]", "", text)


def plain(text):
    """The words of a section, without tags, and its equations without TeX."""
    return re.sub(r"\s+", " ", TAG.sub(" ", TEX.sub(readable, text))).strip()


def words(text):
    """The words of a text, as the search takes them apart."""
    return [word for word in WORDS.split(text.lower()) if word]


def digests(texts, room):
    """Each text up to a number of characters, then only the rare words of its rest.

    A word that more than RARE sections have would hardly bring a reader to this one
    by its end alone.
    """
    sections = Counter(word for text in texts for word in {*words(text)})
    for text in texts:
        cut = max(text.rfind(space, 0, room) for space in " \u200b")
        if len(text) <= room or cut < 0:
            yield text
            continue
        known = {*words(text[:cut])}
        rest = dict.fromkeys(words(text[cut:]))
        rare = [x for x in rest if x not in known and sections[x] <= RARE]
        yield " ".join([text[:cut] + "…", *rare])


def mend(site):
    """Let the theme's search keep every word of an index with many numbers.

    lunr compares the nodes of its trie by a text that joins the characters and the
    numbers of their children. Without a mark between them "1" → 23, "4" → 5 reads like
    "1" → 2345, two nodes become one, and a search that meets words which then exist
    nowhere ends with an error.
    """
    for worker in site.glob("assets/javascripts/workers/search.*.js"):
        text = worker.read_text("utf-8")
        if CHILD in text:
            worker.write_text(text.replace(CHILD, CHILD_AND_MARK), "utf-8")


def shorten(folder):
    """Rewrite the index in a folder of the site, if the theme has written one.

    A function is looked for by its name, so its title loses the arguments. The theme
    puts a space of no width on both sides of every Chinese word; beside a separator it
    says nothing. Long sections are kept as digests.
    """
    path = folder / "search/search_index.json"
    if not path.exists():  # Zensical has an index of its own
        return
    index = json.loads(path.read_text("utf-8"))
    language = "zh" if "zh" in index["config"]["lang"] else "en"
    for entry in index["docs"]:
        if "#tilewise" in entry["location"]:
            entry["title"] = re.sub(r"\(.*\)", "", entry["title"], flags=re.S)
    texts = [NO_WIDTH.sub("", plain(entry["text"])) for entry in index["docs"]]
    for entry, text in zip(index["docs"], digests(texts, ROOM[language]), strict=True):
        entry["text"] = text
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    text = NO_WIDTH.sub("", text)
    path.write_text(text, "utf-8")
    path.with_suffix(".js").write_text(f"var __index = {text}", "utf-8")
