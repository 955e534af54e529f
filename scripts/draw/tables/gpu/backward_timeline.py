"""Where the cycles of a tile go in the Gluon backward pass, by its own stamps."""

from draw.figures._plot import results

FILE, D = "h100-2026-11-24-timeline", "128"
SAY = {
    "en": {
        "head": ("until", "consumer 0", "consumer 1"),
        "q": "\\(Q\\) and \\(L\\) are there",
        "do": "\\(\\mathrm dO\\) is there; \\(S\\T\\) has been started",
        "scores": "\\(S\\T\\) is there",
        "dp": "the exponentials are computed, and \\(\\mathrm dP\\T\\) is there",
        "ds": "\\(\\mathrm dS\\T\\) is in shared memory",
        "other": "the other consumer's half of it is, too",
        "dv": "\\(\\mathrm dV\\) is finished; \\(\\mathrm dQ\\) has been started",
        "dq": "\\(\\mathrm dQ\\) is finished; \\(\\mathrm dK\\) has been started",
        "room": "there is room for \\(\\mathrm dQ\\) in shared memory",
        "dk": "\\(\\mathrm dQ\\) is there, and \\(\\mathrm dK\\) is finished",
        "again": "the next tile begins",
        "sum": "together",
    },
    "zh": {
        "head": ("到这一刻为止", "消费者 0", "消费者 1"),
        "q": "\\(Q\\) 和 \\(L\\) 到了",
        "do": "\\(\\mathrm dO\\) 到了；\\(S\\T\\) 已经发出",
        "scores": "\\(S\\T\\) 算完",
        "dp": "指数算完，\\(\\mathrm dP\\T\\) 也算完",
        "ds": "\\(\\mathrm dS\\T\\) 存进共享内存",
        "other": "另一个消费者的那一半也存好了",
        "dv": "\\(\\mathrm dV\\) 算完；\\(\\mathrm dQ\\) 已经发出",
        "dq": "\\(\\mathrm dQ\\) 算完；\\(\\mathrm dK\\) 已经发出",
        "room": "共享内存里有位置放 \\(\\mathrm dQ\\)",
        "dk": "\\(\\mathrm dQ\\) 放好，\\(\\mathrm dK\\) 算完",
        "again": "下一块开始",
        "sum": "合计",
    },
}


def pairs():
    """The runs with one stamp at the beginning of a tile and at most one more."""
    return [x for x in results(FILE)["passes"]["backward"][D] if len(x["points"]) < 3]


def cycles(role):
    """{point: cycles since the point before}, of runs with two stamps each."""
    period, *runs = pairs()
    at = {x["points"][1]: x["cycles"][role][x["points"][1]] for x in runs}
    at["again"], before, parts = period["cycles"][role]["again"], 0, {}
    for point, since in at.items():
        parts[point], before = since - before, since
    return parts


def lines(say):
    """A line for each interval, and their sum."""
    of = [cycles(f"consumer {w}") for w in range(2)]
    for point in [*say][1:-1]:
        yield say[point], *(f"{x[point]:.0f}" for x in of)
    yield say["sum"], *(f"{sum(x.values()):.0f}" for x in of)
