"""Write docs/generated: program output, traces, tables and figures, all made by code.

    python scripts/generate.py              everything, on all cores
    python scripts/generate.py tile_loop    the files of that name alone
    python scripts/generate.py --check      compare, and exit with 1 on a difference

A name is a path below docs/generated, or its last part without the suffix. A program
that fails keeps no other file from being written.
"""

import argparse
import difflib
import importlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import traceback
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path

from draw import fresh, modules

from tilewise import alone, exercises

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs/generated"
LANGS = ("en", "zh")
TRACES = {
    "kv-outer.json": ["--format", "json"],
    "q-outer.json": ["--format", "json", "--order", "q-outer"],
    "backward-kv-outer.json": ["--format", "json", "--backward"],
    "backward-q-outer.json": ["--format", "json", "--backward", "--order", "q-outer"],
}
KINDS = {"figures": "svg", "tables": "md", "elements": "html"}  # folder -> suffix
LIVE, STRIPS = ("calculator",), ("backward", "forward")  # default(lang); film()
# what the tile machine shows before anything is asked
METHODS = ("kv-outer", "q-outer", "standard")
FILMS = {f"stepper-forward-{x}.json": {"order": x} for x in METHODS}
FILMS["stepper-backward-kv-outer.json"] = {"pass": "backward"}
KERNELS = re.compile(r"^(?:import|from) .*\b(?:triton|kernels)\b", re.M)


def lacks_library(text):
    """Whether a program's library is missing: Transformers, or Triton, for Linux."""
    name = "transformers" if "from transformers import" in text else "triton"
    triton = KERNELS.search(text) and sys.platform != "linux"
    return (name != "triton" or bool(triton)) and not importlib.util.find_spec(name)


@cache
def environment():
    """What programs run in: Triton's interpreter where there is no card."""
    card = any(Path("/dev").glob("nvidia[0-9]*"))
    return {**os.environ, **({} if card else {"TRITON_INTERPRET": "1"})}


def trace(options):
    """The trace that the command line writes."""
    command = [sys.executable, "-X", "utf8", "-m", "tilewise", "trace", *options]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True)
    if done.returncode:
        raise RuntimeError(done.stderr.decode())
    return done.stdout.decode()


def printed(path):
    """The output of an example; the file that is there, if it cannot run here."""
    text, file = path.read_text("utf-8"), OUT / f"outputs/{path.stem}.txt"
    if lacks_library(text) and file.exists():
        return file.read_text("utf-8")
    status, output, errors = fresh.alone(text, environment())
    if status:
        raise RuntimeError(errors)
    return output


def default(name, lang):
    """What a widget shows before anything is asked, in JSON."""
    live = importlib.import_module(f"tilewise.live.{name}")
    return json.dumps(live.default(lang), separators=(",", ":"), ensure_ascii=False)


def film(asked):
    """The answer of tilewise.live.stepper, a step on each line."""
    from tilewise.live import stepper

    answer = stepper.film(asked)
    form = {"ensure_ascii": False, "separators": (",", ":")}
    steps = ",\n".join(json.dumps(x, **form) for x in answer.pop("steps"))
    return json.dumps(answer, **form)[:-1] + f',"steps":[\n{steps}\n]}}'


def drawn(kind, name, lang):
    """What the module of this name draws."""
    return modules.module(kind, name).draw(lang)


def exercise(name, lang):
    """An exercise as it is on the page before a script runs."""
    return importlib.import_module("draw.exercises").draw(name, lang)


def recipes():
    """{path below docs/generated: the call that gives its text}; makes nothing yet."""
    examples = sorted((ROOT / "src/tilewise/examples").glob("[!_]*.py"))
    calls = {f"outputs/{x.stem}.txt": partial(printed, x) for x in examples}
    calls |= {f"traces/{x}": partial(trace, options) for x, options in TRACES.items()}
    calls |= {f"alone/{x}.py": partial(alone.program, x) for x in alone.FILES}
    calls |= {f"live/{name}": partial(film, asked) for name, asked in FILMS.items()}
    calls |= {f"live/timeline-{x}.json": modules.film(x) for x in STRIPS}
    for name in modules.pages_with_numbers():
        calls[f"numbers/{name}.json"] = partial(modules.numbers, name)
    for lang in LANGS:
        for name in LIVE:
            calls[f"live/{name}-{lang}.json"] = partial(default, name, lang)
        for kind, suffix in KINDS.items():
            for name in modules.names(kind):
                file = f"{kind}/{lang}/{name.replace('_', '-')}.{suffix}"
                calls[file] = partial(drawn, kind, name, lang)
        for name in (*exercises.NAMES, "progress"):
            file = f"exercises/{lang}/{name.replace('_', '-')}.html"
            calls[file] = partial(exercise, name, lang)
    return calls


def chosen(names, files):
    """The files that are named; exits with a sentence where a name fits none."""
    short = {file: Path(file).stem.replace("-", "_") for file in files}
    some = set()
    for name in names:
        stem = name.removeprefix("docs/generated/").replace("-", "_")
        whole = stem.removesuffix(Path(stem).suffix)
        fits = {
            file
            for file, last in short.items()
            if stem == last or whole == file.rpartition(".")[0].replace("-", "_")
        }
        if not fits:
            near = difflib.get_close_matches(stem, {*short.values()}, cutoff=0.5)
            hint = f"; near it: {', '.join(sorted(near))}" if near else ""
            sys.exit(f"nothing that is generated has the name {name}{hint}")
        some |= fits
    return some


def make(file):
    """(file, its text or None, what went wrong or None)."""
    try:
        return file, recipes()[file]().rstrip() + "\n", None
    except Exception:
        return file, None, traceback.format_exc()


def generate(files):
    """make() of each file, on all cores if there are many of them."""
    if len(files) < 10:
        yield from map(make, files)
        return
    with ProcessPoolExecutor() as pool:
        yield from pool.map(make, files, chunksize=2)


def main():
    """Write the files, or with --check say which ones differ."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("names", nargs="*", metavar="NAME", help="what to make")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    args = parser.parse_args()
    files = recipes().keys()
    wanted = chosen(args.names, files) if args.names else files
    written, failed = [], []
    for file, text, error in generate(sorted(wanted)):
        path = OUT / file
        if error:
            failed.append(f"{file} failed:\n{error}")
        elif not path.exists() or path.read_text("utf-8") != text:
            written.append(file)
            if not args.check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
    there = {p.relative_to(OUT).as_posix(): p for p in OUT.rglob("*") if p.is_file()}
    extra = [] if args.names else sorted(there.keys() - files)
    if args.check:
        for file in written + extra:
            print(f"differs: docs/generated/{file}")
    else:
        for file in extra:
            there[file].unlink()
        print(f"{len(wanted)} files, {len(written)} written, {len(extra)} removed")
    print(*failed, sep="\n", file=sys.stderr)
    sys.exit(bool(failed or args.check and written + extra))


if __name__ == "__main__":
    main()
