"""Three GPUs in numbers, each number with its source; the roofline they span.

Units: bytes, bytes/s, Hz, FLOP/s, clock cycles. Capacities are in powers of two, as
memory is built (a data sheet's "GB" is 2³⁰ bytes here), rates in powers of ten.
A number is a dict: `value`, `source` (a key of SOURCES) and `kind`: "stated" by the
source, "derived" from stated numbers (`how` is the formula), or "measured". What no
source gives is left out. `note` says under which conditions, or where sources differ.
"""

# --8<-- [start:sources]
NVIDIA, HERE = "NVIDIA", "Tilewise, on one NVIDIA H200, 2026-11-20"
SOURCES = {  # key -> (title, publisher, address)
    "a100-whitepaper": (
        "NVIDIA A100 Tensor Core GPU Architecture, white paper",
        NVIDIA,
        "https://images.nvidia.com/aem-dam/en-zz/Solutions/data-center/nvidia-ampere-architecture-whitepaper.pdf",
    ),
    "a100-datasheet": (
        "NVIDIA A100 Tensor Core GPU, data sheet",
        NVIDIA,
        "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf",
    ),
    "hopper-in-depth": (
        "NVIDIA Hopper Architecture In-Depth",
        NVIDIA,
        "https://developer.nvidia.com/blog/nvidia-hopper-architecture-in-depth/",
    ),
    "hopper-tuning": (
        "Tuning CUDA Applications for Hopper GPU Architecture",
        NVIDIA,
        "https://docs.nvidia.com/cuda/hopper-tuning-guide/",
    ),
    "h100-page": (
        "NVIDIA H100, product specifications (SXM)",
        NVIDIA,
        "https://www.nvidia.com/en-us/data-center/h100/",
    ),
    "h200-page": (
        "NVIDIA H200, product specifications (SXM)",
        NVIDIA,
        "https://www.nvidia.com/en-us/data-center/h200/",
    ),
    "cuda-guide": (
        "CUDA C++ Programming Guide",
        NVIDIA,
        "https://docs.nvidia.com/cuda/cuda-c-programming-guide/",
    ),
    "fa3": (
        "FlashAttention-3, section 3 and its footnote on exponentials",
        "Shah et al., 2024",
        "https://arxiv.org/abs/2407.08608",
    ),
    "luo": (
        "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture, table IV",
        "Luo et al., 2024",
        "https://arxiv.org/abs/2402.13499",
    ),
    "h200-latency": (
        "Latency and read bandwidth of each memory level",
        HERE,
        "benchmarks/results/h200-2026-11-20-latency.json",
    ),
    "h200-roofline": (
        "Ceilings, and attention under the roofline",
        HERE,
        "benchmarks/results/h200-2026-11-20-roofline.json",
    ),
}
# --8<-- [end:sources]

LEVELS = ("registers", "shared", "l2", "hbm", "nvlink", "pcie")
KB, MB, GB = 2**10, 2**20, 2**30


# --8<-- [start:facts]
def stated(value, source, note=""):
    """A number as its source prints it."""
    return {"value": value, "source": source, "kind": "stated", "note": note}


def derived(value, source, how, note=""):
    """A number computed from those of `source` by the formula `how`."""
    fact = {"value": value, "source": source, "kind": "derived", "note": note}
    return {**fact, "how": how}


def measured(value, source, note=""):
    """A number that somebody measured, or that a device reports of itself."""
    return {"value": value, "source": source, "kind": "measured", "note": note}


# --8<-- [end:facts]


# --8<-- [start:describe]
def describe(name, sms, clock, bf16, fp32, exp_per_clock, levels):
    """One GPU from what its sources give, with what follows from that filled in.

    Whole-chip capacity is per SM × SMs; shared memory serves 32 banks of 4 bytes a
    clock in each SM; an fp32 multiply-add (2 FLOP) reads three operands of 4 bytes.
    """
    n, f = sms["value"], clock["value"]
    for level in ("registers", "shared"):
        size = levels[level]["per_sm"]
        whole = derived(size["value"] * n, size["source"], "per SM × SMs")
        levels[level]["capacity"] = whole
    levels["registers"]["bandwidth"] = derived(
        6 * fp32["value"],
        fp32["source"],
        "3 operands × 4 bytes × fp32 / 2",
        "what fp32 multiply-adds take at their peak",
    )
    levels["shared"]["bandwidth"] = derived(
        128 * n * f, "cuda-guide", "32 banks × 4 bytes × SMs × clock"
    )
    per, source = exp_per_clock["value"], exp_per_clock["source"]
    return {
        "name": name,
        "sms": sms,
        "clock": clock,
        "bf16": bf16,
        "fp32": fp32,
        "exp_per_clock_per_sm": exp_per_clock,
        "exp": derived(per * n * f, source, "exponentials a clock × SMs × clock"),
        "levels": levels,
    }


# --8<-- [end:describe]


# --8<-- [start:gpus]
BOTH = "both directions together"
A100, H800 = "an A100 PCIe", "an H800 PCIe, which has the H100's chip"
REGISTERS = stated(256 * KB, "hopper-in-depth", "65 536 registers of 4 bytes")
HALF = "half of 1979 × 10¹², which counts zeros that are skipped"
HOPPER = stated(1830e6, "fa3", "behind the 989 TFLOP/s; the H200 here goes to 1980")
GPUS = {
    "A100": describe(
        "A100 80 GB SXM",
        stated(108, "a100-whitepaper"),
        stated(1410e6, "a100-whitepaper"),
        stated(312e12, "a100-datasheet"),
        stated(19.5e12, "a100-datasheet"),
        stated(16, "cuda-guide"),
        {
            "registers": {"per_sm": REGISTERS},
            "shared": {
                "per_sm": stated(164 * KB, "a100-whitepaper"),
                "with_l1_per_sm": stated(192 * KB, "a100-whitepaper"),
                "latency": measured(29.0, "luo", A100),
            },
            "l2": {
                "capacity": stated(40 * MB, "a100-whitepaper"),
                "bandwidth": derived(
                    5120 * 1410e6,
                    "a100-whitepaper",
                    "5120 bytes a clock × clock",
                    "the paper does not say which clock; here the boost clock",
                ),
                "latency": measured(261.5, "luo", A100),
            },
            "hbm": {
                "capacity": stated(80 * GB, "a100-datasheet"),
                "bandwidth": stated(2.039e12, "a100-datasheet"),
                "latency": measured(466.3, "luo", A100),
            },
            "nvlink": {"bandwidth": stated(600e9, "a100-datasheet", BOTH)},
            "pcie": {"bandwidth": stated(64e9, "a100-datasheet", BOTH)},
        },
    ),
    "H100": describe(
        "H100 80 GB SXM",
        stated(132, "hopper-in-depth"),
        HOPPER,
        derived(989.5e12, "h100-page", HALF, "announced in 2022 as 1000"),
        stated(67e12, "h100-page", "announced in 2022 as 60"),
        stated(16, "fa3"),
        {
            "registers": {"per_sm": REGISTERS},
            "shared": {
                "per_sm": stated(228 * KB, "hopper-tuning"),
                "with_l1_per_sm": stated(256 * KB, "hopper-tuning"),
                "latency": measured(29.0, "luo", H800),
            },
            "l2": {
                "capacity": stated(50 * MB, "hopper-in-depth"),
                "latency": measured(263.0, "luo", H800),
            },
            "hbm": {
                "capacity": stated(80 * GB, "h100-page"),
                "bandwidth": stated(3.35e12, "h100-page", "announced as 3.0 in 2022"),
                "latency": measured(478.8, "luo", H800),
            },
            "nvlink": {"bandwidth": stated(900e9, "h100-page", BOTH)},
            "pcie": {"bandwidth": stated(128e9, "h100-page", BOTH)},
        },
    ),
    "H200": describe(
        "H200 141 GB SXM",
        measured(132, "h200-roofline", "reported by the device"),
        HOPPER,
        derived(989.5e12, "h200-page", HALF),
        stated(67e12, "h200-page"),
        measured(16, "h200-latency"),
        {
            "registers": {
                "per_sm": REGISTERS,
                "latency": measured(4, "h200-latency", "a dependent multiply-add"),
            },
            "shared": {
                "per_sm": stated(228 * KB, "hopper-tuning"),
                "with_l1_per_sm": stated(256 * KB, "hopper-tuning"),
                "latency": measured(23, "h200-latency", "32 when it serves as L1"),
            },
            "l2": {
                "capacity": measured(
                    60 * MB,
                    "h200-roofline",
                    "reported by the device; NVIDIA states 50 MB, for the H100",
                ),
                "bandwidth": measured(8.7e12, "h200-latency", "reads, at 1.98 GHz"),
                "latency": measured(282, "h200-latency", "272 to 295 over the SMs"),
            },
            "hbm": {
                "capacity": stated(141 * GB, "h200-page", "the device offers 139.8"),
                "bandwidth": stated(4.8e12, "h200-page", "read here at 4.53"),
                "latency": measured(667, "h200-latency", "337 ns"),
            },
            "nvlink": {"bandwidth": stated(900e9, "h200-page", BOTH)},
            "pcie": {"bandwidth": stated(128e9, "h200-page", BOTH)},
        },
    ),
}
CEILINGS = {  # what a large product and a large copy reach on the H200 here
    "bf16": measured(805e12, "h200-roofline", "8192³, random numbers"),
    "hbm": measured(4.23e12, "h200-roofline", "4 GiB copied, read + written"),
}
# --8<-- [end:gpus]


# --8<-- [start:roofline]
def find(gpu):
    """The description of one GPU. Raises ValueError for a name that is not there."""
    if gpu not in GPUS:
        raise ValueError(f"gpu must be one of {', '.join(GPUS)}, not {gpu}")
    return GPUS[gpu]


def ridge(gpu):
    """Where the roofs meet, in FLOP a byte: bf16 FLOP/s ÷ HBM bytes/s.

    A kernel that does less for each byte it moves waits for memory.
    """
    found = find(gpu)
    return found["bf16"]["value"] / found["levels"]["hbm"]["bandwidth"]["value"]


def attainable(gpu, intensity):
    """min(bf16 FLOP/s, intensity × HBM bytes/s): the most FLOP/s that can be had.

    intensity is in FLOP a byte of HBM traffic (Williams, Waterman, Patterson 2009).
    Raises ValueError where it is negative.
    """
    if intensity < 0:
        raise ValueError(f"intensity must be at least 0 FLOP a byte, not {intensity}")
    found = find(gpu)
    slope = found["levels"]["hbm"]["bandwidth"]["value"]
    return min(found["bf16"]["value"], intensity * slope)


# --8<-- [end:roofline]
