"""A row of scores and its softmax: the smallest thing that a page can ask."""

from tilewise.live.reading import fraction, numbers
from tilewise.softmax import safe_softmax


def weights(asked):
    """{"scores": text} → {"weights": [float], "shown": [text]}."""
    xs = numbers(asked["scores"], "scores", 100, infinite=True)
    shares = safe_softmax(xs)
    return {"weights": shares, "shown": [fraction(x) for x in shares]}
