"""Pages lead to Colab where the repository is on GitHub, and nowhere else."""

import os
import subprocess
import tarfile

import pytest
import yaml
from built import soup
from pages import ROOT
from website import colab, lessons

ROW = '<p class="tw-about">\n <a href="source/a.txt">Source</a>\n <a href="b">B</a></p>'
WORDS = {"en": "Open in Colab", "zh": "在 Colab 中打开"}


@pytest.mark.parametrize("lang", WORDS)
@pytest.mark.parametrize("end", ["", "/", ".git"])
def test_a_repository_on_github(lang, end, monkeypatch):
    monkeypatch.setenv("REPO_URL", "https://github.com/some-body/tile.wise" + end)
    for page in ("softmax/merging", "flash-attention/worked-example"):
        made = colab.linked(ROW, page, lang)
        address = "https://colab.research.google.com/github/some-body/tile.wise/blob"
        link = f'<a href="{address}/notebooks/{lang}/{page}.ipynb">{WORDS[lang]}</a>'
        assert made == ROW.replace("Source</a>", f"Source</a> {link}")
    assert colab.linked(ROW, "why/no-listing", lang) == ROW


@pytest.mark.parametrize("repo", [None, "", "https://gitlab.com/a/b", "https://x.org"])
def test_no_repository_or_another_host(repo, monkeypatch):
    if repo is None:
        monkeypatch.delenv("REPO_URL", raising=False)
    else:
        monkeypatch.setenv("REPO_URL", repo)
    assert colab.linked(ROW, "softmax/merging", "en") == ROW


def test_built_pages_have_the_link_or_not(site):
    """As REPO_URL says, in the row below the page, and it loads nothing."""
    for lang, words in WORDS.items():
        for name in lessons.lessons(lang):
            page = soup(site / ("" if lang == "en" else lang) / f"{name}.html")
            wanted = [colab.address(name, lang)] if colab.address(name, lang) else []
            links = page.select('.tw-about a[href*="colab"]')
            assert [x["href"] for x in links] == wanted, name
            assert [x.get_text() for x in links] == [words] * len(wanted)


JOBS = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))["jobs"]


def test_only_the_job_that_pushes_may_write():
    """It follows the deployment, on main alone."""
    writing = [x for x in JOBS if "write" in JOBS[x]["permissions"].get("contents", "")]
    job = JOBS["notebooks"]
    assert writing == ["notebooks"] and job["permissions"] == {"contents": "write"}
    assert job["needs"] == "deploy" and job["if"] == JOBS["deploy"]["if"]


def test_the_branch_has_what_the_links_name(tmp_path):
    """What the job runs, with a folder for GitHub: one commit, LANGUAGE/PATH.ipynb."""
    for path in ("a/b.ipynb", "a/b.html", "c.ipynb", "zh/a/b.ipynb"):
        (tmp_path / "built" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "built" / path).write_text("{}")
    with tarfile.open(tmp_path / "artifact.tar", "w") as file:
        file.add(tmp_path / "built", ".")
    there = tmp_path / "some/body.git"
    subprocess.run(["git", "init", "--quiet", "--bare", there], check=True)
    runs = [x for x in JOBS["notebooks"]["steps"] if "gh" not in x.get("run", "gh")]
    known = {"GITHUB_SERVER_URL": str(tmp_path), "GITHUB_REPOSITORY": "some/body"}
    env = os.environ | known | {"GITHUB_SHA": "0" * 40, "ACTOR": "nobody"}
    for _ in range(2):  # the second push takes the place of the first
        for step in runs:
            command = ["bash", "-e", "-c", step["run"]]
            subprocess.run(command, cwd=tmp_path, env=env, check=True)
        subprocess.run(["rm", "-rf", tmp_path / "branch"], check=True)
    asked = ["git", "-C", there, "log", "--format=%s", "--name-only", "notebooks"]
    said = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    files = ["en/a/b.ipynb", "en/c.ipynb", "zh/a/b.ipynb"]
    assert said.split() == ["The", "notebooks", "of", "0" * 40, *files]
