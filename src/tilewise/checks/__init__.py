"""Floor 0: checks that many modules make of what a caller passes, a sentence for each.

`strict_json` reads input that nobody has looked at: files of the command line, and
bodies of the service.
"""

CAUSALS = (False, True, "top-left")  # no mask, bottom-right, top-left


def check_causal(causal: object) -> None:
    """Raise ValueError unless causal is False, True or "top-left"."""
    if not isinstance(causal, (bool, int, str)) or causal not in CAUSALS:
        raise ValueError(f"causal must be False, True or 'top-left', not {causal!r}")


def check_sizes(**sizes: object) -> None:
    """Raise ValueError naming the size that is not a whole number of at least 1."""
    for name, size in sorted(sizes.items()):
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            message = f"{name} must be a whole number of at least 1, not {size!r}"
            raise ValueError(message)


def check_window(window: object) -> None:
    """Raise ValueError unless window is None or (left, right), each None or whole."""
    pair = isinstance(window, (list, tuple)) and len(window) == 2
    for x in window if pair else [-1]:  # type: ignore[attr-defined]
        whole = isinstance(x, int) and not isinstance(x, bool) and 0 <= x < 2**30
        if window is not None and x is not None and not whole:
            each = "each None or a whole number from 0 to 2³⁰ − 1"
            message = f"window must be None or (left, right), {each}, not {window!r}"
            raise ValueError(message)


def check_softcap(softcap: object) -> None:
    """Raise TypeError or ValueError unless it is None or a finite number above 0."""
    if softcap is None:
        return
    if not isinstance(softcap, (int, float)) or isinstance(softcap, bool):
        raise TypeError(f"softcap must be None or a number, not {softcap!r}")
    if not 0 < softcap <= 1e308:
        raise ValueError(f"softcap must be a finite number above 0, not {softcap!r}")


def check_choice(name: str, value: str, options: list | tuple) -> None:
    """Raise ValueError unless the value of this name is one of the options."""
    if value not in options:
        raise ValueError(f"{name} must be one of {', '.join(options)}, not {value!r}")


def short(value: object, limit: int = 80) -> str:
    """A value in quotes on one line for a sentence, cut where it is long."""
    text = str(value)
    return repr(text if len(text) <= limit else text[:limit] + "…")


def short_path(path: object, limit: int = 80) -> str:
    """A path in quotes for a sentence; of a long one the end, which has the name."""
    text = str(path)
    return repr(text if len(text) <= limit else "…" + text[-limit:])
