"""The comparison of two sites sees each kind of change, and only that."""

from website.compare import compared, lines

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


def test_imports_are_counted_apart(tmp_path):
    before = site(tmp_path / "before", code="from a import b\nprint(1)")
    after = site(tmp_path / "after", code="from c import b\nprint(1)")
    assert "listings 2 (0 beside imports)" in "\n".join(
        lines(compared(before, after), diff=False)
    )
