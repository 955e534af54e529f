"""What a step of the trace holds: names, tensors, units, and the elements it moves."""

from tilewise.trace.symbols import in_units, plain, subscript

GRADIENTS = ("dq", "dk", "dv")
ON_CHIP = (("q", "k", "v"), ("o_old", "l_old", "m_old"))  # one group a line
COMPUTED = (
    ("s", "m_tilde", "p_tilde", "l_tilde"),
    ("m_new", "alpha", "beta"),
    ("l_new", "o_new"),
)
BACKWARD_ON_CHIP = (
    ("q", "k", "v"),
    ("o", "do", "l", "m"),
    ("dq_old", "dk_old", "dv_old"),
)
BACKWARD_COMPUTED = (("s", "p"), ("dp", "delta", "ds"), ("dv_new", "dq_new", "dk_new"))


def groups(backward):
    """What a step shows, one group a line: (on chip before it, computed by it)."""
    if backward:
        return BACKWARD_ON_CHIP, BACKWARD_COMPUTED
    return ON_CHIP, COMPUTED


def index(state, subscript):
    """The numbers of a subscript, from 1 as in the paper: "ij" → "21", or "12,3"."""
    numbers = [str(state[x] + 1) for x in subscript]
    return ("" if all(len(x) == 1 for x in numbers) else ",").join(numbers)


def label(form, key, state, exact, unit="/τ"):
    """The symbol of a part of this step, by a form of tilewise.trace.symbols.

    `unit` follows where the trace is exact and has the number in units of τ.
    """
    name = form(key, index(state, subscript(key)))
    return name + (unit if exact and in_units(key) else "")


def holds(state, name, direction):
    """The key under which a step holds the tile that it moves under this name."""
    if name in GRADIENTS:
        return name + ("_old" if direction == "load" else "_new")
    return name + "_old" if name + "_old" in state else name


def moved(form, state, direction):
    """The names, and the number of elements, that a step loads or stores."""
    keys = [holds(state, x, direction) for x in state[direction]]
    rows = [row for key in keys for row in state[key]]
    count = sum(len(row) if isinstance(row, list) else 1 for row in rows)
    return [label(form, key, state, exact=False) for key in keys], count


def traffic(states):
    """The elements that these steps load and store in all: (loaded, stored).

    Counts what moves between HBM and SRAM in the tile loop; writing the first
    O = 0, ℓ = 0, m = −∞ to HBM (Algorithm 1, line 2; in the backward pass the zeros
    of Algorithm 4, line 5) comes before it.
    """
    return tuple(
        sum(moved(plain, state, direction)[1] for state in states)
        for direction in ("load", "store")
    )
