"""Check first, then time what is right: the rows of one cell and pass.

Nothing here knows a GPU: who takes part, the truth and the timer are handed in, so that
tests do all this on a CPU.
"""

import statistics

import torch

from tilewise.bench import oracle, timing
from tilewise.bench.cells import PUBLIC, RESULTS, RUNGS, flops, named

ALLOWED = 2  # times the error of plain PyTorch in the same precision
OURS = {PUBLIC, *RUNGS["forward"], *RUNGS["backward"]}
UNTIMED = "refused", "missing", "failed"  # wrong; not covered or not there; broken


def problem(shape, device="cuda", dtype=torch.bfloat16):
    """Fresh q, k, v, do of a shape, standard normal, and causal."""
    generator = torch.Generator(device)
    generator.seed()
    sizes = {"q": ("heads", "n"), "k": ("heads_k", "n_k"), "v": ("heads_k", "n_k")}
    x = {"causal": shape["causal"]}
    for name, (heads, n) in (sizes | {"do": sizes["q"]}).items():
        size = shape["batch"], shape[heads], shape[n], shape["d"]
        x[name] = torch.randn(size, generator=generator, device=device).to(dtype)
    return x


def saved(x):
    """Add o and lse, what a forward pass leaves for the backward: by a plain rung."""
    from tilewise.kernels import fa2_order

    x["o"], x["lse"] = fa2_order.forward(x["q"], x["k"], x["v"], causal=x["causal"])


def truth(x):
    """({name: exact tensor}, {name: error of plain PyTorch}) of the checked heads."""
    exact = oracle.exact(x, x["causal"])
    plain = oracle.exact(x, x["causal"], x["q"].dtype)
    return exact, {name: oracle.error(plain[name], exact[name]) for name in exact}


def poison(x):
    """Fill and free memory of the results' sizes: what is not written holds NaN."""
    for name in ("q", "q", "k", "v"):
        torch.full_like(x[name], torch.nan)


def check(way, x, make, exact, allowed, known):
    """(run, errors, objection): whether an entry is right on this input.

    known: results of an entry already found right, {} if none, to which this one's are
    compared on all heads; they are kept there. objection is None or a sentence.
    """
    run = make(x)
    poison(x)
    results = dict(zip(RESULTS[way], run(), strict=True))
    errors, objection = judge(x, results, exact, allowed, known)
    known.update(known or ({} if objection else results))
    return (None if objection else run), errors, objection


def judge(x, results, exact, allowed, known):
    """(errors, None or what is wrong) of results {name: tensor}."""
    errors = oracle.errors(x, results, exact)
    gaps = oracle.apart(results, known) if known else {}
    for name, size in errors.items():
        if not size <= allowed[name]:
            return errors, f"error of {name} {size:.1e}, allowed {allowed[name]:.1e}"
        if not gaps.get(name, 0.0) <= allowed[name]:
            far = f"{name} differs by {gaps[name]:.1e}"
            return errors, f"{far} from what is known to be right"
    return errors, None


def attempt(way, name, x, make, exact, allowed, known):
    """(run or None, what the row says of the check).

    A kernel of ours may say by ValueError what it does not cover; else it has failed.
    """
    try:
        run, errors, objection = check(way, x, make, exact, allowed, known)
    except torch.OutOfMemoryError:
        return None, {"missing": "out of memory"}
    except ValueError as error:
        return None, {"missing": first_line(error)}
    except Exception as error:  # whatever a compiler may raise
        if isinstance(error, ModuleNotFoundError) and name not in OURS:
            return None, {"missing": f"not installed: {error.name}"}
        why = "failed" if name in OURS else "missing"
        return None, {why: f"{type(error).__name__}: {first_line(error)}"}
    row = {"error": {n: e for n, e in errors.items() if e < torch.inf}}
    return run, row | ({"refused": objection} if objection else {})


def first_line(error):
    """The first line of what an exception says, at most 200 characters."""
    return (str(error).strip().splitlines() or [""])[0][:200]


def rows(way, shape, x, entries, timer, seconds, *, say=print):
    """(rows, cell): every entry of a pass on one cell, checked; then timed if right.

    entries {name: make}; timer(name, run, right) as timing.timer; seconds for all.
    """
    exact, plain = truth(x)
    plain = {name: plain[name] for name in RESULTS[way]}
    allowed = {name: ALLOWED * size for name, size in plain.items()}
    table, measures, known = {}, {}, dict[str, float]()

    def right(results):
        named_results = dict(zip(RESULTS[way], results, strict=True))
        return judge(x, named_results, exact, allowed, known)[1] is None

    for name, make in entries.items():
        run, verdict = attempt(way, name, x, make, exact, allowed, known)
        table[name] = {"pass": way, "kernel": name, **named(shape), **verdict}
        if run is not None:
            try:
                measures[name], how = timer(name, run, right)
                table[name] |= how
            except torch.OutOfMemoryError:
                table[name]["missing"] = "out of memory"
        for why in verdict.keys() & set(UNTIMED):
            say(f"{name}, {way}, N {shape['n']}, d {shape['d']}: {why}, {verdict[why]}")
    known.clear()
    for name, readings in timing.take_turns(measures, seconds).items():
        table[name] |= timing.summary(readings)
        table[name]["tflops"] = flops(shape, way) / table[name]["ms"] / 1e9
    return list(table.values()), limits(way, shape, plain, allowed, table.values())


def limits(way, shape, plain, allowed, table):
    """The row of a cell: what was allowed, and medians of power and clock."""
    row = {"pass": way, **named(shape), "plain": plain, "allowed": allowed}
    for key in ("watts", "sm_clock_mhz"):
        values = [one[key] for one in table if key in one]
        if values:
            row[key] = statistics.median(values)
    return row
