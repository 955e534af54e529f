"""What every page has, in both languages, and what no page says."""

import re

from every import every
from pages import LANGS, MARK, html, name, pages, paragraphs, read
from parsed import texts

# the first pages and those to look things up in have no lesson to end with
NO_LESSON = re.compile(r"index\.md|start/.*|reference/.*")
LESSONS = [p for p in pages() if not NO_LESSON.fullmatch(name(p)[3:])]
LENGTH = {"en": range(70, 161), "zh": range(35, 91)}
UNFINISHED = re.compile(
    r"coming soon|\bTODO\b|\bTBD\b|\bFIXME\b|\bXXX\b|lorem|under construction"
    r"|敬请期待|待补充|待完善|未完待续|即将推出",
    re.I,
)
THIN = re.compile(r"\d(?:\\,|[\u2009\u202f])\d{3}")  # a space between thousands
BARE = re.compile(r"(?<![\w.,/}-])\d{5,}(?![\w-])")  # no comma from five digits on
FEW = re.compile(r"(?<![\d,.}])\d(?:,|\{,\})\d{3}(?![\d,{])")  # one in four digits
OTHERS = set("pre code table svg script tw-calculator".split())  # in other forms
HAN = re.compile(r"[\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef]")

each_page = every("page", pages(), ids=name)
each_lesson = every("page", LESSONS, ids=name)
each_english = every("page", pages("en"), ids=name)


def lang(page):
    return name(page)[:2]


@each_page
def test_description(page):
    """One or two sentences for search engines, of a length that they show."""
    text = read(page)[1].get("description", "")
    assert len(text) in LENGTH[lang(page)], f"{len(text)} characters: {text}"


@every("lang", LANGS)
def test_descriptions_differ(lang):
    texts = [read(p)[1].get("description") for p in pages(lang)]
    assert sorted(set(texts), key=texts.index) == texts


@each_page
def test_begins_with_title_and_lead(page):
    """# Title, then the opening paragraph, which is set a little larger."""
    first = html(page).find(True)
    assert first.name == "h1" and len(html(page).select("h1")) == 1
    (lead,) = html(page).select("p.tw-lead")
    assert first.find_next(["p", "ul", "ol", "table", "figure", "h2"]) is lead


def thousands(text):
    """Numbers that are not written as 65,536 or, with four digits, as 4096."""
    return [found[0] for rule in (THIN, BARE, FEW) for found in rule.finditer(text)]


@each_page
def test_thousands_have_one_form(page):
    """In sentences and equations; the columns of a table go by their longest number."""
    text = " ".join(texts(html(page), lambda x: x.name in OTHERS))
    found = thousands(text)
    assert not found, f"write 4096 and 65,536, and code for other numbers: {found}"


@every(
    "text", [r"\(16\,384\)", "16\u202f384", "35888 µs", "1,024 tokens", r"\(4{,}096\)"]
)
def test_other_forms_are_found(text):
    assert thousands(text)


def test_the_one_form_is_not():
    right = r"4096, 65,536, 2,616,329.5, \(42{,}949{,}672{,}960\), 128, doi 10.1/80007"
    assert not thousands(right)


@each_page
def test_anchors_are_written(page):
    """Every heading has its anchor `{ #like-this }`, the same in both languages."""
    text = re.sub(
        r"^([ \t>]*)(```+|~~~+).*?^\1\2[ \t]*$", "", read(page)[0], flags=re.M | re.S
    )
    written = re.findall(r"^#+ .*$", text, re.M)
    for heading in written:
        assert re.search(r" \{ #[a-z][a-z0-9]*(-[a-z0-9]+)* \}$", heading), heading
    assert len(written) == len(html(page).select("h1,h2,h3,h4,h5,h6")), "another form"


@each_lesson
def test_ends_with_lesson(page):
    """What to remember, check yourself, sources."""
    ends = [h["id"] for h in html(page).select("h2")][-3:]
    assert ends == ["remember", "check", "sources"]


@each_lesson
def test_questions(page):
    """Two or three questions to check oneself, the answers folded away."""
    questions = [x.find_previous("h2") for x in html(page).select("details.question")]
    assert len(questions) in (2, 3)
    assert {x["id"] for x in questions} == {"check"}
    assert not html(page).select("details[open]")


@each_lesson
def test_sources(page):
    """The sources are links or, for code, a name and a place in it."""
    heading = html(page).find(id="sources")
    items = heading.find_next("ul").find_all("li", recursive=False)
    assert items
    for item in items:
        assert item.select("a[href], code"), item.get_text()


@each_page
def test_is_finished(page):
    texts = [read(page)[1].get("description", ""), *paragraphs(page)]
    assert [x for x in texts if UNFINISHED.search(x)] == []


@each_english
def test_english_has_no_chinese(page):
    assert not HAN.findall(read(page)[0])


@each_english
def test_one_dash_a_paragraph(page):
    assert [x for x in paragraphs(page) if x.count("—") > 1] == []


@each_english
def test_english_spaces_and_punctuation(page):
    """One space between words, none before a mark."""
    wrong = re.compile(rf"[A-Za-z{MARK}]  |[A-Za-z{MARK}] [,.;:?!](?= |$)")
    assert [x for x in paragraphs(page) if wrong.search(x)] == []
