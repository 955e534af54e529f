"""The longest sequence that a step could have in 12 GiB, counted and tried."""

from draw.figures._bench import table
from draw.figures._svg import count
from draw.tables._checkpointing import name
from draw.tables.memory.checkpointing_gpu import found

SAY = {
    "en": ["", "longest N, counted", "longest N that ran"],
    "zh": ["", "最长的 N，推算", "最长的 N，实测"],
}


def longest():
    """{(attention, policy): (predicted, measured)}."""
    return {
        (x["attention"], x["policy"]): (x["predicted"], x["measured"])
        for x in found()["longest"]
    }


def draw(lang):
    """A Markdown table with one row for each policy that was tried."""
    head = [x.replace(" N", " \\(N\\)") for x in SAY[lang]]
    lines = [
        [name(lang, *way), *map(count, both)] for way, both in longest().items()
    ]
    return table(head, lines)
