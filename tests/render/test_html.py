"""The memory table: what it says, and that each cell is headed."""

from html.parser import HTMLParser

from tilewise import render


class Table(HTMLParser):
    """The text of a table's cells, its caption, and the scopes of its heads."""

    def __init__(self, html):
        super().__init__()
        self.rows, self.scopes, self.caption, self.open = [], [], "", []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")
        if tag == "th":
            self.scopes.append(dict(attributes)["scope"])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "caption" in self.open:
            self.caption += data
        elif "tr" in self.open:
            self.rows[-1][-1] += data


def test_after_each_step(example):
    steps = example()
    html = render.memory_html(steps[:3])
    table = Table(html)
    assert html._repr_html_() == html and not table.open and len(html) < 2000
    assert table.caption == "Memory at step 3: i = 1, j = 2"
    assert table.rows[0] == ["HBM after the step", "O", "ℓ", "m/τ"]
    assert table.rows[1] == ["row 1 (new)", "5, 4", "9/4", "0"]
    assert table.rows[4] == ["row 4", "9/2, 9", "2", "1"]
    assert table.rows[5][1] == "Q1, K2, V2, O1, ℓ1, m1, S12, P̃12"
    counts = ["20 elements, 52 so far", "8 elements, 24 so far"]
    assert [x[1] for x in table.rows[6:]] == counts
    assert set(table.scopes) == {"row", "col"}
    assert Table(render.memory_html(steps[:1])).rows[3][3] == "−∞"


def test_rows_not_written_yet_when_q_is_outside(example):
    steps = example(order="q-outer")
    tables = [Table(render.memory_html(steps[:t])) for t in (1, 2, 3, 4)]
    written = [[len(row) == 4 for row in table.rows[1:5]] for table in tables]
    no, yes = [False, False], [True, True]
    assert written == [no + no, yes + no, yes + no, yes + yes]
    chinese = Table(render.memory_html(steps[:2], lang="zh")).rows
    assert chinese[1][0] == "第 1 行（已更新）" and chinese[3][1] == "尚未写入"


def test_decimals(example):
    table = Table(render.memory_html(example()[:3], exact=False))
    assert table.rows[0][3] == "m" and table.rows[1][1] == "5.0000, 4.0000"
