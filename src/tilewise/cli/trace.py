"""`trace`: FlashAttention's forward or backward pass, a step a tile, all numbers."""

import math
import os

from tilewise import trace
from tilewise.cli import backward
from tilewise.cli.options import add_choice, add_size, add_variants
from tilewise.cli.problem import LIMIT, problem
from tilewise.one_pass import dot
from tilewise.render.json import json_lines
from tilewise.render.latex import latex_lines
from tilewise.render.numbers import log_sum_exp
from tilewise.render.text import text_lines
from tilewise.worked_example import EXACT

OPTIONS = ("block_rows", "block_cols", "order", "causal", "window", "softcap")


def add_options(parser, words):
    """The options of `trace`, with their help in one language."""
    for option, name, default in (
        ("--n", "N", None),
        ("--d", "D", None),
        ("--block-rows", "B_R", 2),
        ("--block-cols", "B_C", 2),
    ):
        add_size(parser, option, LIMIT, name, default, words[option])
    add_choice(parser, "--order", trace.ORDERS, words["--order"])
    add_choice(parser, "--format", ("text", "latex", "json"), words["--format"])
    parser.add_argument("--causal", action="store_true", help=words["--causal"])
    add_variants(parser, LIMIT, words)
    about = {"action": "store_true", "help": words["--backward"]}
    parser.add_argument("--backward", **about)
    parser.add_argument("--input", metavar="FILE.json", help=words["--input"])


def run(args, out):
    """Compute once to know that it ends well, then again to show it step by step."""
    options = {x: getattr(args, x) for x in (*OPTIONS, "sink", "backward")}
    task = problem(args.input, args.n, args.d, **options)
    report = task, states(task), settle(task)
    if args.backward:  # from what the forward pass saved
        after = task, report[2], arithmetic(task)
        report = task, backward.states(*after), backward.settle(*after)
    if args.format == "json":
        lines = json_lines(*report)
    elif args.format == "latex":
        lines = latex_lines(*report, lang=args.lang)
    else:
        lines = text_lines(*report, lang=args.lang, colour=colour(out))
    for line in lines:
        out.write(line + "\n")
    return 0


def colour(out):
    """Whether colour is wanted: a terminal that knows it, and NO_COLOR unset."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return out.isatty() and not plain


def arithmetic(problem):
    """The scale and exponential of a problem: an exact one takes S in units of τ."""
    usual = {"scale": problem["scale"], "exp": math.exp}
    how = EXACT if problem["exact"] else usual
    return how["scale"], how["exp"]


def states(problem):
    """The trace of a problem, one state a tile."""
    scale, exp = arithmetic(problem)
    matrices = [problem[x] for x in "qkv"]
    options = {x: problem[x] for x in (*OPTIONS, "sink")}
    return trace.forward(*matrices, **options, scale=scale, exp=exp)


def settle(problem):
    """How the trace ends: steps, o, l, m, lse, and its gap to ordinary attention."""
    steps, state = backward.ended(states(problem), numbers)
    pairs = zip(state["o"], attention(problem), strict=True)
    gap = max(abs(a - b) for x, y in pairs for a, b in zip(x, y, strict=True))
    lse = log_sum_exp(state, problem["exact"])
    return {"steps": steps, "gap": gap, "lse": lse, **{x: state[x] for x in "olm"}}


def numbers(state):
    """Yield the numbers that a step computed, without the −∞ of masked keys."""
    for r, row in enumerate(state["s"], state["rows"][0]):
        keys = enumerate(row, state["cols"][0])
        yield from (x for c, x in keys if trace.seen(state, r, c))
    yield from state["l_new"]
    for row in state["pv"] + state["o_new"]:
        yield from row


def attention(problem):
    """softmax(S) V one row at a time, as it is written; a row without keys gives 0."""
    columns = list(zip(*problem["v"], strict=True))
    rows = backward.weights(problem, arithmetic(problem))
    return [[dot(p, v) for v in columns] for p in rows]
