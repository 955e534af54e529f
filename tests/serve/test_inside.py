"""Parts of the service by themselves: tiles, work, what is seen, the description."""

import json
import re

import jsonschema
import pytest
import torch

from tilewise.attention.passes import tile_sizes
from tilewise.serve import options
from tilewise.serve.checks import TILE, blocks, work
from tilewise.serve.compute import Unwanted, attend
from tilewise.serve.limits import LIMITS
from tilewise.serve.options import USUAL
from tilewise.serve.problem import Problem

from ._service import BYTES, JSON, ONE, PATH, draw, packed, service


def test_unwanted_is_asked_before_every_tile():
    x = torch.ones(1, 16, 300, 4)
    tensors, asked = {"q": x, "k": x, "v": x}, []

    def third():
        asked.append(1)
        return len(asked) == 3

    with pytest.raises(Unwanted):
        attend(tensors, USUAL, third)
    assert len(asked) == 3
    asked.clear()
    attend(tensors, USUAL, lambda: asked.append(1))
    rows, cols = blocks(x, x)
    assert len(asked) == -(-300 // rows) * -(-300 // cols) > 3


@pytest.mark.parametrize("heads", [1, 8, 300, 1024])
@pytest.mark.parametrize("n", [1, 77, 4000])
@pytest.mark.parametrize("d", [1, 64, 256])
def test_tiles_are_bounded(heads, n, d):
    q, v = torch.empty(1, heads, n, d), torch.empty(1, 1, 9, d)
    rows, cols = blocks(q, v)
    assert 1 <= rows <= n and cols >= 1
    assert heads * max(rows, 2 * d) * cols <= max(TILE, heads * 2 * d)
    if heads <= 8 and n > 1:
        assert (rows, cols) == tile_sizes(q)  # those of tilewise.flash_attention


def test_work_counts_scores_and_copies():
    q, k, v = (
        torch.empty(2, 6, 10, 8),
        torch.empty(2, 3, 20, 8),
        torch.empty(2, 3, 20, 4),
    )
    scores = 2 * 6 * 10 * 20
    assert work(q, k, v) == scores * (512 + 8 + 4) + 2 * 6 * 20 * 64 * (8 + 4)
    one = torch.empty(1, 1, 1, 256)
    far = torch.empty(1, 1, 2**14, 256)
    assert work(one.expand(1, 1024, 1, 256), far, far) > LIMITS["max_work"] * 10**9


def test_request_ids_come_back_if_they_are_harmless(served):
    for given in ("a", "A-b_c.9", "x" * 64):
        answer = served.ask(ONE, **{"x-request-id": given})
        assert answer.headers["x-request-id"] == given
    for given in (
        b"",
        b"a b",
        b"x" * 65,
        b"a;b",
        b"<x>",
        b"\xff",
        b"a\r\nx: y",
        b"a\n",
    ):
        answer = served.ask(ONE, **{"x-request-id": given})
        assert re.fullmatch("[0-9a-f]{32}", answer.headers["x-request-id"])
        assert "x" not in answer.headers


def test_every_answer_is_safe_and_open_to_nobody_else(served):
    answers = [served.get(x) for x in ("/health", "/metrics", "/openapi.json", "/x")]
    answers += [served.ask(ONE, origin="https://elsewhere.example"), served.ask(b"{")]
    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert not [x for x in answer.headers if x.startswith("access-control")]
        assert "server" not in answer.headers


def test_metrics_count():
    with service() as served:
        sent = packed(*draw(1))
        got = served.ask(sent, BYTES)
        served.ask(b"{")
        served.get("/" + "x" * 99)
        text = served.get("/metrics").text
    wanted = [
        f'requests_total{{method="POST",route="{PATH}",status="200"}} 1.0',
        f'requests_total{{method="POST",route="{PATH}",status="400"}} 1.0',
        'requests_total{method="GET",route="other",status="404"} 1.0',
        f'request_seconds_count{{route="{PATH}"}} 2.0',
        f'bytes_total{{way="in"}} {float(len(sent) + 1)}',
        "queued 0.0",
        "running 0.0",
        "held_bytes 0.0",
    ]
    assert [x for x in wanted if f"tilewise_{x}\n" not in text] == []
    out = float(re.search(r'tilewise_bytes_total{way="out"} (\S+)', text)[1])
    assert out > len(got.content) and "x" * 99 not in text


def test_the_description_is_true(served):
    described = served.get("/openapi.json").json()
    post = described["paths"][PATH]["post"]
    schemas = described["components"]["schemas"]
    assert {*described["paths"]} == {PATH, "/health", "/metrics"}

    def holds(name, value):
        about = {
            "$ref": f"#/components/schemas/{name}",
            "components": {"schemas": schemas},
        }
        jsonschema.Draft202012Validator(about).validate(value)

    sample = post["requestBody"]["content"][JSON]["example"]
    holds("Attention", sample)
    answer = served.ask(sample | {"return_lse": True}).json()
    holds("Result", answer)
    shown = post["responses"]["200"]["content"][JSON]["example"]
    for row, right in zip(answer["o"][0][0], shown["o"][0][0], strict=True):
        assert row == pytest.approx(right, abs=1e-12)
    for body, form in ((b"{", JSON), (b"", BYTES), (b"{}", JSON), (b"", "text/html")):
        bad = served.ask(body, form)
        holds("Problem", bad.json())
        assert (
            bad.headers["content-type"]
            in post["responses"][str(bad.status_code)]["content"]
        )
    holds("Health", served.get("/health").json())


def test_the_description_names_every_option_and_limit(served):
    described = served.get("/openapi.json").json()
    parameters = described["paths"][PATH]["post"]["parameters"]
    assert {x["name"] for x in parameters} == {*USUAL}
    body = described["components"]["schemas"]["Attention"]
    assert {*body["properties"]} == {*"qkv", "dtype", *USUAL}
    assert all(name in described["info"]["description"] for name in LIMITS)


def test_a_mistake_of_the_server_tells_nothing(monkeypatch):
    def broken(*_):
        raise RuntimeError("a secret")

    from tilewise.serve import api

    monkeypatch.setattr(api, "answer", broken)
    with service() as served:
        served.client._transport.raise_app_exceptions = False
        answer = served.ask(ONE)
        assert answer.status_code == 500 and "secret" not in answer.text
        assert answer.json()["title"] == "Internal Server Error"
        text = served.get("/metrics").text
    assert f'{{method="POST",route="{PATH}",status="500"}} 1.0' in text


def test_strict_json():
    assert options.strict(b'{"a": [1, -2.5e3, true, null]}', "x") == {
        "a": [1.0, -2500.0, True, None]
    }
    for bad in (b"", b"01", b"[1,]", b"{'a': 1}", b'{"a":1,"a":1}', b"NaN", b'"\n"'):
        with pytest.raises(Problem):
            options.strict(bad, "x")
    assert json.loads(options.bad("a").body())["status"] == 400
