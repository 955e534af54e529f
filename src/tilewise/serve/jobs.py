"""Worker threads and the bounded queue before them."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import torch

from tilewise.serve.compute import attend
from tilewise.serve.options import USUAL
from tilewise.serve.problem import Problem, busy


def warm():
    """In a new thread: one thread a product, so that jobs do not fight for cores."""
    torch.set_num_threads(1)
    x = torch.ones(1, 1, 2, 2)
    attend(dict.fromkeys("qkv", x), USUAL, lambda: False)


class Jobs:
    """At most `threads` jobs at work and `queue` waiting; the loop's thread counts."""

    def __init__(self, threads, queue):
        self.threads, self.most, self.pending = threads, threads + queue, 0
        self.closing = threading.Event()
        self.pool = ThreadPoolExecutor(threads, "attention", warm)

    @property
    def queued(self):
        return max(0, self.pending - self.threads)

    def room(self):
        """Raise Problem (429) where no more can wait."""
        if self.pending >= self.most:
            raise busy(f"all {self.threads} threads are at work and the queue is full")

    async def run(self, job, until, left):
        """job(unwanted) in a worker; Problem (503) when it is not done in time.

        until is a time of the event loop; left() returns when the client has gone.
        unwanted() is true from then on, or from the deadline, and the thread is free
        again at the next tile.
        """
        self.room()
        loop, over = asyncio.get_running_loop(), threading.Event()
        made = self.pool.submit(job, lambda: over.is_set() or self.closing.is_set())
        self.pending += 1
        made.add_done_callback(lambda _: loop.call_soon_threadsafe(self.done))
        result, gone = asyncio.wrap_future(made), asyncio.ensure_future(left())
        try:
            rest, first = max(0, until - loop.time()), asyncio.FIRST_COMPLETED
            await asyncio.wait({result, gone}, timeout=rest, return_when=first)
            if result.done():
                return result.result()
            if gone.done():
                raise Problem(408, "the client left before the result was there")
            text = "the result was not there in time; send less work, or try again"
            raise Problem(503, text, headers={"Retry-After": "1"})
        finally:
            over.set()
            result.cancel()  # it may wait for a thread still
            gone.cancel()

    def done(self):
        self.pending -= 1

    async def start(self):
        """Have every thread there, and warm, before the first request."""
        ready, loop = threading.Barrier(self.threads), asyncio.get_running_loop()
        run = loop.run_in_executor
        await asyncio.gather(*(run(self.pool, ready.wait) for _ in range(self.threads)))

    async def close(self):
        """Drop what waits, end what runs at its next tile."""
        self.closing.set()
        self.pool.shutdown(wait=False, cancel_futures=True)
        await asyncio.to_thread(self.pool.shutdown)
