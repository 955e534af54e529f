"""What cannot be computed gets one sentence and a status below 500."""

import json

import pytest
import torch

from ._service import BYTES, JSON, ONE, PATH, draw, header, packed, problem


def lists(**changed):
    return ONE | changed


DEEP = b'{"q": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
BAD_JSON = {
    "empty": (b"", 400, "not valid JSON (line 1, column 1)"),
    "cut": (json.dumps(ONE)[:-9].encode(), 400, "not valid JSON"),
    "bytes": (b'{"q": "\xff"}', 400, "not text in UTF-8"),
    "utf-16": (json.dumps(ONE).encode("utf-16"), 400, "not text in UTF-8"),
    "bom": (b"\xef\xbb\xbf" + json.dumps(ONE).encode(), 400, "not valid JSON"),
    "twice": (b'{"q": 1, "q": 2}', 400, "names 'q' twice"),
    "nan": (b'{"q": [[[[NaN]]]]}', 400, "contains NaN"),
    "minus": (b'{"scale": -Infinity}', 400, "contains -Infinity"),
    "deep": (DEEP, 400, "nested too deeply"),
    "list": (b"[1]", 422, "must be an object"),
    "none": (b"{}", 422, "q is missing"),
    "unknown": (lists(p=1), 422, "the unknown name 'p'"),
    "long name": (lists(**{"x" * 999: 1}), 422, "xxx…'"),
    "dtype": (lists(dtype="float8"), 422, "dtype must be one of float16"),
    "dtype list": (lists(dtype=["float32"]), 422, "dtype must be one of"),
    "rank 3": (lists(q=[[[1, 2]]]), 422, "q must be lists in lists"),
    "rank 5": (lists(q=[[[[[1]]]]]), 422, "contains another list"),
    "rank 0": (lists(v=3), 422, "v must be lists in lists"),
    "ragged": (lists(k=[[[[1, 2], [3]]]]), 422, "k is ragged: its lists along d"),
    "ragged N": (lists(k=[[[[1, 2]]], [[[1, 2], [3, 4]]]]), 422, "along N"),
    "empty d": (lists(q=[[[[]]]]), 422, "q has no entries along d"),
    "empty q": (lists(q=[]), 422, "q has no entries along batch"),
    "text": (lists(q=[[[["1", 2]]]]), 422, "q contains a string"),
    "bool": (lists(q=[[[[True, 2]]]]), 422, "q contains true or false"),
    "null": (lists(q=[[[[None, 2]]]]), 422, "q contains null"),
    "huge": (b'{"q":[[[[1e999, 1]]]],"k":[[[[1, 1]]]],"v":[[[[1]]]]}', 422, "finite"),
    "digits": (
        b'{"q":[[[[1%s]]]],"k":[[[[1]]]],"v":[[[[1]]]]}' % (b"0" * 5000),
        422,
        "not finite in float32",
    ),
    "narrow": (lists(dtype="float16", v=[[[[7e4]], [[1]]]][:1]), 422, "v"),
    "overflow": (
        lists(q=[[[[3e38, 3e38]]]], k=[[[[3e38, 1]]]], v=[[[[1]]]]),
        422,
        "o leaves the range of float32",
    ),
    "causal": (lists(causal=1), 422, "causal must be false, true"),
    "causal text": (lists(causal="true"), 422, "causal must be false, true"),
    "causal list": (lists(causal=[]), 422, "causal must be false, true"),
    "scale": (lists(scale=True), 422, "scale must be null or a finite number"),
    "scale inf": (b'{"scale": 1e999}', 422, "scale must be null or a finite"),
    "scale text": (lists(scale="1"), 422, "scale must be null"),
    "lse": (lists(return_lse="yes"), 422, "return_lse must be true or false"),
    "wild": (lists(allow_nonfinite=True), 422, "needs safetensors both ways"),
    "d": (lists(k=[[[[1], [2]]]]), 422, "k has d = 1, q has d = 2"),
    "N": (lists(v=[[[[1]]]]), 422, "v has N = 1, k has N = 2"),
    "batch": (lists(q=ONE["q"] * 2), 422, "k has batch 1, q has 2"),
    "heads": (lists(v=[ONE["v"][0] * 2]), 422, "v has 2 heads, k has 1"),
    "divide": (
        lists(k=[ONE["k"][0] * 2], v=[ONE["v"][0] * 2]),
        422,
        "the 2 heads of k must divide the 1 of q",
    ),
}


@pytest.mark.parametrize("name", BAD_JSON)
def test_json(served, name):
    body, status, words = BAD_JSON[name]
    problem(served.ask(body), status, words)


Q = {"dtype": "F32", "shape": [1, 1, 1, 1], "data_offsets": [0, 4]}
HEAD = {x: Q | {"data_offsets": [4 * i, 4 * i + 4]} for i, x in enumerate("qkv")}
FOUR = b"\0\0\0\0"
GOOD = header(HEAD, FOUR * 3)
TWICE = b'{"q": {}, "q": {}}'
BAD_BYTES = {
    "empty": (b"", 400, "the body has 0 bytes"),
    "seven": (b"1234567", 400, "the body has 7 bytes"),
    "bomb": (header(b"{}", length=2**63), 400, "at most 65536 are read"),
    "large": (header(b" " * 65537), 400, "at most 65536 are read"),
    "cut header": (GOOD[:40], 400, "the body is cut"),
    "cut data": (GOOD[:-1], 400, "not safetensors"),
    "more data": (GOOD + b"x", 400, "not safetensors"),
    "not json": (header(b"{'q'}"), 400, "header is not valid JSON"),
    "deep": (header(b"[" * 60000), 400, "header is nested too deeply"),
    "a list": (header([1]), 400, "header is not an object"),
    "twice": (header(TWICE), 400, "names 'q' twice"),
    "none": (header({}), 422, "q is missing"),
    "another": (header(HEAD | {"w": Q}, FOUR * 3), 422, "there is a tensor 'w'"),
    "a number": (header(HEAD | {"q": 1}, FOUR * 3), 422, "dtype of q"),
    "I64": (header(HEAD | {"k": Q | {"dtype": "I64"}}), 422, "not 'I64'"),
    "F4": (header(HEAD | {"k": Q | {"dtype": ["F4"]}}), 422, "dtype of k"),
    "overlap": (header(dict.fromkeys("qkv", Q), FOUR), 400, "not safetensors"),
    "offsets": (
        header(HEAD | {"q": Q | {"data_offsets": [0, 2**62]}}, FOUR * 3),
        400,
        "not safetensors",
    ),
    "shape": (
        header(HEAD | {"q": Q | {"shape": [2**40] * 4}}, FOUR * 3),
        400,
        "not safetensors",
    ),
    "negative": (
        header(HEAD | {"q": Q | {"shape": [-1] * 4}}, FOUR * 3),
        400,
        "not safetensors",
    ),
    "no shape": (header(HEAD | {"q": {"dtype": "F32"}}, FOUR * 3), 400, "not safe"),
    "metadata": (header(HEAD | {"__metadata__": 3}, FOUR * 3), 400, "__metadata__"),
    "its value": (
        header(HEAD | {"__metadata__": {"causal": True}}, FOUR * 3),
        400,
        "'causal' is not a string",
    ),
    "its name": (
        header(HEAD | {"__metadata__": {"x": "1"}}, FOUR * 3),
        422,
        "there is no option 'x'",
    ),
}


@pytest.mark.parametrize("name", BAD_BYTES)
def test_safetensors(served, name):
    body, status, words = BAD_BYTES[name]
    assert served.ask(GOOD, BYTES).status_code == 200
    problem(served.ask(body, BYTES), status, words)


def test_tensors_that_do_not_fit(served):
    q, k, v = draw(1)
    for x in (q[0], q[None], q[0, 0, 0]):
        assert problem(served.ask(packed(x, k, v), BYTES), 422, "axes") == "q"
    answer = served.ask(packed(q, k.half(), v), BYTES)
    assert problem(answer, 422, "one dtype") == "dtype"
    empty = header(HEAD | {"q": Q | {"shape": [1, 1, 0, 1], "data_offsets": [0, 0]}})
    problem(served.ask(empty, BYTES), 400)
    zero = packed(q[:, :, :0], k, v)
    assert problem(served.ask(zero, BYTES), 422, "q has no entries") == "q"
    for name, x in (("q", q), ("k", k), ("v", v)):
        for bad in (torch.nan, torch.inf):
            wild = x.clone()
            wild[-1, -1, -1, -1] = bad
            body = packed(*(wild if y is x else y for y in (q, k, v)))
            assert problem(served.ask(body, BYTES), 422, "not finite") == name


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("?causal=yes", 422, "causal must be"),
        ("?causal=", 422, "causal must be"),
        ("?causal=True", 422, "causal must be"),
        ("?scale=nan", 422, "scale must be"),
        ("?scale=1e999", 422, "scale must be"),
        ("?scale=0x1", 422, "scale must be"),
        ("?scale=" + "9" * 400, 422, "scale must be"),
        ("?scale", 400, "name=value"),
        ("?scale=1&scale=2", 422, "'scale' is given twice"),
        ("?x=1", 422, "there is no option 'x'"),
        ("?q=1", 422, "no option 'q'"),
        ("?allow_nonfinite=1", 422, "allow_nonfinite must be true or false"),
        ("?%ff=1", 400, "name=value"),
        ("?a=1" + "&b=1" * 40, 400, "at most 16"),
        ("?allow_nonfinite=true", 422, "safetensors both ways"),
        ("?return_lse=true", 422, "return_lse is given twice"),
    ],
)
def test_the_query(served, query, status, words):
    problem(served.ask(ONE | {"return_lse": False}, JSON, query), status, words)


@pytest.mark.parametrize(
    "form",
    [
        "",
        "text/plain",
        "application/jsonp",
        "multipart/form-data",
        "a;b",
        "application/json; charset=latin-1",
        "application/json; x=y",
        "*/*",
        "é",
    ],
)
def test_another_type(served, form):
    assert problem(served.ask(ONE, form.encode("latin-1")), 415) == "Content-Type"


def test_headers_that_are_refused(served):
    for packing in ("gzip", "br", "zstd, gzip"):
        answer = served.ask(ONE, **{"content-encoding": packing})
        assert problem(answer, 415, "not unpacked") == "Content-Encoding"
    for accept in ("text/html", "application/json;q=0", "application/xml, text/*"):
        assert problem(served.ask(ONE, accept=accept), 406) == "Accept"
    assert problem(served.ask(ONE, **{"content-length": "-1"}), 400) == "Content-Length"


def test_other_paths_and_methods(served):
    for path in ("/", "/v1", PATH + "/", "/docs", "/redoc", "//x", "/%00", "/../etc"):
        problem(served.get(path), 404)
    for path, allowed in ((PATH, "POST"), ("/health", "GET"), ("/metrics", "GET")):
        for method in {"GET", "POST", "PUT", "DELETE", "TRACE", "FOO"} - {allowed}:
            answer = served.run(served.client.request(method, path))
            problem(answer, 405)
            assert answer.headers["allow"] == allowed
