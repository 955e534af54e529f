"""A real server: many clients, signals under load, killed and started again."""

import http.client
import signal
import sys
import threading
import time
import urllib.request

import pytest
import safetensors.torch
import torch

import tilewise

from ._process import post, server, start
from ._service import BYTES, ONE, packed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are Unix's")


def crowd(port, clients, seconds, seen):
    """Threads that ask for attentions of their own and put down what came back."""
    end = time.monotonic() + seconds

    def client(seed):
        generator = torch.Generator().manual_seed(seed)
        q, k, v = (torch.randn(1, 2, 40, 8, generator=generator) for _ in "qkv")
        right = tilewise.flash_attention(q, k, v)
        while time.monotonic() < end:
            try:
                status, answer = post(port, packed(q, k, v), BYTES)
            except (OSError, http.client.HTTPException) as error:
                seen.append(type(error).__name__)
                return
            same = status != 200 or torch.equal(
                safetensors.torch.load(answer)["o"], right
            )
            seen.append(status if same else "wrong")

    threads = [threading.Thread(target=client, args=(x,)) for x in range(clients)]
    for thread in threads:
        thread.start()
    return threads


def numbers(seen):
    return {x for x in seen if not isinstance(x, str)}


def load(port, clients, seen):
    """A crowd that has had one answer each; its threads."""
    threads = crowd(port, clients, 120, seen)
    while len(seen) < clients:
        time.sleep(0.01)
    return threads


def test_killed_and_started_again_then_stopped_under_load():
    with server() as (process, port):
        seen = []
        for thread in crowd(port, 20, 1, seen):
            thread.join()
        assert {*seen} == {200} and len(seen) >= 20
        threads = load(port, 10, seen := [])
        process.kill()
        assert process.communicate(timeout=60) == ("", "")
        for thread in threads:
            thread.join()
        assert numbers(seen) == {200} and "wrong" not in seen
    again, port = start(port=port)  # the same one, at once
    try:
        assert post(port, ONE)[0] == 200
        stopped(again, port)
    finally:
        again.kill()
        again.communicate()


def stopped(process, port):
    """What has begun when SIGTERM comes is finished, what comes later is refused."""
    x, results = torch.randn(1, 1, 3000, 8), []
    job = threading.Thread(
        target=lambda: results.append(post(port, packed(x, x, x), BYTES))
    )
    threads = load(port, 20, late := [])
    job.start()
    while not results and held(port) < x.numel() * 12:  # its body is there
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=60) == ("", "") and process.returncode == 0
    for thread in (*threads, job):
        thread.join()
    assert numbers(late) == {200} and "wrong" not in late
    ((status, answer),) = results
    o = safetensors.torch.load(answer)["o"]
    assert status == 200 and torch.equal(o, tilewise.flash_attention(x, x, x))
    with pytest.raises(ConnectionRefusedError):
        post(port, ONE)


def held(port):
    """The bytes of bodies and answers that the server holds."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as page:
        return float(page.read().split(b"\ntilewise_held_bytes ")[1].split()[0])
