"""The page's way to ONNX: ONNX Runtime computes what the layer does, at any length."""

import runpy

import pytest
import torch
from repository import ROOT

runtime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")
pytestmark = pytest.mark.full


@pytest.mark.filterwarnings("ignore:`isinstance", "ignore::DeprecationWarning")
def test_onnx_runtime_computes_the_same(tmp_path):
    made = runpy.run_path(str(ROOT / "src/tilewise/examples/with_onnx.py"))
    layer, file = made["layer"], str(tmp_path / "layer.onnx")
    torch.onnx.export(made["plain"], (made["x"],), file)
    session = runtime.InferenceSession(file)
    for n in (2, 100, 333):
        x = torch.randn(2, n, 64)
        y, *_ = session.run(None, {session.get_inputs()[0].name: x.numpy()})
        exact = layer.double()(x.double())
        error = (layer.float()(x) - exact).abs().max()
        assert (torch.tensor(y) - exact).abs().max() < 2 * error
