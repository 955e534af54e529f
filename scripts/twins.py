"""Say which Chinese pages the English has moved on from, and stamp them once looked at.

`python scripts/twins.py` lists the pages that need a look and exits 1 if there are any.
`python scripts/twins.py stamp docs/zh/PAGE …` (or `--all`) writes the hash of the
English text into the front matter, as `source:`. It says: "I have compared the two."
"""

import argparse
import re
import sys
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def pages(lang):
    """The paths of a language's pages, seen from its folder."""
    files = (p for p in (DOCS / lang).rglob("*") if p.suffix in (".md", ".py"))
    return sorted(p.relative_to(DOCS / lang) for p in files)


def digest(page):
    """Twelve hexadecimal digits that stand for the English text of a page."""
    text = (DOCS / "en" / page).read_text("utf-8")
    return sha256(text.encode()).hexdigest()[:12]


def split(page):
    """(mark before each line, lines of front matter, the rest) of a Chinese page.

    A notebook's front matter stands in comments. Raises ValueError where there is none.
    """
    mark = "# " if page.suffix == ".py" else ""
    text = (DOCS / "zh" / page).read_text("utf-8")
    found = re.match(rf"{mark}---\n(.*?){mark}---\n", text, re.S)
    if not found:
        raise ValueError(f"docs/zh/{page.as_posix()} does not begin with front matter")
    return mark, found[1].splitlines(), text[found.end() :]


def stated(page):
    """The hash that a Chinese page carries, or None."""
    mark, lines, _ = split(page)
    key = f"{mark}source: "
    return next(
        (x.removeprefix(key).strip("'\"") for x in lines if x.startswith(key)), None
    )


def problem(page):
    """What is wrong between a Chinese page and the English one, or None."""
    for lang, language in (("zh", "Chinese"), ("en", "English")):
        if not (DOCS / lang / page).exists():
            return f"there is no {language} page"
    try:
        hash_ = stated(page)
    except ValueError as error:
        return str(error)
    if hash_ is None:
        return "never stamped"
    return None if hash_ == digest(page) else f"the English is no longer {hash_}"


def stamp(page):
    """Write the English page's hash into the front matter of the Chinese one."""
    mark, lines, rest = split(page)
    lines = [x for x in lines if not x.startswith(f"{mark}source:")]
    lines.append(
        f'{mark}source: "{digest(page)}"'
    )  # quoted: YAML reads 1e10 as a number
    text = "\n".join([f"{mark}---", *lines, f"{mark}---", rest])
    (DOCS / "zh" / page).write_text(text, "utf-8", newline="\n")


def chosen(path):
    """The page that a path given on the command line means."""
    page = Path(path).resolve()
    if not page.is_relative_to(DOCS / "zh"):
        raise ValueError(f"{path} is not below docs/zh")
    page = page.relative_to(DOCS / "zh")
    for lang in ("en", "zh"):
        if not (DOCS / lang / page).is_file():
            raise ValueError(f"there is no docs/{lang}/{page.as_posix()}")
    return page


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command")
    options = commands.add_parser(
        "stamp", help="record that these pages match the English"
    )
    options.add_argument("path", nargs="*", help="Chinese pages, docs/zh/…")
    options.add_argument("--all", action="store_true", help="every Chinese page")
    given = parser.parse_args()
    if given.command == "stamp":
        if bool(given.path) == given.all:
            options.error("name the pages, or say --all")
        try:
            for page in pages("zh") if given.all else [chosen(p) for p in given.path]:
                stamp(page)
        except (OSError, ValueError) as error:
            options.error(str(error))
        return 0
    found = {page: problem(page) for page in sorted({*pages("en"), *pages("zh")})}
    for page, trouble in found.items():
        if trouble:
            print(f"docs/zh/{page.as_posix()}: {trouble}")
    return int(any(found.values()))


if __name__ == "__main__":
    sys.exit(main())
