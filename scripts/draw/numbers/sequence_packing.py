"""Numbers in the prose of the page on sequence packing: counted and measured."""

import json

from draw.numbers._shared import span
from draw.tables import _varlen as varlen
from draw.tables.memory import packing_ways

from tilewise.bench.cells import PASSES, geometric
from tilewise.examples import packing_bins, packing_draw

BLOCK = 4  # rows, in the figure's last row


def both(name, than="gluon_varlen"):
    """How many times as long as another, forward and backward, in one list."""
    return [x for way in PASSES for x in varlen.longer(way, name, than).values()]


def collections():
    """What the two collections of documents hold."""
    data = json.loads(packing_ways.RESULTS.read_text("utf-8"))
    found, about = packing_ways.found(), {x["name"]: x for x in data["collections"]}
    normal, functions = about["log_normal"], about["functions"]
    yield "documents", f"{normal['number']:,}"
    yield "half", f"{normal['p50']}"
    yield "tenth", f"{normal['p90']}"
    yield "row", f"{normal['size']}"
    yield "functions", f"{functions['number']:,}"
    yield "functions_half", f"{functions['p50']}"
    yield "functions_longest", f"{functions['longest']}"
    cut = found["log_normal", "chopped"]["cut_documents"] / normal["number"]
    yield "cut", f"{100 * cut:.1f}"
    for name, way in (("ahead", "look_ahead_1"), ("in_order", "in_order")):
        yield name, f"{100 * found['log_normal', way]['fill']:.1f}"
    times = data["times"]
    yield "cpu_tokens", f"{times['tokens']}"
    yield "cpu_places", f"{times['slots']:,}"
    for name in ("padded", "sdpa_padded", "sdpa_mask"):
        yield f"cpu_{name}", f"{times['ratio'][name]:.1f}"


def drawn():
    """The twelve documents of the figures, their slots, and who draws what."""
    lengths, longest = packing_bins.LENGTHS, max(packing_bins.LENGTHS)
    places = len(lengths) * longest
    yield "places", f"{places}"
    yield "empty", f"{places - sum(lengths)}"
    yield "padded_pairs", f"{len(lengths) * packing_bins.pairs(longest)}"
    rows = packing_bins.first_fit_decreasing(lengths, packing_bins.SIZE)
    last = [lengths[i] for i in rows[-1]]
    yield "slots", f"{sum(last) // BLOCK + len(last)}"
    yield "slots_used", f"{sum(-(-n // BLOCK) for n in last)}"
    fixed = packing_draw.blocks([1024] * 16, turned=True)
    most = max(packing_draw.snake(fixed))
    yield "most_tiles", f"{most}"
    yield "most_times", f"{most / (sum(fixed) / packing_draw.PROGRAMS):.2f}"
    yield "blocks", f"{len(fixed) // 16}"
    yield "programs", f"{packing_draw.PROGRAMS}"
    yield "last_program", f"{packing_draw.PROGRAMS - 1}"


def measured():
    """Documents with a long tail, and documents of one length, on a GPU."""
    lengths, pairs = varlen.results()["lengths"], packing_bins.pairs
    yield "tail_documents", f"{len(lengths)}"
    yield "tail_tokens", f"{sum(lengths):,}"
    yield "tail_longest", f"{max(lengths)}"
    yield "tail_places", f"{len(lengths) * max(lengths):,}"
    more = len(lengths) * pairs(max(lengths)) / sum(map(pairs, lengths))
    yield "tail_pairs", f"{more:.0f}"
    yield "matrix_gb", f"{sum(lengths) ** 2 / 1e9:.2f}"
    yield from span("matrix", both("sdpa with a mask", "padded"), 1)
    for name in ("padded", "flex", "varlen_attn"):
        for way in PASSES:
            yield from span(f"{name}_{way}", varlen.longer(way, name).values(), 1)
    yield from span("fixed_order", varlen.longer("backward", "varlen").values(), 1)
    for way in PASSES:
        yield f"equal_{way}", f"{geometric(varlen.ratios(way).values()):.2f}"
    for name, kernel in (("plain", ["varlen"]), ("equal", [])):
        every = [x for way in PASSES for x in varlen.ratios(way, *kernel).values()]
        yield from span(name, every, 2)


PARTS = (collections, drawn, measured)
