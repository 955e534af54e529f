"""The command as a process: statuses, encodings, pipes, interruption, no torch."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import tilewise

COMMAND = [sys.executable, "-m", "tilewise"]
SETTINGS = {"PYTHONUNBUFFERED", "PYTHONIOENCODING", "PYTHONUTF8"}
ENV = {key: x for key, x in os.environ.items() if key not in SETTINGS}
LONG = ["trace", "--n", "64", "--d", "64", "--block-rows", "1", "--block-cols", "1"]
unix = pytest.mark.skipif(os.name == "nt", reason="signals and /dev are Unix's")


def run(*argv, command=COMMAND, **env):
    how = {"env": {**ENV, **env}, "timeout": 60, "encoding": "utf-8"}
    return subprocess.run([*command, *argv], capture_output=True, **how)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_utf8_whatever_the_terminal_says(lang):
    done = run("trace", "--lang", lang, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0 and done.stderr == ""
    assert "ℓ̃_11" in done.stdout and "\033" not in done.stdout
    done = run("trace", "--n", "0", "--lang", lang, PYTHONIOENCODING="ascii")
    assert done.returncode == 2 and done.stdout == "" and "\\" not in done.stderr


def test_statuses():
    assert run("trace", "--help").returncode == 0
    assert run("--version").stdout.startswith("tilewise ")
    done = run()
    assert (done.returncode, done.stdout) == (2, "") and "usage" in done.stderr
    done = run("trace", "--input", "no such file")
    assert done.returncode == 2 and done.stderr.count("\n") == 1


def start(*argv, command=COMMAND):
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([*command, *argv], **pipes, env=ENV)


@unix
@pytest.mark.parametrize("form", ["text", "json"])
def test_reader_that_leaves(form):
    with start(*LONG, "--format", form) as process:
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141  # 128 + SIGPIPE, as a shell would show it


# a shell starts its background jobs deaf to interruption, and we may run in one
LISTENING = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("tilewise", run_name="__main__", alter_sys=True)
"""


@unix
def test_interruption_is_quiet():
    command = [sys.executable, "-c", LISTENING]
    with start(*LONG, "--format", "json", command=command) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130  # though nobody reads what is left
        assert process.stderr.read() == b""


INTERRUPTED = """
import sys, tilewise.cli
def command(argv, lang):
    sys.stdout.write("not flushed yet")
    sys.stdin.read()
    raise KeyboardInterrupt
tilewise.cli.command = command
sys.exit(tilewise.cli.main())
"""


@unix
def test_interruption_of_a_whole_pipeline_is_quiet():
    with start(command=[sys.executable, "-c", INTERRUPTED]) as process:
        process.stdout.close()  # the reader was interrupted too
        process.stdin.close()
        assert process.stderr.read() == b""
    assert process.returncode == 130


@unix
@pytest.mark.parametrize("argv", [["trace"], ["trace", "--help"], ["--version"]])
def test_output_that_cannot_be_written(argv):
    if os.path.exists("/dev/full"):
        for env in ({}, {"PYTHONUNBUFFERED": "1"}):  # it fails at the end, or at once
            command = ["sh", "-c", '"$@" > /dev/full', "sh", *COMMAND]
            done = run(*argv, command=command, **env)
            assert done.returncode == 1 and done.stderr.count("\n") == 1
            assert "cannot be written" in done.stderr
        full = ["sh", "-c", '"$@" 2> /dev/full', "sh", *COMMAND]
        assert run("trace", "--none", command=full).returncode == 2
    closed = ["sh", "-c", 'exec "$@" >&- 2>&-', "sh", *COMMAND]
    assert run(*argv, command=closed).returncode == 0
    assert run("trace", "--n", "0", command=closed).returncode == 2


PLAIN = [sys.executable, "-S"]  # sees no installed package: no extra is there
BESIDE = {"PYTHONPATH": str(Path(tilewise.__file__).parent.parent)}
LEDGER = ["ledger", "--n", "4096", "--d", "128", "--gpu", "h100"]


def test_nothing_is_installed_there():
    done = run("-c", "import torch", command=PLAIN, **BESIDE)
    assert "No module named 'torch'" in done.stderr
    done = run("-c", "import tilewise; tilewise.softmax", command=PLAIN, **BESIDE)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "argv", [["trace"], ["trace", "--backward"], LEDGER, ["exercise"]], ids=" ".join
)
def test_without_any_package(argv):
    done = run("-m", "tilewise", *argv, command=PLAIN, **BESIDE)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run(*argv).stdout != ""


@pytest.mark.parametrize("argv", [["serve"], ["bench"]], ids=" ".join)
def test_what_needs_packages_says_so(argv):
    done = run("-m", "tilewise", *argv, command=PLAIN, **BESIDE)
    assert done.returncode == 2 and "which is not installed here" in done.stderr
    assert done.stderr.count("\n") == 1


def test_same_output_every_time():
    first, second = (run("trace", "--n", "5", PYTHONHASHSEED=x).stdout for x in "12")
    assert first == second != ""
