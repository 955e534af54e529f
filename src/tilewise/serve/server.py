"""A process that serves: socket, time limits, signals."""

import asyncio
import contextlib
import faulthandler
import logging
import signal
import socket

import torch
from hypercorn.asyncio import serve
from hypercorn.config import Config

from tilewise.serve.api import make_app
from tilewise.serve.limits import LOCAL

KEEP_ALIVE = 5  # seconds for the headers of a request, or until the next one begins
OWN = 64  # files that the process itself may have open
GRACE = 3  # seconds after the deadline, when whatever still runs is ended


def bounded(listener, connections, seconds):
    """Have the kernel keep further ones waiting, and end those of idle readers."""
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # on Linux; connections inherit it
        timeout = socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, seconds * 1000
        listener.setsockopt(*timeout)
    with contextlib.suppress(ImportError, ValueError):  # ValueError: it is lower
        import resource

        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (connections + OWN, hard))


def run(listener, say, limits, hosts):
    """Serve on a listening socket, also under the names in hosts, until a signal comes.

    say(address) is called when requests are taken; limits are as LIMITS.
    """
    torch.set_num_threads(1)  # the workers are the threads
    bounded(listener, limits["connections"], limits["deadline"])
    app = make_app((*LOCAL, *hosts), **limits)
    say(listener.getsockname())
    asyncio.run(serving(app, listener.detach(), limits["deadline"]))


async def serving(app, descriptor, deadline):
    """Serve; after a signal, finish what has begun.

    Python would wait for a thread that hangs, so faulthandler, which nothing can hold
    up, then shows where it is and exits.
    """
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    signals = signal.SIGTERM, signal.SIGINT

    def end(*_):
        for x in signals:
            signal.signal(x, signal.SIG_IGN)
        faulthandler.dump_traceback_later(deadline + GRACE, exit=True)
        loop.call_soon_threadsafe(stop.set)

    for x in signals:
        signal.signal(x, end)
    loop.set_exception_handler(quiet)
    logging.getLogger("asyncio").setLevel("ERROR")  # it warns of clients that left
    config = Config.from_mapping(bind=f"fd://{descriptor}", loglevel="ERROR")
    config.include_server_header, config.backlog = False, 512
    config.keep_alive_timeout = min(KEEP_ALIVE, deadline)
    config.graceful_timeout = deadline + 1
    config.max_app_queue_size = 2  # pieces of a body that wait to be taken
    await serve(app, config, shutdown_trigger=stop.wait)


def quiet(loop, context):
    """Say what went wrong, but not that a connection broke."""
    if not isinstance(context.get("exception"), OSError):
        loop.default_exception_handler(context)
