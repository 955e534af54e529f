"""Which module stands on which floor: 0 plain Python, 1 PyTorch, 2 Triton."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src/tilewise"
PLAIN = {"softmax", "one_pass", "trace", "ledger", "hardware", "worked_example"}
PLAIN |= {"trace_backward", "ledger_backward", "cache", "live", "exercises"}
PLAIN |= {"tiles", "costs", "layer", "units", "ledger_ring", "activations"}
UPPER = {"kernels", "dispatch", "passes", "library", "ops", "sdpa", "module", "ring"}
UPPER |= {"ring_passes", "varlen", "varlen_passes", "varlen_library", "serve"}
UPPER |= {"flops", "checkpointing", "transformer"}
BESIDE = {"__init__", "__main__", "cli", "render", "examples", "pitfalls", "errata"}
BESIDE |= {"bench"}


def part_of(path):
    """What stands right below tilewise: softmax, kernels, cli, ..."""
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def floor_of(part):
    """0 plain Python, 1 PyTorch, 2 Triton; None for what stands beside the floors."""
    if part in BESIDE:
        return None
    return 0 if part in PLAIN else 2 if part in UPPER else 1


MODULES = sorted(SOURCE.rglob("*.py"))
FLOORS = [path for path in MODULES if floor_of(part_of(path)) is not None]
