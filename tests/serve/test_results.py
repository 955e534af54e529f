"""What the service answers is attention: in both forms, for every dtype and option."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import safetensors.torch
import torch

import tilewise
from tilewise import worked_example as example
from tilewise.serve.models import EXAMPLE

from ._service import BYTES, JSON, packed

DTYPES = torch.float16, torch.bfloat16, torch.float32, torch.float64


def draw(seed=1, dtype=torch.float32, n=70):
    """Random q, k, v with shared heads, N_q ≠ N_k and d_v ≠ d."""
    generator, n_k = torch.Generator().manual_seed(seed), n + 5 - 3 * seed
    shapes = (2, 2 * seed, n, 7), (2, 2, n_k, 7), (2, 2, n_k, 4)
    return [torch.randn(x, generator=generator).to(dtype) for x in shapes]


def as_json(q, k, v, **options):
    options["dtype"] = str(q.dtype).removeprefix("torch.")
    return {"q": q.tolist(), "k": k.tolist(), "v": v.tolist()} | options


def read(response, dtype=torch.float32):
    """(o, lse) of an answer in either form."""
    assert response.status_code == 200, response.text
    if response.headers["content-type"] != JSON:
        tensors = safetensors.torch.load(response.content)
        return tensors["o"], tensors["lse"]
    lists = json.loads(response.text.replace("null", "-Infinity"))
    lse = torch.tensor(lists["lse"], dtype=torch.promote_types(dtype, torch.float32))
    return torch.tensor(lists["o"], dtype=dtype), lse


@pytest.mark.parametrize("form", [JSON, BYTES])
@pytest.mark.parametrize("causal", [False, True, "top-left"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_it_is_attention_to_the_bit(served, form, causal, dtype):
    """Also where several ask at the same time."""

    def ask(seed, scale):
        q, k, v = draw(seed, dtype, 9 if form == JSON else 150)
        options = {"causal": causal, "return_lse": True, "scale": scale}
        words = {y: str(x).lower() for y, x in options.items() if x is not None}
        body = as_json(q, k, v, **options) if form == JSON else packed(q, k, v, **words)
        o, lse = read(served.ask(body, form), dtype)
        more = tilewise.flash_attention(q, k, v, **options)
        return torch.equal(o, more[0]) and torch.equal(lse, more[1])

    with ThreadPoolExecutor() as pool:
        assert all(pool.map(ask, (1, 2, 3, 4), (None, 0.3, -1.5, 1e-3)))


def test_the_running_example_and_a_row_without_keys(served):
    ((o,),) = served.ask(EXAMPLE).json()["o"]
    for row, right in zip(o, example.O, strict=True):
        assert row == pytest.approx(right, abs=1e-12)
    q, k = torch.ones(1, 1, 3, 2), torch.ones(1, 1, 1, 2)
    answer = served.ask(as_json(q, k, k, causal=True, return_lse=True)).json()
    assert answer["o"] == [[[[0, 0], [0, 0], [1, 1]]]]
    assert answer["lse"][0][0] == [None, None, pytest.approx(2**0.5)]


def test_the_form_of_the_answer_and_options_of_the_query(served):
    octets, (q, k, v) = "application/octet-stream", draw()
    query = "?causal=top-left&scale=-2.5e-1&return_lse=true"
    how = {"causal": "top-left", "scale": -0.25, "return_lse": True}
    more = tilewise.flash_attention(q, k, v, **how)
    accepted = {"*/*": BYTES, octets: octets, "text/html, APPLICATION/JSON;q=0.5": JSON}
    for accept, form in accepted.items():
        answer = served.ask(packed(q, k, v), BYTES, query, accept=accept)
        assert answer.headers["content-type"] == form
        o, lse = read(answer)
        assert torch.equal(o, more[0]) and torch.equal(lse, more[1])


def test_nan_where_it_is_allowed(served):
    q, k, v = draw()
    q[0, 0, 0, 0] = torch.nan
    body = packed(q, k, v, allow_nonfinite="true", return_lse="true")
    o, _ = read(served.ask(body, BYTES))
    assert o[0, 0, 0].isnan().all() and o.isnan().sum() == v.shape[-1]
