"""How far apart two consumers of the forward pass start their products."""

import tempfile

import torch
from measure.timeline import _stamps
from measure.variants._variants import load


def apart(inputs):
    """{d: {turns: [cycles between consumers 0 and 1 starting their products]}}.

    A number for each tile of the first walk: the median distance over the programs.
    """
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for d in (64, 128):
            results[d] = {}
            q, k, v, _ = inputs(d)
            for turns in (True, False):
                text = _stamps.forward((3,), turns)
                module = load(f"apart_{d}_{turns}", text, folder)
                shape = _stamps.SHAPE
                module.TIMES = torch.zeros(shape, dtype=torch.int32, device="cuda")
                module.forward(q, k, v)
                starts = module.TIMES.cpu().long()[:128, :2, : q.shape[2] // 128, 3]
                gap = (starts[:, 1] - starts[:, 0] + 2**31) % 2**32 - 2**31
                medians = gap.abs().median(0).values.tolist()
                results[d]["turns" if turns else "no turns"] = medians
    print(results)
    return results
