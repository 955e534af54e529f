"""What a step of the trace holds: names, tensors, units, and the elements it moves."""

# key of the state: (tensor, subscript, whether an exact trace has it in units of τ)
PARTS = {
    "q": ("q", "i", False),
    "k": ("k", "j", False),
    "v": ("v", "j", False),
    "o_old": ("o", "i", False),
    "l_old": ("m", "i", False),
    "m_old": ("m", "i", True),
    "s": ("s", "ij", True),
    "m_tilde": ("m", "ij", True),
    "p_tilde": ("s", "ij", False),
    "l_tilde": ("m", "ij", False),
    "m_new": ("m", "i", True),
    "alpha": ("m", "", False),
    "beta": ("m", "", False),
    "l_new": ("m", "i", False),
    "o_new": ("o", "i", False),
    "o": ("o", "i", False),  # from here on: the backward pass
    "do": ("o", "i", False),
    "l": ("m", "i", False),
    "m": ("m", "i", True),
    "dq_old": ("q", "i", True),
    "dk_old": ("k", "j", True),
    "dv_old": ("v", "j", False),
    "p": ("s", "ij", False),
    "dp": ("s", "ij", False),
    "delta": ("m", "i", False),
    "ds": ("s", "ij", False),
    "dv_new": ("v", "j", False),
    "dq_new": ("q", "i", True),
    "dk_new": ("k", "j", True),
}
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
UNITS = {key for key, (_, _, unit) in PARTS.items() if unit}
UNITS |= {"dq", "dk", "dq_add", "dk_add"}


def groups(backward):
    """What a step shows, one group a line: (on chip before it, computed by it)."""
    if backward:
        return BACKWARD_ON_CHIP, BACKWARD_COMPUTED
    return ON_CHIP, COMPUTED


def index(state, subscript):
    """The numbers of a subscript, from 1 as in the paper: "ij" → "21", or "12,3"."""
    numbers = [str(state[x] + 1) for x in subscript]
    return ("" if all(len(x) == 1 for x in numbers) else ",").join(numbers)


def label(names, key, state, exact):
    """The name of a part of this step, by a table of names with %s for the index."""
    name = names[key]
    if "%s" in name:
        name %= index(state, PARTS[key][1])
    return name + (names["/τ"] if exact and PARTS[key][2] else "")


def holds(state, name, direction):
    """The key under which a step holds the tile that it moves under this name."""
    if name in GRADIENTS:
        return name + ("_old" if direction == "load" else "_new")
    return name + "_old" if name + "_old" in state else name


def moved(names, state, direction):
    """The names, and the number of elements, that a step loads or stores."""
    keys = [holds(state, x, direction) for x in state[direction]]
    rows = [row for key in keys for row in state[key]]
    count = sum(len(row) if isinstance(row, list) else 1 for row in rows)
    return [label(names, key, state, exact=False) for key in keys], count


def traffic(states):
    """The elements that these steps load and store in all: (loaded, stored).

    Counts what moves between HBM and SRAM in the tile loop; writing the first
    O = 0, ℓ = 0, m = −∞ to HBM (Algorithm 1, line 2; in the backward pass the zeros
    of Algorithm 4, line 5) comes before it.
    """
    nameless = dict.fromkeys(PARTS, "")
    return tuple(
        sum(moved(nameless, state, direction)[1] for state in states)
        for direction in ("load", "store")
    )
