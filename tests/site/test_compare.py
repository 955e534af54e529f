"""The comparison of two sites sees each kind of change, and only that."""

from website.compare import compared

PAGE = """<html><head><title>{title}</title></head><body><article>
<h1 id="one">One</h1><p>Text with <span class="arithmatex">\\(x{sign}y\\)</span>.</p>
<div class="language-python highlight"><pre>import math
{code}</pre></div>
<figure><svg><text>{label}</text></svg></figure></article></body></html>"""
SAME = {"title": "T", "sign": "+", "code": "print(1)", "label": "a"}


def site(folder, **changes):
    folder.mkdir()
    (folder / "page.html").write_text(PAGE.format(**SAME | changes), "utf-8")
    return folder


def test_each_kind_of_change_is_seen(tmp_path):
    before = site(tmp_path / "before")
    assert compared(before, before) == {"page.html": {}}
    kinds = {"title": "head", "sign": "equations", "code": "listings"}
    for key, kind in (kinds | {"label": "figures"}).items():
        after = site(tmp_path / key, **{key: "changed"})
        assert kind in compared(before, after)["page.html"], key


def test_imports_and_line_breaks_are_no_change_of_a_program(tmp_path):
    before = site(tmp_path / "before", code="from a import b\nprint(1,2)")
    after = site(tmp_path / "after", code="from c import b\nprint(\n    1, 2\n)")
    assert [*compared(before, after)["page.html"]] == ["listings"]
    after = site(tmp_path / "other", code="from a import b\nprint(1, 3)")
    assert [*compared(before, after)["page.html"]] == ["listings", "programs"]
