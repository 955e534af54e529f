"""Runs what a reader wrote, and says in one line what went wrong and where."""

import io
import sys

OURS = ("tilewise", "fractions")
NAME = "listing"  # what Python calls the code of a field


def run(source):
    """Run the source as a program: None, or its error as {"message", "line"}.

    line counts from 1 within the source; None where no line of it is to blame.
    """
    error = None
    try:
        exec(compile(source, NAME, "exec"), {"__name__": "__main__"})
    except SystemExit:
        pass
    except BaseException as raised:  # also MemoryError, KeyboardInterrupt
        error = described(raised)
    forget()
    return error


def forget():
    """Let what a program changed in a module end with it."""
    own = "tilewise.live.micropython"  # it alone knows MicroPython's own math
    for name in list(sys.modules):
        if name.startswith(OURS) and name != own:
            del sys.modules[name]
    if own in sys.modules:
        sys.modules[own].install()


def described(error):
    """{"message": "ValueError: …", "line": number of the source's line, or None}."""
    text, line = traceback(error), None
    for part in text.split("\n"):
        place = part.strip()
        if place.startswith(f'File "{NAME}", line '):
            line = int(place.split("line ")[1].split(",")[0])
    message = str(error).split(" (" + NAME)[0]
    return {"message": f"{type(error).__name__}: {message}".rstrip(": "), "line": line}


def traceback(error):
    """Python's own account of the error, which names files and lines."""
    text = io.StringIO()
    if hasattr(sys, "print_exception"):  # MicroPython
        sys.print_exception(error, text)
    else:
        from traceback import print_exception

        print_exception(error, file=text)
    return text.getvalue()
