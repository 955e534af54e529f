"""What 200 clients did to the attention service in a minute."""

from draw.figures._plot import results
from draw.figures._svg import count

SAY = {
    "en": {
        "head": ("200 clients, 60 seconds", "measured"),
        "right": "answers, each compared and right", "busy": "429, sent again later",
        "wrong": "wrong answers", "errors": "5xx", "rate": "answers per second",
        "p50": "half of the answers within", "p99": "99% within",
        "start": "resident memory at the start", "peak": "at its peak",
        "bound": "the most its limits allow",
    },
    "zh": {
        "head": ("200 个客户端，60 秒", "实测"),
        "right": "回答，逐个核对，全部正确", "busy": "429，稍后重发",
        "wrong": "答错", "errors": "5xx", "rate": "每秒回答数",
        "p50": "半数回答用时不超过", "p99": "99% 的回答用时不超过",
        "start": "常驻内存，开始时", "peak": "常驻内存，峰值",
        "bound": "按各项限制算出的内存上限",
    },
}
FILE = "cpu-2026-11-23-serve"


def lines(say):
    """One number in a line."""
    found = results(FILE)
    counts, memory = found["by_status"], found["memory"]
    rows = {
        "right": count(counts["200"]),
        "busy": count(counts.get("429", 0)),
        "wrong": f"{len(found['wrong'])}",
        "errors": f"{found['server_errors']}",
        "rate": f"{found['per_second']:.0f}",
    }
    rows |= {x: f"{found['seconds'][x]:.2f} s" for x in ("p50", "p99")}
    keys = {"start": "at_start", "peak": "peak", "bound": "bound"}
    rows |= {name: f"{count(round(memory[x] / 2**20))} MiB" for name, x in keys.items()}
    return [[say[name], value] for name, value in rows.items()]
