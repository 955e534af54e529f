"""`exercise` lists, writes and grades; no file is lost, and no loop waited for."""

import os
import time

import pytest

from tilewise.cli import exercise, main
from tilewise.exercises import NAMES
from tilewise.render.exercise import solution, start, words


@pytest.fixture
def at(tmp_path, monkeypatch, capsys):
    """at(*argv): (status, output) of `exercise` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*argv):
        status = main(["exercise", *argv])
        out, err = capsys.readouterr()
        assert err == ""
        return status, out

    return run


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_list(at, lang):
    status, out = at("--lang", lang)
    assert status == 0
    for name in NAMES:
        assert f"  {name} " in out and words(name, lang)["title"] in out


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", ["merge", "bug_mask"])
def test_write_then_grade(at, tmp_path, name, lang):
    status, out = at(name, "--lang", lang)
    assert status == 0 and f"{name}.py" in out
    file = tmp_path / f"{name}.py"
    text = file.read_text("utf-8")
    head, _, code = text.partition("\n\n")
    assert code == start(name, lang)
    assert head.startswith(f"# {words(name, lang)['title']}\n")
    assert all(line.startswith("#") for line in head.splitlines())
    status, out = at(name, "--lang", lang)
    labels = words(name, lang)["checks"].values()
    assert status == 1 and all(label in out for label in labels) and "✗" in out
    assert file.read_text("utf-8") == text
    file.write_text(solution(name), "utf-8")
    status, out = at(name, "--lang", lang)
    assert status == 0 and out.count("✓") == len(labels) and "✗" not in out


def test_hints_and_solution(at, tmp_path):
    for n in (1, 2):
        assert at("delta", "--hint", str(n)) == (
            0,
            words("delta", "en")["hints"][n - 1] + "\n",
        )
    assert at("delta", "--solution") == (0, solution("delta"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("while True: pass", "Stopped: it ran longer than 2 seconds."),
        ("def merge(a, b):\n    while True: pass", "Stopped: it ran longer"),
        ("import os; os._exit(3)", "exit status 3"),
        ("import os; os.close(1); os.close(2); os._exit(0)", "exit status 0"),
        ("import sys; sys.stdout.write('x' * 10**6)", "no function merge"),
        ("import sys; sys.stdin.read(); input()", "EOFError"),
        ("1 / 0", "ZeroDivisionError: division by zero in line 1."),
        ("print('hello')", "Your code printed:\n  hello\n"),
        ("raise SystemExit(0)", "SystemExit"),
        ("import merge", "ModuleNotFoundError"),
        ("", "no function merge"),
    ],
)
def test_whatever_it_does(at, tmp_path, monkeypatch, code, said):
    if "while True" in code:
        monkeypatch.setattr(exercise, "SECONDS", 2)
    (tmp_path / "merge.py").write_text(code, "utf-8")
    status, out = at("merge")
    assert status == 1 and said in out and "Traceback" not in out


def test_a_child_that_stays_is_not_waited_for(at, tmp_path):
    code = "import subprocess, sys\nstay = 'import time; time.sleep(20)'\n"
    code += "subprocess.Popen([sys.executable, '-c', stay])\n"
    (tmp_path / "delta.py").write_text(code + solution("delta"), "utf-8")
    begun = time.monotonic()
    assert at("delta")[0] == 0 and time.monotonic() - begun < 15


def test_input_that_cannot_be_used(tmp_path, monkeypatch, refused):
    monkeypatch.chdir(tmp_path)
    assert refused("exercise", "nope").startswith("there is no exercise 'nope'")
    assert refused("exercise", "../merge").startswith("there is no exercise")
    assert refused("exercise", "--hint", "1") == "--hint needs the name of an exercise."
    assert refused("exercise", "merge", "--hint", "3").startswith("--hint must be a")
    assert refused("exercise", "merge", "delta").startswith("unknown option")
    assert refused("exercise", "没有", "--lang", "zh").startswith("没有练习 '没有'")
    (tmp_path / "merge.py").mkdir()
    assert refused("exercise", "merge").startswith("'merge.py' cannot be read (")
    (tmp_path / "delta.py").write_bytes(b"\xff\xfe")
    assert refused("exercise", "delta") == "'delta.py' is not text in UTF-8."
    (tmp_path / "tile_kind.py").write_text("#" * 20001)
    assert refused("exercise", "tile_kind").endswith("longer than 20000 characters.")


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="links are Unix's")
def test_a_link_to_nowhere_is_not_written_through(tmp_path, monkeypatch, refused):
    monkeypatch.chdir(tmp_path)
    os.symlink(tmp_path / "elsewhere", tmp_path / "merge.py")
    assert refused("exercise", "merge").startswith("'merge.py' cannot be read (")
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_without_leave_to_write(tmp_path, monkeypatch, refused):
    monkeypatch.chdir(tmp_path)

    def denied(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(exercise, "open", denied, raising=False)
    assert "cannot be written (Permission denied)" in refused("exercise", "merge")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="links and pipes are Unix's")
def test_names_may_have_hyphens_and_files_no_end(at, refused):
    assert "safe_softmax.py" in at("safe-softmax")[1]
    os.symlink("/dev/zero", "merge.py")
    assert refused("exercise", "merge").endswith("longer than 20000 characters.")
    os.mkfifo("delta.py")
    assert refused("exercise", "delta").startswith("'delta.py' is a pipe;")
