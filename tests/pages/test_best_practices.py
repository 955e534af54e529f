"""The page of rules: verdicts that agree, counts that hold, ratios of every cell."""

import importlib
import re
from itertools import product

from repository import ROOT

from tilewise import ledger
from tilewise.bench.cells import DIMS, PASSES

rules = importlib.import_module("draw.tables._rules")
bench = importlib.import_module("draw.figures._bench")
figure = importlib.import_module("draw.figures.memory.rules_ratios")
practices = importlib.import_module("draw.tables._practices")
short = importlib.import_module("draw.figures.memory.short_sequences")

PAGE = (ROOT / "docs/en/memory/best-practices.md").read_text("utf-8")
FUSED = ("flash", "cudnn", "efficient", "ours")
COUNTED = ledger.saved(16384, 128)
VERDICTS = {"true": "tw-true", "true when": "tw-when", "false": "tw-false"}
MARK = re.compile(
    r"\*\*(True|True when|False)\.?\*\*\{ \.tw-verdict \.(tw-\w+) \}", re.I
)


def printed(name):
    return (ROOT / f"docs/generated/outputs/{name}.txt").read_text("utf-8")


def test_the_page_says_what_programs_print():
    for words in ("134.23", "136.32"):
        assert words in PAGE and words in printed("rules_counted")
    sums = printed("sums_in_half")
    assert "at 2048" in sums and "at 256\n" in sums
    assert "in fp16 end at 2048, and in bf16 at 256" in PAGE


def test_the_count_of_checkpointing():
    """One forward pass more: 4 + 4 + 10 for 4 + 10."""
    n, d, tile = 4096, 128, (128, 128)
    forward = ledger.flash2_forward(n, d, *tile)["flops"]
    backward = ledger.flash2_backward(n, d, *tile)["flops"]
    assert (2 * forward + backward) * 14 == (forward + backward) * 18
    assert "\\(18/14\\)" in PAGE
    inputs = 3 * 16384 * 128
    assert round(4 * inputs / COUNTED["flash2"]) == 3  # "three quarters of these"


def test_the_fastest_of_others_changes():
    names = ("cudnn", "fa4", "flash", "flex")
    found = {name: bench.speeds("forward", name) for name in names}
    best = [max(names, key=lambda x: found[x][c]) for c in found["cudnn"]]
    counts = [best.count(name) for name in ("fa4", "cudnn")]
    assert sum(counts) == len(best) == 20
    link = "[twenty cells](../gpu/measured.md#cells)"
    assert (
        "FlashAttention-4 in {} of {link} and cuDNN in {}".format(*counts, link=link)
        in PAGE
    )


def test_one_program_fits_where_four_did():
    _, small, large = rules.squares()
    both = large["programs_per_sm"], small["programs_per_sm"]
    assert "room for {} program instead of {}".format(*both) in PAGE
    reads = [ledger.flash2_forward(1024, 64, x, x)["reads"] for x in (64, 128)]
    assert (reads[0] - 1024 * 64) == 2 * (reads[1] - 1024 * 64)


def test_each_verdict_of_the_table_is_that_of_its_section():
    """26 rules, in the order of the sections, with the class of the word."""
    rows = re.findall(r"^\| \[.*?\]\(#([\w-]+)\) \| (.*?) \|", PAGE, re.M)
    verdicts = {anchor: MARK.match(mark).groups() for anchor, mark in rows}
    sections = re.findall(r"^### .* \{ #([\w-]+) \}\n\n(.*)$", PAGE, re.M)
    assert [*verdicts] == [anchor for anchor, _ in sections] and len(verdicts) == 26
    for anchor, text in sections:
        word, style = MARK.match(text).groups()
        assert (word.lower(), style) == verdicts[anchor], anchor
        assert VERDICTS[word.lower()] == style
    words = [word for word, _ in verdicts.values()]
    counts = {6: "six are true", 10: "ten are true under a condition"}
    assert counts[words.count("true")] in PAGE
    assert counts[words.count("true when")] in PAGE
    assert words.count("false") == 10 and "and ten are false" in PAGE


def test_the_chinese_page_gives_the_same_verdicts():
    """The same class at the same place, and one word for each class."""
    words = {"站得住": "tw-true", "有条件": "tw-when", "站不住": "tw-false"}
    chinese = (ROOT / "docs/zh/memory/best-practices.md").read_text("utf-8")
    found = re.findall(r"\*\*(\w+)\*\*\{ \.tw-verdict \.([\w-]+) \}", chinese)
    assert [style for _, style in found] == [style for _, style in MARK.findall(PAGE)]
    assert all(words[word] == style for word, style in found)
    assert "六条站得住，十条有条件，十条站不住" in chinese


def test_the_figure_says_the_same_in_both_languages():
    texts = [re.findall(r"\d+(?:\.\d+)?", figure.draw(x)) for x in ("en", "zh")]
    assert sorted(texts[0]) == sorted(texts[1])
    assert set(rules.TIMES) <= set(figure.SAY["en"]) == set(figure.SAY["zh"])


def test_ratios_are_of_every_cell():
    sizes = {key: len(ratios()) for key, ratios in rules.TIMES.items()}
    assert sizes == {
        "compile": 4,
        "flash-8k": 2,
        "flash-1k": 2,
        "decoding": 2,
        "compile-causal": 4,
        "tf32": 4,
        "causal": 12,
        "keys": 20,
        "batch": 6,
        "gqa": 24,
        "half": 36,
        "narrower": 8,
        "checkpoint": 20,
        "tiles": 1,
        "copy": 18,
        "bits": 12,
        "empty": 4,
        "bits-efficient": 12,
        "pad": 4,
        "mask": 24,
    }


def test_who_wins_where_sequences_are_short():
    """Which N each wins from, against standard attention and of all."""
    wins = {
        (way, d): min(n for n in short.SIZES if short.ratio("flash", way, n, d) < 1)
        for way, d in product(PASSES, DIMS)
    }
    assert wins == {
        ("forward", 64): 64,
        ("forward", 128): 64,
        ("backward", 64): 256,
        ("backward", 128): 1024,
    }
    for n, way, d in product(short.SIZES[1:], PASSES, DIMS):
        fused = {what: short.ratio(what, way, n, d) for what in FUSED}
        assert (
            min(fused, key=fused.get) in ("ours", "cudnn") and min(fused.values()) < 1
        )
    losing = [short.ratio(x, "backward", 64, d) < 1 for x in FUSED for d in DIMS]
    assert losing.count(True) == 1


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


def test_what_was_not_timed_is_what_the_page_says():
    """Tiles of other sizes than powers of two, and one matrix too many."""
    missing = [
        row
        for name in (
            "formats",
            "views",
            "short",
            "padding",
            "groups",
            "batches",
            "masks",
            "tiles",
            "compiled",
            "tf32",
            "deterministic",
        )
        for row in practices.part(name)
        if "ms" not in row
    ]
    said = {re.sub(r"\d+", "N", row["missing"]) for row in missing}
    assert said == {
        "block_rows must be a power of two from N, not N",
        "block_cols must be a power of two from N, not N",
        "out of memory",
    }
    late = [row for row in missing if row["missing"] == "out of memory"]
    assert {(row["what"], row["n"], row["d"]) for row in late} == {
        ("math, fixed order", 16384, 64)
    }
