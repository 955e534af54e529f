"""Programs run alone: a fresh interpreter, isolated, in UTF-8, warnings are errors.

`import torch` takes seconds, and so does what PyTorch itself imports once a program
asks for it: its compiler, SymPy, Triton. So one interpreter, started with the same
options, imports these and nothing else, and each program that begins with torch, its
own import or that of a module which it names, gets a fork of it, as if it had waited
for its own. Every other program gets an interpreter of its own, and so does one that
names a part of torch which `import torch` alone would not have given it, or changes
the environment, which Triton reads as it is imported; elsewhere than on Linux all do,
since their libraries may not survive a fork.

Most examples are listings too, on pages in two languages. While pytest runs,
TILEWISE_RUNS names a folder that keeps what each text printed, for all its processes,
and whatever else takes seconds and is asked for in several (`once`).
"""

import atexit
import hashlib
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

# Under Python 3.13, Triton 3.7 and the Dynamo of PyTorch 2.13 warn of their own code,
# and so does torch.export as it copies what it recorded.
NOT_OURS = "ignore:AnnAssign.__init__ missing", "ignore:Guards may run slower"
NOT_OURS += ("ignore:`isinstance(treespec, LeafSpec)` is deprecated",)
WARNINGS = [x for what in ("error", *NOT_OURS) for x in ("-W", what)]
OPTIONS = ["-I", "-X", "utf8", *WARNINGS]
TORCH = re.compile(
    r"^(?:import|from) (?:torch\b|tilewise\."
    r"(?:dropout|errata|examples\.triton_softmax|masks|packing)\b)",
    re.M,
)
APART = re.compile(r"\bos\.environ\b")
MARKS = re.compile(r"^ *# --8<-- .*\n", re.M)  # of sections, which no reader sees
LIMIT = 300  # seconds
ONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")  # no threads
SERVER = """
import atexit, json, os, runpy, signal, sys, threading
import torch
early = {*sys.modules}
import torch._dynamo  # torch finds this one by itself
late = [x for x in sys.modules if x.startswith("torch.") and x not in early]
print(json.dumps([x for x in late if "._dynamo" not in x]), flush=True)
for line in sys.stdin:
    file, folder, out, err, limit = json.loads(line)
    if pid := os.fork():
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(status, flush=True)
        continue
    signal.alarm(limit)
    for number, path in enumerate((os.devnull, out, err)):
        os.dup2(os.open(path, (os.O_WRONLY | os.O_CREAT) if number else 0), number)
    os.chdir(folder)
    sys.argv = [file]
    runpy.run_path(file, run_name="__main__")
    threading._shutdown()  # as an interpreter ends, without the half second in which
    atexit._run_exitfuncs()  # it frees what is the server's
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
"""


@cache
def server(environment):
    """The interpreter that has imported torch, which ends with this one; its `late`."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    command = [sys.executable, *OPTIONS, "-c", SERVER]
    made = subprocess.Popen(
        command, **pipes, env=dict(environment) | ONE, encoding="utf-8"
    )
    atexit.register(made.communicate)
    return made, {*json.loads(made.stdout.readline())}


def forked(text, environment):
    """The interpreter of which a program may have a fork, or None."""
    if sys.platform != "linux" or not TORCH.search(text) or APART.search(text):
        return None
    one, late = server(tuple(sorted(environment.items())))
    parts = [x.split(".") for x in re.findall(r"\btorch(?:\.\w+)+", text)]
    named = {".".join(x[:n]) for x in parts for n in range(2, len(x) + 1)}
    return None if named & late else one


def run(file, folder, environment):
    """(status, output, errors) of a program, run in a folder."""
    file = Path(file).resolve()
    one = forked(file.read_text("utf-8"), environment)
    if not one:
        done = subprocess.run(
            [sys.executable, *OPTIONS, file], cwd=folder, env=environment,
            stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
            timeout=LIMIT,
        )
        return done.returncode, done.stdout, done.stderr
    with TemporaryDirectory() as room:
        ends = [f"{room}/{name}" for name in ("out", "err")]
        line = json.dumps([str(file), str(folder), *ends, LIMIT])
        print(line, file=one.stdin, flush=True)
        status = int(one.stdout.readline())
        return status, *(Path(end).read_text("utf-8") for end in ends)


def started(text, environment):
    """(status, output, errors) of a text, as a file in a folder that has no other."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "listing.py")
        file.write_text(text, "utf-8")
        return run(file, folder, environment)


def once(known, make):
    """make(), in JSON; made once for all who share a folder and know the same."""
    if not (kept := os.environ.get("TILEWISE_RUNS")):
        return make()
    from filelock import FileLock

    place = Path(kept, hashlib.sha256(json.dumps(known).encode()).hexdigest())
    with FileLock(f"{place}.lock"):
        if not place.exists():
            place.write_text(json.dumps(make()), "utf-8")
    return json.loads(place.read_text("utf-8"))


def alone(text, environment):
    """started() of a text as a reader sees it; once, for all who share a folder."""
    text = MARKS.sub("", text).strip("\n") + "\n"
    known = [text, environment.get("TRITON_INTERPRET"), sys.executable]
    return tuple(once(known, lambda: started(text, environment)))
