"""When two results, of two Pythons, count as the same."""

NEAR = 1e-12


def equal(a, b):
    """Whether two results are the same, floats to 1e-12 relative."""
    if isinstance(a, dict):
        return (
            isinstance(b, dict)
            and a.keys() == b.keys()
            and all(equal(a[key], b[key]) for key in a)
        )
    if isinstance(a, list):
        same = isinstance(b, list) and len(a) == len(b)
        return same and all(map(equal, a, b))
    if isinstance(a, float) and isinstance(b, int | float):
        return abs(a - b) <= NEAR * abs(a)
    return type(a) is type(b) and a == b
