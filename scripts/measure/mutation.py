"""Break floors 0 and 1 in one place at a time, and see whether the tests notice.

    python -m pip install --group mutation
    python scripts/measure/mutation.py --work DIR

Works in a copy below DIR, where a run that was stopped goes on, and where mutants that
survived are asked again with --again, say after tests were added. Writes
benchmarks/results/cpu-<date>-mutation.json. Takes hours; Linux only.
"""

import argparse
import datetime
import hashlib
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from importlib.metadata import version
from pathlib import Path

from _mutation_work import HERE, LEFT_OUT, LONGEST, ROOT, copied, cover, tested
from memory import machine

METHOD = """Each mutant is a module of floor 0 or 1 with one small change, by the
operators of mutmut (a string in one way only; a raised message as a whole; each field
of an f-string; annotations, docstrings, and exercises' wrong solutions with what these
alone use not at all), written to a copy of the project. A process forked from one that
has PyTorch imports the copy afresh and runs the tests that reach the changed line, by
coverage with a context a test, until one fails: killed. What runs at import is asked of
every test file that names the module. Modules of live and the list of exercises are
asked of tests/live/test_drawn.py too, exercises, which are graded as text, of those of
exercises, and what only the page's Python runs of those of that Python, as coverage
does not see it. Those likeliest to fail and the quickest come first, `most` seconds of
them in all, as measured with coverage. time: a test took 8 times its time and 10 s
more; counts as killed. no test: none reaches the line; counts as survived. Never asked:
test files named in left_out, which are slow or read what is generated, and tests of
more than `longest` seconds. sample: at most so many mutants of each module, the first
of random.Random(the module's name).shuffle; the second number is for the modules of
live and exercises. Survivors were asked again after tests had been added for them.
Equal mutants, those that change no meaning, are not taken off the score. seconds: wall
time of all mutants, one after another, at low priority on a busy machine."""
TYPES = "types.py"  # names for annotations, which mypy reads
INNER = "live/", "exercises/"
SUMS = "mutants", "asked", "killed"


def modules():
    """The files of floors 0 and 1 below src/tilewise, by tests/_house.py."""
    code = "import _house as t\nfor p in t.FLOORS:\n x = t.floor_of(t.part_of(p))"
    code += "\n if x < 2: print(x, p.relative_to(t.SOURCE).as_posix())"
    paths = {"PYTHONPATH": os.pathsep.join(["tests", "src"])}
    command = [sys.executable, "-c", code]
    said = subprocess.check_output(command, cwd=ROOT, env=os.environ | paths, text=True)
    rows = (line.split() for line in said.splitlines())
    return {name: int(floor) for floor, name in rows if name != TYPES}


def every(work, name):
    """All mutants of a module, kept for the next time."""
    from _mutants import mutants

    source = (ROOT / "src/tilewise" / name).read_text("utf-8")
    known = source + (HERE / "_mutants.py").read_text("utf-8")
    path = work / "made" / f"{hashlib.sha256(known.encode()).hexdigest()}.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps([vars(x) for x in mutants(source)]), "utf-8")
    return json.loads(path.read_text("utf-8"))


def made(work, names, sample):
    """The mutants to be asked, one of each module after the other, and all counted."""
    todo, counts = [], {}
    for name in names:
        found = every(work, name)
        counts[name], numbers = len(found), [*range(len(found))]
        random.Random(name).shuffle(numbers)
        for rank, i in enumerate(numbers[: sample[name.startswith(INNER)]]):
            row = {"id": f"{name}:{i}", "module": name, **found[i]}
            todo.append((rank, row))
    return [row for _, row in sorted(todo, key=lambda x: x[0])], counts


def done(work):
    """The last answer for each mutant."""
    path = work / "done.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return {row["id"]: row for row in map(json.loads, lines)}


def summary(todo, counts, found, floors):
    """Counts and score of each module and floor, and each survivor."""
    about, alive = {}, []
    for name, floor in floors.items():
        mine = [x for x in todo if x["module"] == name]
        kinds = Counter(found[x["id"]]["status"] for x in mine)
        killed = kinds["killed"] + kinds["time"]
        about[name] = {"floor": floor, "mutants": counts[name], "asked": len(mine)}
        about[name] |= {"killed": killed, "time": kinds["time"]}
        about[name] |= {"no_test": kinds["no test"]}
        for x in mine:
            if found[x["id"]]["status"] in ("survived", "no test"):
                keys = "module", "function", "line", "before", "after"
                alive.append({key: x[key] for key in keys})
    total = {}
    for floor in (0, 1):
        rows = [x for x in about.values() if x["floor"] == floor]
        sums = {key: sum(x[key] for x in rows) for key in SUMS}
        total[f"floor {floor}"] = sums | {"score": sums["killed"] / sums["asked"]}
    return {"floors": total, "modules": about, "survivors": alive}


def write(results):
    date = datetime.date.today().isoformat()
    about = machine() | {x: version(x) for x in ("mutmut", "pytest", "hypothesis")}
    text = {"cpu": about["cpu"], "date": date, "method": re.sub(r"\s+", " ", METHOD)}
    how = "--sample {} {} --most {:g}".format(*results["sample"], results["most"])
    text["command"] = f"python scripts/measure/mutation.py {how}"
    path = ROOT / f"benchmarks/results/cpu-{date}-mutation.json"
    text |= {"machine": about, **results}
    path.write_text(json.dumps(text, indent=1, ensure_ascii=False) + "\n", "utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--sample", type=int, nargs=2, default=(10**9, 10**9))
    parser.add_argument("--most", type=float, default=30.0, help="seconds of tests")
    parser.add_argument("--only", default="", help="regular expression of modules")
    parser.add_argument("--again", action="store_true", help="ask survivors again")
    args = parser.parse_args()
    work = args.work.resolve()
    floors = modules()
    todo, counts = made(work, floors, args.sample)
    copied(work)
    cover(work)
    known = done(work)
    left = {"survived", "no test"} if args.again else set()
    asked = [x for x in todo if known.get(x["id"], {}).get("status") in {None, *left}]
    asked = [x for x in asked if re.match(args.only, x["module"])]
    (work / "todo.json").write_text(json.dumps(asked), "utf-8")
    tested(work, "_mutation_kill", "tests/test_softmax.py", most=args.most)
    found = done(work)
    if all(x["id"] in found for x in todo):
        how = {"longest": LONGEST, "most": args.most, "sample": args.sample}
        how["seconds"] = round(sum(x.get("seconds", 0) for x in found.values()))
        write(how | {"left_out": LEFT_OUT} | summary(todo, counts, found, floors))


if __name__ == "__main__":
    main()
