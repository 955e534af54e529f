"""The walk of one query from the front door to the kernel, file by file."""

import sys
from pathlib import Path

import pytest
import torch

import tilewise
from tilewise.attention import dispatch

if sys.platform != "linux":
    pytest.skip("triton is for Linux only", allow_module_level=True)

from tilewise.kernels import gluon_forward
from tilewise.kernels.shared import gluon

SOURCE = Path(tilewise.__file__).parent


def callers():
    """The files of the package that are on the stack, the outermost first."""
    frame, files = sys._getframe(2), {}
    while frame:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(SOURCE):
            files[str(path.relative_to(SOURCE))] = None
        frame = frame.f_back
    return [*files][::-1]


def test_a_query_passes_through_few_files(monkeypatch):
    """Those that hand it on; helpers return to them, and the kernel has two more."""
    walks = []
    monkeypatch.setattr(dispatch, "card", lambda device: ((9, 0), True))
    monkeypatch.setattr(gluon, "available", lambda device: True)
    monkeypatch.setattr(
        gluon_forward, "launch", lambda *_, **__: walks.append(callers())
    )
    q = torch.zeros(1, 2, 128, 64, dtype=torch.bfloat16)
    with torch.no_grad():
        tilewise.flash_attention(q, q, q)
    files = [*walks[0], "kernels/host/launch.py"]
    assert files[0] == "attention/ops.py" and "kernels/gluon_forward.py" in files
    on_the_card = {"kernels/shared/gluon.py", "kernels/shared/work.py"}
    assert len({*files, *on_the_card}) <= 8, files
