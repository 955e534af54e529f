"""The calculator: a layer's bill on a card, from what a reader typed; its two plots."""

from tilewise.hardware import GB, KB
from tilewise.ledger import in_bytes
from tilewise.ledger.costs import ALGORITHMS, PASSES, bill
from tilewise.ledger.layer import LIMITS, RULES, account, card
from tilewise.live.calculator_form import FORM
from tilewise.live.calculator_plots import PLOTS
from tilewise.live.calculator_view import shown_in
from tilewise.live.calculator_words import WORDS
from tilewise.live.reading import Problem, choice, real, safe, whole

CARDS = ("A100", "H100", "H200", "own")
DTYPES = ("bf16", "fp16", "fp32")  # a card's peak is known for these
DEFAULT = {  # what the page shows before anybody touches it, as a reader would type it
    "gpu": "H100",
    "sram": "",
    "bandwidth": "",
    "tflops": "",
    "memory": "",
    "dtype": "bf16",
    "pass": "forward",
    "batch": "1",
    "heads": "32",
    "kv_heads": "",
    "n": "16384",
    "d": "128",
    "causal": "no",
    "tiles": "kernels",
    "block_rows": "",
    "block_cols": "",
    "plot": "held_bytes",
}
# a card of one's own: its fields and their units. MicroPython's dicts have no order
OWN = (("bandwidth", 1e12), ("tflops", 1e12), ("memory", GB))
LEAST, LARGEST_KB = 0.001, 10**6
FIRST, LAST = 7, 24  # the plot goes from N = 2⁷ to 2²⁴, further where N does


def answer(asked):
    """What `ledger.layer.account` says, with the plot, the card and the command.

    asked has the keys of DEFAULT, all of them texts; what is missing is the default.
    Problems of its own: no-kernel(most), not-a-divisor(whole).
    """
    fields = {key: asked.get(key, value) for key, value in DEFAULT.items()}
    sizes = layer_sizes(fields)
    how = {
        "dtype": choice(fields["dtype"], "dtype", DTYPES),
        "way": choice(fields["pass"], "pass", tuple(PASSES)),
        "causal": choice(fields["causal"], "causal", ("no", "yes")) == "yes",
    } | tile_sizes(fields, sizes["d"])
    hardware, typed = chosen(fields, how["dtype"])
    n, d = sizes.pop("n"), sizes.pop("d")
    layer = account(n, d, hardware, **sizes, **how)
    a, b = [layer["algorithms"][x]["longest"] for x in ("standard", "flash2")]
    more = {"card": in_units(layer), "sweep": sweep(layer, hardware)}
    more["times"] = b / a if a else None  # how much longer a sequence fits
    more["command"] = command(n, d, sizes, how, hardware, typed)
    return safe(layer | more)


def view(asked):
    """The same as what the page shows, in the language asked["lang"], "en" or "zh"."""
    lang = choice(asked.get("lang", "en"), "lang", tuple(WORDS))
    plot = choice(asked.get("plot", DEFAULT["plot"]), "plot", PLOTS)
    return shown_in(answer(asked), plot, lang)


def default(lang):
    """What the page needs before anybody touches it, beside the HTML that it has."""
    page = view({"lang": lang})
    there = {key: page[key] for key in ("chart", "card", "tile")}
    return {"input": DEFAULT, "say": FORM[lang]} | there


def layer_sizes(fields):
    """The sizes of the layer, each a whole number within its limits."""
    names = ("n", "d", "batch", "heads")
    sizes = {name: whole(fields[name], name, 1, LIMITS[name]) for name in names}
    heads = sizes["heads"]
    if str(fields["kv_heads"]).strip():
        sizes["kv_heads"] = whole(fields["kv_heads"], "kv_heads", 1, LIMITS["kv_heads"])
        if heads % sizes["kv_heads"]:
            raise Problem("not-a-divisor", "kv_heads", whole=heads)
    return sizes


def tile_sizes(fields, d):
    """By a rule, or the reader's own B_r and B_c."""
    rule = choice(fields["tiles"], "tiles", RULES + ("own",))
    if rule != "own":
        if rule == "kernels" and d > LIMITS["kernel_d"]:
            raise Problem("no-kernel", "d", most=LIMITS["kernel_d"])
        return {"rule": rule}
    names = ("block_rows", "block_cols")
    return {name: whole(fields[name], name, 1, LIMITS[name]) for name in names}


def chosen(fields, dtype):
    """(the card, what the reader typed of it): a GPU's, or one of four numbers."""
    gpu = choice(fields["gpu"], "gpu", CARDS)
    if gpu != "own":
        return card(gpu, dtype), {}
    room = real(fields["sram"], "sram", 1, LARGEST_KB)
    typed = {x: real(fields[x], x, LEAST, LIMITS[x]) for x, _ in OWN}
    bandwidth, peak, memory = [int(typed[x] * unit) for x, unit in OWN]
    own = {"gpu": None, "sram": int(room * KB) // in_bytes(1, dtype)}
    return own | {"bandwidth": bandwidth, "peak": peak, "memory": memory}, typed


def in_units(layer):
    """The card in the units of its fields: KiB, TB/s, TFLOP/s, GiB."""
    room = layer["sram"] * layer["bytes_per_element"]
    return {
        "sram": str(room // KB),
        "memory": f"{layer['memory'] / GB:.10g}",
        "bandwidth": f"{layer['bandwidth'] / 1e12:.10g}",
        "tflops": f"{layer['peak'] / 1e12:.10g}",
    }


def sweep(layer, card):
    """The plot: memory, traffic and time of each algorithm over N; the ideal of FA2."""
    n, size = layer["n"], layer["bytes_per_element"]
    last = LAST
    while 2**last < n:
        last += 1
    ns = sorted({n} | {2**x for x in range(FIRST, last + 1)})
    width = {x: layer["batch"] * layer[x] for x in ("heads", "kv_heads")}
    width["d"] = layer["d"]
    blocks = {x["pass"]: (x["rows"], x["cols"]) for x in layer["tiles"]}
    how = {"blocks": blocks, "size": size, "causal": layer["causal"]}
    roof = card | {"memory": None}  # the longest N is known already
    keys = ("held_bytes", "bytes", "seconds")
    curves = {"n": ns, "ideal": {"bytes": [], "seconds": []}}
    for name in ALGORITHMS:
        curves[name] = {key: [] for key in keys}
        for x in ns:
            shape = {"n": x, "n_k": x} | width
            one = bill(name, layer["pass"], shape, roof, **how)
            for key in keys:
                curves[name][key].append(one[key])
            for key in ("bytes", "seconds") if name == "flash2" else ():
                curves["ideal"][key].append(one["once"][key])
    return curves


def command(n, d, sizes, how, hardware, typed):
    """The command line that says the same."""
    words = [f"--n {n} --d {d}"]
    words += [f"--{x} {sizes[x]}" for x in ("batch", "heads") if sizes[x] > 1]
    if "kv_heads" in sizes:
        words.append(f"--kv-heads {sizes['kv_heads']}")
    if how["dtype"] != "bf16":
        words.append(f"--dtype {how['dtype']}")
    if typed:
        words.append(f"--sram {hardware['sram']}")
        words += [f"--{key} {typed[key]:.12g}" for key, _ in OWN]
    elif hardware["gpu"] != "H100":
        words.append(f"--gpu {hardware['gpu'].lower()}")
    words += [f"--{how['way']}"] * (how["way"] != "forward")
    words += ["--causal"] * how["causal"]
    words += ["--tiles kernels"] * (how.get("rule") == "kernels")
    names = ("block_rows", "block_cols")
    words += [f"--{x.replace('_', '-')} {how[x]}" for x in names if x in how]
    return "python -m tilewise ledger " + " ".join(words)
