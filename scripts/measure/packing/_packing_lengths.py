"""Two long-tailed collections of documents, as lengths in tokens."""

import ast
import io
import math
import random
import sysconfig
import tokenize
from bisect import bisect_left
from pathlib import Path

NUMBER, MEDIAN, SIGMA, LONGEST = 100_000, 400, 1.2, 8192
SPACE = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
SPACE |= {tokenize.COMMENT, tokenize.ENCODING, tokenize.ENDMARKER}


def log_normal():
    """Lengths MEDIAN · e^{SIGMA z}, z standard normal, cut off at LONGEST."""
    rng = random.Random(0)
    drawn = (MEDIAN * math.e ** (SIGMA * rng.gauss(0, 1)) for _ in range(NUMBER))
    return [min(LONGEST, max(1, round(x))) for x in drawn]


def functions():
    """Tokens of every function and method of Python's standard library, shuffled.

    Tokens as Python's tokenize has them, without comments, line ends and indentation.
    A function within another is part of it. Tests and what does not parse are left out.
    """
    home, found = Path(sysconfig.get_path("stdlib")), []
    for path in sorted(home.rglob("*.py")):
        parts = path.relative_to(home).parts
        if not {"site-packages", "dist-packages", "test", "tests", "idle_test"} & {
            *parts
        }:
            try:
                found += lengths(path.read_text("utf-8"))
            except (SyntaxError, UnicodeDecodeError, tokenize.TokenError):
                continue
    random.Random(0).shuffle(found)
    return found


def lengths(text):
    """How many tokens each outermost function of a file has."""
    tree = ast.parse(text)
    lines = tokenize.generate_tokens(io.StringIO(text).readline)
    starts = [x.start[0] for x in lines if x.type not in SPACE]
    for node in outermost(tree):
        first = min([node.lineno, *(x.lineno for x in node.decorator_list)])
        yield bisect_left(starts, node.end_lineno + 1) - bisect_left(starts, first)


def outermost(node):
    """Functions that are not within another."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
        else:
            yield from outermost(child)
