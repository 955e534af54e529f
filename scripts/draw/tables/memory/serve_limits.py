"""What the attention service takes on at most, and what is said beyond it."""


from draw.figures._svg import count

from tilewise.serve.limits import HEADER, JSON_NUMBERS, LIMITS, NAMES

LEFT = 2
SAY = {
    "en": {
        "head": ("limit { .tw-above }", "option", "default", "beyond it"),
        "max_body": "MiB of a body", "max_json": "MiB of a body in JSON",
        "max_elements": "numbers in each of q, k, v and o",
        "max_heads": "batch × heads", "max_dim": "d of q and k, and of v",
        "max_work": "multiply-adds, in billions",
        "json": "numbers of a result in JSON",
        "header": "bytes of a safetensors header",
        "threads": "attentions computed at a time", "queue": "requests that wait",
        "memory": "MiB of bodies and answers held", "deadline": "seconds for a request",
        "connections": "connections", "wait": "it waits", "cores": "one per core",
        "names": "fields of a JSON object",
    },
    "zh": {
        "head": ("限制 { .tw-above }", "选项", "默认值", "超出时"),
        "max_body": "请求体，单位 MiB", "max_json": "JSON 请求体，单位 MiB",
        "max_elements": "q、k、v、o 各自的元素个数",
        "max_heads": "batch × 头数", "max_dim": "q、k 的 d，v 的 d",
        "max_work": "乘加次数，单位十亿次",
        "json": "JSON 回答里的元素个数", "header": "safetensors 头部的字节数",
        "threads": "同时计算的请求数", "queue": "排队的请求数",
        "memory": "同时持有的请求体和回答，单位 MiB",
        "deadline": "一个请求的时限，单位秒",
        "connections": "连接数", "wait": "排队", "cores": "核数",
        "names": "JSON 里一个对象的字段数",
        "408, 503": "408、503",
    },
}
STATUS = {
    "max_body": 413, "max_json": 413, "names": 400, "header": 400, "max_elements": 422,
    "max_heads": 422, "max_dim": 422, "max_work": 422, "json": 422, "threads": "wait",
    "queue": 429, "memory": 429, "deadline": "408, 503", "connections": "wait",
}
FIXED = {"json": JSON_NUMBERS, "names": NAMES, "header": HEADER}


def lines(say):
    """A line for each limit."""
    for name, status in STATUS.items():
        option = f"`--{name.replace('_', '-')}`" if name in LIMITS else "–"
        value = FIXED[name] if name in FIXED else LIMITS[name]
        shown = say["cores"] if name == "threads" else count(value)
        yield say[name], option, shown, str(say.get(status, status))
