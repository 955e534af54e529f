"""Numbers in the prose of the page on how a GPU runs a kernel."""

from draw.tables.why.one_clock import rows

from tilewise.hardware import GPUS
from tilewise.ledger.occupancy import SM, resident

THREADS = 32 * SM["warps"]["value"]  # of a full SM
TILE = 128, 128, 42_240  # threads, registers, bytes of a kernel of 64 × 64 tiles


def latency():
    """What must be under way for an SM to get all of HBM's bandwidth that is its."""
    found = {name: (amount, wait) for name, _, amount, wait in rows()}
    amount, wait = found["hbm"]
    flying = amount * wait
    assert 4 * THREADS < flying < 8 * THREADS, "4 bytes per thread are not enough"
    yield "fma_wait", f"{found['fma'][1]:.0f}"
    yield "hbm_wait", f"{wait:.0f}"
    yield "hbm_bytes", f"{amount:.1f}"
    yield "flying", f"{round(flying, -2):,.0f}"
    yield "full_4", f"{4 * THREADS}"
    yield "threads_16", f"{-(-round(flying, -2) // 16):.0f}"
    yield "tensor_flop", f"{found['bf16'][0] / SM['parts']['value']:.0f}"


def exponentials():
    """Online softmax of bfloat16 scores from HBM: two exponentials per score."""
    found = {name: amount for name, _, amount, _ in rows()}
    scores = found["hbm"] / 2
    yield "hbm_scores", f"{scores:.1f}"
    yield "exp_pass", f"{2 * scores / found['exp']:.1f}"


def grid():
    """Waves of a layer's blocks: 4 × 16 heads, N = 4096, 128 rows per block."""
    sms = GPUS["H200"]["sms"]["value"]
    blocks, places = 4 * 16 * 4096 // 128, 2 * sms
    waves = -(-blocks // places)
    yield "sms", f"{sms}"
    yield "sms_more", f"{sms + 1}"
    yield "half_busy", f"{100 * (sms + 1) / (2 * sms):.0f}"
    yield "blocks", f"{blocks}"
    yield "places", f"{places}"
    yield "full_waves", f"{waves - 1}"
    yield "last_wave", f"{blocks - (waves - 1) * places}"


def fits():
    """A kernel of tiles of 64 × 64, block by block."""
    threads, registers, _ = TILE
    fit = resident("H200", *TILE)
    assert min(fit, key=fit.get) == "registers"
    yield "tile_kib", f"{TILE[2] / 1024:.0f}"
    yield "tile_registers", f"{registers}"
    yield "tile_all", f"{threads * registers:,}"
    yield "tile_blocks", f"{fit['registers']}"
    yield "tile_shared", f"{fit['shared']}"
    yield "tile_warps", f"{fit['registers'] * threads // 32}"


PARTS = (latency, exponentials, grid, fits)
