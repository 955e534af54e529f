"""How an erratum is written down, and how what it gives is printed."""

import math


def register(entries, source):
    """A decorator that puts a function and the facts about it into a list of dicts.

    The function takes nothing and returns (printed, right): what the printed form and
    the right one come to, in `unit`. Raises ValueError where an id is used twice.
    """

    def erratum(name, place, *, printed, right, test, unit="error", reported=(),
                mended=""):
        if name in [entry["id"] for entry in entries]:
            raise ValueError(f"id must be new, not {name}")

        def keep(run):
            entry = {"id": name, "source": source, "place": place, "run": run}
            entry |= {"printed": printed, "right": right, "test": test, "unit": unit}
            entries.append(entry | {"reported": reported, "mended": mended})
            return run

        return keep

    return erratum


def show(x):
    """A number as the page prints it: three digits, whole numbers whole, noise as 0."""
    if isinstance(x, int):
        return f"{x:,}"
    if math.isnan(x) or math.isinf(x):
        return {"nan": "NaN", "inf": "∞"}[str(abs(x))]
    return "0" if abs(x) < 1e-12 else f"{x:.3g}"
