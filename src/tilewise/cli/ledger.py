"""`ledger`: what attention moves, computes and keeps, counted to the element."""

import bisect
import json

from tilewise import ledger
from tilewise.cli.errors import Bad
from tilewise.cli.options import add_choice, add_size
from tilewise.hardware import GPUS, KB
from tilewise.render.ledger import ledger_lines

ROWS, COLUMNS, HEADS, SRAM = 2**24, 2**16, 2**20, 10**9 - 1  # the most of each
GPU = {name.lower(): name for name in ("H100", "A100", "H200")}
DTYPES = ("bf16", "fp16", "fp32", "fp64")
ALGORITHMS = ("standard", "flash1", "flash2")


def add_options(parser, words):
    """The options of `ledger`, with their help in one language."""
    for option, limit, name, default, about in (
        ("--n", ROWS, "N", 1024, "ledger --n"),
        ("--n-k", ROWS, "N_K", None, "--n-k"),
        ("--d", COLUMNS, "D", 64, "ledger --d"),
        ("--block-rows", ROWS, "B_R", None, "ledger --block-rows"),
        ("--block-cols", ROWS, "B_C", None, "ledger --block-cols"),
        ("--sram", SRAM, "M", None, "--sram"),
        ("--heads", HEADS, "HEADS", 1, "--heads"),
        ("--batch", HEADS, "BATCH", 1, "--batch"),
    ):
        add_size(parser, option, limit, name, default, words[about])
    add_choice(parser, "--gpu", tuple(GPU), words["--gpu"])
    parser.set_defaults(gpu=None)  # so that --sram with --gpu is noticed
    add_choice(parser, "--dtype", DTYPES, words["--dtype"])
    add_choice(parser, "--format", ("text", "json"), words["--format"])
    parser.add_argument("--causal", action="store_true", help=words["--causal"])
    about = words["ledger --backward"]
    parser.add_argument("--backward", action="store_true", help=about)


def run(args, out):
    """Count, and show the counts side by side."""
    if args.sram and args.gpu:
        raise Bad("exclude", first="--sram", second="--gpu")
    bill = account(args)
    if args.format == "json":
        out.write(json.dumps(bill, indent=2, ensure_ascii=False) + "\n")
    else:
        out.writelines(line + "\n" for line in ledger_lines(bill, args.lang))
    return 0


def account(args):
    """All that is shown: the problem, then the counts of the three algorithms."""
    way = "backward" if args.backward else "forward"
    n, d, n_k = args.n, args.d, args.n_k or args.n
    m, gpu = memory(args)
    rows, cols = ledger.block_sizes(m, d)
    rows, cols = args.block_rows or rows, args.block_cols or cols
    options = {"n_k": n_k, "causal": args.causal}
    found = {}
    for name in ALGORITHMS:
        blocks = () if name == "standard" else (rows, cols)
        count = getattr(ledger, f"{name}_{way}")(n, d, *blocks, **options)
        found[name] = scaled(count, args, m)
        kept = ledger.saved(n, d, n_k=n_k)[name]
        found[name]["saved"] = kept * args.heads * args.batch
    return {
        "pass": way, "n": n, "n_k": n_k, "d": d, "batch": args.batch,
        "heads": args.heads, "causal": args.causal, "dtype": args.dtype,
        "bytes_per_element": ledger.in_bytes(1, args.dtype), "gpu": gpu, "sram": m,
        "block_rows": rows, "block_cols": cols, "t_r": ledger.ceil_div(n, rows),
        "t_c": ledger.ceil_div(n_k, cols),
        "break_even": None if args.causal else break_even(way, n, d, n_k),
        "algorithms": found,
    }  # fmt: skip


def memory(args):
    """M in elements, and the GPU that it belongs to, None where --sram says it.

    Of an SM's shared memory one thread block may use all but 1 KiB, which CUDA keeps
    (CUDA C++ Programming Guide, technical specifications).
    """
    if args.sram:
        return args.sram, None
    gpu = GPU[args.gpu or "h100"]
    room = GPUS[gpu]["levels"]["shared"]["per_sm"]["value"] - KB
    return room // ledger.in_bytes(1, args.dtype), gpu


def break_even(way, n, d, n_k):
    """The smallest B_c, and M for B_c = ⌈M/4d⌉, where FA1 moves less than standard.

    None where it never does. A larger B_c never moves more, and B_r has no part in it.
    """

    def moved(name, *blocks):
        count = getattr(ledger, f"{name}_{way}")(n, d, *blocks, n_k=n_k)
        return count["reads"] + count["writes"]

    def less(block_cols):
        return moved("flash1", 1, block_cols) < moved("standard")

    first = bisect.bisect_left(range(1, n_k + 1), True, key=less) + 1
    if first > n_k:
        return None
    return {"block_cols": first, "sram": 4 * d * (first - 1) + 1}


def scaled(count, args, m):
    """One head's count for all heads, with what follows from it."""
    heads = args.heads * args.batch
    total = {x: heads * count[x] for x in ("reads", "writes", "flops")}
    moved = ledger.in_bytes(total["reads"] + total["writes"], args.dtype)
    follows = {"bytes": moved, "intensity": total["flops"] / moved}
    return total | follows | {"sram": count["sram"], "fits": count["sram"] <= m}
