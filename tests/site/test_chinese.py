"""Chinese pages: the terms of the term base, white space and punctuation.

The rules look at sentences: code and equations within them count as a Latin word.
"""

import json
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from every import every
from mkdocs.config import load_config
from pages import DOCS, MARK, config, name, pages, paragraphs, read

TERMS = json.loads(Path(__file__).with_name("glossary.json").read_text("utf-8"))
HAN = r"[\u3400-\u4dbf\u4e00-\u9fff]"
LATIN = rf"[A-Za-z0-9%{MARK}]"
RULES = {
    "one space between Chinese and Latin": rf"{HAN}{LATIN}|{LATIN}{HAN}",
    "no space within Chinese, also by a line's end": rf"{HAN} +{HAN}",
    "no space beside full-width punctuation": (
        r" [，。、；：？！（）《》“”]|[，。、；：？！（）《》] "
    ),
    "no doubled space": r"  ",
    "full-width , : ; ? !": rf"{HAN} ?[,:;?!]|[,:;?!] ?{HAN}",
    "full-width full stop": rf"{HAN}\.|\. ?{HAN}(?<![A-Z]\. {HAN})",
    "full-width parentheses": rf"{HAN} ?\(|\( ?{HAN}|{HAN} ?\)|\) ?{HAN}",
    "Chinese quotation marks": rf"{HAN} ?[\"']|[\"'] ?{HAN}",
    "no … of dots, no -- for a dash": rf"{HAN}\.\.|\.\.{HAN}|--",
    "—— and …… are two characters long": (rf"(?<!—)—(?!—)|{HAN}…(?!…)|(?<!…)…{HAN}"),
    "no full-width letters, digits": "[０-９Ａ-Ｚａ-ｚ]",
}


def broken(text):
    """The rules that a text breaks, each with the place."""
    for rule, pattern in RULES.items():
        for found in re.finditer(pattern, text):
            around = text[max(0, found.start() - 12) : found.end() + 12]
            yield f"{rule}: …{around}…"


def forbidden(text):
    """The words that the term base rules out, each with the term to use."""
    for term in TERMS:
        for word in term["not"]:
            if word in text:
                yield f"{word}: {term['english']} is {term['chinese']}"


def texts(page):
    """The sentences of a page, its description among them."""
    return [read(page)[1].get("description", ""), *paragraphs(page)]


each_page = every("page", pages("zh"), ids=name)


@each_page
def test_terms(page):
    assert [x for text in texts(page) for x in forbidden(text)] == []


@each_page
def test_spaces_and_punctuation(page):
    assert [x for text in texts(page) for x in broken(text)] == []


@each_page
def test_is_chinese(page):
    assert re.search(HAN, texts(page)[0]), "the description"
    text = "\n".join(texts(page))
    assert len(re.findall(HAN, text)) > len(re.findall("[A-Za-z]+", text))


@pytest.mark.parametrize(
    "path",
    sorted(DOCS.glob("generated/*/zh/*")),
    ids=lambda p: f"{p.parts[-3]}/{p.stem}",
)
def test_generated_texts(path):
    """Figures and tables keep to the term base, alternative texts to all rules."""
    soup = BeautifulSoup(path.read_text("utf-8"), "html.parser")
    labels = [x["aria-label"] for x in soup.select("[aria-label]")]
    assert [*forbidden(soup.get_text())] == []
    for label in labels:
        assert re.search(HAN, label)
        assert [*broken(label), *forbidden(label)] == []


def test_the_site_itself():
    """The navigation and the site's description."""
    options = load_config(str(DOCS.parent / "mkdocs.zh.yml"))
    found = re.findall(r"'([^']*)'", repr(options.nav))
    for text in [
        options.site_name,
        options.site_description,
        options.copyright,
        *found,
    ]:
        assert [*broken(text), *forbidden(text)] == []
    assert config().site_name != options.site_name


@pytest.mark.parametrize(
    "text",
    [
        "用GPU 计算",
        f"把{MARK} 读入",
        "分块 之后",
        "分块 ，然后",
        "两个  空格",
        "分块,然后",
        f"因为 {MARK}: 分块",
        "完了.",
        "见论文. 然后",
        "流式多处理器(SM)",
        f"{MARK}（见 (下文)）",
        '所谓"分块"',
        "等等...",
        "等等…",
        "一次--两次",
        "一—二",
        "第 ３ 行",
    ],
)
def test_rules_find(text):
    assert [*broken(text)]


@pytest.mark.parametrize(
    "text",
    [
        f"第 3 行（见 {MARK}）用 GPU 计算：共 85% 的时间。",
        "“在线 softmax”——一遍读完……",
        "M. Milakov, N. Gimelshein, Online normalizer for softmax, 2018：算法 2。",
        "T. Dao 等，FlashAttention, 2022，第 3.1 节。",
        "Z. 叶的讲义",
        f"{MARK}、…、{MARK}",
    ],
)
def test_rules_let_pass(text):
    assert [*broken(text)] == []


def test_terms_find():
    assert [*forbidden("平铺之后做规约")] and not [
        *forbidden("分块之后做归约，算子融合")
    ]
