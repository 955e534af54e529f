"""Checks in a process of their own, where Triton interprets kernels, or compiles them.

Triton reads TRITON_INTERPRET when it is imported. The parent names the checks that its
tests ask for, and the child prints one line for each of them.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def asked(request, *names):
    """The values of these parameters in each test of the file that is going to run.

    A test of the file that uses the fixture without them asks for everything: [].
    """
    values = []
    for item in request.session.items:
        if item.path == request.path and request.fixturename in item.fixturenames:
            params = item.callspec.params if hasattr(item, "callspec") else {}
            if not {*names} <= params.keys():
                return []
            values.append(tuple(params[name] for name in names))
    return values


def told(script, jobs=None, *options):
    """What a script of this folder makes of jobs, in JSON; options are Python's."""
    done = subprocess.run(
        [sys.executable, *options, Path(__file__).with_name(script)],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def said(request, module, *names):
    """{label: "ok", or what went wrong} of the checks that the tests ask for."""
    labels = [" ".join(map(str, values)) for values in asked(request, *names)]
    done = subprocess.run(
        [sys.executable, "-m", f"tests.kernels.{module}", *labels],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return dict(line.split("\t", 1) for line in done.stdout.splitlines())


def report(checks):
    """In the child: run the (label, check) that were named, or all, and print."""
    for label, check in checks:
        if sys.argv[1:] and label not in sys.argv[1:]:
            continue
        try:
            check()
            print(f"{label}\tok", flush=True)
        except Exception as error:
            text = f"{type(error).__name__}: {error}".replace("\n", " ")
            print(f"{label}\t{text}", flush=True)
