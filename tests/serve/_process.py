"""A server process of `python -m tilewise serve`, and clients with sockets."""

import http.client
import json
import subprocess
import sys
from contextlib import contextmanager

from ._service import JSON, PATH


def start(*options, port=0):
    """(process, port), once it listens."""
    command = [sys.executable, "-W", "error", "-m", "tilewise", "serve"]
    command += ["--port", str(port), "--threads", "2", *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, **pipes)
    line = process.stdout.readline()
    assert line.startswith("Listening on http://127.0.0.1:"), process.stderr.read()
    return process, int(line.rsplit(":", 1)[1])


@contextmanager
def server(*options):
    """The same; killed at the end if it is still there."""
    process, port = start(*options)
    try:
        yield process, port
    finally:
        process.kill()
        process.communicate(timeout=60)


def post(port, body, form=JSON, timeout=60):
    """(status, body) of an answer, over a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        body = json.dumps(body) if isinstance(body, dict) else body
        connection.request("POST", PATH, body, {"Content-Type": form})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()
