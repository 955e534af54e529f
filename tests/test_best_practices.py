"""The page of rules: verdicts that agree, counts that hold, ratios of every cell."""

import importlib
import re
import sys
from pathlib import Path

from tilewise import ledger

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
rules = importlib.import_module("tables._rules")
bench = importlib.import_module("figures._bench")
figure = importlib.import_module("figures.rules_ratios")

PAGE = (ROOT / "docs/en/memory/best-practices.md").read_text("utf-8")
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
    assert "FlashAttention-4 in {} of {link} and cuDNN in {}".format(
        *counts, link=link
    ) in PAGE  # fmt: skip


def test_one_program_fits_where_four_did():
    _, small, large = rules.squares()
    both = large["programs_per_sm"], small["programs_per_sm"]
    assert "room for {} program instead of {}".format(*both) in PAGE
    reads = [ledger.flash2_forward(1024, 64, x, x)["reads"] for x in (64, 128)]
    assert (reads[0] - 1024 * 64) == 2 * (reads[1] - 1024 * 64)


def test_each_verdict_of_the_table_is_that_of_its_section():
    """24 rules, in the order of the sections, with the class of the word."""
    rows = re.findall(r"^\| \[.*?\]\(#([\w-]+)\) \| (.*?) \|", PAGE, re.M)
    found = {anchor: MARK.match(mark).groups() for anchor, mark in rows}
    sections = re.findall(r"^### .* \{ #([\w-]+) \}\n\n(.*)$", PAGE, re.M)
    assert [*found] == [anchor for anchor, _ in sections] and len(found) == 24
    for anchor, text in sections:
        word, style = MARK.match(text).groups()
        assert (word.lower(), style) == found[anchor], anchor
        assert VERDICTS[word.lower()] == style
    words = [word for word, _ in found.values()]
    counts = {6: "six are true", 9: "nine are true under a condition"}
    assert counts[words.count("true")] in PAGE
    assert counts[words.count("true when")] in PAGE
    assert words.count("false") == 9 and "and nine are false" in PAGE


def test_the_chinese_page_gives_the_same_verdicts():
    """The same class at the same place, and one word for each class."""
    words = {"站得住": "tw-true", "有条件": "tw-when", "站不住": "tw-false"}
    chinese = (ROOT / "docs/zh/memory/best-practices.md").read_text("utf-8")
    found = re.findall(r"\*\*(\w+)\*\*\{ \.tw-verdict \.([\w-]+) \}", chinese)
    assert [style for _, style in found] == [style for _, style in MARK.findall(PAGE)]
    assert all(words[word] == style for word, style in found)
    assert "六条站得住，九条有条件，九条站不住" in chinese


def test_the_figure_says_the_same_in_both_languages():
    texts = [re.findall(r"\d+(?:\.\d+)?", figure.draw(x)) for x in ("en", "zh")]
    assert sorted(texts[0]) == sorted(texts[1])
    assert set(rules.TIMES) <= set(figure.SAY["en"]) == set(figure.SAY["zh"])


def test_ratios_are_of_every_cell():
    sizes = {key: len(ratios()) for key, ratios in rules.TIMES.items()}
    assert sizes == {
        "flash-8k": 2, "flash-1k": 2, "compile": 8, "causal": 10, "batch": 4,
        "keys": 20, "gqa": 8, "pad": 12, "narrower": 8, "mask": 9,
        "deterministic": 20, "checkpoint": 20, "tiles": 1,
    }  # fmt: skip
