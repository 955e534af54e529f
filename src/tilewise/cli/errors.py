"""What is said when input cannot be used: one sentence, in either language."""

from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]  # tilewise


def extra(name):
    """How pip installs an extra of this package: from a checkout, or by its name."""
    checkout = (SOURCE.parent.parent / "pyproject.toml").exists()
    return f'-e ".[{name}]"' if checkout else f'"tilewise[{name}]"'


class Bad(Exception):
    """Input that cannot be used, as a key of MESSAGES and the values to fill in."""

    def __init__(self, message, /, **values):
        super().__init__(message)
        self.message, self.values = message, values

    def sentence(self, lang):
        values = dict(self.values)
        if "kind" in values:
            values["kind"] = KINDS[lang][values["kind"]]
        if isinstance(values.get("where"), dict):
            values["where"] = PLACES[lang].format(**values["where"])
        return MESSAGES[lang][self.message].format(**values)


KINDS = {
    "en": {
        "string": "a string",
        "boolean": "true or false",
        "list": "a list",
        "object": "an object",
        "number": "a number",
        "null": "null",
    },
    "zh": {
        "string": "字符串",
        "boolean": "布尔值",
        "list": "列表",
        "object": "对象",
        "number": "数",
        "null": " null",
    },
}

PLACES = {"en": "row {r}, column {c} of {name}", "zh": "{name} 第 {r} 行第 {c} 列"}

MESSAGES = {
    "en": {
        "size": "{option} must be a whole number from 1 to {limit}, not {value}.",
        "real": "{option} must be a number above 0, at most {limit}, not {value}.",
        "score": "{option} must be a number such as 0 or -1.5, not {value}.",
        "window": "--window must be L,R, each none or a whole number up to {limit}, "
        "not {value}.",
        "divide": "{option} must divide the number of heads, {whole}; "
        "{value} does not.",
        "multiple": "{option} must be a multiple of {multiple} up to {limit}, "
        "not {value}.",
        "choice": "{option} must be one of {choices}, not {value}.",
        "shape": "--shape must be four whole numbers B,H,N,d with at most 2^31 "
        "elements, not {value}.",
        "needs_value": "{option} needs a value.",
        "takes_no_value": "{option} takes no value.",
        "exclude": "{first} and {second} exclude each other; give one of them.",
        "unknown_option": "unknown option or argument {value}; --help lists them all.",
        "unknown_command": "there is no command {value}; --help lists them all.",
        "usage": "{message}.",
        "directory": "{file} is a directory, not a JSON file.",
        "no_file": "there is no file {file}.",
        "unreadable": "{file} cannot be read ({why}).",
        "large_file": "{file} is larger than {limit} bytes.",
        "encoding": "{file} is not text in UTF-8.",
        "not_json": "{file} is not valid JSON (line {line}, column {column}).",
        "nested": "{file} is nested too deeply.",
        "twice": "{file} names {key} twice in one object.",
        "constant": "{file} contains {name}, which is not a number that JSON has.",
        "not_object": '{file} must hold one object {{"q": …, "k": …, "v": …}}.',
        "unknown_key": "{file} has the unknown key {key}; "
        "q, k, v, scale and do are known.",
        "missing_key": '{file} lacks "{key}".',
        "not_number": "{where} is {kind}, not a number.",
        "past_range": "{where} is past the range of a float.",
        "not_matrix": "{name} is {kind}, not a list of rows.",
        "not_row": "row {r} of {name} is {kind}, not a list of numbers.",
        "rows": "{name} has {count} rows; it must have 1 to {limit}.",
        "columns": "row {r} of {name} has length {count}; it must be 1 to {limit}.",
        "ragged": "row {r} of {name} has length {count}, but row 1 has {first}.",
        "widths": "q and k must have equally many columns, not {q} and {k}.",
        "heights": "k and v must have equally many rows, not {k} and {v}.",
        "gradient": "do must have the shape of the output, {n} × {d}.",
        "--n": "--n {value} contradicts {file}, where the number of rows is {actual}.",
        "--d": "--d {value} contradicts {file}, where the number of columns "
        "is {actual}.",
        "overflow": "the numbers leave the range of a float at step {t}; "
        "use smaller ones.",
        "no_gpu": "bench needs a CUDA GPU, and there is none here.",
        "no_package": "bench needs {name}, which is not installed here: "
        "python -m pip install {extra} brings it.",
        "no_exercise": "there is no exercise {value}; without a name the command "
        "lists them all.",
        "needs_name": "{option} needs the name of an exercise.",
        "no_file_of_ours": "there is no file {value} to export; without a name the "
        "command lists them all.",
        "needs_file": "{option} needs the name of a file of the list.",
        "unwritable": "{file} cannot be written ({why}).",
        "long_code": "{file} is longer than {limit} characters.",
        "pipe": "{file} is a pipe; an exercise needs a file.",
        "write": "the output cannot be written ({why}).",
        "port": "--port must be a whole number from 0 to 65535, not {value}.",
        "no_extra": "serve needs {name}, which is not installed here: "
        "python -m pip install {extra} brings it.",
        "no_address": "{host} cannot be listened on at port {port} ({why}).",
    },
    "zh": {
        "size": "{option} 必须是 1 到 {limit} 的整数，不能是 {value}。",
        "real": "{option} 必须是大于 0 且不超过 {limit} 的数，不能是 {value}。",
        "score": "{option} 必须是一个数，例如 0 或 -1.5，不能是 {value}。",
        "window": "--window 必须写成 L,R，每一侧是 none 或不超过 {limit} 的整数，"
        "不能是 {value}。",
        "divide": "{option} 必须整除头数 {whole}，而 {value} 不能整除。",
        "multiple": "{option} 必须是 {multiple} 的倍数，至多 {limit}，不能是 {value}。",
        "choice": "{option} 必须是 {choices} 之一，不能是 {value}。",
        "shape": "--shape 必须是四个整数 B,H,N,d，元素至多 2^31 个，不能是 {value}。",
        "needs_value": "{option} 缺少值。",
        "takes_no_value": "{option} 不接受值。",
        "exclude": "{first} 与 {second} 不能同时使用，请只给一个。",
        "unknown_option": "未知的选项或参数 {value}；用 --help 查看全部选项。",
        "unknown_command": "没有命令 {value}；用 --help 查看全部命令。",
        "usage": "命令行有误：{message}。",
        "directory": "{file} 是目录，不是 JSON 文件。",
        "no_file": "文件 {file} 不存在。",
        "unreadable": "无法读取 {file}（{why}）。",
        "large_file": "{file} 超过 {limit} 字节。",
        "encoding": "{file} 不是 UTF-8 编码的文本。",
        "not_json": "{file} 不是合法的 JSON（第 {line} 行第 {column} 列）。",
        "nested": "{file} 嵌套过深。",
        "twice": "{file} 的同一个对象中 {key} 出现了两次。",
        "constant": "{file} 中有 {name}，JSON 没有这样的数。",
        "not_object": '{file} 的内容必须是一个对象 {{"q": …, "k": …, "v": …}}。',
        "unknown_key": "{file} 中有未知的键 {key}；可用的键是 q、k、v、scale、do。",
        "missing_key": '{file} 缺少 "{key}"。',
        "not_number": "{where} 是{kind}，不是数。",
        "past_range": "{where} 超出浮点数的范围。",
        "not_matrix": "{name} 是{kind}，应为由各行组成的列表。",
        "not_row": "{name} 的第 {r} 行是{kind}，应为数的列表。",
        "rows": "{name} 有 {count} 行；行数必须在 1 到 {limit} 之间。",
        "columns": "{name} 的第 {r} 行有 {count} 个数；个数必须在 1 到 {limit} 之间。",
        "ragged": "{name} 的第 {r} 行有 {count} 个数，而第 1 行有 {first} 个。",
        "widths": "q 有 {q} 列，k 有 {k} 列；两者必须相等。",
        "heights": "k 有 {k} 行，v 有 {v} 行；两者必须相等。",
        "gradient": "do 的形状必须与输出相同，即 {n} × {d}。",
        "--n": "--n {value} 与 {file} 矛盾：其中 q 有 {actual} 行。",
        "--d": "--d {value} 与 {file} 矛盾：其中 q 有 {actual} 列。",
        "overflow": "第 {t} 步的数超出浮点数的范围；请使用更小的数。",
        "no_gpu": "bench 需要 CUDA GPU，这里没有。",
        "no_package": "bench 需要 {name}，这里没有安装："
        "请运行 python -m pip install {extra}。",
        "no_exercise": "没有练习 {value}；不带题名执行命令可列出全部。",
        "needs_name": "{option} 要求给出题名。",
        "no_file_of_ours": "没有可以导出的文件 {value}；不带名字执行命令可列出全部。",
        "needs_file": "{option} 要求给出列表中的一个文件。",
        "unwritable": "无法写出 {file}（{why}）。",
        "long_code": "{file} 超过 {limit} 个字符。",
        "pipe": "{file} 是管道，练习要用普通文件。",
        "write": "无法写出结果（{why}）。",
        "port": "--port 必须是 0 到 65535 的整数，不能是 {value}。",
        "no_extra": "serve 需要 {name}，这里没有安装："
        "请运行 python -m pip install {extra}。",
        "no_address": "无法监听 {host} 的 {port} 端口（{why}）。",
    },
}
