"""How many thread blocks an SM holds at a time, and which of its limits decides.

A block moves into an SM when all that it needs is free there, and keeps it until its
last thread is done. The limits are the same on the A100, H100 and H200, but for shared
memory. Each is a fact with its source, as in `tilewise.hardware`. The functions take
the name of a GPU there, the threads of a block, the registers of a thread, and the
bytes of shared memory of a block.
"""

from tilewise.checks import check_choice, check_sizes
from tilewise.hardware import GPUS, KB, stated

WARP = 32  # threads
SM = {  # at most so many at a time
    "warps": stated(64, "cuda-guide", "2048 threads"),
    "blocks": stated(32, "cuda-guide"),
    "registers": stated(65536, "cuda-guide", "of 4 bytes"),
    "thread_registers": stated(255, "cuda-guide"),
    "block_threads": stated(1024, "cuda-guide"),
    "parts": stated(4, "hopper-in-depth", "a scheduler and a Tensor Core each"),
    "reserved": stated(KB, "hopper-tuning", "shared memory that CUDA adds to a block"),
}
STEP = 8  # registers per thread are given out in eights, 256 per warp


def block_shared(gpu: str) -> int:
    """Bytes of shared memory that one block may ask for: what an SM has, less 1 KiB."""
    check_choice("gpu", gpu, sorted(GPUS))
    levels = GPUS[gpu]["levels"]
    return levels["shared"]["per_sm"]["value"] - SM["reserved"]["value"]


def resident(gpu: str, threads: int, registers: int, shared: int) -> dict[str, int]:
    """{limit: blocks that an SM holds by this limit alone}; the least of them counts.

    Each quarter of an SM has a quarter of the registers, so the warps that fit are
    counted by quarters. Raises ValueError if a block is too large for an SM.
    Source: CUDA C++ Best Practices Guide, section on occupancy.
    """
    check_sizes(threads=threads, registers=registers, shared=shared + 1)
    most = {"threads": SM["block_threads"]["value"], "shared": block_shared(gpu)}
    most["registers"] = SM["thread_registers"]["value"]
    asked = {"threads": threads, "registers": registers, "shared": shared}
    for name in sorted(asked):
        if asked[name] > most[name]:
            raise ValueError(f"{name} must be at most {most[name]}, not {asked[name]}")
    parts, warps = SM["parts"]["value"], -(-threads // WARP)
    each = -(-registers // STEP) * STEP * WARP  # registers of a warp
    fit = parts * (SM["registers"]["value"] // parts // each)
    room = GPUS[gpu]["levels"]["shared"]["per_sm"]["value"]
    return {
        "warps": SM["warps"]["value"] // warps,
        "blocks": SM["blocks"]["value"],
        "registers": fit // warps,
        "shared": room // (shared + SM["reserved"]["value"]),
    }


def occupancy(gpu: str, threads: int, registers: int, shared: int) -> float:
    """The resident warps of an SM as a share of the most that it can hold."""
    blocks = min(resident(gpu, threads, registers, shared).values())
    return blocks * -(-threads // WARP) / SM["warps"]["value"]
