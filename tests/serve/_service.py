"""The service without a socket, and what tests send to it."""

import json
import random
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace

import httpx
import safetensors.torch
import torch
from anyio.from_thread import start_blocking_portal

from tilewise.serve.api import make_app

PATH = "/v1/attention"
JSON, BYTES = "application/json", "application/vnd.safetensors"
ONE = {"q": [[[[1, 0]]]], "k": [[[[1, 0], [0, 1]]]], "v": [[[[1, 2], [3, 4]]]]}


async def awaited(coroutine):
    return await coroutine


@contextmanager
def service(**limits):
    """run(coroutine) and client of a service of its own, on one event loop.

    The loop has its own thread: Chromium's tests may have one running in this.
    """
    app = make_app(**{"threads": 2, "deadline": 60} | limits)
    with start_blocking_portal() as portal:
        life = app.router.lifespan_context(app)
        run = partial(portal.call, awaited)
        run(life.__aenter__())
        transport = httpx.ASGITransport(app)
        client = httpx.AsyncClient(transport=transport, base_url="http://here")

        def post(body, form=JSON, query="", **headers):
            content = json.dumps(body) if isinstance(body, dict) else body
            sent = {"content-type": form, **headers}
            return client.post(PATH + query, content=content, headers=sent, timeout=60)

        def ask(*args, **how):
            return run(post(*args, **how))

        yield SimpleNamespace(
            app=app,
            run=run,
            client=client,
            post=post,
            ask=ask,
            get=lambda path: run(client.get(path)),
        )
        run(client.aclose())
        run(life.__aexit__(None, None, None))


def draw(seed, dtype=torch.float32, most=70):
    """Random q, k, v with shared heads, N_q ≠ N_k and d_v ≠ d."""
    rng, generator = random.Random(seed), torch.Generator().manual_seed(seed)
    kv, group, d, d_v = (rng.randint(1, x) for x in (2, 3, 12, 12))
    n_q, n_k, batch = rng.randint(1, most), rng.randint(1, most), rng.randint(1, 2)
    shapes = (batch, kv * group, n_q, d), (batch, kv, n_k, d), (batch, kv, n_k, d_v)
    return [torch.randn(x, generator=generator).to(dtype) for x in shapes]


def packed(q, k, v, **words):
    """q, k, v as a safetensors body with options as metadata."""
    tensors = {"q": q.clone(), "k": k.clone(), "v": v.clone()}
    return safetensors.torch.save(tensors, words or None)


def header(head, data=b"", length=None):
    """A safetensors body with any header."""
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    size = len(text) if length is None else length
    return size.to_bytes(8, "little") + text + data


def problem(response, status, words=""):
    """The field of a problem with this status and these words in its sentence."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    found = response.json()
    assert found["status"] == status and found["type"] == "about:blank"
    assert found["title"] and "\n" not in found["detail"]
    assert len(found["detail"]) < 300 and words in found["detail"], found["detail"]
    return found.get("field")
