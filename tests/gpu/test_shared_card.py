"""A card that several processes share puts programs aside in the middle of their work.

Once this made the backward pass hang: a barrier that nobody used lay where the compiler
keeps what it tells groups of warps. One process alone never showed it.
"""

import subprocess
import sys
from pathlib import Path

from .test_gluon_backward import pytestmark

__all__ = ["pytestmark"]


def test_four_processes_at_once():
    script = Path(__file__).with_name("_shared_card.py")
    command = [sys.executable, str(script), "2"]
    made = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(4)]
    try:
        for child in made:
            said = child.communicate(timeout=150)[1]
            assert child.returncode == 0, said.decode()[-2000:]
    finally:
        for child in made:
            child.kill()
