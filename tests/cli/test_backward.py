"""`trace --backward`: its gradients in every form, or a sentence that says why."""

import json
import random
from fractions import Fraction as F

import pytest
import torch

from tilewise import worked_example as example
from tilewise.cli import main

from .._oracle import attend, largest_difference, random_matrix

ORDERS = ("kv-outer", "q-outer")
NAMES = ("dq", "dk", "dv")


def tensor(rows):
    return torch.tensor(rows, dtype=torch.float64)


def autograd(given, causal):
    """(dq, dk, dv) of what a JSON holds, by PyTorch in float64."""
    q, k, v = (tensor(given[x]).requires_grad_() for x in "qkv")
    o, _ = attend(q, k, v, causal=causal, scale=given["scale"])
    grads = torch.autograd.grad(o, (q, k, v), tensor(given["do"]))
    return [torch.nan_to_num(x).tolist() for x in grads]


def made(capsys, *options):
    status = main(["trace", "--backward", "--format", "json", *options])
    out, err = capsys.readouterr()
    assert status == 0 and err == ""
    return json.loads(out)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("causal", [False, True])
def test_json_is_autograd_for_the_example_and_for_other_sizes(order, causal, capsys):
    options = ["--order", order, *["--causal"] * causal]
    for size in ([], ["--n", "7", "--d", "3", "--block-cols", "3"]):
        found = made(capsys, *options, *size)
        assert found["order"] == order and found["causal"] is causal
        assert found["steps"][-1]["dq"] == found["dq"]
        for name, expected in zip(NAMES, autograd(found, causal), strict=True):
            assert largest_difference(found[name], expected) < 1e-11
    assert len(found["do"]) == 7


def test_json_of_the_example_includes_the_scale(capsys):
    found = made(capsys)
    first = found["steps"][0]
    assert found["do"] == example.DO and first["delta"] == [5, 6]
    assert found["dq"][0][0] == pytest.approx(-26 / 9 * example.SCALE, abs=1e-15)
    assert first["dk_new"][0][0] == pytest.approx(22 / 9 * example.SCALE, abs=1e-15)
    assert first["s"][0] == [-example.SCALE] * 2 and first["m"] == [0, example.SCALE]
    assert found["dv"][2] == [1, float(F(2, 3))]


@pytest.mark.parametrize("causal", [False, True])
def test_a_file_with_do(causal, tmp_path, capsys):
    rng = random.Random(4)
    shapes = {"q": (5, 2), "k": (3, 2), "v": (3, 4), "do": (5, 4)}
    given = {x: random_matrix(rng, *shape) for x, shape in shapes.items()}
    file = tmp_path / "x.json"
    file.write_text(json.dumps({**given, "scale": -0.5}))
    found = made(capsys, "--input", str(file), *["--causal"] * causal)
    for name, expected in zip(NAMES, autograd(found, causal), strict=True):
        assert largest_difference(found[name], expected) < 1e-12
    assert causal is (found["dq"][0] == [0, 0])  # causal: row 1 sees no key


def test_a_file_without_do_and_numbers_too_large(tmp_path, refused):
    file = tmp_path / "x.json"
    given = {"q": [[1]], "k": [[1]], "v": [[2]]}
    file.write_text(json.dumps(given))
    argv = ("trace", "--backward", "--input", str(file))
    assert 'lacks "do"' in refused(*argv)
    assert '缺少 "do"' in refused(*argv, "--lang", "zh")
    for do in ([[1, 2]], [["x"]], 3):
        file.write_text(json.dumps({**given, "do": do}))
        assert "do" in refused(*argv)
    file.write_text(json.dumps({**given, "do": [[1.7e308]]}))
    assert "the range of a float at step 1" in refused(*argv)
    assert refused("trace", "--backward=1") == "--backward takes no value."


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("form", ["text", "latex", "json"])
@pytest.mark.parametrize("size", [[], ["--n", "3", "--d", "1"]])
def test_every_choice_runs(order, form, size, capsys):
    for lang in ("en", "zh"):
        options = ["--order", order, "--format", form, "--causal", "--lang", lang]
        for way in ([], ["--backward"]):
            assert main(["trace", *way, *options, *size]) == 0
            out, err = capsys.readouterr()
            assert out.endswith("\n") and err == ""
