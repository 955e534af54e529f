"""How the tile stepper names and arranges what it shows, and where the paper has it."""

from tilewise.live.frames import PHASES
from tilewise.trace.symbols import braced, colour, in_units

ORDER = (
    "q k v o do l m lse dq dk dv s mt pt lt mn a b ln p dp delta ds"  # first, in HBM
)
KEYS = {  # name in a film: key of the state
    name: key for way in PHASES for _, parts in PHASES[way] for name, key in parts
}
COLUMNS = {"q": "d", "k": "d", "v": "d_v", "o": "d_v", "s": "c", "m": ""}  # by colour


def tensor(name):
    """Label, colour, columns ("c": keys of a tile), and whether in units of τ."""
    key = KEYS.get(name, name)
    return [name, braced(key), colour(key), COLUMNS[colour(key)], in_units(key)]


# lines of Algorithm 1 and of Algorithm 4 of arXiv 2205.14135, where keys are outside
LINES = {
    "forward": {
        "kv": "6",
        "q": "8",
        "s": "9",
        "tile": "10",
        "merge": "11",
        "o": "12",
        "store": "12, 13",
    },
    "backward": {
        "kv": "7, 8",
        "q": "10",
        "s": "11",
        "p": "13",
        "dv": "16",
        "dp": "17",
        "delta": "19",
        "ds": "20",
        "dq": "21",
        "dk": "22",
        "store": "21, 24",
    },
}


def names(way, order):
    """The part of a film that says what is called how: tensors and source."""
    parts = {"tensors": [tensor(name) for name in ORDER.split()]}
    if order == "standard":
        whole = {"k": "K", "v": "V", "s": "S_{i}", "p": "P_{i}"}
        for one in parts["tensors"]:
            one[1] = whole.get(one[0], one[1])
        parts["source"] = [0, {"s": "1", "softmax": "2", "pv": "3"}]
    if order == "kv-outer":
        parts["source"] = [1 if way == "forward" else 4, LINES[way]]
    return parts
