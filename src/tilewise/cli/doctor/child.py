"""What the doctor runs in a process of its own, by its text: import one module, report.

The question is JSON in the first argument; the answer is one line of JSON, on the
stdout that there was at first. Imports nothing of ours, since only its text is there.
"""

import ctypes
import importlib
import json
import os
import re
import sys
import tempfile
import warnings
from typing import Any

TEXT = re.compile(r"Warning: (.*?)(?: \(function .*)?$", re.MULTILINE)


def main():
    """Answer {"error", "said", …} about the module that is asked for."""
    asked, out = json.loads(sys.argv[1]), os.dup(1)
    os.dup2(2, 1)  # whatever the module prints
    sys.path[:] = asked["path"]
    answer: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            module = importlib.import_module(asked["module"])
            if asked["module"] == "torch":
                answer |= about_torch(module, asked)
        except BaseException as error:  # some packages call sys.exit
            answer["error"] = told(error)
    answer["said"] = [f"{x.message}" for x in said]
    os.write(out, json.dumps(answer).encode())
    os.close(out)
    sys.stdout.flush()
    os._exit(0)  # what a package does at its exit is none of our business


def told(error):
    """An error and those that led to it, the last one first."""
    lines: list[str] = []
    while error is not None and len(lines) < 8:
        lines.append(f"{type(error).__name__}: {error}")
        error = error.__cause__ or error.__context__
    return "\n".join(lines)


def about_torch(torch, asked):
    """How PyTorch was built, which GPUs it sees, and what its attention calls."""
    facts: dict[str, Any] = {"version": str(torch.__version__)}
    facts |= {"devices": [], "cudnn": None}
    facts |= {"cuda": torch.version.cuda, "hip": getattr(torch.version, "hip", None)}
    facts["abi"] = bool(getattr(torch._C, "_GLIBCXX_USE_CXX11_ABI", True))
    facts["available"] = bool(torch.cuda.is_available())
    facts["architectures"] = list(torch.cuda.get_arch_list())
    facts["driver_cuda"] = driver_cuda()
    try:
        facts["cudnn"] = torch.backends.cudnn.version()
    except RuntimeError as error:
        facts["cudnn_error"] = told(error)
    if facts["available"]:
        for i in range(torch.cuda.device_count()):
            card = torch.cuda.get_device_properties(i)
            capability = [card.major, card.minor]
            facts["devices"].append({"name": card.name, "capability": capability})
    facts["sdpa"] = [choice(torch, shape, facts, asked) for shape in asked["shapes"]]
    return facts


def driver_cuda():
    """The newest CUDA that the driver runs, such as "12.8"; None without a driver."""
    name = "nvcuda.dll" if os.name == "nt" else "libcuda.so.1"
    try:
        number = ctypes.c_int()
        if ctypes.CDLL(name).cuDriverGetVersion(ctypes.byref(number)):
            return None
    except (OSError, AttributeError):
        return None
    return f"{number.value // 1000}.{number.value % 1000 // 10}"


def choice(torch, shape, facts, asked):
    """What PyTorch's own selector says for one shape, and why the others do not run."""
    device = "cuda" if facts["available"] else "cpu"
    row = {"shape": shape, "device": device, "backend": None, "reasons": {}}
    try:
        how = {"dtype": getattr(torch, asked["dtype"]), "device": device}
        x = torch.empty(shape, **how, requires_grad=True)
        given = (x, x, x, None, 0.0, asked["causal"])
        number = torch._fused_sdp_choice(*given)
        row["backend"] = torch.nn.attention.SDPBackend(number).name.lower()
        if device == "cuda" and not facts["hip"]:
            row["reasons"] = reasons(torch, given)
    except Exception as error:  # a build without the function, or no memory left
        row["error"] = told(error).splitlines()[0][:300]
    return row


def reasons(torch, given):
    """{backend: why it cannot run} in PyTorch's words."""
    cuda, found = torch.backends.cuda, {}
    params = cuda.SDPAParams(*given, False)
    for name in ("cudnn", "flash", "efficient"):
        ask = getattr(cuda, f"can_use_{name}_attention", None)
        if ask is not None:
            able, lines = overheard(ask, params, True)
            if not able:
                found[f"{name}_attention"] = " ".join(dict.fromkeys(lines))[:300]
    return found


def overheard(function, *args):
    """(What it returns, the first line of each warning, from Python or from C++).

    PyTorch's C++ writes to stderr "[W… file:line] Warning: text (function name)".
    """
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        os.dup2(file.fileno(), 2)
        try:
            value = function(*args)
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        written = file.read().decode(errors="replace")
    lines = [str(x.message).splitlines()[0] for x in said]
    return value, lines + re.findall(
        r"Warning: (.*?)(?: \(function .*)?$", written, re.M
    )


if __name__ == "__main__":
    main()
