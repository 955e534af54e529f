"""TFLOP/s of the top rung and of its peers in every cell of one pass and one d."""

from draw.figures._bench import COLUMNS, SHORT, TOP, speeds, table

from tilewise.bench.cells import SIZES

SAY = {
    "en": {"head": "length", "ours": "ours", "causal": "causal"},
    "zh": {"head": "长度", "ours": "本书", "causal": "因果"},
}


def draw(way, d, lang):
    """A Markdown table: a row a length and mask, the fastest of a row in bold."""
    say = SAY[lang]
    found = [speeds(way, kernel, d) for kernel in (TOP[way], *COLUMNS[way])]
    rows = []
    for causal in (False, True):
        for n in SIZES:
            values = [x.get((n, d, causal)) for x in found]
            best = max(x for x in values if x)
            cells = [f"{x:.0f}" if x else "–" for x in values]
            cells = [f"**{c}**" if x == best else c for c, x in zip(cells, values)]
            name = f"{n // 1024}k" + (f" {say['causal']}" if causal else "")
            rows.append([name, *cells])
    return table([say["head"], say["ours"], *(SHORT[x] for x in COLUMNS[way])], rows)
