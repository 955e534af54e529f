"""Threads, queue, deadline and memory: what waits is bounded and let go in time."""

import asyncio
import threading

import pytest

from tilewise.serve import api
from tilewise.serve.compute import Unwanted
from tilewise.serve.limits import MIB

from ._service import BYTES, JSON, ONE, PATH, draw, packed, problem, service


class Held:
    """Jobs that stay at work until `go`, unless they are unwanted before."""

    def __init__(self):
        self.go, self.begun, self.ended = (threading.Event() for _ in range(3))
        self.left = 0

    def __call__(self, box, *rest):
        self.begun.set()
        unwanted = rest[-1]
        while not self.go.wait(0.005):
            if unwanted():
                self.left += 1
                self.ended.set()
                raise Unwanted
        return b"{}"


@pytest.fixture
def held(monkeypatch):
    found = Held()
    monkeypatch.setattr(api, "answer", found)
    yield found
    found.go.set()


async def until(true):
    while not true():
        await asyncio.sleep(0.005)


def gauge(served, name):
    lines = served.get("/metrics").text.splitlines()
    return float(next(x.split()[1] for x in lines if x.startswith(f"tilewise_{name} ")))


def test_a_full_queue_answers_at_once(held):
    with service(threads=2, queue=3) as served:
        health = "/health"

        async def crowd():
            five = [asyncio.ensure_future(served.post(ONE)) for _ in range(5)]
            while (await served.client.get(health)).status_code == 200:
                await asyncio.sleep(0.005)
            seen = (await served.client.get(health)).json()
            sixth = await served.post(b"not even read")
            held.go.set()
            return seen, sixth, await asyncio.gather(*five)

        seen, sixth, five = served.run(crowd())
        assert seen | {"live": True, "ready": False, "queued": 3, "running": 2} == seen
        problem(sixth, 429, "the queue is full")
        assert int(sixth.headers["retry-after"]) >= 1
        assert [x.status_code for x in five] == [200] * 5
        assert served.get(health).json()["ready"]
        assert served.ask(ONE).status_code == 200
        assert gauge(served, "queued") == gauge(served, "running") == 0


def test_a_deadline_frees_the_thread(held):
    with service(threads=1, deadline=1) as served:

        async def two():
            return await asyncio.gather(served.post(ONE), served.post(ONE))

        for answer in served.run(two()):  # one at work, one in the queue
            problem(answer, 503, "not there in time")
            assert "retry-after" in answer.headers
        assert held.ended.wait(30) and held.left == 1
        held.go.set()
        assert served.ask(ONE).status_code == 200


def test_a_slow_body_has_the_same_deadline():
    async def slow():
        yield b"{"
        await asyncio.sleep(60)

    with service(deadline=1) as served:
        send = served.client.post(PATH, content=slow(), headers={"content-type": BYTES})
        answer = served.run(send)
        assert problem(answer, 408, "did not come in time") == "body"
        assert answer.headers["connection"] == "close"
        assert gauge(served, "held_bytes") == 0


def test_nobody_computes_for_a_client_that_left(held):
    with service(threads=1) as served:
        sent, scope = (
            [],
            {
                "type": "http",
                "method": "POST",
                "path": PATH,
                "query_string": b"",
                "headers": [(b"content-type", JSON.encode())],
                "http_version": "1.1",
            },
        )
        body = [{"type": "http.request", "body": b"{}"}]

        async def receive():
            if body:
                return body.pop()
            await until(held.begun.is_set)
            return {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)

        served.run(served.app(scope, receive, send))
        assert sent[0]["status"] == 408 and held.ended.wait(30)
        served.run(until(lambda: served.get))
        held.go.set()
        assert served.ask(ONE).status_code == 200


def test_bodies_and_answers_are_counted(held):
    with service(memory=1, max_body=1) as served:
        body = b" " * (3 * MIB // 4)

        async def two():
            first = asyncio.ensure_future(served.post(body, BYTES))
            await until(held.begun.is_set)
            second = await served.post(body, BYTES)
            held.go.set()
            return await first, second

        first, second = served.run(two())
        assert first.status_code == 200
        problem(second, 429, "MiB of other requests are held")
        assert gauge(served, "held_bytes") == 0
        assert served.ask(body, BYTES).status_code == 200


def test_stopping_drops_what_runs(held):
    with service(threads=1) as served:

        async def leave():
            task = asyncio.ensure_future(served.post(packed(*draw(1)), BYTES))
            await until(held.begun.is_set)
            task.cancel()
            await asyncio.wait([task])

        served.run(leave())
    assert held.ended.is_set()  # the service has ended, so its threads have
