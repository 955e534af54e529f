"""`bench`: what the kernels of the ladder and their peers do on the GPU at hand."""

import importlib
import sys
import time
from typing import Any

from tilewise.bench.cells import DIMS, PARTS, PASSES, SIZES, geometric, names
from tilewise.cli import share
from tilewise.cli.errors import Bad, extra
from tilewise.cli.options import add_choice, add_list, add_size, one_of, size_of

LONGEST, WIDEST = 2**17, 256
MASKS = {"both": (False, True), "no": (False,), "yes": (True,)}
NAMES = tuple(dict.fromkeys(name for way in PASSES for name in names(way)))
HEAD = {"en": ("TFLOP/s", "forward", "backward"), "zh": ("TFLOP/s", "前向", "反向")}


def add_options(parser, words):
    """The options of `bench`, with their help in one language."""
    for option, convert, metavar, default in (
        ("--n", size_of(LONGEST), "N,…", SIZES),
        ("--d", size_of(WIDEST, 8), "D,…", DIMS),
        ("--parts", one_of(PARTS), "PART,…", PARTS),
        ("--only", one_of(NAMES), "NAME,…", None),
    ):
        add_list(parser, option, convert, metavar, default, words[f"bench {option}"])
    add_choice(parser, "--causal", tuple(MASKS), words["bench --causal"])
    add_choice(parser, "--passes", ("both", *PASSES), words["bench --passes"])
    add_size(parser, "--seconds", 600, "S", 4, words["bench --seconds"])
    parser.add_argument("--flush", action="store_true", help=words["bench --flush"])
    parser.add_argument("--out", metavar="PLACE", help=words["bench --out"])
    parser.add_argument("--share", action="store_true", help=words["bench --share"])
    parser.add_argument("--check", metavar="FILE", help=words["bench --check"])


def run(args, out):
    """Measure, write the JSON, and show each kernel's mean speed."""
    if args.share or args.check is not None:
        return shared(args, out)
    need_gpu()
    from tilewise.bench import run as bench

    options = {
        "n": args.n,
        "d": args.d,
        "masks": MASKS[args.causal],
        "parts": args.parts,
        "passes": PASSES if args.passes == "both" else (args.passes,),
        "only": args.only,
        "seconds": args.seconds,
        "flush": args.flush,
        "out": args.out,
        "command": command(args),
        "say": say,
    }
    path, results = bench.run(options, progress(time.monotonic()))
    out.writelines(line + "\n" for line in means(results, args.lang))
    out.write(f"{path}\n")
    checked = results["rows"] + results["unaligned"]
    return int(any(row.keys() & {"refused", "failed"} for row in checked))


def say(sentence):
    """A complaint of a kernel, while the rest goes on."""
    print(f"\r{sentence}", file=sys.stderr)


def shared(args, out):
    """Measure a reader's card, or read the file that this gave."""
    fixed = command(args) == "python -m tilewise bench"
    if args.check is not None:
        if not fixed or args.share or args.out is not None:
            raise share.Unshared("check_alone")
        return share.check(args, out)
    if not fixed:
        raise share.Unshared("alone")
    need_gpu()
    return share.run(args, out, progress(time.monotonic()), say)


def need_gpu():
    """Raise Bad where nothing can be measured."""
    for name in ("torch", "triton"):
        try:
            importlib.import_module(name)
        except ImportError:
            raise Bad("no_package", name=name, extra=extra("gpu")) from None
    import torch

    if not torch.cuda.is_available():
        raise Bad("no_gpu")


def command(args):
    """The command that measures this again, without the place it writes to."""
    words = ["python -m tilewise bench"]
    for option, usual in (("n", SIZES), ("d", DIMS), ("parts", PARTS), ("only", None)):
        value = getattr(args, option)
        if value != usual:
            words.append(f"--{option} {','.join(map(str, value))}")
    for option, most in (("causal", "both"), ("passes", "both"), ("seconds", 4)):
        if getattr(args, option) != most:
            words.append(f"--{option} {getattr(args, option)}")
    return " ".join([*words, *(["--flush"] if args.flush else [])])


def progress(begun, stream=None, now=time.monotonic):
    """show(done, total, text): a bar on a terminal's stderr, else a line a step."""
    stream = sys.stderr if stream is None else stream

    def show(done, total, text):
        filled = 24 * done // max(1, total)
        minutes, seconds = divmod(round(now() - begun), 60)
        line = f"{'█' * filled}{'░' * (24 - filled)} {done}/{total} "
        line += f"{minutes}:{seconds:02} {text}"
        if stream.isatty():
            stream.write(f"\r\033[K{line}" + ("\n" if done == total else ""))
        else:
            stream.write(line + "\n")
        stream.flush()

    return show


def means(results, lang):
    """A line a kernel: the geometric mean of its TFLOP/s in each pass."""
    speeds: dict[Any, Any] = {}
    for row in results["rows"]:
        if "tflops" in row:
            key = row["kernel"], row["pass"]
            speeds.setdefault(key, []).append(row["tflops"])
    if not speeds:
        return
    yield "{:22}{:>10}{:>10}".format(*HEAD[lang])
    for name in dict.fromkeys(name for name, _ in speeds):
        cells = [speeds.get((name, way)) for way in PASSES]
        texts = [f"{geometric(x):.0f}" if x else "–" for x in cells]
        yield f"{name:22}{texts[0]:>10}{texts[1]:>10}"
