"""What scripts/measure/packing/packing.py counted, and the page's words on it."""

import importlib
import json
import math
import re

import pytest
from measure.packing._packing_lengths import log_normal

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


def test_claims_on_first_fit_decreasing():
    """Rows are 99.8% full, and 100,000 documents take a second."""
    for name in ABOUT:
        assert math.floor(1000 * FOUND[name, "decreasing"]["fill"]) >= 998
    assert 0.5 < FOUND["log_normal", "decreasing"]["seconds"] < 1.5  # "a second"


def test_a_share_is_never_rounded_up_to_a_whole():
    assert table.share(0.99999) == "99.99%" and table.share(0.16) == "16.0%"
    shown = [table.times(x) for x in (0.81, 1, 3.296, 14.8, 33.84, 1385.2)]
    assert shown == ["0.81", "1.00", "3.30", "14.8", "33.8", "1385"]
    assert re.fullmatch(r"\d+\.\d\d", table.times(9.94))
