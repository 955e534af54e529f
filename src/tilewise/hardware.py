"""Three GPUs in numbers, each number with its source; the roofline they span.

The units are bytes, bytes/s, Hz, FLOP/s and clock cycles. Capacities are powers of two,
because that is how memory is built (the "GB" of a data sheet is 2³⁰ bytes here), and
rates are powers of ten. Each number is a dict with its `value`, its `source` (a key of
SOURCES) and its `kind`: "stated" by the source, "derived" from stated numbers by the
formula `how`, or "measured". A `note` gives the conditions, or says where sources
differ. Numbers that no source gives are left out.
"""

from tilewise.checks import check_choice

NV, HERE = "NVIDIA", "Tilewise, on one NVIDIA H200, 2026-11-20"
SOURCES = {  # key: (title, publisher, address)
    "a100-whitepaper": ("NVIDIA A100 Tensor Core GPU Architecture, white paper", NV,
        "https://images.nvidia.com/aem-dam/en-zz/Solutions/data-center/nvidia-ampere-architecture-whitepaper.pdf"),
    "a100-datasheet": ("NVIDIA A100 Tensor Core GPU, data sheet", NV,
        "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf"),
    "hopper-in-depth": ("NVIDIA Hopper Architecture In-Depth", NV,
        "https://developer.nvidia.com/blog/nvidia-hopper-architecture-in-depth/"),
    "hopper-tuning": ("Tuning CUDA Applications for Hopper GPU Architecture", NV,
        "https://docs.nvidia.com/cuda/hopper-tuning-guide/"),
    "h100-page": ("NVIDIA H100, product specifications (SXM)", NV,
        "https://www.nvidia.com/en-us/data-center/h100/"),
    "h200-page": ("NVIDIA H200, product specifications (SXM)", NV,
        "https://www.nvidia.com/en-us/data-center/h200/"),
    "cuda-guide": ("CUDA C++ Programming Guide", NV,
        "https://docs.nvidia.com/cuda/cuda-c-programming-guide/"),
    "fa3": ("FlashAttention-3, section 3.1", "Shah et al., 2024",
        "https://arxiv.org/abs/2407.08608"),
    "luo": ("Benchmarking and Dissecting the Nvidia Hopper GPU Architecture, table IV",
        "Luo et al., 2024", "https://arxiv.org/abs/2402.13499"),
    "latency": ("Latency and read bandwidth of each memory level", HERE,
        "benchmarks/results/h200-2026-11-20-latency.json"),
    "roofline": ("Ceilings, and attention under the roofline", HERE,
        "benchmarks/results/h200-2026-11-20-roofline.json"),
}

LEVELS = ("registers", "shared", "l2", "hbm", "nvlink", "pcie")
KB, MB, GB = 2**10, 2**20, 2**30


def stated(value: float, source: str, note: str = "") -> dict:
    """A number as its source prints it."""
    return {"value": value, "source": source, "kind": "stated", "note": note}


def derived(value: float, source: str, how: str, note: str = "") -> dict:
    """A number that follows from those of `source` by the formula `how`."""
    return stated(value, source, note) | {"kind": "derived", "how": how}


def measured(value: float, source: str, note: str = "") -> dict:
    """A number that somebody measured, or that a device reports about itself."""
    return stated(value, source, note) | {"kind": "measured"}


def describe(
    name: str, sms: dict, clock: dict, bf16: dict, fp32: dict, exp_per_clock: dict,
    levels: dict,
) -> dict:
    """A GPU as its sources describe it, with the numbers that follow from theirs.

    The capacity of the chip is that of one SM times the number of SMs. In each SM,
    shared memory serves 32 banks of 4 bytes per clock, and an fp32 multiply-add
    (2 FLOP) reads three operands of 4 bytes.
    """
    n, f, per = sms["value"], clock["value"], exp_per_clock["value"]
    for level in (levels["registers"], levels["shared"]):
        size, source = level["per_sm"]["value"], level["per_sm"]["source"]
        level["capacity"] = derived(size * n, source, "per SM × SMs")
    operands = "3 operands × 4 bytes × fp32 / 2"
    levels["registers"]["bandwidth"] = derived(
        6 * fp32["value"], fp32["source"], operands, "what fp32 multiply-adds take"
    )
    banks = "32 banks × 4 bytes × SMs × clock"
    levels["shared"]["bandwidth"] = derived(128 * n * f, "cuda-guide", banks)
    exp = derived(per * n * f, exp_per_clock["source"], "exp_per_clock × SMs × clock")
    return {
        "name": name, "sms": sms, "clock": clock, "bf16": bf16, "fp32": fp32,
        "exp_per_clock": exp_per_clock, "exp": exp, "levels": levels,
    }


BOTH = "both directions together"
A100, H800 = "on an A100 PCIe", "on an H800 PCIe, which has the H100's chip"
REGISTERS = stated(256 * KB, "hopper-in-depth", "65 536 registers of 4 bytes")
HALF = "half of 1979 × 10¹², which counts zeros that are skipped"
HOPPER = stated(1830e6, "fa3", "behind the 989 TFLOP/s; the H200 here goes to 1980")
SHARED = {
    "per_sm": stated(228 * KB, "hopper-tuning"),
    "with_l1_per_sm": stated(256 * KB, "hopper-tuning"),
}
GPUS = {}
GPUS["A100"] = describe(
    "A100 80 GB SXM", stated(108, "a100-whitepaper"), stated(1410e6, "a100-whitepaper"),
    stated(312e12, "a100-datasheet"), stated(19.5e12, "a100-datasheet"),
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
                5120 * 1410e6, "a100-whitepaper", "5120 bytes × clock",
                "reads; which clock is not said, here the boost clock",
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
)
GPUS["H100"] = describe(
    "H100 80 GB SXM", stated(132, "hopper-in-depth"), HOPPER,
    derived(989.5e12, "h100-page", HALF, "announced in 2022 as 1000"),
    stated(67e12, "h100-page", "announced in 2022 as 60"), stated(16, "fa3"),
    {
        "registers": {"per_sm": REGISTERS},
        "shared": SHARED | {"latency": measured(29.0, "luo", H800)},
        "l2": {
            "capacity": stated(50 * MB, "hopper-in-depth"),
            "latency": measured(263.0, "luo", H800),
        },
        "hbm": {
            "capacity": stated(80 * GB, "h100-page"),
            "bandwidth": stated(3.35e12, "h100-page", "announced in 2022 as 3.0"),
            "latency": measured(478.8, "luo", H800),
        },
        "nvlink": {"bandwidth": stated(900e9, "h100-page", BOTH)},
        "pcie": {"bandwidth": stated(128e9, "h100-page", BOTH)},
    },
)
GPUS["H200"] = describe(
    "H200 141 GB SXM", measured(132, "roofline", "reported by the device"), HOPPER,
    derived(989.5e12, "h200-page", HALF), stated(67e12, "h200-page"),
    measured(16, "latency"),
    {
        "registers": {
            "per_sm": REGISTERS, "latency": measured(4, "latency", "a multiply-add"),
        },
        "shared": SHARED | {"latency": measured(23, "latency", "32 when it is L1")},
        "l2": {
            "capacity": measured(
                60 * MB, "roofline", "reported; NVIDIA states 50 MB, for the H100"
            ),
            "bandwidth": measured(8.74e12, "latency", "reads, at 1.98 GHz"),
            "latency": measured(282, "latency", "272 to 295 over the SMs"),
        },
        "hbm": {
            "capacity": stated(141 * GB, "h200-page", "the device offers 139.8"),
            "bandwidth": stated(4.8e12, "h200-page", "4.53 read here"),
            "latency": measured(667, "latency", "337 ns"),
        },
        "nvlink": {"bandwidth": stated(900e9, "h200-page", BOTH)},
        "pcie": {"bandwidth": stated(128e9, "h200-page", BOTH)},
    },
)
CEILINGS = {  # what a large product and a large copy reach on the H200 here
    "bf16": measured(805e12, "roofline", "8192³, random numbers"),
    "hbm": measured(4.23e12, "roofline", "4 GiB copied, read + written"),
}


def roofs(gpu: str) -> tuple[float, float]:
    """(bf16 FLOP/s, HBM bytes/s). Raises ValueError if the GPU is not in GPUS."""
    check_choice("gpu", gpu, sorted(GPUS))
    numbers = GPUS[gpu]
    return numbers["bf16"]["value"], numbers["levels"]["hbm"]["bandwidth"]["value"]


def ridge(gpu: str) -> float:
    """Where the roofs meet, in FLOP per byte; with less, a kernel waits for memory."""
    flops, slope = roofs(gpu)
    return flops / slope


def attainable(gpu: str, intensity: float) -> float:
    """min(bf16 FLOP/s, intensity × HBM bytes/s): the highest FLOP/s one can reach.

    The intensity is the number of FLOP per byte of HBM traffic (Williams, Waterman
    and Patterson 2009). Raises ValueError if it is negative.
    """
    if intensity < 0:
        raise ValueError(f"intensity must be at least 0 FLOP per byte, not {intensity}")
    flops, slope = roofs(gpu)
    return min(flops, intensity * slope)
