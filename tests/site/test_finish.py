"""The program that finishes a site can run again, and knows when a page is served."""

import json
import shutil

import pytest
from website.finish import finish


def test_a_second_run_changes_nothing(site, tmp_path):
    copy = shutil.copytree(site, tmp_path / "site")
    before = {p: p.stat().st_mtime_ns for p in copy.rglob("*")}
    finish(copy)
    assert {p: p.stat().st_mtime_ns for p in copy.rglob("*")} == before


@pytest.mark.full
def test_a_served_page_has_no_policy(site, tmp_path):
    """Else the policy would refuse the script that MkDocs adds for live reload."""
    for language in ("", "zh/"):
        folder = tmp_path / language
        (folder / "assets").mkdir(parents=True)
        (folder / "assets/one.css").write_text("")
        (folder / "index.html").write_text(
            '<meta charset="utf-8">\n<link rel="stylesheet" href="assets/one.css">'
        )
    finish(tmp_path, serving=True)
    page = (tmp_path / "zh/index.html").read_text()
    assert "all.css" in page and "Content-Security-Policy" not in page


def test_the_search_index_has_words_alone(site):
    """No tags, no TeX, no arguments of functions in what a search reads."""
    for language in ("", "zh/"):
        text = (site / language / "search/search_index.json").read_text("utf-8")
        for entry in json.loads(text)["docs"]:
            assert not {*"<\\"} & {*entry["text"]}, entry
            assert "#tilewise" not in entry["location"] or "(" not in entry["title"]
