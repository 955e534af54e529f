"""`exercise`: write an exercise's file to fill in, and grade it once it is there."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

from tilewise import exercises
from tilewise.checks import short, short_path
from tilewise.cli.errors import Bad
from tilewise.cli.options import add_size
from tilewise.exercises import NAMES
from tilewise.live.grade import MOST
from tilewise.render.exercise import PARTS, solution, start, words

SECONDS = 10  # for all checks together
SAID = {
    "en": {
        "again": "Grade it: {command}",
        "written": "{file} is written. Fill it in, then give the same command again.",
        "all": "Solved: all {n} checks pass.",
        "some": "{k} of {n} checks pass.",
        "slow": "Stopped: it ran longer than {seconds} seconds. A loop without end?",
        "ended": "Your code ended Python itself (exit status {status}).",
        "printed": "Your code printed:",
    },
    "zh": {
        "again": "评分：{command}",
        "written": "已写出 {file}。填好以后，再执行一次同样的命令。",
        "all": "做对了，{n} 项检查全部通过。",
        "some": "{n} 项检查通过了 {k} 项。",
        "slow": "已停止：运行超过了 {seconds} 秒。是不是有死循环？",
        "ended": "代码让 Python 直接退出了（退出状态 {status}）。",
        "printed": "代码打印的内容：",
    },
}
# The reader's code has a process of its own, whose first output is kept for the answer.
CHILD = """
import json, os, sys
out = os.dup(1)
os.dup2(2, 1)
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
except (ImportError, OSError, ValueError):
    pass  # not on every system
from tilewise.live.grade import check
asked = json.loads(sys.stdin.buffer.read())
os.write(out, json.dumps(check(asked)).encode())
"""


def add_options(parser, words):
    """The options of `exercise`, with their help in one language."""
    parser.add_argument("name", nargs="?", metavar="NAME", help=words["exercise NAME"])
    add_size(parser, "--hint", 2, "N", None, words["--hint"])
    about = {"action": "store_true", "help": words["--solution"]}
    parser.add_argument("--solution", **about)


def run(args, out):
    """List the exercises, or write, grade or explain one of them."""
    if args.name is None:
        if args.hint or args.solution:
            raise Bad("needs_name", option="--hint" if args.hint else "--solution")
        out.writelines(line + "\n" for line in listed(args.lang))
        return 0
    args.name = args.name.replace("-", "_")  # as the site's addresses have it
    if args.name not in NAMES:
        raise Bad("no_exercise", value=short(args.name))
    if args.hint:
        out.write(words(args.name, args.lang)["hints"][args.hint - 1] + "\n")
    if args.solution:
        out.write(solution(args.name, args.lang))
    if args.hint or args.solution:
        return 0
    path = Path(f"{args.name}.py")
    if not os.path.lexists(path):
        return write(path, args.name, args.lang, out)
    source = read(path)
    return report(graded(args.name, source, args.lang), args.name, args.lang, out)


def listed(lang):
    """A line for each exercise: its name, which the command takes, and its title."""
    for part, names in exercises.PARTS:
        yield PARTS[lang][part]
        for name in names:
            yield f"  {name:18}{words(name, lang)['title']}"


def write(path, name, lang, out):
    """Write the file to fill in, with the task above it, unless one has come since."""
    texts, sentences = words(name, lang), SAID[lang]
    command = f"python -m tilewise exercise {name}"
    command += "" if lang == "en" else f" --lang {lang}"
    lines = [
        texts["title"],
        "",
        *texts["task"],
        "",
        sentences["again"].format(command=command),
    ]
    head = "\n".join(y for x in lines for y in (textwrap.wrap(x, 84) or [""]))
    text = textwrap.indent(head, "# ", lambda _: True).replace("# \n", "#\n")
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(f"{text}\n\n{start(name, lang)}")
    except OSError as error:
        raise Bad("unwritable", file=short_path(path), why=error.strerror) from None
    out.write(sentences["written"].format(file=path) + "\n")
    return 0


def read(path):
    """The reader's code."""
    if path.is_fifo():  # opening it would wait for somebody to write
        raise Bad("pipe", file=short_path(path))
    try:
        with open(path, "rb") as file:  # a character has up to four bytes
            data = file.read(4 * MOST + 4)
        source = data.decode(
            "utf-8-sig", "strict" if len(data) <= 4 * MOST else "ignore"
        )
    except OSError as error:
        raise Bad("unreadable", file=short_path(path), why=error.strerror) from None
    except UnicodeDecodeError:
        raise Bad("encoding", file=short_path(path)) from None
    if len(source) > MOST:
        raise Bad("long_code", file=short_path(path), limit=MOST)
    return source


def graded(name, source, lang):
    """What tilewise.live.grade finds, or {"said": key, …} where nothing came back."""
    asked = json.dumps({"name": name, "source": source, "lang": lang})
    root = str(Path(__file__).resolve().parents[2])  # where this tilewise is
    more = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([root, more] if more else [root])
    env = {**os.environ, "PYTHONPATH": path}
    with tempfile.TemporaryFile() as answer:  # a pipe might be held by its children
        try:
            done = subprocess.run(
                [sys.executable, "-P", "-c", CHILD],
                input=asked.encode(),
                env=env,
                stdout=answer,
                stderr=subprocess.DEVNULL,
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            return {"said": "slow", "seconds": SECONDS}
        answer.seek(0)
        try:
            return json.loads(answer.read())
        except ValueError:
            return {"said": "ended", "status": done.returncode}


def report(grade, name, lang, out):
    """Show the checks and what differs; the exit status, 0 if all pass."""
    sentences, labels = SAID[lang], words(name, lang)["checks"]
    if "said" in grade:
        out.write(sentences[grade["said"]].format(**grade) + "\n")
        return 1
    if grade["printed"]:
        out.write(
            f"{sentences['printed']}\n{textwrap.indent(grade['printed'], '  ')}\n"
        )
    if grade["fault"]:
        out.write("".join(grade["fault"]["parts"]) + "\n")
        return 1
    for check in grade["checks"]:
        out.write(f"{'✗' if check['fault'] else '✓'} {labels[check['check']]}\n")
        if check["fault"]:
            out.write(f"    {''.join(check['fault']['parts'])}\n")
    n = len(grade["checks"])
    k = sum(not check["fault"] for check in grade["checks"])
    out.write(sentences["all" if grade["passed"] else "some"].format(k=k, n=n) + "\n")
    return 0 if grade["passed"] else 1
