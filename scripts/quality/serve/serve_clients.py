"""Clients of the attention service: random requests, each with its own expected answer.

Plain asyncio sockets, so that 200 clients and the server fit on two cores.
"""

import asyncio
import json
import time

import safetensors.torch
import torch

DTYPES = torch.float32, torch.float16, torch.bfloat16, torch.float64
JSON, BYTES = "application/json", "application/vnd.safetensors"


def standard(q, k, v, causal, scale):
    """o and L of softmax(scale q kᵀ) v as PyTorch writes it, in the dtype of q."""
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    shift = {False: k.shape[2], True: k.shape[2] - q.shape[2], "top-left": 0}[causal]
    s = (q @ k.mT) * (q.shape[-1] ** -0.5 if scale is None else scale)
    hidden = torch.ones(s.shape[-2:], dtype=torch.bool).triu(shift + 1)
    s = s.masked_fill(hidden, -torch.inf)
    p = torch.softmax(s, -1).masked_fill(hidden, 0)
    return p @ v, s.logsumexp(-1)


def draw(rng):
    """(body, media type, what is right, and how far off an answer may be)."""
    generator = torch.Generator().manual_seed(rng.getrandbits(60))
    form = JSON if rng.random() < 0.3 else BYTES
    most = 12 if form == JSON else 160
    kv, group, d, d_v = (rng.randint(1, x) for x in (3, 3, 48, 48))
    n_q, n_k = rng.randint(1, most), rng.randint(1, most)
    batch, dtype = rng.randint(1, 2), rng.choice(DTYPES)
    shapes = (batch, kv * group, n_q, d), (batch, kv, n_k, d), (batch, kv, n_k, d_v)
    qkv = [torch.randn(x, generator=generator).to(dtype) for x in shapes]
    how = rng.choice((False, True, "top-left")), rng.choice((None, rng.random()))
    options = dict(zip(("causal", "scale", "return_lse"), (*how, True)))
    if form == JSON:
        lists = {x: y.tolist() for x, y in zip("qkv", qkv)}
        lists["dtype"] = str(dtype).removeprefix("torch.")
        body = json.dumps(lists | options).encode()
    else:
        words = {x: str(y).lower() for x, y in options.items() if y is not None}
        body = safetensors.torch.save(dict(zip("qkv", qkv)), words)
    return body, form, expected(qkv, how)


def expected(qkv, how):
    """[(name, dtype, in float64, how far off it may be)] of o and lse.

    Twice the error of plain PyTorch in the same dtype, and four rounding errors of the
    largest number; for float64 itself, which has nothing wider here, 32 of these.
    """
    dtype = qkv[0].dtype
    exact, plain = standard(*(x.double() for x in qkv), *how), standard(*qkv, *how)
    found, wide = [], torch.promote_types(dtype, torch.float32)
    for name, kind, y, z in zip(("o", "lse"), (dtype, wide), exact, plain):
        seen = y > -torch.inf
        off = (z.double() - y)[seen].abs().max().item() if seen.any() else 0
        most = y[seen].abs().max().item() if seen.any() else 0
        units = 32 if dtype == torch.float64 else 4
        found.append((name, kind, y, 2 * off + units * torch.finfo(kind).eps * most))
    return found


def wrong(answer, form, right):
    """Why an answer is not what is right, or None."""
    read = json.loads(answer) if form == JSON else safetensors.torch.load(answer)
    for name, kind, y, allowed in right:
        x = read[name]
        if form == JSON:
            x = torch.tensor(json_numbers(x), dtype=torch.float64)
        elif x.dtype != kind:
            return f"{name} is {x.dtype}, not {kind}"
        if x.shape != y.shape:
            return f"{name} is {tuple(x.shape)}, not {tuple(y.shape)}"
        hidden = y == -torch.inf
        if not torch.equal(hidden, x == -torch.inf):
            return f"{name} is infinite elsewhere"
        off = (x.double() - y).masked_fill(hidden, 0).abs().max()
        if not off <= allowed:
            return f"{name} in {kind}: off by {off:.3g}, allowed {allowed:.3g}"
    return None


def json_numbers(x):
    """Nested lists with −∞ in place of null."""
    if isinstance(x, list):
        return [json_numbers(y) for y in x]
    return -float("inf") if x is None else x


async def ask(stream, method, path, body=b"", form=None):
    """(status, headers, body) of one request over an open connection."""
    reader, writer = stream
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
    head += f"Content-Length: {len(body)}\r\n"
    head += f"Content-Type: {form}\r\n\r\n" if form else "\r\n"
    writer.write(head.encode() + body)
    await writer.drain()
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[:-2]
    headers = {a.lower(): b.strip() for a, _, b in (x.partition(":") for x in lines)}
    if "content-length" in headers:
        answer = await reader.readexactly(int(headers["content-length"]))
    else:
        answer = await reader.read()
    return int(first.split()[1]), headers, answer


async def reach(stream, port, body, form):
    """(stream, seconds, answer); a connection that was idle too long is opened anew."""
    fresh = stream is None
    try:
        stream = stream or await asyncio.open_connection("127.0.0.1", port)
        begun = time.monotonic()
        answer = await ask(stream, "POST", "/v1/attention", body, form)
        return stream, time.monotonic() - begun, answer
    except (OSError, EOFError):
        if fresh:
            raise
        return await reach(None, port, body, form)


async def client(own, rng, port, until, seen):
    """Send one of its own requests after another until a time; check each answer.

    seen gets a dict for each. After 429 the same request comes again, when Retry-After
    is over and a random time more, as clients should.
    """
    stream = None
    while time.monotonic() < until:
        body, form, right = rng.choice(own)
        try:
            got = await reach(stream, port, body, form)
        except (OSError, EOFError) as error:
            seen.append({"status": 0, "error": type(error).__name__})
            await asyncio.sleep(0.1)
            continue
        stream, took, (status, headers, answer) = got
        row = {"status": status, "seconds": took, "form": form}
        if status == 200:
            row["wrong"] = wrong(answer, form, right)
        seen.append(row)
        if status == 429:
            await asyncio.sleep(float(headers["retry-after"]) * rng.uniform(1, 2))
    if stream:
        stream[1].close()
