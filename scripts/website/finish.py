"""Finish a built site: everything that is done to its HTML and put beside it.

    python scripts/website/finish.py site

The site holds English pages and, in zh/, Chinese ones, from MkDocs or from Zensical.
This program writes the shared files, turns equations into HTML, numbers figures, names
parts of the page for screen readers, leads from terms to the glossary, from listings to
their files and from references to the pages that name them, joins the style sheets, and
gives each page its policy for scripts. A page that is finished already is left alone.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # scripts
from website import (
    alone,
    assets,
    cards,
    colab,
    equations,
    figures,
    lean,
    lessons,
    origins,
    phrases,
    policy,
    rows,
    search_index,
    sources,
)

HOME = re.compile(r'(<link rel="canonical" href="[^"]*/)index\.html"')
NAMED = {  # parts of the theme's page that have no name of their own
    'data-md-component="search" role="dialog"': {"en": "Search", "zh": "搜索"},
    'type="checkbox" id="__drawer"': {"en": "Navigation", "zh": "导航"},
}

PERMALINK = {"en": "Link to this section", "zh": "本节的链接"}
ARTICLE = re.compile(r"<article\b.*?</article>", re.S)
TITLE = re.compile(r'(?<=data-md-component="header-topic">).*?</div>', re.S)
APART = re.compile(  # what is no running text
    r"(<(pre|code|script|svg|textarea|option)\b.*?</\2>"
    r'|<(?:div|span) class="arithmatex"[^>]*>.*?</(?:div|span)>)',
    re.S,
)
# in text, not in an attribute
WHOLE = re.compile(r"(?:FlashAttention-\d|split-KV|前\+反)(?=[^<>]*(?:<|\Z))")
LINES = re.compile(r"<td>(?=\d+(?:, |、| to | 到 )\d+</td>)")  # 12, 13; 14 to 16
# Code that may fill a line of a phone, and a mark that would begin the next one: it
# breaks at its own marks then.
LONG = re.compile(r"(?<=<code>)[^<\s]{24,}(?=</code>[，。；：、！？）”])")
WITHIN = re.compile(r"[/_.(]+(?=\w)")
# An equation at the end of a link, and a mark after it: one word
JOINED = re.compile(r"(?<=\\\)</span>)(?=</(?:a|em|strong)>[，。；：、！？）”])")


def kept(match):
    """The text of a page in which these names are never broken at the end of a line."""
    text = LONG.sub(lambda code: WITHIN.sub(r"\g<0><wbr>", code[0]), match[0])
    text = JOINED.sub("\u2060", LINES.sub('<td class="tw-keep">', text))
    parts = APART.split(text)  # text, a block, its tag, text, …
    parts[::3] = [
        WHOLE.sub(r'<span class="tw-keep">\g<0></span>', x) for x in parts[::3]
    ]
    del parts[2::3]
    return "".join(parts)


def head_and_names(page, language):
    """A page with one address for the home page and names for screen readers."""
    page = ARTICLE.sub(kept, page)
    page = TITLE.sub(kept, page)
    page = HOME.sub(r'\1"', page)
    page = page.replace(*(f'title="{PERMALINK[x]}"' for x in ("en", language)))
    for part, name in NAMED.items():
        page = page.replace(part, f'{part} aria-label="{name[language]}"')
    return page.replace('_label" tabindex="0">', '_label">')  # its switch has the focus


def pages(site):
    """{language: {path: text}} of the pages to finish, and texts of those that are."""
    folders = [site / path for path in assets.LANGUAGES.values()]
    texts, done = {language: {} for language in assets.LANGUAGES}, []
    for path in sorted(site.rglob("*.html")):
        nearest = max(f for f in folders if f in path.parents)
        language = list(assets.LANGUAGES)[folders.index(nearest)]
        text = path.read_text("utf-8")
        if lean.SHEET in text:
            done.append(text)
        else:
            texts[language][path] = text
    return texts, done


def write(folder, files):
    """Write {path below the folder: text}."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def finish(site, serving=False):
    """Finish every page of a site; the pages of `mkdocs serve` get no policy."""
    unfinished, done = pages(site)
    if not any(unfinished.values()):
        return
    equations.install()
    new = {p: x for texts in unfinished.values() for p, x in texts.items()}
    rendered = equations.render(new)
    assets.write(site, [*new.values(), *done], rendered)
    search_index.mend(site)
    for language, path in assets.LANGUAGES.items():
        folder, texts = site / path, unfinished[language]
        if (page := folder / sources.PAGE) in texts:
            texts[page] = sources.added(folder, texts, language)
        texts = cards.added(folder, texts)
        texts, files = alone.added(texts, language, folder)
        write(folder, files)
        write(site, origins.copied(texts))
        for file, text in texts.items():
            up = "../" * (len(file.relative_to(site).parts) - 1)
            name = file.relative_to(folder).with_suffix("").as_posix()
            text = lessons.offered(colab.linked(text, name, language), name, language)
            text = phrases.marked(head_and_names(text, language), language)
            text = equations.replaced(rows.marked(text, language))
            texts[file] = origins.linked(text, up, language)
        numbered = figures.numbered(folder, texts, language)
        made = lean.joined(folder, numbered, "../" if path else "")
        for file, text in made.items():
            file.write_text(text if serving else policy.added(text), "utf-8")
        search_index.shorten(site / path)


if __name__ == "__main__":
    finish(Path(sys.argv[1]).resolve())
