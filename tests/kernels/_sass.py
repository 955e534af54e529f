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
LINE = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;")
WAIT = re.compile(r"WARPGROUP\.DEPBAR\.LE gsb0, 0x(\d)")  # so many products go on
# As nvdisasm calls them
ARCH = {80: "SM80", 89: "SM89", 90: "SM90a", 100: "SM100a", 120: "SM120"}
PROGBITS, EXECINSTR = 1, 4  # of a section that holds code
INSTRUCTIONS = {
    "spills": r"\bSTL",
    "wgmma": r"\bHGMMA",
    "mma": r"\bHMMA",
    "tma": r"\bUTMALDG",
    "tcgen05": r"\bUTC\w*MMA",
    "ex2": r"\bMUFU\.EX2",
}
MADE = r"\bSYNCS\.EXCH\.64 URZ, \[UR\d+\+0x([0-9a-f]+)\]"
STORE = re.compile(r"\bSTS(?:\.(\d+))? \[UR\d+\+0x([0-9a-f]+)\]")


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
    """How often each of INSTRUCTIONS stands there; which barriers are overwritten."""
    found = {name: len(re.findall(x, sass)) for name, x in INSTRUCTIONS.items()}
    lost = overwritten(sass)
    return found | ({"overwritten": lost} if lost else {})


def overwritten(sass):
    """Barriers in shared memory where something else is stored too, as byte offsets.

    The compiler stores what it tells groups of warps where nothing is in use. A barrier
    that is made and then not used may lie there: on a card that several processes
    share, such a kernel hangs or reads outside its memory.
    """
    made = {int(x, 16) for x in re.findall(MADE, sass)}
    stores = [(int(at, 16), int(bits or 32) // 8) for bits, at in STORE.findall(sass)]
    return [x for x in sorted(made) if any(x < a + n and a < x + 8 for a, n in stores)]


def taken(kernel):
    """Registers a thread and bytes of shared memory; the cubin, for count_all."""
    cubin = kernel.asm["cubin"]
    usage = tool("cuobjdump", "-res-usage", cubin=cubin)
    found = {"registers": int(re.search(r"REG:(\d+)", usage)[1])}
    found["shared"] = kernel.metadata.shared
    return found | dict.fromkeys(INSTRUCTIONS) | {"cubin": cubin}


def votes(kernel, d):
    """How often a warp may skip d / 2 products, and how often it asks all factors."""
    found = []
    before, *after = re.split(r"\bVOTE\.ANY P\d", disassembled(kernel))
    for text in after:
        asked = re.findall(r"FSETP\.NEU\.(?:AND|OR) P\d, PT, (R\d+)\S*, 1, ", before)
        block = re.search(r"@!P\d BRA .*?\n(.*?)\n\.L_x", text, re.S)[1]
        factors = re.findall(r"FMUL (R\d+), \1\S*, (R\d+)", block)
        whole = {x for _, x in factors} == {*asked[-2:]}
        found.append(whole and len(factors) == d // 2)
        before = text
    return {"skips": len(found), "asked": sum(found)}


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


def loops(kernel, wanted):
    """The innermost loops for which wanted(its text) is true.

    A loop is what lies between a label and a branch back to it, a line an instruction.
    """
    code, labels = [], {}
    for line in disassembled(kernel).splitlines():
        if label := LABEL.match(line.strip()):
            labels[label[1]] = len(code)
        elif instruction := LINE.search(line):
            code.append(instruction[1])
    branches = ((BRANCH.search(line), end) for end, line in enumerate(code, 1))
    spans = [(labels.get(to[1], end), end) for to, end in branches if to]
    spans = {span for span in spans if span[0] < span[1]}
    around = {x for x in spans for y in spans - {x} if x[0] <= y[0] and y[1] <= x[1]}
    bodies = ("\n".join(code[slice(*span)]) for span in sorted(spans - around))
    return [body for body in bodies if wanted(body)]


def overlap(kernel):
    """What the loops with two products in flight do, in the order of the SASS.

    Of each loop that waits for one of them alone: the products started before that
    wait, how many may go on past it, the row maxima and exponentials between it and the
    wait for all, the exponentials after that, and what is spilled.
    """

    def counted(body):
        before, one, between, _, after = WAIT.split(body)
        return {
            "started": len(re.findall(r"\bHGMMA", before)),
            "in flight": int(one),
            "maxima between": len(re.findall(r"\bFMNMX", between)),
            "ex2 between": len(re.findall(r"\bMUFU\.EX2", between)),
            "ex2 after": len(re.findall(r"\bMUFU\.EX2", after)),
            "spills": len(re.findall(r"\b(STL|LDL)", body)),
        }

    found = loops(kernel, lambda body: WAIT.findall(body) == ["1", "0"])
    return [counted(body) for body in found]
