"""`doctor`: what is installed for attention, what is wrong with it, and what to call.

It asks nothing of a network. The exit status is 0 where nothing is wrong, 1 where a
finding is an error, and 2 for bad arguments; warnings do not count.
"""

import json
import re

from tilewise.checks import short
from tilewise.cli.errors import Bad
from tilewise.cli.options import add_choice

DTYPES = ("bfloat16", "float16", "float32")
SHAPE = (2, 16, 2048, 128)
MOST = 2**31  # elements of a tensor: 4 GiB in 16 bits

WORDS = {
    "en": {
        "doctor": "Say which attention packages work here, and why others do not.",
        "doctor epilog": "It looks at Python, PyTorch, the GPU and the packages for\n"
        "attention, each imported in a process of its own, and asks no network.\n"
        "The exit status is 0 if nothing is wrong, 1 if something is, and 2 for\n"
        "bad arguments. Warnings do not count as wrong.",
        "--shape": "a shape of Q, K and V to ask PyTorch about; may be repeated\n"
        "(default: 2,16,2048,128)",
        "--dtype": "their dtype (default: bfloat16)",
        "doctor --causal": "with a causal mask",
    },
    "zh": {
        "doctor": "这台机器上哪些注意力软件包能用，不能用的是什么原因。",
        "doctor epilog": "检查 Python、PyTorch、显卡和各个注意力软件包，每个包\n"
        "都在单独的进程里导入，不访问网络。一切正常时退出状态是 0，发现错误时是 1，\n"
        "参数有误时是 2；警告不算错误。",
        "--shape": "要问 PyTorch 的 Q、K、V 的形状，可以重复\n（默认：2,16,2048,128）",
        "--dtype": "它们的数据类型（默认：bfloat16）",
        "doctor --causal": "加因果掩码",
    },
}


def add_options(parser, words):
    """The options of `doctor`, with their help in one language."""
    add_choice(parser, "--format", ("text", "json"), words["--format"])
    how = {"action": "append", "type": shape_of, "metavar": "B,H,N,d"}
    parser.add_argument("--shape", **how, help=words["--shape"])
    add_choice(parser, "--dtype", DTYPES, words["--dtype"])
    about = words["doctor --causal"]
    parser.add_argument("--causal", action="store_true", help=about)


def shape_of(text):
    """Four whole numbers from 1 on, as a list."""
    if not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9}){3}", text):
        raise Bad("shape", value=short(text))
    shape = [int(x) for x in text.split(",")]
    size = shape[0] * shape[1] * shape[2] * shape[3]
    if not 1 <= size <= MOST:
        raise Bad("shape", value=short(text))
    return shape


def run(args, out):
    """Examine, judge and report; the exit status."""
    from tilewise.cli.doctor import judge, look, show  # only here: they take a moment

    asked = {"shapes": args.shape or [list(SHAPE)]}
    asked |= {"dtype": args.dtype, "causal": args.causal}
    facts = look.examine(**asked)
    told = show.report(facts, judge.judge(facts), asked, args.lang)
    if args.format == "json":
        out.write(json.dumps(told, indent=1, ensure_ascii=False) + "\n")
    else:
        out.writelines(line + "\n" for line in show.lines(told, args.lang))
    return 0 if told["healthy"] else 1
