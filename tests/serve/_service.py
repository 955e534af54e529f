"""The service without a socket, a process of it, and what tests send to both."""

import json
import subprocess
import sys
from contextlib import contextmanager

import safetensors.torch
from starlette.testclient import TestClient

from tilewise.serve.api import make_app

PATH = "/v1/attention"
JSON, BYTES = "application/json", "application/vnd.safetensors"
ONE = {"q": [[[[1, 0]]]], "k": [[[[1, 0], [0, 1]]]], "v": [[[[1, 2], [3, 4]]]]}


class Service(TestClient):
    """A service of its own with some limits; it is there within a `with`."""

    def __init__(self, **limits):
        app = make_app(**{"threads": 2, "deadline": 60} | limits)
        super().__init__(app, "http://localhost", raise_server_exceptions=False)

    def ask(self, body, form=JSON, query="", **headers):
        body = json.dumps(body) if isinstance(body, dict) else body
        headers["content-type"] = form
        return self.post(PATH + query, content=body, headers=headers)


@contextmanager
def server(*options, program=("-m", "tilewise")):
    """(process, port), once it listens; killed at the end if it is still there."""
    command = [sys.executable, "-W", "error", *program, "serve", "--threads", "2"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([*command, "--port", "0", *options], **pipes)
    try:
        line = process.stdout.readline()
        assert line.startswith("Listening on http://127."), process.stderr.read()
        yield process, int(line.rsplit(":", 1)[1])
    finally:
        process.kill()
        process.communicate(timeout=60)


def packed(q, k, v, **words):
    """q, k, v as a safetensors body with options as metadata."""
    tensors = {name: x.clone() for name, x in zip("qkv", (q, k, v))}
    return safetensors.torch.save(tensors, words or None)


def problem(response, status, words=""):
    """The field of a problem with this status and these words in its sentence."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    about = response.json()
    assert about["status"] == status and about["type"] == "about:blank"
    assert about["title"] and len(about["detail"]) < 300 and words in about["detail"]
    return about.get("field")
