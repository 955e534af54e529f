"""Floor 0: what pages ask in the reader's browser, a request and an answer in JSON.

The same files run under CPython in the tests and under MicroPython in the page, so this
package is plain Python like floor 0: nothing but `math`, `json` and floor 0.
"""

import json

from tilewise.live.reading import Problem

# What may be asked: the module of this package that answers, and its function, which
# takes a dict and returns what JSON can hold (`reading.safe` helps with infinities).
TABLE = {
    "row": ("row", "weights"),
    "strip": ("strip", "steps"),
    "cuts": ("strip", "cuts"),
    "grade": ("grade", "check"),
    "calculator": ("calculator", "answer"),
    "calculator view": ("calculator", "view"),
    "stepper": ("stepper", "film"),
}


def answer(request):
    """{"ask": name, "input": {…}} → {"result": …} or {"problem": {"code": …, …}}.

    Both are JSON texts. A problem says what is wrong with the reader's input; its
    sentences, in both languages, are in docs/assets/js/page.js.
    """
    asked = json.loads(request)
    try:
        module, name = TABLE[asked["ask"]]
        return json.dumps({"result": find(module, name)(asked["input"])})
    except Problem as problem:
        fault = {"code": problem.code, "field": problem.field}
        return json.dumps({"problem": fault | problem.values})
    except MemoryError:
        return json.dumps({"problem": {"code": "too-much", "field": None}})
    except (OverflowError, ZeroDivisionError):
        return json.dumps({"problem": {"code": "overflow", "field": None}})
    except ValueError as error:  # floor 0 says what does not fit, in English
        fault = {"code": "other", "field": None, "text": str(error)}
        return json.dumps({"problem": fault})


def find(module, name):
    """The function of a module of this package, loaded when it is first asked for."""
    package = __import__("tilewise.live." + module)
    return getattr(getattr(package.live, module), name)
