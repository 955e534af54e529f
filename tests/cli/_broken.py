"""Thirty-odd environments, each with one thing wrong: (name, finding, how to make it).

Error messages are those of the threads that the finding names, with other paths.
"""

OLD = "_ZN3c105ErrorC2ENS_14SourceLocationESs"
NEW = "_ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traits"
NEW += "IcESaIcEEE"
ZEROS = "_ZN2at4_ops5zeros4callEN3c108ArrayRefINS2_6SymIntEEENS2_8optionalINS2_"
ZEROS += "10ScalarTypeEEENS6_INS2_6LayoutEEENS6_INS2_6DeviceEEENS6_IbEE"
CPU = {"version": "2.6.0+cpu", "cuda": None}
GLIBC = "/lib64/libc.so.6: version `GLIBC_2.32' not found (required by x.so)"
NVJIT = "libcusparse.so.12: undefined symbol: __nvJitLinkAddData_12_1, version x"
CUDNN = "cuDNN version incompatibility: PyTorch was compiled  against (9, 1, 0) but "
CUDNN += "found runtime version (8, 9, 2). PyTorch already comes bundled with cuDNN."
DRIVER = "The NVIDIA driver on your system is too old (found version 11040)."
CUBIN = "flashinfer-cubin version (0.6.1) does not match flashinfer version (0.5.3)."
EMPTY = "Found empty `transformer-engine` meta package installed."
BUILT = (
    "WARNING[XFORMERS]: xFormers can't load C++/CUDA extensions. xFormers was built "
)
BUILT += "for:\n    PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.6.0+cu124)"
NO_FA2 = (
    "raise ModuleNotFoundError(\"No module named 'flash_attn.flash_attn_interface'\")"
)
PIN = 'triton==3.2.0; platform_system == "Linux"'
DLL = "DLL load failed while importing flash_attn_2_cuda"
MISMATCH = "echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18"
LABEL = "2.8.3+cu12torch2.9cxx11abiTRUE"
OF_27 = {"wheel": "cp27-cp27mu-linux_x86_64"}


def fails(text, error="ImportError"):
    return f"raise {error}({text!r})\n"


def attention(text="import flash_attn_2_cuda\n", how=None, **torch):
    """flash-attn whose own file is this text, beside a PyTorch."""
    return lambda e: e.torch(**torch).flash_attn(text, **(how or {}))


def compiled(symbol="f", needs=None, tag="", how=None, **torch):
    """flash-attn with a compiled half that lacks a symbol or a library."""
    make = attention(how=how, **torch)
    return lambda e: make(e).compiled(symbol, needs, tag)


def other(name, text, part="__init__"):
    """Another package, beside a PyTorch."""
    files = {f"{name}/__init__.py": ""} | {f"{name}/{part}.py": text}
    return lambda e: e.torch().package(name, files)


def card(text=None, triton=True, **torch):
    """A machine with a GPU; maybe Triton, and a flash-attn of this text."""

    def make(e):
        e.torch(capability=torch.pop("capability", (9, 0)), **torch).gpu()
        if triton:
            e.package("triton", {"triton/__init__.py": ""}, version="3.1.0")
        return e if text is None else e.flash_attn(text)

    return make


def two_folders(e):
    later = e.site.parent / "later"
    e.path.append(str(later))
    files = {"flash_attn/cute/__init__.py": ""}
    return e.torch().flash_attn("").package("flash_attn_4", files, site=later)


def overwritten(e):
    files = {"flash_attn/cute/__init__.py": "from .interface import flash_attn_func"}
    return e.torch().flash_attn("").package("flash-attn-4", files)


def script(module):
    """A file of the reader's in the current folder, with the package's name."""

    def make(e):
        (e.work / f"{module}.py").write_text("print('mine')\n")
        return e.torch().flash_attn("")

    return make


def checkout(e):
    (e.work / "flash_attn").mkdir()
    (e.work / "flash_attn/__init__.py").write_text("import flash_attn_2_cuda\n")
    return e.torch()


def no_compiler(e):
    card()(e)
    (e.bin / "gcc").unlink()


BROKEN = (
    ("nothing but flash-attn", "no-torch", lambda e: e.flash_attn("import torch")),
    ("torch.py", "shadowed", script("torch")),
    ("flash_attn.py", "shadowed", script("flash_attn")),
    ("the sources of flash-attn", "shadowed", checkout),
    ("flash_attn twice", "split-folder", two_folders),
    ("FA2 over FA4", "overwritten", overwritten),
    ("another Python", "python-tag", compiled(tag=".cpython-27-x86_64", how=OF_27)),
    ("a Windows DLL", "cpu-torch", attention(fails(DLL), **CPU)),
    ("libc10_cuda", "cpu-torch", compiled("f", "libc10_cuda.so", **CPU)),
    ("a card, PyTorch without", "cpu-torch", lambda e: e.torch(**CPU).gpu()),
    ("nvJitLink", "cuda-libraries", attention("import torch", fails=NVJIT)),
    ("old strings", "cxx11-abi", compiled(OLD, abi=True)),
    ("new strings", "cxx11-abi", compiled(NEW, abi=False)),
    ("the same strings", "torch-version", compiled(NEW, abi=True)),
    ("no strings", "torch-version", compiled(ZEROS)),
    ("libtorch", "torch-version", compiled("f", "libtorch_cuda_cu.so")),
    ("CUDA 11", "cuda-version", compiled("f", "libcudart.so.11.0")),
    ("an old system", "glibc", attention(fails(GLIBC))),
    ("no compiled half", "no-extension", attention()),
    ("no Triton", "no-triton", other("sageattention", "import triton")),
    ("a card, no Triton", "no-triton", card(triton=False)),
    ("xformers", "xformers-build", other("xformers", f"print({BUILT!r})", "ops")),
    (
        "Transformer Engine",
        "transformer-engine-parts",
        other("transformer_engine", fails(EMPTY, "RuntimeError"), "pytorch"),
    ),
    ("cubins", "flashinfer-parts", other("flashinfer", fails(CUBIN, "RuntimeError"))),
    ("two cuDNN", "cudnn-version", lambda e: e.torch(cudnn=CUDNN)),
    ("an old driver", "driver-too-old", lambda e: e.torch(warns=DRIVER).gpu()),
    (
        "half a driver",
        "driver-broken",
        lambda e: e.torch().command("nvidia-smi", MISMATCH),
    ),
    ("a hidden card", "gpu-unseen", lambda e: e.torch().gpu()),
    ("a T4", "gpu-too-old", card("", capability=(7, 5), architectures=["sm_75"])),
    ("a 5090", "gpu-too-new", card(capability=(12, 0))),
    ("no gcc", "no-compiler", no_compiler),
    ("another Triton", "pinned", card(needs=[PIN])),
    ("a wheel for 2.9", "wheel-label", attention("", {"version": LABEL})),
    ("standard attention", "math-backend", card(choice=0)),
    ("FA4 is not FA2", "needs-flash-attn", other("xformers", NO_FA2, "ops")),
    ("einops", "missing-package", attention("import einops_gone")),
    ("a crash", "crashed", attention("import os; os.abort()")),
    ("anything", "import-failed", attention(fails("no idea"))),
)
