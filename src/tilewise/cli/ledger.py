"""`ledger`: what attention moves, computes and keeps, counted to the element."""

import json

from tilewise.cli.errors import Bad
from tilewise.cli.options import add_choice, add_real, add_size, add_variants
from tilewise.hardware import GB
from tilewise.ledger.layer import LIMITS, RULES, account, card
from tilewise.render.ledger import ledger_lines

GPU = {name.lower(): name for name in ("H100", "A100", "H200")}
DTYPES = ("bf16", "fp16", "fp32", "fp64")
OWN = {"--bandwidth": 1e12, "--tflops": 1e12, "--memory": GB}  # a unit, in the card's


def add_options(parser, words):
    """The options of `ledger`, with their help in one language."""
    for option, name, default, about in (
        ("--n", "N", 1024, "ledger --n"),
        ("--n-k", "N_K", None, "--n-k"),
        ("--d", "D", 64, "ledger --d"),
        ("--block-rows", "B_R", None, "ledger --block-rows"),
        ("--block-cols", "B_C", None, "ledger --block-cols"),
        ("--sram", "M", None, "--sram"),
        ("--heads", "HEADS", 1, "--heads"),
        ("--kv-heads", "HEADS", None, "--kv-heads"),
        ("--batch", "BATCH", 1, "--batch"),
    ):
        limit = LIMITS[option[2:].replace("-", "_")]
        add_size(parser, option, limit, name, default, words[about])
    add_choice(parser, "--gpu", tuple(GPU), words["--gpu"])
    parser.set_defaults(gpu=None)  # so that --sram with --gpu is noticed
    for option in OWN:
        add_real(parser, option, LIMITS[option[2:]], words[option])
    add_choice(parser, "--dtype", DTYPES, words["--dtype"])
    add_choice(parser, "--tiles", RULES, words["--tiles"])
    add_choice(parser, "--format", ("text", "json"), words["--format"])
    add_variants(parser, LIMITS["n_k"], words)
    for option in ("--causal", "--backward", "--training"):
        about = words[option if option == "--causal" else f"ledger {option}"]
        parser.add_argument(option, action="store_true", help=about)


def run(args, out):
    """Count, and show the counts side by side."""
    for first, second in (("sram", "gpu"), ("backward", "training")):
        if getattr(args, first) and getattr(args, second):
            raise Bad("exclude", first=f"--{first}", second=f"--{second}")
    kv_heads = args.kv_heads or args.heads
    if args.heads % kv_heads:
        raise Bad("divide", option="--kv-heads", whole=args.heads, value=kv_heads)
    if args.tiles == "kernels" and args.d > LIMITS["kernel_d"]:
        raise Bad("size", option="--d", limit=LIMITS["kernel_d"], value=args.d)
    bill = asked(args)
    if args.format == "json":
        out.write(json.dumps(bill, indent=2, ensure_ascii=False) + "\n")
    else:
        out.writelines(line + "\n" for line in ledger_lines(bill, args.lang))
    return 0


def asked(args):
    """Everything that is shown: ledger.layer.account, the first pass's tiles in front.

    The other passes' stand in tiles.
    """
    way = "training" if args.training else "backward" if args.backward else "forward"
    bill = account(
        args.n,
        args.d,
        chosen(args),
        n_k=args.n_k,
        batch=args.batch,
        heads=args.heads,
        kv_heads=args.kv_heads,
        causal=args.causal,
        window=args.window,
        dtype=args.dtype,
        way=way,
        rule=args.tiles,
        block_rows=args.block_rows,
        block_cols=args.block_cols,
    )
    tile = bill["tiles"][0]
    first = {"block_rows": tile["rows"], "block_cols": tile["cols"]}
    first |= {"t_r": tile["t_r"], "t_c": tile["t_c"]}
    return bill | first | {"softcap": args.softcap, "sink": args.sink}


def chosen(args):
    """The card: a GPU's, or one of whom --sram and the other options say all."""
    if args.sram:
        nothing = {"gpu": None, "bandwidth": None, "peak": None, "memory": None}
        numbers = nothing | {"sram": args.sram}
    else:
        numbers = card(GPU[args.gpu or "h100"], args.dtype)
    keys = ("bandwidth", "peak", "memory")
    for key, (option, unit) in zip(keys, OWN.items(), strict=True):
        if typed := getattr(args, option[2:]):
            numbers[key] = int(typed * unit)
    return numbers
