"""Write docs/generated: program output, traces, tables and figures, all made by code.

`python scripts/generate.py` writes; `--check` compares and exits 1 on a difference.
Each example prints its output file, each module below
scripts/draw/figures, tables and elements has `draw(lang) -> str` for "en" and "zh";
scripts/draw/exercises.py draws what is in tilewise.exercises.
"""

import argparse
import importlib
import importlib.util
import itertools
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

from draw import fresh, modules

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
LIVE = ("calculator",)  # modules of tilewise.live with default(lang)
FILMS = {  # what the tile stepper shows before anything is asked
    "stepper-forward-kv-outer.json": {},
    "stepper-forward-q-outer.json": {"order": "q-outer"},
    "stepper-backward-kv-outer.json": {"pass": "backward"},
}
KERNELS = re.compile(r"^(?:import|from) .*\b(?:triton|kernels)\b", re.M)


def lacks_triton(text):
    """Whether a program launches kernels and Triton, which is for Linux, is missing."""
    found = sys.platform == "linux" or importlib.util.find_spec("triton")
    return bool(KERNELS.search(text)) and not found


@cache
def environment():
    """What programs run in: Triton's interpreter where there is no card."""
    import torch

    card = {} if torch.cuda.is_available() else {"TRITON_INTERPRET": "1"}
    return {**os.environ, **card}


def run(*command):
    """The standard output of `python *command`, in UTF-8."""
    line = [sys.executable, "-X", "utf8", *command]
    done = subprocess.run(line, cwd=ROOT, env=environment(), capture_output=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr.decode()}")
    return done.stdout.decode()


def printed(path):
    """The standard output of a program that runs alone."""
    status, output, errors = fresh.alone(path.read_text("utf-8"), environment())
    if status:
        sys.exit(f"{path} failed:\n{errors}")
    return output


def film(asked):
    """The answer of tilewise.live.stepper, a step on each line."""
    from tilewise.live import stepper

    made = stepper.film(asked)
    form = {"ensure_ascii": False, "separators": (",", ":")}
    steps = ",\n".join(json.dumps(x, **form) for x in made.pop("steps"))
    return json.dumps(made, **form)[:-1] + f',"steps":[\n{steps}\n]}}'


def generate():
    """Yield every generated file as (path below docs/generated, text)."""
    for path in sorted((ROOT / "src/tilewise/examples").glob("[!_]*.py")):
        name = f"outputs/{path.stem}.txt"
        kept = lacks_triton(path.read_text("utf-8")) and (OUT / name).exists()
        yield name, (OUT / name).read_text("utf-8") if kept else printed(path)
    for name, options in TRACES.items():
        yield f"traces/{name}", run("-m", "tilewise", "trace", *options)
    for name, lang in ((name, lang) for name in LIVE for lang in LANGS):
        made = importlib.import_module(f"tilewise.live.{name}").default(lang)
        text = json.dumps(made, separators=(",", ":"), ensure_ascii=False)
        yield f"live/{name}-{lang}.json", text
    for name, asked in FILMS.items():
        yield f"live/{name}", film(asked)
    for kind, suffix in KINDS.items():
        for name in modules.paths(kind):
            for lang in LANGS:
                file = f"{kind}/{lang}/{name.replace('_', '-')}.{suffix}"
                yield file, modules.module(kind, name).draw(lang)
    module = importlib.import_module("draw.exercises")
    for name, lang in itertools.product(module.NAMES, LANGS):
        yield f"exercises/{lang}/{name.replace('_', '-')}.html", module.draw(name, lang)


def main():
    """Write the files, or with --check say which ones differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    sys.path.insert(0, str(ROOT / "scripts"))
    made = {OUT / name: text.rstrip() + "\n" for name, text in generate()}
    now = {p: p.read_text("utf-8") for p in made if p.exists()}
    stale = [p for p, text in made.items() if now.get(p) != text]
    extra = [p for p in OUT.rglob("*") if p.is_file() and p not in made]
    if check:
        for path in stale + extra:
            print(f"differs: {path.relative_to(ROOT)}")
        sys.exit(bool(stale + extra))
    for path in extra:
        path.unlink()
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(made[path], "utf-8")
    print(f"{len(made)} files, {len(stale)} written, {len(extra)} removed")


if __name__ == "__main__":
    main()
