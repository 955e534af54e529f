"""What the page of rules claims: its verdicts agree, and the data bear it out."""

import importlib
import re
from itertools import product

from repository import ROOT

from tilewise import ledger
from tilewise.bench.cells import DIMS, PASSES
from tilewise.rounding import smallest

rules = importlib.import_module("draw.tables._rules")
figure = importlib.import_module("draw.figures.memory.rules_ratios")
practices = importlib.import_module("draw.tables._practices")
one_order = importlib.import_module("draw.tables._order")
short = importlib.import_module("draw.figures.memory.short_sequences")
tiles = importlib.import_module("draw.tables.memory.tile_sizes")
decoding = importlib.import_module("draw.tables.memory.decoding")
numbers = importlib.import_module("draw.numbers.best_practices")

LANGS = ("en", "zh")
FUSED = numbers.FUSED
MARK = re.compile(r"\*\*([\w ]+)\*\*\{ \.tw-verdict \.(tw-\w+) \}")
STYLES = {
    "en": {"true": "tw-true", "true when": "tw-when", "false": "tw-false"},
    "zh": {"站得住": "tw-true", "有条件": "tw-when", "站不住": "tw-false"},
}
COUNTS = {
    "en": "Six of them are true, eleven are true under a condition, and nine are false",
    "zh": "六条站得住，十一条有条件，九条站不住",
}


def page(lang):
    return (ROOT / f"docs/{lang}/memory/best-practices.md").read_text("utf-8")


def test_each_verdict_of_the_table_is_that_of_its_section():
    """26 rules, in the order of the sections, with the class of the word."""
    for lang in LANGS:
        rows = re.findall(r"^\| \[.*?\]\(#([\w-]+)\) \| (.*?) \|", page(lang), re.M)
        verdicts = {anchor: MARK.match(mark).groups() for anchor, mark in rows}
        sections = re.findall(r"^### .* \{ #([\w-]+) \}\n\n(.*)$", page(lang), re.M)
        assert [*verdicts] == [anchor for anchor, _ in sections]
        for anchor, text in sections:
            word, style = MARK.match(text).groups()
            assert (word.lower(), style) == verdicts[anchor], anchor
            assert STYLES[lang][word.lower()] == style
        styles = [style for _, style in verdicts.values()]
        assert [styles.count(x) for x in STYLES["en"].values()] == [6, 11, 9]
        assert COUNTS[lang] in page(lang)


def test_the_chinese_page_gives_the_same_verdicts():
    english, chinese = ([x for _, x in MARK.findall(page(lang))] for lang in LANGS)
    assert chinese == english


def test_the_figure_has_words_for_every_rule():
    assert set(rules.TIMES) <= set(figure.SAY["en"]) == set(figure.SAY["zh"])


def test_no_cell_is_left_out_of_a_ratio():
    cells = {"causal": 12, "keys": 20, "gqa": 24, "half": 36, "narrower": 8}
    cells |= {"checkpoint": 20, "copy": 18, "bits": 20, "bits-efficient": 12}
    cells |= {"mask": 24, "pad": 4, "compile": 4, "compile-causal": 4, "tf32": 4}
    cells |= {"batch": 6, "empty": 2}
    assert {key: len(rules.TIMES[key]()) for key in cells} == cells


def test_the_count_of_checkpointing():
    """One forward pass more: 4 + 4 + 10 for 4 + 10; Q, K and V are 3/4 of 4Nd + N."""
    n, d, tile = 4096, 128, (128, 128)
    forward = ledger.flash2_forward(n, d, *tile)["flops"]
    backward = ledger.flash2_backward(n, d, *tile)["flops"]
    assert (2 * forward + backward) * 14 == (forward + backward) * 18
    assert round(4 * 3 * n * d / ledger.saved(n, d)["flash2"]) == 3


def test_where_sequences_are_short():
    """From 128 on a fused kernel wins; at 64 ours loses and backward none does."""
    for n, way, d in product(short.SIZES[1:], PASSES, DIMS):
        ratios = {what: short.ratio(what, way, n, d) for what in FUSED}
        assert min(ratios, key=ratios.get) in ("ours", "cudnn")
        assert min(ratios.values()) < 1
    at_64 = {
        key: short.ratio(*key[:2], 64, key[2]) for key in product(FUSED, PASSES, DIMS)
    }
    assert min(x for (_, way, _), x in at_64.items() if way == "backward") > 0.93
    assert at_64["cudnn", "forward", 64] < 0.7 > at_64["cudnn", "forward", 128]
    assert at_64["efficient", "forward", 64] < at_64["cudnn", "forward", 64]


def test_decoding():
    """Ours keeps up with cuDNN in one of six cases, that without shared KV heads."""
    slower = {
        (batch, k): decoding.time("ours", k, batch) / decoding.time("cudnn", k, batch)
        for batch, k in product((1, 16), decoding.HEADS)
    }
    assert slower.pop((16, 32)) < 1.02 and min(slower.values()) > 2
    flash = {key: decoding.time("flash", key[1], key[0]) for key in [*slower, (16, 32)]}
    ours = {key: decoding.time("ours", key[1], key[0]) for key in flash}
    assert [key for key in flash if flash[key] > ours[key]] == [(16, 32)]


def test_tiles():
    """128 × 64 is the fastest for both d; tiles of 128² read half of those of 64²."""
    for d in DIMS:
        best = tiles.best(d)
        assert min(best, key=best.get) == (128, 64)
    reads = [ledger.flash2_forward(1024, 64, x, x)["reads"] for x in (64, 128)]
    assert (reads[0] - 1024 * 64) == 2 * (reads[1] - 1024 * 64)


def test_copying_a_view_never_paid():
    assert min(practices.copied()) > 1


def test_who_listens_to_which_switch():
    """TF32 changes nothing for two kernels, a fixed order none for the math backend."""
    for what in ("efficient", "ours"):
        assert all(abs(x - 1) < 0.01 for x in practices.switched(what))
    efficient, flash = (practices.fixed(x, [16384]) for x in ("efficient", "flash"))
    assert min(efficient) > max(flash)
    assert all(abs(x - 1) < 0.02 for x in practices.fixed("math"))


def test_only_one_kernel_takes_twice_as_long_in_a_fixed_order():
    assert max(practices.fixed("efficient")) > 2
    assert max(*practices.fixed("flash"), *one_order.turns().values()) < 2


def test_the_compiler_took_the_fused_function():
    """No mask: the error of PyTorch's function; a causal one: still about its own."""
    for n, d, causal in product((1024, 4096), DIMS, (False, True)):
        which = {"n": n, "d": d, "causal": causal, "graph": True}
        names = ("standard, compiled", "sdpa", "standard")
        got, sdpa, plain = (
            practices.rows("compiled", what=x, **which)[0]["error"]["o"] for x in names
        )
        assert (abs(got / sdpa - 1) < 0.01) is not causal
        assert plain > 1.5 * sdpa


def test_emptying_the_cache_saved_no_failed_allocation():
    assert not any(x["retries"] for x in practices.part("empty_cache"))


def test_the_range_of_fp16():
    """The least number with all digits, which the page has in HTML."""
    assert f"{smallest('fp16'):.1e}" == "6.1e-05"


def test_what_was_not_timed_is_what_the_page_says():
    """Tiles of other sizes than powers of two, and one matrix too many."""
    names = ("formats", "views", "short", "padding", "groups", "batches", "masks")
    names += ("tiles", "compiled", "tf32", "deterministic")
    missing = [x for name in names for x in practices.part(name) if "ms" not in x]
    assert {re.sub(r"\d+", "N", x["missing"]) for x in missing} == {
        "block_rows must be a power of two from N, not N",
        "block_cols must be a power of two from N, not N",
        "out of memory",
    }
    late = [x for x in missing if x["missing"] == "out of memory"]
    assert {(x["what"], x["n"], x["d"]) for x in late} == {
        ("math, fixed order", 16384, 64)
    }
