"""`export`: write a program that needs nothing of ours, such as attention in Triton."""

from pathlib import Path

from tilewise import alone
from tilewise.checks import short, short_path
from tilewise.cli.errors import Bad

WORDS = {
    "en": {
        "export": "Write a file for your own project: it needs nothing of Tilewise.",
        "export epilog": "Without a name: the list of all. With one: NAME.py is\n"
        "written, made from the tested modules, and no file is ever overwritten.\n"
        "`python NAME.py` runs its own test; some need PyTorch or Triton.",
        "export NAME": "a file of the list",
        "--output": "where to write it (default: NAME.py)",
        "written": "{file} is written ({lines} lines; needs {needs}).",
        "online_softmax": "softmax in three passes and two, attention in one; merging",
        "flash_attention_torch": "attention by tiles with gradients, on any device",
        "flash_attention_triton": "attention in Triton, forward and backward",
        "flash_attention_options_triton": "the same with windows, softcap and others",
        "flash_decode_triton": "a few new tokens against a long cache, in Triton",
        "attention_check": "says in words what is wrong with an attention function",
        "nothing": "only Python",
    },
    "zh": {
        "export": "写出一个可以放进自己项目的文件，它不依赖 Tilewise。",
        "export epilog": "不带名字：列出全部文件。带上名字：写出 NAME.py，"
        "内容取自测试过的模块；\n已有的文件绝不覆盖。"
        "python NAME.py 运行文件自带的测试，\n有的文件需要 PyTorch 或 Triton。",
        "export NAME": "列表中的一个文件",
        "--output": "写到哪个文件（默认：NAME.py）",
        "written": "已写出 {file}（{lines} 行，需要 {needs}）。",
        "online_softmax": "三遍和两遍的 softmax、一遍算完的注意力、状态的合并",
        "flash_attention_torch": "分块计算的注意力，带梯度，任何设备都能运行",
        "flash_attention_triton": "用 Triton 写的注意力，前向与反向",
        "flash_attention_options_triton": "同上，支持窗口、softcap 等选项",
        "flash_decode_triton": "用 Triton 写的解码：少量新 token 对长缓存",
        "attention_check": "用文字说明一个注意力函数错在哪里",
        "nothing": "Python",
    },
}


def add_options(parser, words):
    """The options of `export`, with their help in one language."""
    parser.add_argument("name", nargs="?", metavar="NAME", help=words["export NAME"])
    parser.add_argument("--output", metavar="FILE", help=words["--output"])


def run(args, out):
    """List the files, or write one of them."""
    words = WORDS[args.lang]
    if args.name is None:
        if args.output is not None:
            raise Bad("needs_file", option="--output")
        out.writelines(f"  {name:32}{words[name]}\n" for name in alone.FILES)
        return 0
    name = args.name.removesuffix(".py").replace("-", "_")
    if name not in alone.FILES:
        raise Bad("no_file_of_ours", value=short(args.name))
    text, path = alone.program(name, alone.commit()), Path(args.output or f"{name}.py")
    try:
        with open(path, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except (OSError, ValueError) as error:  # ValueError: no name of a file
        why = getattr(error, "strerror", None) or str(error)
        raise Bad("unwritable", file=short_path(path), why=why) from None
    needs = ", ".join(alone.FILES[name]) or words["nothing"]
    lines = len(text.splitlines())
    out.write(words["written"].format(file=path, lines=lines, needs=needs) + "\n")
    return 0
