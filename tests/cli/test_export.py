"""`export` lists and writes; it overwrites nothing and refuses in one sentence."""

import subprocess
import sys

import pytest

from tilewise import alone
from tilewise.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_list_and_write(folder, capsys, lang):
    assert main(["export", "--lang", lang]) == 0
    listed = capsys.readouterr().out
    assert [line.split()[0] for line in listed.splitlines()] == [*alone.FILES]
    assert main(["export", "online-softmax", "--output", "x.py", "--lang", lang]) == 0
    assert "x.py" in capsys.readouterr().out
    done = subprocess.run([sys.executable, "-I", "x.py"], capture_output=True)
    assert done.returncode == 0, done.stderr
    text = (folder / "x.py").read_text("utf-8")
    said = alone.commit()
    assert said in text.splitlines()[0]
    assert text.replace(f", commit {said}", "") == alone.program("online_softmax")


def test_refused(folder, refused):
    (folder / "attention_check.py").write_text("mine")
    assert refused("export", "attention_check").endswith("(File exists).")
    assert (folder / "attention_check.py").read_text() == "mine"
    assert refused("export", "nothing").startswith("there is no file 'nothing' to")
    assert refused("export", "nothing", "--lang", "zh").startswith("没有可以导出的文件")
    assert refused("export", "--output", "x").startswith("--output needs the name")
    away = refused("export", "online_softmax", "--output", "no/x.py")
    assert "cannot be written (No such file" in away
    assert "cannot be written" in refused("export", "online_softmax", "--output", "\0")


def test_a_checkout_of_another_project_has_no_commit(folder, monkeypatch):
    subprocess.run(["git", "init", "-q", "."], check=True)
    monkeypatch.setattr(alone, "HERE", folder)
    assert alone.commit.__wrapped__() == ""
