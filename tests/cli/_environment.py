"""Environments to examine: folders with packages that are broken in one way each."""

import json
import os
import shutil
import subprocess
import sysconfig

import pytest

TORCH = """
import json, os, pathlib, warnings
told = json.loads((pathlib.Path(__file__).parent / "told.json").read_text())
if told["fails"]:
    raise ImportError(told["fails"])
__version__ = told["version"]
class version:
    cuda, hip = told["cuda"], None
class _C:
    _GLIBCXX_USE_CXX11_ABI = told["abi"]
class card:
    name, (major, minor) = "A card", told["capability"] or (0, 0)
class cuda:
    def is_available():
        if told["warns"]:
            warnings.warn(told["warns"])
        return bool(told["capability"])
    def get_arch_list(): return told["architectures"]
    def device_count(): return 1
    def get_device_properties(i): return card
class backends:
    class cudnn:
        def version():
            if told["cudnn"]:
                raise RuntimeError(told["cudnn"])
            return 90100
    class cuda:
        class SDPAParams:
            def __init__(self, *given): pass
        def can_use_flash_attention(params, debug):
            warnings.warn("Expected query, key and value to all be of dtype: {Half}.")
            return False
        def can_use_cudnn_attention(params, debug):
            line = "[W1124 19:08:09 sdp.cpp:1] Warning: No cuDNN. (function run)"
            os.write(2, line.encode() + bytes([10]))
            return False
class nn:
    class attention:
        class SDPBackend:
            def __init__(self, number): self.name = ["MATH", "FLASH_ATTENTION"][number]
bfloat16 = None
def empty(*size, **how): return None
def _fused_sdp_choice(*given): return told["choice"]
"""
USUAL = {"version": "2.6.0+cu124", "cuda": "12.4", "abi": False, "capability": None}
USUAL |= {"architectures": ["sm_80", "sm_90"], "choice": 1}
USUAL |= dict.fromkeys(("warns", "cudnn", "fails"))
CODE = """
void MISSING(void);
void *PyInit_NAME(void) { MISSING(); return 0; }
"""


class Environment:
    """A folder of packages, the current folder, and a path with nothing else."""

    def __init__(self, root):
        self.site, self.work, self.bin = root / "site", root / "work", root / "bin"
        for folder in (self.site, self.work, self.bin):
            folder.mkdir()
        self.path = [str(self.site)]

    def activate(self, monkeypatch):
        """Make this what an import finds, without the environment of the tests."""
        library = sysconfig.get_path("stdlib")
        plain = [library, os.path.join(library, "lib-dynload")]
        monkeypatch.chdir(self.work)
        monkeypatch.setattr("sys.path", [*self.path, *plain])
        monkeypatch.setenv("PATH", str(self.bin))

    def package(self, name, files, version="1.0", wheel=None, needs=(), site=None):
        """Install files {path: text} with metadata."""
        site = site or self.site
        for file, text in files.items():
            (site / file).parent.mkdir(parents=True, exist_ok=True)
            (site / file).write_text(text, "utf-8")
        info = site / f"{name}-{version.partition('+')[0]}.dist-info"
        info.mkdir(parents=True)
        lines = [f"Name: {name}", f"Version: {version}"]
        lines += [f"Requires-Dist: {x}" for x in needs]
        (info / "METADATA").write_text("\n".join(lines) + "\n", "utf-8")
        if wheel:
            (info / "WHEEL").write_text(f"Tag: {wheel}\n", "utf-8")
        return self

    def torch(self, needs=(), **told):
        told = USUAL | told
        files = {"torch/__init__.py": TORCH, "torch/told.json": json.dumps(told)}
        return self.package("torch", files, version=told["version"], needs=needs)

    def flash_attn(self, text="import flash_attn_2_cuda\n", **how):
        return self.package("flash_attn", {"flash_attn/__init__.py": text}, **how)

    def compiled(self, symbol="puts", needs=None, tag="", name="flash_attn_2_cuda"):
        """A compiled module that asks for a symbol, or for a library that has gone."""
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            pytest.skip("no C compiler")
        source, stub = self.work / "source.c", self.work / (needs or "stub")
        source.write_text(CODE.replace("MISSING", symbol).replace("NAME", name))
        build = [compiler, "-shared", "-fPIC", "-nostdlib"]
        libraries = []
        if needs:
            empty = self.work / "empty.c"
            empty.write_text(f"void {symbol}(void) {{}}\n")
            soname = f"-Wl,-soname,{needs}"
            subprocess.run([*build, soname, empty, "-o", stub], check=True)
            libraries = [stub]
        out = self.site / f"{name}{tag}.so"
        subprocess.run([*build, source, *libraries, "-o", out], check=True)
        stub.unlink(missing_ok=True)
        return self

    def command(self, name, text):
        (self.bin / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.bin / name).chmod(0o755)
        return self

    def gpu(self, capability="9.0"):
        """What nvidia-smi says of a card, and a compiler for Triton."""
        said = f"echo 'A card, 550.54.15, {capability}'"
        return self.command("nvidia-smi", said).command("gcc", "exit 0")
