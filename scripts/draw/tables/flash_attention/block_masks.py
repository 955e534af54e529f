"""What block-sparse masks of fewer and fewer tiles cost, on an H200."""

import json

from draw.figures import _bench as bench

D, WAYS = 128, ("forward", "backward")
SAY = {
    "en": {
        "head": (
            "tiles in the mask",
            "forward time",
            "our time over Flex&shy;Attention's",
            "backward time",
            "our time over Flex&shy;Attention's",
        )
    },
    "zh": {
        "head": (
            "掩码里的块",
            "前向用时",
            "本书用时 ÷ Flex&shy;Attention 用时",
            "反向用时",
            "本书用时 ÷ Flex&shy;Attention 用时",
        )
    },
}


def lines(say):
    """Times over those of all tiles, and over FlexAttention's; all tiles come first."""
    rows = json.loads(bench.newest("block-masks").read_text("utf-8"))["rows"]
    rows = [x for x in rows if x["d"] == D]
    ms = {(x["pass"], x["name"], x["step"]): x["ms"] for x in rows}
    for step, share in {x["step"]: x["share"] for x in rows}.items():
        line = [f"{share:.1%}"]
        for way in WAYS:
            ours, theirs = (ms[way, name, step] for name in ("ours", "flex"))
            line += [f"{ours / ms[way, 'ours', 1]:.1%}", f"{ours / theirs:.2f}"]
        yield line
