"""What is seen of every request: an id, counts, times (Prometheus)."""

import re
import time
import uuid

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

SAFE = re.compile(r"[A-Za-z0-9._-]{1,64}")
ROUTES = ("/v1/attention", "/health", "/metrics", "/openapi.json")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
SECONDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30)
SAFETY = [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]


def metrics(jobs, budget):
    """(registry, seen): seen(scope, status, seconds, came, went) counts."""
    registry = CollectorRegistry()
    asked = Counter(
        "tilewise_requests",
        "Requests answered.",
        ("route", "method", "status"),
        registry=registry,
    )
    took = Histogram(
        "tilewise_request_seconds",
        "From the headers to the last byte of the answer.",
        ("route",),
        buckets=SECONDS,
        registry=registry,
    )
    size = Counter("tilewise_bytes", "Bytes of bodies.", ("way",), registry=registry)
    for name, about, value in (
        ("queued", "Requests that wait for a thread.", lambda: jobs.queued),
        ("running", "Threads at work.", lambda: jobs.pending - jobs.queued),
        ("held_bytes", "Bodies and answers held.", lambda: budget.held),
    ):
        Gauge(f"tilewise_{name}", about, registry=registry).set_function(value)

    def seen(scope, status, seconds, came, went):
        route = scope["path"] if scope["path"] in ROUTES else "other"
        method = scope["method"] if scope["method"] in METHODS else "other"
        asked.labels(route, method, status).inc()
        took.labels(route).observe(seconds)
        size.labels("in").inc(came)
        size.labels("out").inc(went)

    return registry, seen


def identity(headers):
    """The X-Request-ID that came, if it is harmless, else a new one."""
    given = dict(headers).get(b"x-request-id", b"").decode("latin-1")
    return given if SAFE.fullmatch(given) else uuid.uuid4().hex


def watched(app, seen):
    """An ASGI application around app: headers of safety, an id, and what is counted."""

    async def around(scope, receive, send):
        if scope["type"] != "http":
            return await app(scope, receive, send)
        begun, status, came, went = time.perf_counter(), 0, 0, 0
        own = [(b"x-request-id", identity(scope["headers"]).encode()), *SAFETY]

        async def hear():
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            return message

        async def tell(message):
            nonlocal status, went
            if message["type"] == "http.response.start":
                status = message["status"]
                message = message | {"headers": [*message.get("headers", ()), *own]}
            went += len(message.get("body", b""))
            await send(message)

        try:
            await app(scope, hear, tell)
        finally:
            seconds = time.perf_counter() - begun
            seen(scope, status or 500, seconds, came, went)

    return around
