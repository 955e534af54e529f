"""What requests share: memory, worker threads and the bounded queue before them."""

import asyncio
import mmap
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import torch
from starlette.requests import ClientDisconnect

from tilewise.serve.limits import MIB
from tilewise.serve.problem import Problem

PIECE = 2**16


class Budget:
    """The bytes of bodies and answers that all requests hold, at most `most`."""

    def __init__(self, most):
        self.most, self.held = most, 0

    async def share(self):
        """A function that counts bytes of one request, until it ends; for FastAPI."""
        mine = 0

        def take(size):
            nonlocal mine
            if self.held > mine and self.held + size > self.most:
                others = (self.held - mine) / MIB
                raise Problem(429, f"{others:.0f} MiB of other requests are held")
            self.held += size
            mine += size

        try:
            yield take
        finally:
            self.held -= mine


@asynccontextmanager
async def read(request, most, until, take):
    """The body, of at most `most` bytes, in a memory map that is closed at the end.

    It is refused as soon as one byte too many has come, with or without a length
    declared, and when it is not there by the time `until` of the loop.
    """
    too_large = Problem(413, f"the body has more than {most} bytes", "body")
    headers = request.headers
    if "transfer-encoding" in headers and "content-length" in headers:  # RFC 9112, 6.1
        text = "the request has both Content-Length and Transfer-Encoding"
        raise Problem(400, text, "Content-Length")
    length = int(headers.get("content-length", most))
    if length > most:
        raise too_large
    with mmap.mmap(-1, length or 1) as body:  # its pages exist once they are written
        try:
            async with asyncio.timeout_at(until):
                async for piece in request.stream():
                    if body.tell() + len(piece) > most:
                        raise too_large
                    take(len(piece))
                    body.write(piece)
        except (TimeoutError, ClientDisconnect):
            raise Problem(408, "the body did not come in time", "body") from None
        yield body


async def cut(data):
    """An answer in pieces, each sent when the client has taken those before."""
    for at in range(0, len(data), PIECE):
        yield data[at : at + PIECE]


class Jobs:
    """At most `threads` jobs at work and `queue` waiting; the loop's thread counts.

    Requests wait in the event loop, so one that ends while it waits leaves nothing
    behind. A thread is free again only when its job has ended.
    """

    def __init__(self, threads, queue):
        self.most, self.queued, self.running = threads + queue, 0, 0
        self.pool = ThreadPoolExecutor(threads, "job", torch.set_num_threads, (1,))
        self.free = asyncio.Semaphore(threads)

    @property
    def ready(self):
        return self.queued + self.running < self.most

    def room(self):
        """Raise Problem (429) where no more can wait."""
        if not self.ready:
            raise Problem(429, "all threads are at work and the queue is full")

    async def run(self, job, until, left):
        """job(unwanted) in a worker; Problem (503) when it is not done in time.

        until is a time of the event loop; left() returns when the client has gone.
        unwanted() is true from then on, and the thread is free again at the next tile.
        """
        self.room()
        over, gone = threading.Event(), asyncio.ensure_future(left())
        try:
            self.queued += 1
            try:
                await in_time(self.free.acquire(), until, gone)
            finally:
                self.queued -= 1
            return await in_time(self.begun(job, over.is_set), until, gone)
        finally:
            over.set()
            gone.cancel()

    def begun(self, job, unwanted):
        """A future of job(unwanted), which has a thread of its own until it ends."""
        loop = asyncio.get_running_loop()

        def done():
            self.running -= 1
            self.free.release()

        self.running += 1
        ended = self.pool.submit(job, unwanted)
        ended.add_done_callback(lambda _: loop.call_soon_threadsafe(done))
        return asyncio.wrap_future(ended)

    async def close(self):
        """Wait for the jobs that nobody wants any more."""
        await asyncio.to_thread(self.pool.shutdown)


async def in_time(awaited, until, gone):
    """What is awaited; Problem where the time or the client is gone before."""
    task = asyncio.ensure_future(awaited)
    rest = max(0, until - asyncio.get_running_loop().time())
    try:
        await asyncio.wait({task, gone}, timeout=rest, return_when="FIRST_COMPLETED")
        if task.done():
            return task.result()
        if gone.done():
            raise Problem(408, "the client left before the result was there")
        raise Problem(503, "the result was not there in time; send less, or try again")
    finally:
        task.cancel()
