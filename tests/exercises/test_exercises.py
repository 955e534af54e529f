"""Each exercise: its solution passes, what looks right and is wrong does not."""

import ast
import math
import re
from fractions import Fraction

import pytest

from tilewise.exercises import NAMES, PARTS, load, plain
from tilewise.exercises.grading import grade
from tilewise.live.grade import check
from tilewise.live.reading import Problem
from tilewise.render.exercise import FOLDER, solution, start, words, wrong

WRONG = [(name, title) for name in NAMES for title in wrong(name)]
each = pytest.mark.parametrize("name", NAMES)


def graded(name, source, lang="en"):
    return check({"name": name, "source": source, "lang": lang})


def told(error):
    return {"message": repr(error), "line": None}


def test_there_are_enough():
    assert len(NAMES) == len(set(NAMES)) >= 14 and len(PARTS) >= 5
    files = {
        path.stem for path in FOLDER.glob("*.py") if "def cases" in path.read_text()
    }
    assert files == set(NAMES)
    with pytest.raises(KeyError):
        load("grading")


@each
def test_the_solution_passes(name):
    """As it is shown: with its imports, in a namespace of its own."""
    made = graded(name, solution(name))
    assert made["passed"] and not made["fault"] and made["printed"] == ""


@each
def test_the_start_fails_politely(name):
    made = graded(name, start(name))
    assert not made["passed"] and made["fault"] is None
    kinds = {x["fault"]["kind"] for x in made["checks"] if x["fault"]}
    mend = hasattr(load(name), "START")
    assert kinds <= {"number", "raised"} if mend else kinds == {"none"}
    passed = [x for x in made["checks"] if not x["fault"]]
    assert bool(passed) == mend, "a bug passes some test; nothing written passes none"


@pytest.mark.parametrize(("name", "title"), WRONG)
def test_wrong_solutions_are_caught(name, title):
    made = graded(name, wrong(name)[title][1])
    assert made["fault"] is None and not made["passed"], "it passes every check"


@each
def test_at_least_three_wrong_solutions(name):
    sources = wrong(name)
    assert len({source for _, source in sources.values()} - {solution(name)}) >= 3
    assert all(text for text, _ in sources.values()), "it says what the mistake is"


@each
def test_what_is_begun_with_is_the_solution_without_its_body(name):
    """The same name, arguments and docstring: nothing of the task is lost."""
    heads = []
    for source in (start(name), solution(name)):
        function = ast.parse(source).body[-1]
        arguments = ast.unparse(function.args)
        heads.append((function.name, arguments, ast.get_docstring(function)))
    assert heads[0] == heads[1] and heads[0][2]
    assert "--8<--" not in start(name) + solution(name)


@each
def test_the_code_is_told_in_chinese(name):
    """Docstring and comments alone differ; no comment of several words is English."""
    for source in (start, solution):
        trees = [ast.parse(source(name, lang)) for lang in ("en", "zh")]
        documented = [tree.body[-1] for tree in trees]
        told = [x.body.pop(0).value.value for x in documented]
        assert re.search("[一-鿿]", told[1]) and not re.search("[一-鿿]", told[0])
        dumped = [ast.dump(tree) for tree in trees]
        assert dumped[0] == dumped[1]
        comments = re.findall("# (.*)", source(name, "zh"))
        assert not [x for x in comments if re.search(r"[a-z]{3,} [a-z]{2,} [a-z]", x)]
    whole = solution(name) + start(name)
    assert all(f"# {x}\n" in whole for x, _ in words(name, "zh")["comments"])


@each
def test_cases_are_the_same_each_time_and_left_alone(name):
    exercise = load(name)
    first = repr(list(exercise.cases()))
    grade(exercise, exercise.SOLUTION, told)
    assert repr(list(exercise.cases())) == first
    checks = [check for check, _, _ in exercise.cases()]
    assert 2 < len(set(checks)) < 8


@each
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_texts_are_complete(name, lang):
    found = words(name, lang)
    assert found["title"] and found["task"] and len(found["hints"]) == 2
    assert list(found["checks"]) == list(
        dict.fromkeys(check for check, _, _ in load(name).cases())
    )


def test_titles_differ():
    for lang in ("en", "zh"):
        assert len({words(name, lang)["title"] for name in NAMES}) == len(NAMES)


def test_what_cannot_be_graded():
    with pytest.raises(Problem):
        graded("../merge", "")
    with pytest.raises(Problem):
        graded("merge", "#" * 20001)


def powers(xs):
    """Σ_j 2^{x_j} of whole numbers, exactly."""
    return sum((Fraction(2) ** x for x in xs), Fraction())


ROWS = [[0], [0, 1, 2, 1], [-1, -1, -2, 0], [7, -7], [3, 3, 3], [-40, 12, 5, -1]]


@pytest.mark.parametrize("xs", ROWS)
def test_what_the_checks_compare_with_is_exact(xs):
    """Against fractions, with scores in units of ln 2."""
    scores, vs = [math.log(2) * x for x in xs], [[3 * i, 1] for i in range(len(xs))]
    p = [Fraction(2) ** x / powers(xs) for x in xs]
    o = [sum(a * v[c] for a, v in zip(p, vs)) for c in (0, 1)]
    assert plain.weights(scores) == pytest.approx(list(map(float, p)), rel=1e-13)
    assert plain.output(scores, vs) == pytest.approx(list(map(float, o)), rel=1e-13)
    assert plain.log_sum(scores) == pytest.approx(math.log(powers(xs)), abs=1e-13)
    m, l, mean = plain.state(scores, vs)
    assert m == max(scores) and mean == plain.output(scores, vs)
    assert l == pytest.approx(float(powers(x - max(xs) for x in xs)), rel=1e-13)
    dp = [Fraction(i * i, 3) for i in range(len(xs))]
    delta = sum(a * b for a, b in zip(p, dp))
    assert plain.jacobian_product(p, dp) == [a * (b - delta) for a, b in zip(p, dp)]


def test_what_the_checks_compare_with_at_the_edges():
    no = -math.inf
    assert plain.weights([no, no]) == [0, 0] and plain.log_sum([no, no]) == no
    assert plain.weights([no, 5, no]) == [0, 1, 0] and plain.log_sum([]) == no
    assert plain.weights([1000, 0, -1000]) == [1, 0, 0]
    assert plain.state([no], [[7]]) == (no, 0, [0])
    drawn = [next(plain.numbers(seed)) for seed in range(50)]
    assert all(-4 <= x <= 4 for x in drawn) and len(set(drawn)) > 10
