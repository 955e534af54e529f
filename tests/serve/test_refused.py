"""What cannot be computed gets one sentence and a status below 500."""

import json

import pytest
import torch

from ._service import BYTES, JSON, ONE, PATH, packed, problem


def lists(**changed):
    return json.dumps(ONE | changed).encode()


def header(changed, size=12, length=None):
    """A safetensors body with q, k and v of one number each, apart from changes."""
    one = {"dtype": "F32", "shape": [1, 1, 1, 1]}
    head = {x: one | {"data_offsets": [4 * i, 4 * i + 4]} for i, x in enumerate("qkv")}
    text = json.dumps(head | changed).encode()
    return (length or len(text)).to_bytes(8, "little") + text + bytes(size)


def zeros(*shapes, dtype=torch.float32):
    return packed(*(torch.zeros(x, dtype=dtype) for x in shapes))


HUGE = b'{"q":[[[[%s]]]],"k":[[[[1]]]],"v":[[[[1]]]]}'
KEYS = b",".join(b'"%d":0' % i for i in range(90_000))
Q = {"dtype": "F32", "shape": [1, 1, 1, 1], "data_offsets": [0, 4]}
BAD = {
    JSON: {
        lists()[:-9]: "is not valid JSON (line 1",
        b'{"q": "\xff"}': "is not text in UTF-8",
        b'{"q": 1, "q": 2}': "names 'q' twice in one object",
        b"{" + KEYS + b',"9":0}': "has 90001 names in one object",
        HUGE % b"NaN": "contains NaN",
        b'{"q": ' + b"[" * 100_000 + b"]" * 100_000 + b"}": "is nested too deeply",
        lists(**{"x" * 999: 1}): "xxx…': Extra inputs are not permitted",
        lists(k=[[[[1, 2], [3]]]]): "q, k or v is ragged",
        lists(q=[[[[]]]]): "'q'[0][0][0]: List should have at least 1 item",
        lists(q=[[[[True, 2]]]]): "'q'[0][0][0][0]: Input should be a valid number",
        HUGE % b"1e999": "'q'[0][0][0][0]: Input should be a finite number",
        HUGE % b"1e39": "q has a number that is not finite in float32",
        lists(q=[[[[3e38, 3e38]]]], k=[[[[3e38, 1]]]], v=[[[[1]]]]): "o leaves the",
        lists(causal=1): "'causal': Input should be a valid boolean or Input should",
        lists(allow_nonfinite=True): "needs safetensors both ways",
        lists(k=[[[[1], [2]]]]): "k has d = 1, and must have 2",
        lists(**{x: [ONE[x][0] * 2] for x in "kv"}): "2 heads of k must divide 1 of q",
    },
    BYTES: {
        header({}, length=2**63): "the body is shorter",
        header({"x": " " * 65536}): "at most 65536 are read",
        header({"w": Q | {"data_offsets": [12, 16]}}, 16): "must be q, k and v, not",
        header({"q": Q | {"dtype": "I32"}}): "the dtype must not be torch.int32",
        header({"__metadata__": 3}): "'__metadata__': Input should be",
        zeros(*[(1, 1, 1, 257)] * 3): "q asks for too much: d 257, at most 256",
        zeros(*[(1025, 1, 1, 1)] * 3): "q asks for too much: batch × heads 1025,",
        zeros((1, 1, 2**14 + 1, 1), (1, 1, 1, 1), (1, 1, 1, 256)): "numbers 4.194",
        zeros(*[(1, 1, 2**19, 1)] * 3, dtype=torch.half): "multiply-adds 1.41",
        zeros(*[(1, 1, 1)] * 3): "q must be (batch, heads, N, d), not [1, 1, 1]",
        packed(*[torch.full((1, 1, 1, 1), torch.nan)] * 3): "q has a number that is no",
    },
}


@pytest.mark.parametrize("form", BAD)
def test_bodies(served, form):
    for body, words in BAD[form].items():
        answer = served.ask(body, form)
        unread = answer.json()["detail"].startswith(("the body", "the header"))
        problem(answer, 400 if unread else 422, words)


def test_queries(served):
    bad = "causal=1 causal= scale=nan scale=1e999 scale=0x1 scale scale=1&scale=2 x=1"
    for query in f"{bad} %ff=1 allow_nonfinite=true return_lse=true".split():
        answer = served.ask(ONE | {"return_lse": False}, JSON, "?" + query)
        assert problem(answer, 422) == query.split("=")[0].replace("%ff", "�")


def test_other_forms_hosts_paths_and_methods(served):
    for form in ("", "text/plain", "application/jsonp", "a;b", "*/*", "é"):
        answer = served.ask(ONE, form.encode("latin-1"))
        assert problem(answer, 415) == "Content-Type"
    for host in ("evil.example", "localhost.evil.example", "", "127.0.0.2", "a@b"):
        assert served.get("/health", headers={"host": host}).status_code == 400
    for host in ("localhost:8000", "LOCALHOST", "127.0.0.1:1", "[::1]:8000"):
        assert served.get("/health", headers={"host": host}).status_code == 200
    for path in ("/", PATH + "/", "/docs", "/redoc", "//x", "/%00", "/../etc"):
        problem(served.get(path), 404)
    problem(served.get(PATH), 405)


def test_long_results_do_not_come_as_json(served):
    body = zeros((1, 1, 2**13 + 1, 8), *[(1, 1, 1, 8)] * 2)
    problem(served.ask(body, BYTES, accept=JSON), 422, "65544 numbers; in JSON at most")
