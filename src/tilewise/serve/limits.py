"""What a server takes on at most, before anybody asks: plain numbers."""

import os

MIB = 2**20
LIMITS = {
    "threads": min(os.cpu_count() or 1, 64),  # attentions computed at the same time
    "queue": 64,  # requests that may wait for a thread
    "deadline": 30,  # seconds from a request's headers to its result
    "max_body": 64,  # MiB of a body
    "max_json": 1,  # MiB of a body in JSON
    "max_elements": 2**22,  # numbers in each of q, k, v and o
    "max_heads": 1024,  # batch × heads
    "max_dim": 256,  # d and d_v
    "max_work": 128,  # 10⁹ multiply-adds, as checks.work counts
    "memory": 256,  # MiB of bodies and answers held at the same time
    "connections": 512,
}
JSON_NUMBERS = 2**16  # of an answer in JSON
HEADER = 2**16  # bytes of a safetensors header: three tensors need 300
NAMES = 16  # in an object of JSON
LOCAL = ("localhost", "127.0.0.1", "[::1]")  # what this machine calls itself
