"""Where results go, what names them, and compiling beforehand."""

import json
import re
import subprocess
import sys

import pytest

from tilewise.bench import cells, machine, warm


def test_the_file_is_named_after_gpu_and_date(tmp_path):
    gpu = "NVIDIA H200"
    found = machine.place(tmp_path, gpu, "2026-11-20")
    assert found == tmp_path / "h200-2026-11-20-attention.json"
    assert machine.place("x/y.json", gpu, "").as_posix() == "x/y.json"
    assert machine.place(None, gpu, "2026-11-20").parent.name == "results"
    machine.save(found, {"rows": []})
    assert json.loads(found.read_text("utf-8")) == {"rows": []}
    assert [p.name for p in tmp_path.iterdir()] == [found.name]


def test_a_gpu_has_a_name_that_no_other_has():
    names = {
        "NVIDIA H200": "h200",
        "NVIDIA H100 80GB HBM3": "h100-80gb-hbm3",
        "NVIDIA A100-SXM4-80GB": "a100-sxm4-80gb",
        "NVIDIA GeForce RTX 4090": "geforce-rtx-4090",
        "Tesla T4": "tesla-t4",
    }
    assert {gpu: machine.short(gpu) for gpu in names} == names


def test_parts_are_added_to_a_file_of_the_same_code_and_machine(tmp_path):
    path, same = tmp_path / "x.json", {"machine": {"gpu": "H200"}, "source_sha256": {}}
    empty = {"names": {}, "rows": [], "cells": [], "memory": [], "unaligned": []}
    empty |= {"host": [], "finished": []}
    old = {"rows": [1], "host": [2], "command": "a", "finished": ["speed", "host"]}
    machine.save(path, empty | same | old)
    found = empty | same | {"command": "b", "finished": []}
    machine.keep(path, found, ("host", "memory"))
    assert (found["rows"], found["host"], found["command"]) == ([1], [], "a; b")
    assert found["finished"] == ["speed"]
    machine.save(path, found)
    found = empty | same | {"command": "a", "finished": []}
    machine.keep(path, found, ("host",))
    assert found["command"] == "a; b"
    for other in ({"machine": {"gpu": "B200"}}, {"source_sha256": {"x": "y"}}):
        found = empty | same | other | {"command": "b"}
        machine.keep(path, found, ("host",))
        assert (found["rows"], found["command"]) == ([], "b")


def test_an_interrupted_part_does_not_become_complete(tmp_path):
    path, same = tmp_path / "x.json", {"machine": {}, "source_sha256": {}}
    empty = {key: [] for keys in machine.LISTS.values() for key in keys}
    half = {"cells": [1], "rows": [1], "command": "a", "finished": []}
    machine.save(path, empty | same | half)
    found = empty | same | {"command": "b", "finished": []}
    machine.keep(path, found, ("host",))
    found["host"], found["finished"] = [2], [*found["finished"], "host"]
    assert found["rows"] == [1] and not machine.complete(found)
    found["finished"].append("speed")
    assert machine.complete(found) and machine.complete(empty | {"finished": []})


def test_the_driver_may_say_nothing(monkeypatch):
    class Done:
        stdout = "580.159.04, [N/A], 2500 MHz, [Not Supported]\nof another card\n"

    monkeypatch.setattr(machine.subprocess, "run", lambda *_, **__: Done)
    assert machine.driver() == ["580.159.04", None, "2500 MHz", None]

    def absent(*_, **__):
        raise FileNotFoundError("nvidia-smi")

    monkeypatch.setattr(machine.subprocess, "run", absent)
    assert machine.driver() == [None] * 4


def test_sources_have_their_hashes():
    found = machine.fingerprints()
    assert {"kernels/naive.py", "bench/cells.py", "attention/ops.py"} <= found.keys()
    assert all(re.fullmatch("[0-9a-f]{64}", x) for x in found.values())


def test_each_kernel_is_compiled_once():
    chosen = {"forward": ["flex", "naive"], "backward": ["flex"]}
    found = warm.jobs(cells.cells((1024, 2048), (64,), (False, True)), chosen)
    assert len(found) == len(set(found)) == 2 * (2 * 2 + 1)
    assert found[0][1] == "flex"


@pytest.mark.full
def test_a_compilation_that_hangs_is_ended(monkeypatch):
    code = "import sys, time; print('so far'); sys.stdout.flush(); time.sleep(60)"
    words = [sys.executable, "-c", code]
    real, shown = subprocess.Popen, []
    monkeypatch.setattr(warm.subprocess, "Popen", lambda _, **how: real(words, **how))
    job = ("forward", "naive", 1024, 64, False)
    failed = warm.run_all([job], 2, 3, lambda *done: shown.append(done))
    assert failed == [(job, "so far")] and shown == [(1, 1)]
