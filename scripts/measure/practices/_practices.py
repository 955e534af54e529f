"""What the parts of practices.py share: shapes, cases, entries, times taken in turn."""

import time
from functools import partial

import torch
from torch.nn.functional import scaled_dot_product_attention

from tilewise.bench import collect, extras, peers, timing
from tilewise.bench.cells import cell, flops

CUDA = torch.cuda.is_available()
DEVICE = "cuda" if CUDA else "cpu"
SECONDS = 0.4  # for what takes turns in one comparison
SMALL = 256  # on a CPU, for trying the script, everything is so many times shorter


def shape(n, d, causal=False, **other):
    """The setting's cell, or a toy of it where there is no GPU."""
    if CUDA:
        return cell(n, d, causal, **other)
    other = {"batch": 1, "heads": 4} | {
        k: x for k, x in other.items() if k == "heads_k"
    }
    return cell(max(2, n // SMALL), d, causal, **other)


def case(sizes, dtype=torch.bfloat16, allowed=collect.ALLOWED):
    """(input, exact results, errors allowed) of a shape, fresh."""
    x = collect.problem(sizes, DEVICE, dtype)
    exact, plain = collect.truth(x)
    return x, exact, {name: allowed * size for name, size in plain.items()}


def backend(name):
    """prepare(x) of one of SDPA's backends, whatever memory it takes."""
    return peers.sdpa(peers.SDPA[name], limited=False)


def standard(x):
    """Standard attention as one writes it, S and P in the inputs' dtype."""
    n = x["q"].shape[2]
    hidden = torch.ones(n, n, dtype=torch.bool, device=DEVICE).triu(1)

    def attention(q, k, v):
        s = q @ k.mT * q.shape[-1] ** -0.5
        s = s.masked_fill(hidden, -torch.inf) if x["causal"] else s
        return torch.softmax(s, -1) @ v

    return attention


def masked(x, dtype=torch.bool):
    """PyTorch's function with the causal mask as a tensor, the backend it picks."""
    n = x["q"].shape[2]
    mask = torch.ones(n, n, dtype=torch.bool, device=DEVICE).tril()
    if dtype != torch.bool:
        mask = torch.zeros(n, n, dtype=dtype, device=DEVICE).masked_fill(
            ~mask, -torch.inf
        )
    return lambda q, k, v: scaled_dot_product_attention(q, k, v, attn_mask=mask)


def entries(names, way):
    """{name: make} of prepare functions by name."""
    return {name: peers.entry(prepare, way) for name, prepare in names.items()}


def timer(run, right, graph):
    """(measure, how) as timing.timer's; on a CPU plain calls, which show nothing."""
    if CUDA:
        return timing.timer(run, right, graph=graph, power=timing.power_and_clock())

    def measure():
        before = time.perf_counter()
        run()
        return {"ms": 1e3 * (time.perf_counter() - before)}

    return measure, {"graph": False}


def once(measures, _):
    """{name: [one reading]}, for trying the script."""
    return {name: [measure()] for name, measure in measures.items()}


def turns(part, way, calls, graph=True, **about):
    """Rows of calls {name: (case, make)}: checked against float64, timed in turns."""
    rows, measures = {}, {}
    with peers.graded(way):
        for name, ((x, exact, allowed), make) in calls.items():
            sizes = {key: x["q"].shape[i] for i, key in enumerate(("batch", "heads"))}
            sizes |= {"heads_k": x["k"].shape[1], "n": x["q"].shape[2]}
            sizes |= {"n_k": x["k"].shape[2], "d": x["q"].shape[3]}
            row = {"part": part, "what": name, "pass": way, **sizes, **about}
            row |= {"causal": x["causal"], "dtype": str(x["q"].dtype)[6:]}
            run, said = collect.attempt(way, name, x, make, exact, allowed, {})
            rows[name] = row | said
            if run is None:
                continue
            right = partial(extras.correct, way, x, exact, allowed)
            try:
                measures[name], how = timer(run, right, graph)
                rows[name] |= how
            except torch.OutOfMemoryError:
                rows[name]["missing"] = "out of memory"
        taken = timing.take_turns if CUDA else once
        for name, readings in taken(measures, SECONDS).items():
            rows[name] |= timing.summary(readings)
            rows[name]["tflops"] = flops(rows[name], way) / rows[name]["ms"] / 1e9
    for row in rows.values():
        said = row.get("missing") or row.get("refused") or row.get("failed")
        print(part, row["what"], way, row["n"], row["d"], row.get("ms", said))
    if CUDA:
        torch.cuda.empty_cache()
    return [*rows.values()]


def same(part, way, given, makes, graph=True, **about):
    """turns() of several ways to compute one case."""
    calls = {name: (given, make) for name, make in makes.items()}
    return turns(part, way, calls, graph, **about)
