"""The reference of the package: all that is public, each with what a caller needs."""

import re

import griffe
import pytest
import yaml
from built import soup
from every import every
from pages import DOCS, LANGS, ROOT, html, read
from website import docstrings

import tilewise

from ..house._house import floor_of

PAGES = "reference/api.md", "reference/api-plain.md"
BLOCK = re.compile(r"^::: ([\w.]+)\n((?: {4}.*\n)*)", re.M)
CONTRACT = """\
flash_attention scaled_dot_product_attention FlashAttention
softmax.safe_softmax softmax.online_softmax softmax.merge one_pass.attention_row
trace.forward trace.backward ledger.block_sizes ledger.standard_forward
ledger.flash1_forward ledger.flash2_forward ledger.standard_backward
ledger.flash1_backward ledger.flash2_backward ledger.saved
standard.standard_forward standard.standard_backward
flash1.flash1_forward flash1.flash1_backward
flash2.flash2_forward flash2.flash2_backward""".split()
INNER = {"checks", "fits", "strict_json", "types"}  # not on the reference page
INNER |= {"live", "exercises", "serve"}
USUAL = {"device", "dtype"}  # of every module in PyTorch
TENSORS = {*"q k v o do p m l x lse query lengths".split()}
PACKAGE = griffe.load(
    "tilewise",
    search_paths=[ROOT / "src"],
    allow_inspection=False,
    resolve_aliases=True,
)


def blocks(lang):
    """[(object, members)] that the pages ask mkdocstrings for."""
    found = [x for page in PAGES for x in BLOCK.findall(read(DOCS / lang / page)[0])]
    options = ((name, yaml.safe_load(text) or {}) for name, text in found)
    return [(name, x.get("options", {}).get("members", [])) for name, x in options]


def chosen():
    """{name on a page: object} of every function and class there."""
    found = {}
    for name, members in blocks("en"):
        thing = PACKAGE[name.removeprefix("tilewise.")]
        if thing.is_module:
            parts = {f"{name}.{x}": thing[x] for x in members}
            found |= {k: x for k, x in parts.items() if not x.is_attribute}
        else:
            found[f"tilewise.{thing.name}"] = thing
    return found


CHOSEN = chosen()
each = every("name", CHOSEN)


def call(thing):
    """The parameters that a caller names."""
    function = thing.members.get("__init__", thing)
    kinds = ("variadic positional", "variadic keyword")
    named = [x for x in function.parameters if x.kind.value not in kinds]
    return [x.name for x in named if x.name != "self"]


def shared():
    """The names that the first page explains once for all functions."""
    table = html(DOCS / "en" / PAGES[0]).find(id="shared").find_next("table")
    return {x.get_text() for x in table.select("td:first-child code")}


def test_both_languages_show_the_same():
    assert blocks("en") == blocks("zh") and blocks("en")


def test_every_module_is_there():
    shown = {name.split(".")[1] for name, _ in blocks("en")}
    named = {x for x in tilewise._MODULES if floor_of(x) is not None}
    assert named - INNER == shown


def test_what_is_in_front_comes_by_its_own_name():
    front = {f"tilewise.{x}" for x in tilewise._FRONT}
    assert front == {x for x in CHOSEN if x.count(".") == 1}


def test_the_contract_is_there():
    assert [x for x in CONTRACT if f"tilewise.{x}" not in CHOSEN] == []


@each
def test_docstring_begins_with_a_sentence(name):
    text = CHOSEN[name].docstring.value
    assert re.search(r"[.:]$", text.partition("\n\n")[0]), text


@each
def test_every_parameter_is_explained(name):
    """By the docstring, that of the module, or the page's table of shared names."""
    thing = CHOSEN[name]
    text = f"{thing.docstring.value}\n{thing.module.docstring.value}".replace("ℓ", "l")
    for parameter in {*call(thing)} - shared() - USUAL:
        word = rf"(?<![a-z]){parameter.removesuffix('s')}s?(?![a-z])"
        assert re.search(word, text, re.I), parameter


@each
def test_tensors_have_shapes(name):
    """Where there are tensors, so are their shapes, or a function that has the same."""
    thing = CHOSEN[name]
    if "import torch" in thing.module.source and TENSORS & {*call(thing)}:
        text = thing.docstring.value
        assert re.search(r"\((\.\.\.|\*?\w+),|any shape|as in \w+", text), text


@each
def test_tensors_have_dtypes(name):
    """By the docstring, that of the module, or a function that has the same."""
    thing = CHOSEN[name]
    function = thing.members.get("__init__", thing)
    if any(str(x.annotation).startswith("Tensor") for x in function.parameters):
        text = f"{thing.docstring.value} {thing.module.docstring.value}"
        kinds = r"\b(fp16|fp32|u?int(32|64)|bools|floats|dtypes?)\b"
        assert re.search(rf"{kinds}|as in \w", text), text


@every("lang", LANGS)
def test_page_shows_each(lang, site):
    """A heading with the call, then the docstring; no source code, no other files."""
    files = [f"{'zh/' * (lang == 'zh')}{x.removesuffix('.md')}.html" for x in PAGES]
    pages = [soup(site / x) for x in files]
    places = {x["id"]: x for page in pages for x in page.select("[id]")}
    for name, thing in CHOSEN.items():
        heading = places[name]
        assert heading.name in ("h3", "h4") and "tw-call" in heading["class"]
        shown = re.sub(r"\s+", " ", heading.code.get_text())
        assert shown.startswith(f"{name if name.count('.') == 1 else thing.name}(")
        assert all(re.search(rf"\b{x}\b", shown) for x in call(thing))
        text = heading.find_next_sibling("p").get_text()
        said, meant = (re.sub(r"[\W_]+", "", x) for x in (text, thing.docstring.value))
        assert said.startswith(meant[:12])
    extra = "article pre, article details, autoref, backlinks"
    assert not [x for page in pages for x in page.select(extra)]


def test_the_site_has_no_files_for_it(site):
    assert not [*site.rglob("objects.inv"), *site.rglob("*mkdocstrings*")]


@pytest.mark.parametrize(
    "text, made",
    [
        ("One.\n\nTwo.", "<p>One.</p>\n<div data-search-exclude>\n<p>Two.</p>"),
        (
            "e^{x_i − m} < B_r",
            "<p>e<sup>x<sub>i</sub> − m</sup> &lt; B<sub>r</sub></p>",
        ),
        (
            "2^bias, K_jᵀ, m̃_ij",
            "<p>2<sup>bias</sup>, K<sub>j</sub>ᵀ, m̃<sub>ij</sub></p>",
        ),
        ("`exp` as block_rows", "<p><code>exp</code> as <code>block_rows</code></p>"),
        ("a = b,  c = d", "<p><span>a = b,</span>\u2003<span>c = d</span></p>"),
        ("it goes\non.", "<p>it goes on.</p>"),
        ("One.\nTwo.", "<p>One.</p><p>Two.</p>"),
        ("scale None is τ", "<p><code>scale</code> None is τ</p>"),
        ("A state:\nm = 1", "<p>A state:<br>m = 1</p>"),
        (f"{'x' * 80}.\nRaises", f"<p>{'x' * 80}. Raises</p>"),
        ("one  two\n     three\nfour six", "<p><span>one</span>\u2003"),
        (
            "reads  from\n       HBM\nflops  2·N",
            "<dl><dt>reads</dt><dd>from HBM</dd><dt>flops</dt><dd>2·N</dd></dl>",
        ),
    ],
)
def test_docstrings_as_html(text, made):
    assert docstrings.to_html(text, 4).startswith(made)
