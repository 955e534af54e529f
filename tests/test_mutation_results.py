"""What scripts/measure/mutation.py found: who survived, and why each may."""

import json
import re
from pathlib import Path

import pytest

from .test_floors import FLOORS, SOURCE, floor_of, part_of

RESULTS = Path(__file__).resolve().parent.parent / "benchmarks/results"
(FILE,) = RESULTS.glob("*-mutation.json")
FOUND = json.loads(FILE.read_text("utf-8"))
LISTED = FILE.with_suffix(".md").read_text("utf-8")
ROW = re.compile(r"^- `([\w/.]+):(\d+)` (`+) ?(.*?) ?\3 → (`+) ?(.*?) ?\5$", re.M)


def survivors():
    keys = "module", "line", "before", "after"
    return sorted(tuple(x[key] for key in keys) for x in FOUND["survivors"])


def sections():
    """[(title, reason, list)] of the file that people read."""
    for part in LISTED.split("\n## ")[1:]:
        title, _, rest = part.partition("\n\n")
        reason, _, rows = rest.partition("\n\n")
        yield title, reason, rows


def test_every_survivor_is_listed_once_under_a_reason():
    rows = [(m[1], int(m[2]), m[4], m[6]) for m in ROW.finditer(LISTED)]
    assert sorted(rows) == survivors()
    assert LISTED.count("\n- ") == len(rows)
    for title, reason, rows in sections():
        assert len(reason.split()) > 5 and not reason.startswith("- "), title
        assert all(x.startswith("- `") for x in rows.strip().splitlines()), title


def test_all_modules_of_both_floors_were_broken():
    names = {p.relative_to(SOURCE).as_posix(): floor_of(part_of(p)) for p in FLOORS}
    below = {name: floor for name, floor in names.items() if floor < 2}
    found = {name: row["floor"] for name, row in FOUND["modules"].items()}
    assert found == {x: y for x, y in below.items() if x != "types.py"}


@pytest.mark.parametrize("floor", [0, 1])
def test_nine_of_ten_are_killed(floor):
    rows = [x for x in FOUND["modules"].values() if x["floor"] == floor]
    total = FOUND["floors"][f"floor {floor}"]
    for key in ("mutants", "asked", "killed"):
        assert total[key] == sum(row[key] for row in rows)
    assert total["score"] == total["killed"] / total["asked"] >= 0.9


def test_what_is_not_killed_survived():
    for name, row in FOUND["modules"].items():
        alive = [x for x in FOUND["survivors"] if x["module"] == name]
        assert row["asked"] == row["killed"] + len(alive) <= row["mutants"]
        assert len(alive) >= row["no_test"] and row["time"] <= row["killed"]
