"""The packages that the doctor looks for, and what their metadata says: no imports.

Whatever is asked of a package here is read from its folder, in milliseconds.
"""

import importlib.machinery
import importlib.metadata
import json
import os
import platform
import re
import sys
import urllib.parse
from pathlib import Path
from typing import Any

PACKAGES = (  # name, distributions, module or two, least compute capability
    ("PyTorch", ("torch",), "torch", None),
    ("Triton", ("triton", "triton-windows", "pytorch-triton"), "triton", None),
    ("flash-attn 2", ("flash-attn",), "flash_attn", (8, 0)),
    (
        "FlashAttention-3",
        ("flash-attn-3",),
        "flash_attn_interface flash_attn_3.flash_attn_interface",  # both are in use
        (8, 0),
    ),
    ("FlashAttention-4", ("flash-attn-4",), "flash_attn.cute", None),
    ("xformers", ("xformers",), "xformers.ops", None),
    ("cuDNN frontend", ("nvidia-cudnn-frontend",), "cudnn", None),
    ("FlashInfer", ("flashinfer-python", "flashinfer"), "flashinfer", (7, 5)),
    ("SageAttention", ("sageattention",), "sageattention", None),
    (
        "Transformer Engine",
        ("transformer-engine", "transformer-engine-torch"),
        "transformer_engine.pytorch",
        None,
    ),
)
LABEL = re.compile(
    r"cu(?P<cuda>\d+)torch(?P<torch>\d+\.\d+)\S*?(cxx11abi(?P<abi>true|false)|$)", re.I
)
PIN = re.compile(r"(nvidia-[\w-]+|triton)==([\w.+]+)")
SYSTEMS = {"linux": ("linux", "manylinux", "musllinux"), "win32": ("win",)}
SYSTEMS["darwin"] = ("macosx",)


def normal(name):
    """The name of a distribution as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def distributions(path):
    """{name: distribution}; of two by one name the first on the path, as in imports."""
    found: dict[str, Any] = {}
    for dist in importlib.metadata.distributions(path=path):
        try:
            name, version = dist.metadata["Name"], dist.version
        except Exception:  # half of it was removed: what is raised depends on Python
            continue
        if name and version:
            found.setdefault(normal(name), dist)
    return found


def look(path):
    """[facts] of each package that is installed, or that an import would find."""
    there = distributions(path)
    seen: list[dict[str, Any]] = []
    for name, names, modules, least in PACKAGES:
        dist = next((there[x] for x in names if x in there), None)
        module = next(
            (x for x in modules.split() if spec_of(x, path)), modules.split()[0]
        )
        facts = metadata(dist) | place(dist, module, path)
        facts |= {"name": name, "module": module, "least": least}
        known = any(x["found"] == facts["found"] for x in seen)
        if dist is not None or facts["local"] and not known:
            seen.append(facts)
    for facts in seen:
        facts["pins"] = unmet(there) if facts["module"] == "torch" else []
        facts["beside"] = "flash-attn" in there and facts["module"] == "flash_attn.cute"
    return seen


def metadata(dist):
    """Version, wheel and label of a distribution."""
    if dist is None:
        return {"version": None, "foreign": None, "label": None, "editable": False}
    try:
        url = json.loads(dist.read_text("direct_url.json") or "{}")
    except ValueError:
        url = None
    url = url if isinstance(url, dict) else {}
    address = urllib.parse.unquote(url.get("url", "").rpartition("/")[2])
    address = address.removesuffix(".whl").split("-cp")[0].split("-py3")[0]
    label = LABEL.search(dist.version) or LABEL.search(address)
    return {
        "version": dist.version,
        "foreign": foreign(dist),
        "label": label and {k: v for k, v in label.groupdict().items() if v},
        "editable": bool(url.get("dir_info", {}).get("editable")),
    }


def foreign(dist):
    """The tag of a wheel for another Python or another system, or None."""
    here = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tags = re.findall(r"^Tag: (\S+)", dist.read_text("WHEEL") or "", re.M)
    if tags and not any(fits(tag, here) for tag in tags):
        return tags[0]
    named = (re.search(r"\.cpython-(\d+)\b", str(x)) for x in dist.files or ())
    found = {f"cp{x[1]}" for x in named if x}
    return min(found) if found and here not in found else None


def fits(tag, here):
    """Whether this Python, on this system, can use a wheel with this tag."""
    python, abi, system = [*tag.split("-"), "", ""][:3]
    able = any(
        x == here or x.startswith("py3") or abi == "abi3" and x[:3] == "cp3"
        for x in python.split(".")
    )
    machine = platform.machine().lower()
    homes = SYSTEMS.get(sys.platform, ("",))
    return able and any(
        x == "any" or x.startswith(homes) and (x.endswith(machine) or x == "win32")
        for x in system.split(".")
    )


def spec_of(module, path):
    """What an import of the module's first part would find, or None."""
    return importlib.machinery.PathFinder.find_spec(module.partition(".")[0], path)


def place(dist, module, path):
    """Where an import would find the module, and whether that is what was installed.

    local: it is found in the current folder. other: it is found, but elsewhere than the
    distribution is.
    """
    top = module.partition(".")[0]
    spec = spec_of(module, path)
    if spec is None:
        return {"found": None, "local": False, "other": False}
    found = [spec.origin] if spec.origin else [*(spec.submodule_search_locations or ())]
    folders = {os.path.dirname(x) if x.endswith(".py") else x for x in found if x}
    here, cwd = os.path.realpath(found[0]), os.path.realpath(path[0])
    own = (os.path.join(top, "__init__.py"), top + ".py")
    local = here in {os.path.join(cwd, x) for x in own}
    if dist is None:
        return {"found": found[0], "local": local, "other": False}
    home = Path(str(dist.locate_file(top)))
    mine = {os.path.realpath(home), os.path.realpath(home.parent)}
    other = home.is_dir() or home.with_suffix(".py").is_file()
    other = other and not mine & {os.path.realpath(x) for x in folders}
    return {"found": found[0], "local": local and other, "other": other}


def unmet(there):
    """[(what, wanted, installed)] of the versions that PyTorch asks for exactly."""
    pairs = [PIN.match(x.replace(" ", "")) for x in there["torch"].requires or ()]
    wanted = {normal(x[1]): x[2] for x in pairs if x}
    installed = {name: there[name].version for name in wanted if name in there}
    return [
        (name, wanted[name], version)
        for name, version in installed.items()
        if version.partition("+")[0] != wanted[name].partition("+")[0]
    ]
