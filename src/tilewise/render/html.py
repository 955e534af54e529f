"""What HBM and SRAM hold at a step, as a small table for a notebook or page."""

from html import escape

from tilewise.render import numbers, parts
from tilewise.render.words import WORDS
from tilewise.trace import symbols


class Html(str):
    """HTML, which a notebook shows as such."""

    def _repr_html_(self):
        return str(self)


def written(state, row):
    """Whether HBM holds row `row` of O, ℓ and m after this step.

    K, V outer starts from O = 0, ℓ = 0, m = −∞ in HBM (Algorithm 1, line 2); Q outer
    stores the rows of a tile once, after its last key tile.
    """
    start, stop = state["rows"]
    return "o" in state["load"] or row < (stop if state["store"] else start)


def hbm_rows(state, exact, words):
    """Yield the table rows of O, ℓ and m in HBM after this step."""
    grids = [numbers.cells(state[x], exact) for x in "olm"]
    for r in range(len(state["o"])):
        new = state["store"] and state["rows"][0] <= r < state["rows"][1]
        head = words["new" if new else "row"].format(r=r + 1)
        if written(state, r):
            cells = [", ".join(grid[r]).replace("-", "−") for grid in grids]
            row = "".join(f"<td>{x}</td>" for x in cells)
        else:
            row = f'<td colspan="3">{words["unwritten"]}</td>'
        yield f'<tr><th scope="row">{head}</th>{row}</tr>'


def memory_html(history, *, lang="en", exact=True):
    """A table of HBM after the last step of `history`, of SRAM during it, and counts.

    history is the trace so far, steps[: t + 1]; the counts run over all of it.
    exact: as in step_latex.
    """
    words, state = WORDS[lang], history[-1]
    keys = (*sum(parts.ON_CHIP, ()), "s", "p_tilde")
    heads = ("O", "ℓ", "m" + ("/τ" if exact else ""))
    return frame(history, keys, heads, hbm_rows(state, exact, words), words)


def backward_memory_html(history, *, lang="en", exact=True):
    """The same of the backward pass: dQ, dK, dV in HBM after the last step.

    HBM starts with zeros there (Algorithm 4, line 5); a sum that stays on chip over
    several tiles reaches HBM with the last of them.
    """
    words, state = WORDS[lang], history[-1]
    keys = (*sum(parts.BACKWARD_ON_CHIP, ()), "s", "p", "dp", "delta", "ds")
    unit = "/τ" if exact else ""
    heads = ("dQ" + unit, "dK" + unit, "dV")
    return frame(history, keys, heads, gradient_rows(state, exact, words), words)


def gradient_rows(state, exact, words):
    """Yield the table rows of dQ, dK and dV in HBM after this step."""
    spans = {"dq": state["rows"], "dk": state["cols"], "dv": state["cols"]}
    grids = {}
    for name, (first, end) in spans.items():
        rows = list(state[name])
        if name not in state["store"]:
            rows[first:end] = [[0] * len(row) for row in rows[first:end]]
        grids[name] = numbers.cells(rows, exact)
    for r in range(max(map(len, grids.values()))):
        row = ""
        for name, grid in grids.items():
            first, end = spans[name]
            cell = ", ".join(grid[r]) if r < len(grid) else words["none"]
            if name in state["store"] and first <= r < end:
                cell = words["fresh"].format(cells=cell)
            row += f"<td>{cell.replace('-', '−')}</td>"
        head = words["row"].format(r=r + 1)
        yield f'<tr><th scope="row">{head}</th>{row}</tr>'


def lowered(key, index):
    """A symbol with its index below: S<sub>12</sub>."""
    return symbols.plain(key, f"<sub>{index}</sub>").replace("_", "")


def frame(history, keys, heads, rows, words):
    """The table around the rows of HBM: caption, heads, SRAM (its keys), counts."""
    state = history[-1]
    caption = words["after"].format(t=len(history), i=state["i"] + 1, j=state["j"] + 1)
    chip = words["comma"].join(parts.label(lowered, key, state, False) for key in keys)
    now, total = parts.traffic(history[-1:]), parts.traffic(history)
    facts = [(words["sram"], chip)]
    for name, count, so_far in zip(("loaded", "stored"), now, total, strict=True):
        facts.append((words[name], words["count"].format(count=count, all=so_far)))
    head = "".join(f'<th scope="col">{x}</th>' for x in (words["hbm"], *heads))
    row = '<tr><th scope="row">{}</th><td colspan="3">{}</td></tr>'
    lines = [
        f'<table class="tw-memory"><caption>{escape(caption)}</caption>',
        f"<thead><tr>{head}</tr></thead>",
        f"<tbody>{''.join(rows)}</tbody>",
        "<tbody>",
        *(row.format(*fact) for fact in facts),
        "</tbody></table>",
    ]
    return Html("\n".join(lines))
