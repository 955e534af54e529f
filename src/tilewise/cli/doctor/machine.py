"""Findings about the machine: GPU, driver, PyTorch's build, and the call to choose."""

import re

from tilewise.cli.doctor.rows import about, plain, row

NVIDIA = {"flash_attn", "flash_attn_interface", "flash_attn.cute", "sageattention"}
NVIDIA |= {"flashinfer", "transformer_engine.pytorch", "xformers.ops", "cudnn"}
TORCH_SAYS = ("cudnn-version", "driver-too-old")


def judge(facts, add):
    """Findings about the GPU, the driver, PyTorch's build and what it asks for."""
    torch, card = facts["torch"], facts["card"] or {}
    have = {x["module"]: x for x in facts["packages"]}
    if "error" in card:
        add("driver-broken", error=card["error"].rstrip(".") or "no answer")
    if torch is None:
        return
    seen = "\n".join([*torch["said"], torch.get("cudnn_error", "")])
    heard = {key: re.search(row(key)["pattern"], seen) for key in TORCH_SAYS}
    for key, match in heard.items():
        if match:
            add(key, "PyTorch", **match.groupdict())
    needing = next((have[x]["name"] for x in have if x in NVIDIA), None)
    named = any(x.get("cause") == "cpu-torch" for x in facts["packages"])
    if plain(torch) and (needing or "gpus" in card) and not named:
        add("cpu-torch", needing or "Triton")
    elif "gpus" in card and not torch["available"] and not any(heard.values()):
        if not plain(torch):
            add("gpu-unseen", gpu=card["gpus"][0]["name"])
    for what, wanted, version in have["torch"]["pins"]:
        add("pinned", "PyTorch", what=what, wanted=wanted, found=version)
    for package in facts["packages"]:
        if package["label"] and mismatched(package["label"], torch):
            add("wheel-label", package["name"], **about(package))
    cards(facts, have, add)


def mismatched(label, torch):
    """Whether a wheel's label names another PyTorch, CUDA or ABI than this one."""
    cuda = (torch["cuda"] or "").replace(".", "")
    abi = "true" if torch["abi"] else "false"
    return bool(
        not re.match(rf"{re.escape(label['torch'])}\b", torch["version"])
        or not cuda.startswith(label["cuda"][:2])
        or label.get("abi", abi).lower() != abi
    )


def cards(facts, have, add):
    """Findings about the GPUs that PyTorch sees."""
    torch = facts["torch"]
    for card in torch["devices"][:1]:
        number = "{}.{}".format(*card["capability"])
        named = {"gpu": card["name"], "capability": number}
        if not compiled(card["capability"], torch["architectures"]):
            add("gpu-too-new", "PyTorch", **named)
        for package in facts["packages"]:
            least = package["least"]
            if least and tuple(card["capability"]) < tuple(least):
                named["least"] = "{}.{}".format(*least)
                add("gpu-too-old", package["name"], **named)
        if facts["linux"] and not torch["hip"]:
            if "triton" not in have:
                add("no-triton", "torch.compile")
            elif facts["compiler"] is None:
                add("no-compiler", "Triton")
        for asked in torch["sdpa"]:
            if asked["backend"] == "math":
                shape = " × ".join(map(str, asked["shape"]))
                add("math-backend", "PyTorch", **named, shape=shape)


def compiled(capability, architectures):
    """Whether code for one of these runs: the same major, or PTX that is not newer."""
    major, minor = capability
    for name in architectures:
        kind, _, number = name.partition("_")
        digits = re.match(r"\d+", number)
        if not digits:
            return True  # AMD's names, for example
        has = divmod(int(digits[0]), 10)
        if kind == "compute" and has <= (major, minor):
            return True
        if kind == "sm" and has[0] == major and has[1] <= minor:
            return True
    return not architectures


def call(facts, dtype):
    """The key of the call that the book recommends here."""
    torch = facts["torch"]
    if torch is None:
        return "none"
    if not torch["devices"] or torch["hip"]:
        return "other"
    if dtype == "float32":
        return "float32"
    major, minor = torch["devices"][0]["capability"]
    return {9: "hopper", 10: "blackwell"}.get(major, "cuda")
