"""What is counted of every request (Prometheus), and the time it may take in all."""

import asyncio
import contextlib
import time
from typing import Any

from prometheus_client import CollectorRegistry, Gauge, Histogram

SECONDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30)


def metrics(jobs, budget):
    """(registry, seen): seen(scope, status, seconds) counts a request."""
    known: Any = {"registry": CollectorRegistry()}
    about = "From the headers of a request to the last byte of its answer."
    labels = ("route", "method", "status")
    took = Histogram("tilewise_seconds", about, labels, buckets=SECONDS, **known)
    for name, about, value in (
        ("queued", "Requests that wait for a thread.", lambda: jobs.queued),
        ("running", "Threads at work.", lambda: jobs.running),
        ("held_bytes", "Bodies and answers held.", lambda: budget.held),
    ):
        Gauge(f"tilewise_{name}", about, **known).set_function(value)

    def seen(scope, status, seconds):
        known = "route" in scope and status != 405  # else a client invents labels
        where = (scope["path"], scope["method"]) if known else ("other", "other")
        took.labels(*where, status).observe(seconds)

    return known["registry"], seen


async def discard(receive):
    """Take what is left of a body, and return the message that ends the request.

    What comes of a body after its answer has begun is discarded, because hypercorn does
    not close a connection before somebody has taken all of it.
    """
    while (message := await receive())["type"] != "http.disconnect":
        pass
    return message


def watched(app, seen, most):
    """An ASGI application around app: it counts, and gives up after `most` seconds."""

    async def around(scope, receive, send):
        if scope["type"] != "http":
            return await app(scope, receive, send)
        begun, status, rest = time.perf_counter(), 500, None

        async def hear():
            return await (asyncio.shield(rest) if rest else receive())

        async def tell(message):
            nonlocal status, rest
            status = message.get("status", status)
            rest = rest or asyncio.ensure_future(discard(receive))
            await send(message)

        try:  # the server closes a connection that has half of an answer
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(most):
                    await app(scope, hear, tell)
        finally:
            if rest:
                rest.cancel()
            seen(scope, status, time.perf_counter() - begun)

    return around
