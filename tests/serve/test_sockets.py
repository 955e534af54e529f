"""Clients that are slow, silent, rude or many: every wait has an end."""

import json
import socket

import pytest
import torch

from ._process import post
from ._service import BYTES, ONE, PATH, packed

POST = f"POST {PATH} HTTP/1.1\r\nHost: x\r\n".encode()
JSON = b"Content-Type: application/json\r\n"


@pytest.fixture
def dial(port):
    made = []

    def connect():
        made.append(socket.create_connection(("127.0.0.1", port), timeout=30))
        return made[-1]

    connect.made = made
    yield connect
    for x in made:
        x.close()


def served(port, *about):
    """The answer, as soon as the machine is not too busy for the short deadline."""
    while (found := post(port, *about))[0] == 503:
        pass
    assert found[0] == 200
    return found[1]


def rest(connection):
    """All that comes until the other side closes."""
    found = b""
    try:
        while piece := connection.recv(2**16):
            found += piece
    except ConnectionError:  # reset: it closed too
        pass
    return found


def test_headers_that_never_end(dial):
    for said in (b"", b"P", POST, POST + b"X: y\r\n"):
        dial().sendall(said)
    for connection in dial.made:
        assert rest(connection) == b""  # closed, without an answer


def test_headers_byte_by_byte_get_no_more_time(dial):
    connection = dial()
    connection.settimeout(0.05)
    sent = 0
    try:
        while sent < 1000:
            connection.sendall(b"G")
            sent += 1
            try:
                if not connection.recv(1):
                    break
            except TimeoutError:
                pass
    except ConnectionError:
        pass
    assert 0 < sent < 1000


def test_a_body_that_never_ends(dial):
    connection = dial()
    connection.sendall(POST + JSON + b"Content-Length: 100\r\n\r\n{")
    answer = rest(connection)
    assert answer.startswith(b"HTTP/1.1 408 ") and b"did not come in time" in answer


def test_an_answer_that_nobody_takes(dial, port):
    """16 MiB, more than sockets hold, are given up, and the next one is served."""
    x, y = torch.zeros(1, 1, 2**14, 1), torch.zeros(1, 1, 1, 256)
    body = packed(x, y[..., :1], y)
    assert len(served(port, body, BYTES)) > 2**24
    connection = dial()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    head = b"Content-Type: %s\r\nContent-Length: %d\r\n\r\n"
    connection.sendall(POST + head % (BYTES.encode(), len(body)) + body)
    assert connection.recv(12) == b"HTTP/1.1 200"
    watch = dial()
    while b"tilewise_held_bytes 0.0" not in ask(watch, b"GET /metrics HTTP/1.1"):
        pass
    assert served(port, ONE)


def ask(connection, line):
    """The answer to a request without a body, on an open connection."""
    connection.sendall(line + b"\r\nHost: x\r\n\r\n")
    found = b""
    while b"\r\n\r\n" not in found:
        found += connection.recv(2**16)
    head, _, body = found.partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    while len(body) < length:
        body += connection.recv(2**16)
    return body


RUDE = {
    "nonsense": b"NONSENSE\r\n\r\n",
    "binary": bytes(range(256)) + b"\r\n\r\n",
    "no host": b"GET /health HTTP/1.1\r\n\r\n",
    "header": b"GET /health HTTP/1.1\r\nHost: x\r\nA\x00: b\r\n\r\n",
    "long": b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"x" * 2**17,
    "two lengths": POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
    "length": POST + b"Content-Length: -1\r\n\r\n",
    "coding": POST + b"Transfer-Encoding: gzip\r\n\r\n",
}


@pytest.mark.parametrize("name", RUDE)
def test_what_is_not_http(dial, name):
    connection = dial()
    try:
        connection.sendall(RUDE[name])
    except ConnectionError:
        pass
    head, _, body = rest(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ") and b"application/problem+json" in head
    assert json.loads(body)["detail"] == "this is not a valid HTTP request"


def test_a_chunk_that_is_none(dial):
    connection = dial()
    connection.sendall(POST + JSON + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n")
    answer = rest(connection)
    assert answer.startswith(b"HTTP/1.1 400 ")


def test_the_rest_of_a_refused_body_is_not_the_next_request(dial):
    """413 comes before the body has; what follows on the line is still its body."""
    connection = dial()
    inner = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
    length = b"Content-Length: 99999999\r\n\r\n"
    connection.sendall(POST + JSON + length + inner)
    answer = rest(connection)
    assert answer.startswith(b"HTTP/1.1 413 ") and answer.count(b"HTTP/1.1") == 1


def test_requests_one_after_another_on_a_line(dial):
    connection = dial()
    body = json.dumps(ONE).encode()
    one = POST + JSON + b"Content-Length: %d\r\n\r\n" % len(body) + body
    last = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    connection.sendall(one * 3 + last)
    assert rest(connection).count(b"HTTP/1.1 200 OK") == 4


def test_too_many_connections_are_closed(dial, port):
    many = [dial() for _ in range(20)]
    for connection in many:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n")
    answers = []
    for connection in many:
        try:
            connection.sendall(b"\r\n")
        except ConnectionError:
            pass
        answers.append(rest(connection))
    came = [x for x in answers if x]
    assert 1 <= len(came) <= 8 and all(b" 200 OK" in x for x in came)
    assert served(port, ONE)
