"""What the service answers is attention: in both forms, for every dtype and option."""

import asyncio
import json
import random

import pytest
import safetensors.torch
import torch

import tilewise
from tilewise import worked_example as example

from .._oracle import CAUSALS, plain, reference
from ._service import BYTES, JSON, draw, packed

DTYPES = torch.float16, torch.bfloat16, torch.float32, torch.float64
SHORT = {JSON: 9, BYTES: 150}


def as_json(q, k, v, **options):
    lists = {"q": q.tolist(), "k": k.tolist(), "v": v.tolist()}
    return lists | {"dtype": str(q.dtype).removeprefix("torch.")} | options


def read(response, dtype):
    """(o, lse) of an answer in either form."""
    assert response.status_code == 200, response.text
    if response.headers["content-type"] != JSON:
        found = safetensors.torch.load(response.content)
        return found["o"], found["lse"]
    found = response.json()
    assert found["dtype"] == str(dtype).removeprefix("torch.")
    text = json.dumps(found["lse"]).replace("null", "-Infinity")
    wide = torch.promote_types(dtype, torch.float32)
    return torch.tensor(found["o"], dtype=dtype), torch.tensor(
        json.loads(text), dtype=wide
    )


def right(o, lse, q, k, v, **options):
    """o and lse against float64, at most twice as far off as plain PyTorch."""
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    exact, near = reference(q, k, v, **options), plain(q, k, v, **options)
    hidden = exact[1] == -torch.inf
    assert torch.equal(lse == -torch.inf, hidden)
    for x, y, z in zip((o, lse), exact, near):
        mask = hidden[..., None] if x is o else hidden
        x, y, z = (t.double().masked_fill(mask, 0) for t in (x, y, z))
        unit = torch.finfo(q.dtype).eps * y.abs().max()
        more = 16 if q.dtype == torch.float64 else 2
        assert (x - y).abs().max() <= 2 * (z - y).abs().max() + more * unit
    assert not o[hidden].any()


@pytest.mark.parametrize("form", [JSON, BYTES])
@pytest.mark.parametrize("causal", CAUSALS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_it_is_attention(served, form, causal, dtype):
    for seed, scale in ((1, None), (2, 0.3), (3, -1.5)):
        q, k, v = draw(seed, dtype, SHORT[form])
        options = {"causal": causal, "return_lse": True}
        options |= {} if scale is None else {"scale": scale}
        words = {name: str(x).lower() for name, x in options.items()}
        body = as_json(q, k, v, **options) if form == JSON else packed(q, k, v, **words)
        o, lse = read(served.ask(body, form), dtype)
        assert o.dtype == dtype
        right(o, lse, q, k, v, causal=causal, scale=scale)
        more = tilewise.flash_attention(q, k, v, **options)
        assert torch.equal(o, more[0]) and torch.equal(lse, more[1])  # to the bit


def test_the_running_example(served):
    names = {"q": example.Q, "k": example.K, "v": example.V}
    body = {x: [[rows]] for x, rows in names.items()}
    answer = served.ask(body | {"scale": example.SCALE, "dtype": "float64"})
    ((o,),) = answer.json()["o"]
    for row, right in zip(o, example.O, strict=True):
        assert row == pytest.approx(right, abs=1e-12)


def test_a_row_without_keys_has_null(served):
    q, k, v = torch.ones(1, 1, 3, 2), torch.ones(1, 1, 1, 2), torch.ones(1, 1, 1, 2)
    answer = served.ask(as_json(q, k, v, causal=True, return_lse=True)).json()
    assert answer["o"] == [[[[0, 0], [0, 0], [1, 1]]]]
    assert answer["lse"][0][0] == [None, None, pytest.approx(2**0.5)]


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("*/*", BYTES),
        ("application/*", BYTES),
        ("application/json", JSON),
        ("application/octet-stream", "application/octet-stream"),
        ("application/json;q=0.2, */*;q=0.1", JSON),
        ("application/json;q=0.2, application/vnd.safetensors", BYTES),
        ("text/html, application/json;q=0.5", JSON),
        ("APPLICATION/JSON", JSON),
        ("", BYTES),
    ],
)
def test_the_form_of_the_answer(served, accept, form):
    body = packed(*draw(5), return_lse="true")
    answer = served.ask(body, BYTES, accept=accept or "*/*")
    assert answer.status_code == 200 and answer.headers["content-type"] == form
    o, lse = read(answer, torch.float32)
    assert torch.equal(o, tilewise.flash_attention(*draw(5)))


def test_options_of_the_query(served):
    q, k, v = draw(6)
    query = "?causal=top-left&scale=-2.5e-1&return_lse=true"
    o, lse = read(served.ask(packed(q, k, v), BYTES, query), torch.float32)
    how = {"causal": "top-left", "scale": -0.25, "return_lse": True}
    assert torch.equal(o, tilewise.flash_attention(q, k, v, **how)[0])
    o = served.ask(as_json(q, k, v), JSON, "?causal=false").json()["o"]
    assert torch.equal(torch.tensor(o), tilewise.flash_attention(q, k, v))


def test_calls_at_the_same_time_share_nothing(served):
    inputs = [draw(x, random.Random(x).choice(DTYPES)) for x in range(40)]

    async def all_of_them():
        posts = (served.post(packed(*x, return_lse="true"), BYTES) for x in inputs)
        return await asyncio.gather(*posts)

    for qkv, answer in zip(inputs, served.run(all_of_them())):
        o, lse = read(answer, qkv[0].dtype)
        more = tilewise.flash_attention(*qkv, return_lse=True)
        assert torch.equal(o, more[0]) and torch.equal(lse, more[1])


def test_infinity_and_nan_where_they_are_allowed(served):
    q, k, v = draw(7)
    q[0, 0, 0, 0] = torch.nan
    o, _ = read(
        served.ask(packed(q, k, v), BYTES, "?allow_nonfinite=true&return_lse=true"),
        torch.float32,
    )
    assert o[0, 0, 0].isnan().all() and o.isnan().sum() == v.shape[-1]
