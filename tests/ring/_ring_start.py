"""Starts the ranks: `python _ring_start.py _ring FOLDER 2 4` for worlds of 2 and 4.

Nothing here imports PyTorch: one process does, and all ranks are its forks.
"""

import importlib
import multiprocessing
import sys
from multiprocessing.connection import wait
from pathlib import Path

KNOWN = "torch._dynamo", "torch.distributed", "tilewise.ring.ops"  # what ranks import


def forks(*known):
    """A context: processes get all as a pickle, from a server that imported these."""
    methods = multiprocessing.get_all_start_methods()
    method = "forkserver" if "forkserver" in methods else "spawn"
    context = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload([*known])
    return context


def begin(module, *given):
    importlib.import_module(module).work(*given)


def main(module, folder, *worlds):
    """Start every rank of every world at once; end all as soon as one fails."""
    context, running = forks(*KNOWN), []
    for world in worlds:
        (folder / str(world)).mkdir()
        for rank in range(world):
            given = module, rank, world, folder / str(world)
            running.append(context.Process(target=begin, args=given, daemon=True))
            running[-1].start()
    while running:
        wait([x.sentinel for x in running])
        if any(x.exitcode for x in running):
            sys.exit("a rank has failed")
        running = [x for x in running if x.exitcode is None]


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *map(int, sys.argv[3:]))
