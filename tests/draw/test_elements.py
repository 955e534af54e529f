"""What stands in the widgets before a script runs: words, defaults, measured values."""

import json
import re

import pytest
from draw.modules import module

HOLES = re.compile(r"\{\w*\}")
STAYS = {"NaN", "softmax", "ms", "TFLOP", "Triton", "ln"}
STAYS |= {"FlashAttention", "GB", "QK", "PV"}  # Latin in Chinese too


def made(name, lang):
    """What a module of scripts/draw/elements draws, and the data in it."""
    text = module("elements", name).draw(lang)
    return text, json.loads(text.partition('json">')[2].partition("</script>")[0])


@pytest.mark.parametrize(
    "name", ["strip_online", "strip_merging", "measured", "home_race"]
)
def test_both_languages_say_the_same(name):
    (_, en), (_, zh) = made(name, "en"), made(name, "zh")
    en, zh = en["words"], zh["words"]
    assert en.keys() == zh.keys()
    for key, text in en.items():
        assert sorted(HOLES.findall(text)) == sorted(HOLES.findall(zh[key])), key
        assert not re.search("[\u3000-\u9fff\uff00-\uffef]", text), key
        left = set(re.findall("[A-Za-z]{2,}", HOLES.sub("", zh[key])))
        assert left <= STAYS, key


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_table_has_the_states_that_the_data_have(lang):
    text, data = made("strip_online", lang)
    rows = [re.findall("<td>(.*?)</td>", row) for row in text.splitlines()]
    shown = [row for row in rows if row]
    assert shown[1] == [join["m"][1] for join in data["joins"]]
    assert shown[3] == [join["l"][1] for join in data["joins"]]
    text, data = made("strip_merging", lang)
    half = data["joins"][2]["a"]
    assert re.search(rf"A(: |：)<i>m</i> = {half['m'][1]}", text)


def test_every_measured_cell_is_there():
    from draw.figures._bench import PLAIN, TOP, bench

    kernels = made("measured", "en")[1]["kernels"]
    sizes = (1024, 2048, 4096, 8192, 16384)
    rows = [row for row in bench()["rows"] if row["kernel"] != "flash_attention"]
    for row in rows:
        way, name = row["pass"], row["kernel"]
        name = {TOP[way]: "ours", PLAIN[way]: "plain"}.get(name, name)
        mask = "causal" if row["causal"] else "full"
        found = kernels[name][way][str(row["d"])][mask][sizes.index(row["n"])]
        if "tflops" not in row:
            assert found is None
            continue
        speed, ms = found
        assert speed == round(row["tflops"]) and abs(ms / row["ms"] - 1) < 6e-4
    cells = [
        cell
        for kernel in kernels.values()
        for way in ("forward", "backward")
        for masks in kernel.get(way, {}).values()
        for values in masks.values()
        for cell in values
    ]
    assert len(cells) >= len(rows) and sum(map(bool, cells)) <= len(rows)
