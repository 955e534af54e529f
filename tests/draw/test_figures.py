"""The figures: sound SVG in both languages, and numbers equal to the trace's."""

import gzip
import math
import re
import xml.etree.ElementTree as ET
from collections import Counter
from fractions import Fraction

import pytest
from draw.modules import module, names
from repository import ROOT

from tilewise import ledger, trace, worked_example

NAMES = names("figures")
LANGS = ("en", "zh")
CSS = (ROOT / "docs/assets/tilewise.css").read_text("utf-8")
SVG = "{http://www.w3.org/2000/svg}"
MODULES = {name: module("figures", name) for name in NAMES}
FILES = ROOT / "docs/generated/figures"  # what draw() writes: tests/site/test_generated
DRAWN = {
    (n, lang): (FILES / lang / f"{n.replace('_', '-')}.svg").read_text("utf-8").rstrip()
    for n in NAMES
    for lang in LANGS
}
TREES = {key: ET.fromstring(drawn) for key, drawn in DRAWN.items()}  # well-formed
BOTH = pytest.mark.parametrize(("name", "lang"), DRAWN)
ALONE = {"social_card"}  # on no page: a picture with colours of its own
PAGES = pytest.mark.parametrize(
    ("name", "lang"), [x for x in DRAWN if x[0] not in ALONE]
)


def texts(tree):
    """What each <text> says."""
    return ["".join(x.itertext()) for x in tree.iter(f"{SVG}text")]


def css(x):
    """The classes of an element."""
    return x.get("class", "").split()


def svgs(tree):
    """The SVGs of a figure, which may stand in an HTML fragment."""
    return [tree] if tree.tag == f"{SVG}svg" else tree.findall(f"{SVG}svg")


@BOTH
def test_is_one_html_block(name, lang):
    lines = DRAWN[name, lang].split("\n")
    assert all(line.strip() for line in lines), "a blank line ends an HTML block"
    assert len(gzip.compress(DRAWN[name, lang].encode(), mtime=0)) <= 6000


@PAGES
def test_is_labelled_in_its_language(name, lang):
    for root in svgs(TREES[name, lang]):
        label = root.get("aria-label")
        assert root.get("role") == "img" and root.get("class") == "tw"
        assert label and bool(re.search("[一-鿿]", label)) == (lang == "zh")
        assert float(root.get("viewBox").split()[2]) <= 480, "wider than 480 units"
        assert not re.search(r"[{}$]", label + "".join(texts(root)))


@PAGES
def test_takes_every_colour_from_the_page(name, lang):
    drawn = DRAWN[name, lang].replace("http://www.w3.org", "")
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgba?\(|hsla?\(", drawn)
    for x in TREES[name, lang].iter():
        assert x.get("fill") in (None, "none") and x.get("stroke") in (None, "none")
        assert not re.search("fill|stroke|color", x.get("style", ""))


@PAGES
def test_ids_and_classes_are_its_own_or_the_grammars(name, lang):
    tree, prefix = TREES[name, lang], name.replace("_", "-") + "-"
    ids = [x.get("id") for x in tree.iter() if x.get("id")]
    assert len(set(ids)) == len(ids) and all(x.startswith(prefix) for x in ids)
    used = {c for x in tree.iter() for c in css(x)}
    short = "".join(word[0] for word in name.split("_")) + "-"  # one_minute: om-
    shared = {c for c in used if not c.startswith((short, prefix))}
    assert not [c for c in shared - {"tw"} if not re.search(rf"\.{c}\b", CSS)]
    for style in tree.iter(f"{SVG}style"):
        for selector in re.findall(r"(?:^|\})\s*([^@{}\n]+)\{", style.text):
            assert re.match(rf"[.#]({short}|{prefix})|:is\(#{prefix}|[\d.]+%", selector)


@PAGES
def test_thousands_have_commas(name, lang):
    tree = TREES[name, lang]
    said = " ".join([*texts(tree), *(root.get("aria-label") for root in svgs(tree))])
    assert not re.search(r"\u202f|(?<![\d.])\d{5,}", said)


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_show_the_same_numbers(name):
    """Those of tables are among what tests/site/test_twins.py compares."""
    shown = (re.findall(r">([\d,.]+[kM]?)<", DRAWN[name, lang]) for lang in LANGS)
    english, chinese = map(Counter, shown)
    assert english == chinese


def value(text):
    """The number that a figure writes."""
    return -math.inf if text == "−∞" else float(Fraction(text.replace("−", "-")))


def cells(tree, *classes):
    """The numbers in the groups of a figure that have all the classes."""
    groups = [g for g in tree.iter(f"{SVG}g") if {*classes} <= set(css(g))]
    shown = [x for g in groups for x in texts(g)]
    return [value(x) for x in shown if re.fullmatch(r"−?[\d/∞]+", x)]


def flat(*tensors):
    """All the numbers of matrices and vectors, row by row."""
    rows = [row for tensor in tensors for row in tensor]
    return [x for row in rows for x in (row if isinstance(row, list) else [row])]


@pytest.fixture(scope="module")
def steps():
    """The example's trace in floats, with m and S in units of τ."""
    e = worked_example
    made = trace.forward(e.Q, e.K, e.V, e.BLOCK_ROWS, e.BLOCK_COLS, scale=e.SCALE)
    return list(made)


@pytest.mark.parametrize("lang", LANGS)
def test_one_minute_shows_the_trace(lang, steps):
    tree, tau = TREES["one_minute", lang], worked_example.SCALE
    scores = cells(tree, "om-s")
    assert scores == pytest.approx([x / tau for t in steps for x in flat(t["s"])])
    for n, t in enumerate(steps, 1):
        assert cells(tree, "om-p", f"om-{n}") == pytest.approx(flat(t["p_tilde"]))
        assert cells(tree, "om-q", f"om-{n}") == flat(t["q"])
        assert sorted(cells(tree, "om-kv", f"om-{n}")) == sorted(flat(t["k"], t["v"]))
        new = flat(t["o_new"], t["l_new"], [x / tau for x in t["m_new"]])
        assert cells(tree, "om-new", f"om-{n}") == pytest.approx(new)
    before = []
    for t in steps:
        before += flat(t["o_old"], t["l_old"], [x / tau for x in t["m_old"]])
    assert cells(tree, "om-old") == pytest.approx(before)
    o, l, m = worked_example.O, steps[-1]["l"], [x / tau for x in steps[-1]["m"]]
    end = flat(o[:2], l[:2], m[:2], o[2:], l[2:], m[2:])
    assert cells(tree, "om-5") == pytest.approx(end)


def test_one_minute_can_be_paused_and_prefers_stillness():
    style = next(TREES["one_minute", "en"].iter(f"{SVG}style")).text
    assert "#one-minute-pause:checked~svg *{animation-play-state:paused}" in style
    head, _ = style.split("@media screen and (prefers-reduced-motion:no-preference){")
    assert "animation" not in head and ".om-h.om-3{opacity:1}" in head


@pytest.mark.parametrize("lang", LANGS)
def test_rows_and_merges_end_in_the_examples_result(lang):
    e = worked_example
    assert texts(TREES["merge_tree", lang]).count("o ({}, {})".format(*e.O[0])) == 2
    for name in ("passes", "one_pass_state"):
        found = TREES[name, lang].iter(f"{SVG}text")
        shown = ["".join(x.itertext()) for x in found if "tw-strong" in css(x)]
        assert shown[-4:] == ["2", "9/4", *map(str, e.O[2])]  # m, ℓ and o of row 3
    weights = ["1", "1/2", "1", "1/4", "1/2", "1", "1/4", "1/2", "1", "1/2"]
    shown = texts(TREES["online_row", lang])
    assert [x for x in shown if re.fullmatch("[1-9/]+", x)] == weights


def test_tile_loop_moves_what_the_ledger_counts():
    e = worked_example
    n, d = len(e.Q), len(e.Q[0])
    cost = ledger.flash1_forward(n, d, e.BLOCK_ROWS, e.BLOCK_COLS)
    start = n * d + 2 * n  # line 2 writes O, ℓ and m before the loops
    said = texts(TREES["tile_loop", "en"])[-1]
    assert said == f"all four steps: {cost['reads']} in, {cost['writes'] - start} out"


def test_sram_budget_draws_what_the_ledger_counts():
    module = MODULES["sram_budget"]
    for (d, r, c), places in zip(module.CASES, module.places(), strict=True):
        drawn = sum(wide * high for *_, wide, high in places)
        assert drawn == ledger.tile_sram(module.N, d, r, c)
        inside = [p for p in places if p[2] < 4 * 64]
        assert all(left + w <= module.WIDE + 2 for _, left, _, w, _ in inside)


def test_standard_bill_adds_up():
    module = MODULES["standard_bill"]
    n, d = module.N, module.D
    cost = ledger.standard_forward(n, d)
    reads = sum(module.SIZE[name] for _, names, _ in module.STEPS for name, _ in names)
    writes = sum(module.SIZE[name] for *_, (name, _) in module.STEPS)
    assert (reads, writes) == (cost["reads"], cost["writes"])
    said = " ".join(texts(TREES["standard_bill", "en"]))
    assert f"moved in all: {4 * n * (n + d) * 2 / 2**20:g} MiB" in said
