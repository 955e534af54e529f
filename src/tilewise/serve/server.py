"""A process that serves: socket, threads, signals."""

import contextlib
import functools
import signal
import socket
from typing import Any

import torch
import uvicorn

from tilewise.serve.api import make_app
from tilewise.serve.protocol import Patient

KEEP_ALIVE = 5  # seconds between the requests of a connection


class Server(uvicorn.Server):
    """uvicorn's server, which says when it listens and ends quietly on a signal."""

    def __init__(self, config, say):
        super().__init__(config)
        self.say = say

    async def startup(self, sockets=None):
        await super().startup(sockets)
        self.say(sockets[0].getsockname())

    @contextlib.contextmanager
    def capture_signals(self):
        """Stop on SIGTERM and SIGINT; uvicorn would then die of the same signal."""
        signals = (signal.SIGTERM, signal.SIGINT)
        before = {x: signal.signal(x, self.handle_exit) for x in signals}
        try:
            yield
        finally:
            for x, handler in before.items():
                signal.signal(x, handler)


def listen(host, port):
    """A listening socket; OSError where the address cannot be had."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    family, *_, address = found[0]
    return socket.create_server(address[:2], family=family, backlog=512)


def run(listener, say, limits):
    """Serve until a signal comes, then finish what has begun.

    listener is from listen(), limits as tilewise.serve.limits.LIMITS; say(address) is
    called when requests are taken. Requests have their deadline, so the end comes
    within it and a few seconds.
    """
    torch.set_num_threads(1)  # the workers are the threads
    deadline = limits["deadline"]
    waits = {"patience": deadline, "most": limits["connections"]}
    patient: Any = functools.partial(Patient, **waits)
    config = uvicorn.Config(
        make_app(**limits),
        http=patient,
        ws="none",
        loop="asyncio",
        lifespan="on",
        workers=1,
        log_config=None,
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=deadline + 3,
    )
    Server(config, say).run(sockets=[listener])
