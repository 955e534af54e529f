"""How the tile stepper names and arranges what it shows, and where the paper has it."""

# name in a film, label, tensor whose colour it has, columns ("c": keys of a tile), and
# whether it is in units of τ where numbers are exact; in the order of HBM
TENSORS = [
    ("q", "Q_{i}", "q", "d", False),
    ("k", "K_{j}", "k", "d", False),
    ("v", "V_{j}", "v", "d_v", False),
    ("o", "O_{i}", "o", "d_v", False),
    ("do", "dO_{i}", "o", "d_v", False),
    ("l", "ℓ_{i}", "m", "", False),
    ("m", "m_{i}", "m", "", True),
    ("dq", "dQ_{i}", "q", "d", True),
    ("dk", "dK_{j}", "k", "d", True),
    ("dv", "dV_{j}", "v", "d_v", False),
    ("s", "S_{ij}", "s", "c", True),
    ("mt", "m̃_{ij}", "m", "", True),
    ("pt", "P̃_{ij}", "s", "c", False),
    ("lt", "ℓ̃_{ij}", "m", "", False),
    ("mn", "m_{i}^{new}", "m", "", True),
    ("a", "α", "m", "", False),
    ("b", "β", "m", "", False),
    ("ln", "ℓ_{i}^{new}", "m", "", False),
    ("p", "P_{ij}", "s", "c", False),
    ("dp", "dP_{ij}", "s", "c", False),
    ("delta", "δ_{i}", "m", "", False),
    ("ds", "dS_{ij}", "s", "c", False),
]
SLOTS = {  # the chip, line by line
    "forward": ["k v q o l m", "s mt pt lt", "mn a b ln"],
    "backward": ["k v dk dv", "q o do l m dq", "s p dp delta ds"],
}
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
    """The part of a film that says what is called how: tensors, slots, source."""
    made = {"tensors": [list(x) for x in TENSORS]}
    made["slots"] = [x.split() for x in SLOTS[way]]
    if order == "kv-outer":
        made["source"] = [1 if way == "forward" else 4, LINES[way]]
    return made
