from importlib import import_module
from textwrap import fill
from typing import Any

judge, show = (import_module(f"tilewise.cli.doctor.{x}") for x in ("judge", "show"))
SYMBOL = "_ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_"
SYMBOL += "traitsIcESaIcEEE"
FINE = dict.fromkeys(("foreign", "label", "editable", "local", "other", "beside"))
shape, machine = [2, 16, 2048, 128], {"name": "NVIDIA H100", "capability": [9, 0]}
torch: dict[str, Any] = {
    "version": "2.6.0+cu124",
    "cuda": "12.4",
    "hip": None,
    "abi": False,
}
torch |= {"cudnn": 90100, "architectures": ["sm_80", "sm_90"], "driver_cuda": "12.8"}
torch |= {"available": True, "devices": [machine], "said": []}
asked = {"shape": shape, "device": "cuda", "backend": "flash_attention", "reasons": {}}
torch["sdpa"] = [asked]


def package(name, module, version, answer):
    """What the doctor knows of a package whose import gave this answer."""
    about = {"name": name, "module": module, "version": version, "import": answer}
    return FINE | about | {"found": module, "least": None, "pins": []}


missing = {"error": f"ImportError: flash_attn_2_cuda.so: undefined symbol: {SYMBOL}"}
facts: dict[str, Any] = {
    "python": "3.12.7",
    "system": "Linux x86_64",
    "libc": "glibc 2.35",
}
facts |= {"linux": True, "compiler": "gcc", "torch": torch}
facts["card"] = {"gpus": [machine | {"driver": "570.86.15"}]}
facts["packages"] = [
    package("PyTorch", "torch", "2.6.0", torch),
    package("Triton", "triton", "3.2.0", {"said": []}),
    package("flash-attn 2", "flash_attn", "2.8.0.post2", missing | {"said": []}),
]
asked_for = {"dtype": "bfloat16", "causal": False}
report = show.report(facts, judge.judge(facts), asked_for, "en")
for line in show.lines(report, "en"):
    print(fill(line, 88, subsequent_indent="      ", break_long_words=False))
