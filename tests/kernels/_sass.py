"""What stands in the SASS of kernels: numbers of instructions, and their order."""

import re
import struct
import subprocess
import tempfile
from functools import lru_cache
from itertools import islice
from pathlib import Path

import triton

TOOLS = Path(triton.__file__).parent / "backends/nvidia/bin"
LABEL, BRANCH = re.compile(r"(\.L_x_\d+):"), re.compile(r"\bBRA\b.*?(\.L_x_\d+)")
ARCH = {80: "SM80", 89: "SM89", 90: "SM90a", 100: "SM100a", 120: "SM120a"}  # nvdisasm
PROGBITS, EXECINSTR = 1, 4  # of a section that holds code
INSTRUCTIONS = {
    "spills": r"\bSTL",
    "wgmma": r"\bHGMMA",
    "mma": r"\bHMMA",
    "tma": r"\bUTMALDG",
    "tcgen05": r"\bUTC\w*MMA",
    "ex2": r"\bMUFU\.EX2",
}


@lru_cache(8)  # a kernel's SASS is read more than once
def tool(name, *options, cubin):
    """What a tool says of a cubin."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        command = [TOOLS / name, *options, file.name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout


def disassembled(kernel):
    """Its SASS, without an analysis of data flow: it would name the targets of BRX."""
    return tool("nvdisasm", "-c", "-ndf", cubin=kernel.asm["cubin"])


def code(cubin):
    """Its instructions: the one section of the ELF file that can be executed."""
    (start,), (size, n) = (
        struct.unpack_from(*x) for x in (("<Q", cubin, 40), ("<HH", cubin, 58))
    )
    sections = (struct.unpack_from("<4xI4Q", cubin, start + i * size) for i in range(n))
    (found,) = [
        cubin[at : at + length]
        for kind, flags, _, at, length in sections
        if kind == PROGBITS and flags & EXECINSTR
    ]
    return found


def together(cubins, arch):
    """The SASS of each, without labels, from one call: to begin takes it 0.3 s."""
    codes = [*map(code, cubins)]
    text = tool("nvdisasm", "-ndf", "-b", ARCH[arch], cubin=b"".join(codes))
    lines = re.findall(r"/\*[0-9a-f]{4,}\*/.*", text)
    assert 16 * len(lines) == sum(map(len, codes))  # bytes of an instruction
    rest = iter(lines)
    return ["\n".join(islice(rest, len(x) // 16)) for x in codes]


def instructions(sass):
    """How often each of INSTRUCTIONS stands there."""
    return {name: len(re.findall(x, sass)) for name, x in INSTRUCTIONS.items()}


def taken(kernel):
    """Registers a thread and bytes of shared memory; the cubin, for count_all."""
    cubin = kernel.asm["cubin"]
    usage = tool("cuobjdump", "-res-usage", cubin=cubin)
    found = {"registers": int(re.search(r"REG:(\d+)", usage)[1])}
    found["shared"] = kernel.metadata.shared
    return found | dict.fromkeys(INSTRUCTIONS) | {"cubin": cubin}


def count_all(jobs):
    """For (architecture, {name: taken}): instructions take the place of the cubin."""
    for arch in {arch for arch, _ in jobs}:
        made = [x for its, found in jobs if its == arch for x in found.values()]
        kernels = [x for x in made if isinstance(x, dict)]  # others: loops, an error
        cubins = [x.pop("cubin") for x in kernels]
        for x, sass in zip(kernels, together(cubins, arch) if cubins else []):
            x |= instructions(sass)


def counts(kernel):
    """The numbers of one kernel, from the SASS that measure/ladder/loops.py reads."""
    found = taken(kernel)
    del found["cubin"]
    return found | instructions(disassembled(kernel))


def overlap(kernel):
    """What the loops with two products in flight do, in the order of the SASS.

    Of each innermost loop that waits for one of them alone: the products started before
    that wait, how many may go on past it, the row maxima and exponentials between it
    and the wait for all, the exponentials after that, and what is spilled.
    """
    lines = disassembled(kernel).splitlines()
    begins = {x[1]: i for i, x in enumerate(map(LABEL.match, lines)) if x}
    loops = []
    for end, line in enumerate(lines):
        target = BRANCH.search(line)
        begin = begins.get(target[1], end) if target else end
        body = "\n".join(lines[begin:end])
        waits = [*re.finditer(r"WARPGROUP\.DEPBAR\.LE gsb0, 0x(\d)", body)]
        if [int(wait[1]) for wait in waits] == [1, 0]:
            before, between, after = (
                body[: waits[0].start()],
                *(body[i.end() : j] for i, j in zip(waits, (waits[1].start(), None))),
            )
            loops.append(
                {
                    "started": len(re.findall(r"\bHGMMA", before)),
                    "in flight": 1,
                    "maxima between": len(re.findall(r"\bFMNMX", between)),
                    "ex2 between": len(re.findall(r"\bMUFU\.EX2", between)),
                    "ex2 after": len(re.findall(r"\bMUFU\.EX2", after)),
                    "spills": len(re.findall(r"\b(STL|LDL)", body)),
                }
            )
    return loops
