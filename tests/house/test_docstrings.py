"""Every function of the package says what it does, and which errors it raises."""

import ast
import doctest
import re
import types

from every import every

from ._house import FLOORS, SOURCE, part_of

FILES = sorted(SOURCE.rglob("*.py"))
APART = {"exercises", "live", "serve"}  # of these no function is named to readers
NAMED = [path for path in FLOORS if part_of(path) not in APART]


def functions(path):
    """(name, function, docstring or "") of what a file has for others."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            marks = {ast.unparse(x) for x in node.decorator_list}
            if not node.name.startswith("_") and "overload" not in marks:
                yield node.name, node, ast.get_docstring(node) or ""


def raised(node):
    """Names of the errors that a function itself raises."""
    for part in ast.walk(node):
        if isinstance(part, ast.Raise) and isinstance(part.exc, ast.Call):
            name = ast.unparse(part.exc.func)
            if name.endswith("Error"):
                yield name


def over(paths):
    return every("path", paths, ids=lambda path: str(path.relative_to(SOURCE)))


@over(FILES)
def test_every_file_says_what_it_is_for(path):
    text = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    assert text or path.parent.name == "examples" or not path.stat().st_size


@over(NAMED)
def test_functions_have_docstrings(path):
    assert [name for name, _, text in functions(path) if not text] == []


@over(NAMED)
def test_errors_are_named(path):
    """In the docstring of the function, or of the file for all in it."""
    all_in_it = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    for name, node, text in functions(path):
        if isinstance(node, ast.FunctionDef) and name != "choose":
            assert not [x for x in raised(node) if x not in text + all_in_it], name


def examples(text):
    """How many examples after >>> a module's text has, and how many of them fail."""
    module = types.ModuleType("shown")
    exec(compile(text, "shown", "exec"), vars(module))
    done = doctest.testmod(module, report=False)
    return done.attempted, done.failed


def test_examples_in_docstrings_run():
    for path in FILES:
        text = path.read_text("utf-8")
        if re.search(r"^ *>>> ", text, re.M):
            attempted, failed = examples(text)
            assert attempted and not failed, path


def test_an_example_that_prints_something_else_is_found(capsys):
    said = "def two():\n    '''\n    >>> two()\n    {}\n    '''\n    return 2\n"
    assert examples(said.format(2)) == (1, 0) and examples(said.format(3)) == (1, 1)
