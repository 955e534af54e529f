"""The table of readers' cards: nothing without a file, and no wrong file."""

import importlib
import json

import pytest
from draw.modules import module

from tests.bench._made import made, signed
from tilewise.bench.share_file import Unfit, read

shared = importlib.import_module("draw.tables.gpu.shared_cards")


@pytest.fixture
def folder(tmp_path):
    """folder(*data) has a file of each."""

    def folder(*data):
        for n, one in enumerate(data):
            (tmp_path / f"card-{n}.json").write_text(json.dumps(one), "utf-8")
        return tmp_path

    return folder


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_table_is_there_when_a_file_is(folder, lang):
    assert shared.draw(lang, folder()) == ""
    other = made()
    other["machine"]["gpu"] = "NVIDIA B9"
    text = shared.draw(lang, folder(made(), signed(other)))
    above, head, marks, *rows = [x for x in text.splitlines() if x]
    assert "8" in above and head.count("|") == marks.count("|") == 8 and len(rows) == 4
    first = [x.strip() for x in rows[0].strip("|").split("|")]
    link = "[GeForce RTX 9999 (laptop)](../assets/results/shared/card-0.json)"
    assert first[0] == link and first[2:] == [
        "1.25",
        "1.67",
        "–",
        "2.11.0",
        "2026-11-28",
    ]
    assert "1.25" in rows[1] and "7" in rows[1], "a cell was left out"
    assert "B9" in rows[2] and "card-1.json" in rows[3]


def test_a_changed_file_stops_it(folder):
    with pytest.raises(Unfit, match="changed"):
        shared.draw("en", folder(made() | {"seconds": 1}))


def test_the_files_that_are_there_are_right():
    for path in shared.FOLDER.glob("*.json"):
        read(path.read_text("utf-8"))
    for lang in ("en", "zh"):
        assert bool(module("tables", "shared_cards").draw(lang)) == any(
            shared.FOLDER.glob("*.json")
        )
