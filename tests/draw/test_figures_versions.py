"""The map of versions: what it says is what the table of its page says."""

import pytest
from draw.modules import module
from repository import ROOT


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_map_of_versions_has_the_years_and_cards_of_the_table(lang):
    page = (ROOT / f"docs/{lang}/start/versions.md").read_text("utf-8")
    table = page[page.index("\n|---|") :].splitlines()
    papers, cards = (row.split("|")[2:6] for row in table[2:4])
    facts = module("figures", "versions_map").FACTS
    for (year, *card, _), paper, written_for in zip(facts, papers, cards, strict=True):
        assert year in paper and all(x in written_for for x in card)
