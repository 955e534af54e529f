"""Threads, queue, deadline and memory: what waits is bounded and let go in time."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from types import SimpleNamespace

import pytest
import torch

from tilewise.attention.passes import tile_sizes
from tilewise.serve import api
from tilewise.serve.checks import TILE, blocks, work
from tilewise.serve.compute import Unwanted, attend
from tilewise.serve.limits import LIMITS, MIB
from tilewise.serve.models import Options, Words

from ._service import BYTES, JSON, ONE, PATH, Service, problem


@pytest.fixture
def busy(monkeypatch):
    """Have jobs stay at work until `go`, unless they are unwanted before."""
    events = SimpleNamespace(go=Event(), begun=Event(), ended=Event())

    def job(*args):
        events.begun.set()
        while not events.go.wait(0.005):
            if args[-1]():
                events.ended.set()
                raise Unwanted
        return b"{}"

    monkeypatch.setattr(api, "answer", job)
    monkeypatch.setattr(api, "warm", lambda: None)
    yield events
    events.go.set()


def gauge(served, name):
    return float(re.search(rf"\ntilewise_{name} (\S+)", served.get("/metrics").text)[1])


def test_a_full_queue_answers_at_once(busy):
    with Service(threads=2, queue=3) as served, ThreadPoolExecutor() as pool:
        five = [pool.submit(served.ask, ONE) for _ in range(5)]
        while (gauge(served, "queued"), gauge(served, "running")) != (3, 2):
            time.sleep(0.005)
        assert served.get("/health").status_code == 503
        sixth = served.ask(b"not even read")
        problem(sixth, 429, "the queue is full")
        assert int(sixth.headers["retry-after"]) >= 1
        busy.go.set()
        assert [x.result().status_code for x in five] == [200] * 5


def test_a_deadline_frees_the_thread(busy):
    with Service(threads=1, deadline=0.2) as served, ThreadPoolExecutor() as pool:
        for answer in pool.map(served.ask, [ONE, ONE]):  # one of them is in the queue
            problem(answer, 503, "not there in time")
        assert busy.ended.wait(30)
        busy.go.set()
        assert served.ask(ONE).status_code == 200


def test_bodies_are_counted(busy):
    body = b" " * (3 * MIB // 4)
    with Service(memory=1, max_body=1) as served, ThreadPoolExecutor() as pool:
        first = pool.submit(served.ask, body, BYTES)
        assert busy.begun.wait(30)
        problem(served.ask(body, BYTES), 429, "1 MiB of other requests are held")
        busy.go.set()
        assert first.result().status_code == 200
        assert gauge(served, "held_bytes") == 0


def test_a_mistake_of_the_server_tells_nothing(busy, monkeypatch):
    monkeypatch.setattr(api, "answer", lambda *_: {}["a secret"])
    with Service() as served:
        problem(served.ask(ONE), 500, "a mistake in the server")
        assert 'route="/v1/attention",status="500"} 1.0' in served.get("/metrics").text


def test_unwanted_is_asked_before_every_tile():
    x = torch.ones(1, 16, 300, 4)
    answers = iter([False, False, True, *[False] * 100])
    with pytest.raises(Unwanted):
        attend({"q": x, "k": x, "v": x}, Options(), answers.__next__)
    attend({"q": x, "k": x, "v": x}, Options(), answers.__next__)
    rows, cols = blocks(x, x)
    assert 100 - len([*answers]) == -(-300 // rows) * -(-300 // cols) > 3


@pytest.mark.parametrize("heads", [1, 8, 300, 1024])
@pytest.mark.parametrize("n", [1, 77, 4000])
def test_tiles_and_work_are_bounded(heads, n):
    for d in (1, 64, 256):
        q, k, v = map(torch.empty, ((1, heads, n, d), (1, 1, 9, d), (1, 1, 9, 3)))
        rows, cols = blocks(q, v)
        assert 1 <= rows <= n and cols >= 1
        assert heads * max(rows, d + 3) * cols <= max(TILE, heads * (d + 3))
        if heads <= 8 and n > 1:
            assert (rows, cols) == tile_sizes(q)  # those of tilewise.flash_attention
        scores, copies = n * (512 + d + 3), -(-n // rows) * 64 * (d + 3)
        assert work(q, k, v) == heads * 9 * (scores + copies)


def test_the_description_names_every_option_limit_and_answer(served):
    described = served.get("/openapi.json").json()
    assert {*described["paths"]} == {PATH, "/health", "/metrics"}
    post, names = described["paths"][PATH]["post"], {*Words.model_fields}
    assert {x["name"] for x in post["parameters"]} == names
    body = post["requestBody"]["content"][JSON]["schema"]
    assert {*body["properties"]} == {*"qkv", "dtype", *names}
    assert {*map(int, post["responses"])} == {200, 400, 408, 413, 415, 422, 429, 503}
    assert all(name in described["info"]["description"] for name in LIMITS)
