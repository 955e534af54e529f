"""A real server: clients that are slow, silent, rude, many or gone, and signals."""

import contextlib
import json
import signal
import socket
import sys
import time
import urllib.request
from pathlib import Path

import pytest
import safetensors.torch
import torch

import tilewise

from ._service import BYTES, JSON, ONE, PATH, packed, server

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are Unix's")
POST = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\n".encode()
LAST = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
STUCK = """import sys, time, tilewise.cli, tilewise.serve.api as api
api.warm, api.answer = lambda: None, lambda *_: time.sleep(600)
sys.exit(tilewise.cli.main(sys.argv[1:]))"""


@pytest.fixture
def dial():
    """dial(port, said): a connection on which this was said; closed at the end."""
    with contextlib.ExitStack() as stack:

        def connect(port, said=b""):
            connection = socket.create_connection(("127.0.0.1", port), timeout=30)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(said)
            return stack.enter_context(connection)

        yield connect


def asked(body, form=BYTES, length=None):
    """The bytes of a request."""
    head = f"Content-Type: {form}\r\nContent-Length: {length or len(body)}\r\n\r\n"
    return POST + head.encode() + body


RIGHT = asked(json.dumps(ONE).encode(), JSON)


def status(connection):
    return int(connection.recv(12).removeprefix(b"HTTP/1.1 "))


def rest(connection):
    """All that comes until the other side closes."""
    answer = b""
    with contextlib.suppress(ConnectionError):  # a reset closes it too
        while piece := connection.recv(2**16):
            answer += piece
    return answer


def gauge(port, name):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as page:
        return float(page.read().split(f"\ntilewise_{name} ".encode())[1].split()[0])


def wait(true):
    while not true():
        time.sleep(0.01)


def test_clients_that_are_slow(port, dial):
    """Headers, a body, an answer that nobody takes: each of these waits has an end."""
    x, y = torch.zeros(1, 1, 2**14, 1), torch.zeros(1, 1, 1, 256)
    reader = dial(port, asked(packed(x, y[..., :1], y)))  # 16 MiB come back
    assert status(reader) == 200
    silent = [dial(port, said) for said in (b"", b"P", POST + b"X: y")]
    body = dial(port, asked(b"{", length=100))
    with pytest.raises(ConnectionError):
        for _ in range(400):  # a byte now and then is not enough
            silent[1].sendall(b"O")
            time.sleep(0.05)
    assert [rest(x) for x in silent] == [b""] * 3  # closed without an answer
    assert rest(body).startswith(b"HTTP/1.1 408 ")
    wait(lambda: gauge(port, "held_bytes") == 0)
    assert len(rest(reader)) < 2**24


def test_clients_that_are_rude_or_many(port, dial):
    for said in (b"NONSENSE", POST + b"A\x00: b", POST + b"Content-Length: -1"):
        assert rest(dial(port, said + b"\r\n\r\n")).startswith(b"HTTP/1.1 400 ")
    answer = rest(dial(port, asked(LAST, length=10**9)))  # the rest of a refused body
    assert answer.startswith(b"HTTP/1.1 413 ") and answer.count(b"HTTP/1.1") == 1
    chunked = b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    both = POST + b"Content-Length: 2\r\n" + chunked + b"4\r\n{} }\r\n0\r\n\r\n"
    answer = rest(dial(port, both + RIGHT))  # two ends of a body: which is right?
    assert answer.startswith(b"HTTP/1.1 400 ") and answer.count(b"HTTP/1.1") == 1
    endless = dial(port, POST + chunked)  # a body is cut off where it is too long
    with contextlib.suppress(ConnectionError):
        while True:
            endless.sendall(b"10000\r\n" + b" " * 2**16 + b"\r\n")
    assert rest(dial(port, RIGHT * 3 + LAST)).count(b"HTTP/1.1 200") == 4
    for connection in [dial(port) for _ in range(120)]:  # some wait for others to end
        connection.close()
    assert status(dial(port, RIGHT)) == 200


def test_names_without_end_hold_nobody_up(dial):
    """Others wait less than a second, at best of three: other tests have the cores."""
    names = b",".join(b'"%x":0' % i for i in (*range(110_000), 7))
    waits = []
    with server() as (_, port):
        for _ in range(3):
            keys = [dial(port, asked(b"{%s}" % names, JSON)) for _ in range(2)]
            begun = time.monotonic()
            assert status(dial(port, RIGHT)) == 200
            waits.append(time.monotonic() - begun)
            assert [*map(status, keys)] == [400, 400]
    assert min(waits) < 1


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_clients_that_leave_take_their_bodies_along(dial):
    long, large = (torch.zeros(1, 1, *x) for x in ((14_000, 1), (5000, 256)))
    with server("--threads", "1") as (process, port):
        busy = dial(port, asked(packed(long, long, long)))
        wait(lambda: gauge(port, "running"))
        pages = Path(f"/proc/{process.pid}/statm")
        before = int(pages.read_text().split()[1])  # resident, of 4 KiB
        for _ in range(24):  # 14.6 MiB each
            connection = dial(port, asked(packed(large, large, large)))
            wait(lambda: gauge(port, "held_bytes") > 14e6)
            connection.close()
            wait(lambda: gauge(port, "queued") == 0)
        grown = (int(pages.read_text().split()[1]) - before) * 4096
        assert gauge(port, "running") and grown < 80 * 2**20
        busy.close()
        wait(lambda: gauge(port, "running") == gauge(port, "held_bytes") == 0)


@pytest.mark.full
def test_a_stuck_thread_does_not_keep_the_process(dial):
    with server("--deadline", "1", program=("-c", STUCK)) as (process, port):
        assert status(dial(port, asked(b"{}", JSON))) == 503
        begun = time.monotonic()
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
        assert time.monotonic() < begun + 1 + 5
        assert process.returncode == 1 and "Timeout" in said and "lambda" in said


@pytest.mark.full
def test_on_sigterm_what_has_begun_is_finished(dial):
    x = torch.randn(1, 1, 3000, 8)
    with server() as (process, port):
        slow = dial(port, asked(packed(x, x, x)))
        wait(lambda: gauge(port, "running"))
        process.send_signal(signal.SIGTERM)
        answer = rest(slow).partition(b"\r\n\r\n")[2]
        o = safetensors.torch.load(answer)["o"]
        assert torch.equal(o, tilewise.flash_attention(x, x, x))
        assert process.communicate(timeout=60) == ("", "") and process.returncode == 0
    with pytest.raises(ConnectionRefusedError):
        dial(port)
