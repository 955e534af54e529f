"""One test for a rule that holds for many things, which names each that breaks it."""

import inspect
from functools import wraps

import pytest


def every(name, cases, ids=str):
    """Calls a test with each of `cases` as its argument `name`, beside its fixtures.

    The message has a paragraph for each case that fails, since a page, a file or a
    word that breaks a rule of the house is what its reader looks for.
    """

    def decorate(test):
        signature = inspect.signature(test)
        fixtures = [x for key, x in signature.parameters.items() if key != name]

        @wraps(test)
        def run(**given):
            broken = []
            for case in cases:
                try:
                    test(**given, **{name: case})
                except (AssertionError, pytest.fail.Exception) as error:
                    broken.append(f"{ids(case)}: {error}")
            assert not broken, "\n\n".join(broken)

        run.__signature__ = signature.replace(parameters=fixtures)
        return run

    return decorate
