"""Right? And how fast? python3 .gpu/pers/run.py OUT_DIR, with PYTHONPATH=src.

Every variant and head dimension is checked in a process of its own, which may hang; the
right ones are timed against the present kernel, in graphs, in turns.
PERS_VARIANTS=a,b  PERS_ROUNDS=7  PERS_LIMIT=80 (s for a check)  PERS_TIME=105 (s)
"""

import json
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
VARIANTS = {  # name → flags, further options
    "join": (1, {}),  # idea C
    "end": (2, {}),  # idea B
    "join+end": (3, {}),
    "tail": (16, {"tail": True}),  # the last units, longest first: else as today
    "join+end+tail": (19, {"tail": True}),
    "pers-greedy": (7, {"kind": "greedy"}),  # idea A, by lists made beforehand
    "pers-tail": (7, {"kind": "tail"}),
    "pers-snake": (7, {"kind": "snake"}),
    "pers-dyn": (15, {}),  # A, each unit drawn from a counter
    "pers-dyn-tail": (15, {"tail": True}),
}
if chosen := os.environ.get("PERS_VARIANTS"):
    VARIANTS = {k: v for k, v in VARIANTS.items() if k in chosen.split(",")}
ROUNDS = int(os.environ.get("PERS_ROUNDS", 7))
LIMIT, TIME = (float(os.environ.get(*x)) for x in (("PERS_LIMIT", 80), ("PERS_TIME", 105)))
CASES = [  # batch, heads, key heads, n_q, n_k, causal
    (16, 16, 16, 512, 512, False),  # 1024 units
    (16, 16, 16, 512, 512, True),
    (2, 4, 4, 512, 512, True),  # 32 units
    (3, 5, 5, 333, 777, True),
    (5, 8, 8, 777, 333, True),
    (4, 16, 16, 50, 700, False),  # one tile each, 384 units
    (4, 16, 16, 50, 700, True),
    (3, 16, 16, 130, 1000, True),
    (2, 16, 16, 1025, 1025, False),
    (1, 8, 2, 600, 600, True),  # parts of a group
    (20, 8, 2, 2048, 1024, True),  # halves of a group
    (30, 8, 2, 1024, 1024, True),  # whole groups
]


def reference(q, k, v, do, causal, scale):
    """(o, lse, dq, dk, dv) in float64, one batch entry after the other."""
    import torch

    found = []
    group = q.shape[1] // k.shape[1]
    for b in range(q.shape[0]):
        Q, DO = q[b].double(), do[b].double()
        K, V = (x[b].double().repeat_interleave(group, 0) for x in (k, v))
        s = scale * Q @ K.mT
        if causal:
            n_q, n_k = s.shape[-2:]
            see = torch.arange(n_k, device=q.device) <= (
                torch.arange(n_q, device=q.device)[:, None] + n_k - n_q
            )
            s = s.masked_fill(~see, float("-inf"))
        lse = s.logsumexp(-1)
        p = torch.where(lse[..., None] > float("-inf"), (s - lse[..., None]).exp(), 0.0)
        o = p @ V
        dp = DO @ V.mT
        ds = p * (dp - (DO * o).sum(-1, keepdim=True))
        dv, dk = p.mT @ DO, scale * ds.mT @ Q
        if group > 1:
            dk, dv = (x.unflatten(0, (-1, group)).sum(1) for x in (dk, dv))
        found.append((o, lse, scale * ds @ K, dk, dv))
    return [torch.stack(x) for x in zip(*found)]


def blocks(x, n):
    """Norms of blocks of n rows, rows filled up with zeros."""
    import torch

    x = torch.nn.functional.pad(x, (0, 0, 0, -x.shape[2] % n))
    return x.unflatten(2, (-1, n)).norm(dim=(3, 4))


def check(flags, d):
    """Print a line for each case; exit status 1 if one is wrong. flags −1: present."""
    import torch

    sys.path.insert(0, str(HERE))
    from persk import kernel
    from tilewise.kernels import gluon_backward as present

    bad, begun = 0, time.time()
    options = next((o for f, o in VARIANTS.values() if f == flags), {})
    for case in CASES:
        batch, heads, kv, n_q, n_k, causal = case
        if heads != kv and flags in (-1, 0, 1, 2, 16):
            continue
        torch.manual_seed(1)
        q, do = (torch.randn(batch, heads, n_q, d, device="cuda") for _ in range(2))
        k, v = (torch.randn(batch, kv, n_k, d, device="cuda") for _ in range(2))
        q, k, v, do = (x.bfloat16() for x in (q, k, v, do))
        o, lse, *right = reference(q, k, v, do, causal, d**-0.5)
        o, lse = o.bfloat16(), lse.float()
        first, same, worst = None, True, [0.0] * 3
        for _ in range(12):
            if flags < 0:
                new = present.backward(q, k, v, o, do, lse, causal=causal)
            else:
                new = kernel.backward(
                    q, k, v, o, do, lse, causal=causal, flags=flags, **options
                )
            first = first or new
            same &= all(torch.equal(a, b) for a, b in zip(new[1:], first[1:]))
            for i, (x, y) in enumerate(zip(new, right)):
                size = blocks(y, 64)  # of each block, or of blocks in general if larger
                size = size.clamp_min(size.square().mean().sqrt().item())
                off = (blocks(x.double() - y, 64) / size).max().item()
                worst[i] = max(worst[i], off if off == off else 9.0)
        ok = same and max(worst) < 0.03
        bad += not ok
        print(
            f"flags {flags} d {d} {case}: {'right' if ok else 'WRONG'}; dK, dV "
            f"{'equal' if same else 'DIFFER'} 12 times; worst block of dQ, dK, dV off by "
            f"{' '.join(f'{x:.1e}' for x in worst)}; {time.time() - begun:.0f} s",
            flush=True,
        )
    sys.exit(bad > 0)


def timed(out, right):
    """Print ratios, cell by cell, and write them."""
    import torch

    sys.path.insert(0, str(HERE))
    from persk import kernel
    from tilewise.kernels import gluon_backward as present

    begun, found, rng = time.time(), {}, random.Random(5)
    cells = [
        (n, d, causal)
        for n in (1024, 2048, 4096, 16384, 8192)
        for d in (64, 128)
        for causal in (False, True)
    ]
    for n, d, causal in cells:
        names = ["present", *right[str(d)], "present again"]
        if time.time() - begun > TIME - 6:
            print("no time left for", n, d, causal, flush=True)
            continue
        shape = 16384 // n, 2048 // d, n, d
        torch.manual_seed(2)
        q, k, v, do = (
            torch.randn(shape, device="cuda", dtype=torch.bfloat16) for _ in range(4)
        )
        o, lse, *_ = torch.ops.aten._scaled_dot_product_flash_attention(
            q, k, v, 0.0, causal, False
        )
        o = o.contiguous()

        def call(name):
            if name.startswith("present"):
                present.backward(q, k, v, o, do, lse, causal=causal)
            else:
                flags, options = VARIANTS[name]
                kernel.backward(
                    q, k, v, o, do, lse, causal=causal, flags=flags, **options
                )

        graphs, many = {}, 0
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        for name in names:
            call(name), call(name)
            torch.cuda.synchronize()
            if not many:
                start.record()
                call(name)
                stop.record()
                torch.cuda.synchronize()
                many = max(2, round(8 / start.elapsed_time(stop)))
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for _ in range(many):
                    call(name)
            graphs[name] = graph
        times = {name: [] for name in names}
        for r in range(ROUNDS + 1):
            for name in rng.sample(names, len(names)):
                start.record()
                graphs[name].replay()
                stop.record()
                torch.cuda.synchronize()
                if r:
                    times[name].append(start.elapsed_time(stop) / many)
        middle = {name: statistics.median(x) for name, x in times.items()}
        key = f"{n} {d} {'causal' if causal else 'full'}"
        found[key] = {"ms": times, "median": middle}
        line = " ".join(
            f"{name} {middle['present'] / middle[name]:.3f}" for name in names[1:]
        )
        print(f"{key:18} present {middle['present']:.4f} ms | {line}", flush=True)
        (out / "pers.json").write_text(json.dumps(found, indent=1))
        del graphs, graph
    print("geometric means of present / variant:")
    every = {name for cell in found.values() for name in cell["median"]} - {"present"}
    for name in sorted(every):
        def mean(wanted):
            x = [
                c["median"]["present"] / c["median"][name] for key, c in found.items()
                if name in c["median"] and wanted(*key.split())
            ]
            return f"{statistics.geometric_mean(x):.3f}" if x else "  -  "

        print(
            f"{name:14} all {mean(lambda *_: True)} | d 64", mean(lambda n, d, m: d == "64"),
            "128", mean(lambda n, d, m: d == "128"), "| full",
            mean(lambda n, d, m: m == "full"), "causal", mean(lambda n, d, m: m != "full"),
            "| N", *(f"{n}: {mean(lambda a, d, m: a == str(n))}"
                     for n in (1024, 2048, 4096, 8192, 16384)), flush=True,
        )


def main(out):
    out.mkdir(parents=True, exist_ok=True)
    begun, wrong, children = time.time(), set(), {}
    flags = sorted({-1} | {f for f, _ in VARIANTS.values()}, reverse=True)
    for f in flags:
        for d in (128, 64):
            log = open(f"/tmp/pers_{f}_{d}.log", "w+")
            command = [sys.executable, __file__, "check", str(f), str(d)]
            children[f, d] = subprocess.Popen(
                command, stdout=log, stderr=log, env=os.environ | {"OMP_NUM_THREADS": "1"}
            ), log
    verdict = {}
    text = ""
    for (f, d), (child, log) in children.items():
        try:
            child.wait(max(1, LIMIT - (time.time() - begun)))
        except subprocess.TimeoutExpired:
            child.kill()
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.returncode = -9
        log.seek(0)
        said = log.read()
        text += said
        ok = child.returncode == 0
        state = "right" if ok else f"NOT RIGHT (status {child.returncode})"
        plain = sum(heads == kv for _, heads, kv, *_ in CASES)
        if child.returncode < 0 and "WRONG" not in said and said.count(": right;") >= plain:
            ok, state = True, "right as far as the time went; stopped in a later case"
        verdict[f, d] = ok
        print(f"flags {f} d {d}: {state}", flush=True)
        print(said[-2500:] if not ok else said.splitlines()[-1:], flush=True)
    (out / "checks.log").write_text(text)
    print(f"checks took {time.time() - begun:.0f} s", flush=True)
    right = {
        str(d): [name for name, (f, _) in VARIANTS.items() if verdict[f, d]]
        for d in (64, 128)
    }
    (out / "right.json").write_text(json.dumps(right))
    command = [sys.executable, __file__, "time", str(out)]
    try:
        subprocess.run(command, timeout=TIME + 10)
    except subprocess.TimeoutExpired:
        print("the timing took too long; see pers.json for what it found", flush=True)
    print(f"all took {time.time() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "check":
        check(int(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1] == "time":
        out = Path(sys.argv[2])
        timed(out, json.loads((out / "right.json").read_text()))
    else:
        main(Path(sys.argv[1]))
