"""What scripts/measure/packing/packing.py counted, and the page's words on it."""

import importlib
import json
import math
import re

import pytest
from measure.packing._packing_lengths import log_normal
from repository import ROOT

from tilewise.examples import packing_bins
from tilewise.packing import fill, first_fit_decreasing

table = importlib.import_module("draw.tables.memory.packing_ways")
FOUND, DATA = table.found(), json.loads(table.RESULTS.read_text("utf-8"))
ABOUT = {x["name"]: x for x in DATA["collections"]}
EACH = pytest.mark.parametrize("name", ABOUT)


@EACH
def test_rows_follow_from_what_was_counted(name):
    tokens, size = ABOUT[name]["tokens"], ABOUT[name]["size"]
    alone = FOUND[name, "decreasing"]["pairs"]
    for (collection, _), row in FOUND.items():
        if collection == name:
            assert row["fill"] == tokens / row["slots"] <= 1
            assert row["work"] == row["pairs"] / alone
            assert row.get("rows", 1) == row["slots"] / size or "rows" not in row


@EACH
def test_first_fit_decreasing_uses_the_fewest_rows_and_is_95_percent_full(name):
    row = FOUND[name, "decreasing"]
    assert row["rows"] == math.ceil(ABOUT[name]["tokens"] / ABOUT[name]["size"])
    assert row["fill"] > 0.995 and FOUND[name, "look_ahead_1"]["fill"] > 0.995
    fills = [FOUND[name, f"look_ahead_{n}"]["fill"] for n in (1, 2, 4, 16, 64)]
    assert fills == sorted(fills)


def test_the_log_normal_collection_is_what_it_says():
    """Its quantiles are those of the distribution, its bins those of the package."""
    lengths = log_normal()
    about = ABOUT["log_normal"]
    assert (len(lengths), sum(lengths)) == (about["number"], about["tokens"])
    for share, z in ((0.1, -1.2816), (0.5, 0), (0.9, 1.2816), (0.99, 2.3263)):
        expected = 400 * math.exp(1.2 * z)
        assert abs(about[f"p{int(100 * share)}"] / expected - 1) < 0.03
    part = lengths[:5000]
    assert fill(part, first_fit_decreasing(part, 8192), 8192) > 0.995


def named():
    """The page's words, with the numbers that were counted."""
    a, b = ABOUT["log_normal"], ABOUT["functions"]
    yield f"{a['number']:,} documents of \\(400\\, e^{{1.2 z}}\\) tokens"
    yield f"at most {a['p50']} tokens, a tenth at least {a['p90']}."
    yield f"cut off at {a['size']}"
    yield f"the {b['number']:,} functions"
    yield f"with at most {b['p50']}, the longest with {b['longest']}; the row is"
    cut = FOUND["log_normal", "chopped"]["cut_documents"] / a["number"]
    yield f"It cuts {100 * cut:.1f}% of the log-normal documents"
    ahead = 100 * FOUND["log_normal", "look_ahead_1"]["fill"]
    yield f"is enough: {ahead:.1f}% for the log-normal documents"
    yield f"with a look-ahead of one row to {ahead:.1f}%"
    times = DATA["times"]
    yield f"{times['tokens']} tokens in {times['slots']:,} padded places"
    padded, *theirs = (
        times["ratio"][x] for x in ("padded", "sdpa_padded", "sdpa_mask")
    )
    yield f"take {padded:.1f} times as long padded"
    yield "{:.1f} times padded and {:.1f} times with a matrix as mask".format(*theirs)
    lengths, longest = packing_bins.LENGTHS, max(packing_bins.LENGTHS)
    places, tokens = len(lengths) * longest, sum(lengths)
    yield f"of {places} places {places - tokens} hold nothing"
    yield f"Here these are {len(lengths) * packing_bins.pairs(longest)} pairs padded"


def test_the_page_says_what_was_counted():
    page = (ROOT / "docs/en/memory/sequence-packing.md").read_text("utf-8")
    assert [words for words in named() if words not in page] == []
    for name in ABOUT:
        assert math.floor(1000 * FOUND[name, "decreasing"]["fill"]) >= 998
    assert 0.5 < FOUND["log_normal", "decreasing"]["seconds"] < 1.5  # "a second"


def test_tables_have_the_same_numbers_in_both_languages():
    texts = [table.draw(lang).split("\n", 2)[2] for lang in ("en", "zh")]
    numbers = [[x.split("|")[2:] for x in text.splitlines()] for text in texts]
    assert numbers[0] == numbers[1] and len(numbers[0]) == 10


def test_a_share_is_never_rounded_up_to_a_whole():
    assert table.share(0.99999) == "99.99%" and table.share(0.16) == "16.0%"
    shown = [table.times(x) for x in (0.81, 1, 3.296, 14.8, 33.84, 1385.2)]
    assert shown == ["0.81", "1.00", "3.30", "14.8", "33.8", "1,385"]
    assert re.fullmatch(r"\d+\.\d\d", table.times(9.94))
