"""Tables of words that are rows of lines on phones: each cell has its column's name."""

import pytest
from built import FILES, soup
from every import every
from website import rows

PAGES = ("start/versions.html", "start/notation.html", "flash-attention/variants.html")


@every("file", FILES)
def test_cells_are_marked_as_their_heads_are(file, site):
    for table in soup(site / file).select("article table:has(thead)"):
        head, *body = table.select("tr")
        marks = [{*cell.get("class", [])} for cell in head.find_all(["th", "td"])]
        for row in body:
            for mark, cell in zip(marks, row.find_all("td")):
                below = "tw-below" in cell.get("class", [])
                assert below == bool(mark & {"tw-below", "tw-said"})
                assert ("data-head" in cell.attrs) == ("tw-said" in mark)


@pytest.mark.parametrize("language", ["", "zh/"])
def test_what_is_below_is_said(language, site):
    for page in PAGES:
        for table in soup(site / language / page).select("table:has(.tw-said)"):
            names = [x.get_text() for x in table.select("th.tw-said")]
            for row in table.select("tbody tr"):
                said = [
                    x["data-head"].rstrip(": ：") for x in row.select("[data-head]")
                ]
                assert said == names


def test_a_table_without_marks_stays():
    head, body = "<thead><tr><th>a</th></tr></thead>", "<tr><td>b</td></tr>"
    table = f"<table>{head}<tbody>{body}</tbody></table>"
    assert rows.marked(table, "en") == table
    marked = rows.marked(table.replace("<th>", '<th class="tw-said">'), "zh")
    assert '<td class="tw-below" data-head="a：">b</td>' in marked
