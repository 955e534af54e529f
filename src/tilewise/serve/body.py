"""Bodies in and answers out, in pieces, with every byte held counted."""

import asyncio
from contextlib import asynccontextmanager

from starlette.responses import Response

from tilewise.serve.limits import MIB
from tilewise.serve.problem import Problem, bad, busy

PIECE = 2**16


class Budget:
    """The bytes of bodies and answers that the process holds, at most `most`."""

    def __init__(self, most):
        self.most, self.held = most, 0

    def take(self, size):
        """Count size bytes more; Problem (429) where others hold too many already."""
        if self.held and self.held + size > self.most:
            raise busy(f"{self.held / MIB:.0f} MiB of other requests are held already")
        self.held += size

    def free(self, size):
        self.held -= size


def declared(request, most):
    """Raise Problem where the headers say already that the body cannot be read."""
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        text = "Content-Encoding must be identity: bodies are not unpacked"
        raise Problem(415, text, "Content-Encoding")
    length = request.headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit() and len(length) < 20):
        raise bad("Content-Length is not a number", "Content-Length")
    if int(length) > most:
        raise large(most)


def large(most):
    """413 for a body of more than `most` bytes."""
    return Problem(413, f"the body has more than {most} bytes", "body")


@asynccontextmanager
async def read(request, most, until, budget):
    """The body, of at most `most` bytes, counted in the budget while in use.

    It is refused as soon as one byte too many has come, with or without a length
    declared; TimeoutError when it is not there by the time `until` of the loop.
    """
    declared(request, most)
    pieces, size = [], 0
    try:
        async with asyncio.timeout_at(until):
            async for piece in request.stream():
                if size + len(piece) > most:
                    raise large(most)
                budget.take(len(piece))
                size += len(piece)
                pieces.append(piece)
        box = [b"".join(pieces)]
        pieces.clear()
        yield box
    finally:
        budget.free(size)


class Answer(Response):
    """A response that is sent in pieces as the client takes them, then uncounted."""

    def __init__(self, content, media_type, budget):
        super().__init__(content, media_type=media_type)
        budget.take(len(content))
        self.budget = budget

    async def __call__(self, scope, receive, send):
        try:
            start = {"type": "http.response.start", "status": self.status_code}
            await send(start | {"headers": self.raw_headers})
            view = memoryview(self.body)
            for at in range(0, len(view), PIECE):
                more, piece = at + PIECE < len(view), bytes(view[at : at + PIECE])
                body = {"type": "http.response.body", "body": piece}
                await send(body | {"more_body": more})
        finally:
            self.budget.free(len(self.body))
