"""Random requests, from the description and from bytes gone wrong: never a 5xx.

The long run, by schemathesis, is scripts/quality/serve/serve_fuzz.py.
"""

import json
import random

import jsonschema
import pytest

from ._service import BYTES, JSON, ONE, PATH, draw, header, packed, problem

WORDS = ["", "q", "float16", "true", "top-left", "é\ud800", "\x00", "1", "a" * 50]
NUMBERS = [0, -1, 1, 0.5, 1e30, -1e30, 1e308, 5e-324, 2**70, -0.0]
OTHERS = [None, True, False, [], {}, [[]], "x", 3, {"q": 1}]


@pytest.fixture(scope="module")
def described(served):
    return served.get("/openapi.json").json()


def made(rng, schema, described):
    """A value that the schema allows, now and then one that it does not."""
    if rng.random() < 0.02:
        return rng.choice(OTHERS)
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return made(rng, described["components"]["schemas"][name], described)
    if "enum" in schema:
        return rng.choice(schema["enum"])
    kind = schema["type"]
    kind = rng.choice(kind) if isinstance(kind, list) else kind
    if kind == "object":
        needed = schema["required"]
        return {
            name: made(rng, x, described)
            for name, x in schema["properties"].items()
            if name in needed or rng.random() < 0.3
        }
    if kind == "array":
        count = rng.choice((1, 1, 2, 3))
        return [made(rng, schema["items"], described) for _ in range(count)]
    basic = {"boolean": [True, False], "string": WORDS, "null": [None]}
    return rng.choice(basic.get(kind, NUMBERS))


def shaped(rng):
    """Nested lists of one shape, mostly one that fits: rarely a plain mistake."""
    n = [rng.choice((1, 2)) for _ in range(6)]
    shapes = (n[0], n[1] * n[2], n[3], n[4]), (n[0], n[1], n[5], n[4])

    def nested(shape):
        if not shape:
            return rng.choice(NUMBERS[:4] if rng.random() < 0.95 else NUMBERS)
        count = shape[0] + (rng.random() < 0.01)
        return [nested(shape[1:]) for _ in range(count)]

    return {"q": nested(shapes[0]), "k": nested(shapes[1]), "v": nested(shapes[1])}


def spoiled(rng, body):
    """Bytes with something changed, cut out, put in or repeated."""
    body = bytearray(body)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at, end = sorted(rng.randrange(len(body) + 1) for _ in range(2))
        match rng.randrange(5):
            case 0 if body:
                body[at % len(body)] = rng.randrange(256)
            case 1:
                del body[at : min(end, at + 9)]
            case 2:
                body[at:at] = rng.randbytes(rng.randrange(1, 9))
            case 3:
                body[at:at] = body[at:end][:40]
            case 4:
                del body[at:]
    return bytes(body)


def judge(answer, described):
    """The answer is one that the description has; its status."""
    assert answer.status_code < 500, answer.text
    told = described["paths"][PATH]["post"]["responses"][str(answer.status_code)]
    form = answer.headers["content-type"]
    schema = told["content"][form]["schema"]
    if form == JSON:
        about = schema | {"components": described["components"]}
        jsonschema.Draft202012Validator(about).validate(answer.json())
    elif answer.status_code != 200:
        problem(answer, answer.status_code)
    return answer.status_code


def test_from_the_description(served, described):
    rng, seen = random.Random(1), set()
    content = described["paths"][PATH]["post"]["requestBody"]["content"]
    for _ in range(300):
        body = made(rng, content[JSON]["schema"], described)
        if isinstance(body, dict) and rng.random() < 0.7:
            body |= shaped(rng)
        query = rng.choice(["", "", "", "?causal=true", "?scale=2", "?x", "?causal=1"])
        answer = served.ask(json.dumps(body).encode(), JSON, query)
        seen.add(judge(answer, described))
    assert seen == {200, 400, 422}


@pytest.mark.parametrize("form", [JSON, BYTES])
def test_bytes_gone_wrong(served, described, form):
    rng, seen = random.Random(2), set()
    good = packed(*draw(3, most=3), causal="true", scale="0.5")
    if form == JSON:
        names = {"causal": "top-left", "return_lse": True, "scale": 1e-3}
        good = json.dumps(ONE | names).encode()
    for _ in range(300):
        seen.add(judge(served.ask(spoiled(rng, good), form), described))
    assert {200, 400, 422} <= seen


def test_headers_of_safetensors(served, described):
    rng, seen = random.Random(3), set()
    for _ in range(200):
        head, at = {}, 0
        for name in rng.choice(("qkv", "qkv", "qkv", "qk", "qkvw")):
            shape = [1, 1, rng.choice((1, 1, 1, 2, 0, -1, 2**63, 1.5, "1")), 1]
            size = rng.choice((4, 4, 4, 4, 8, 0, -4, 2**64))
            code = rng.choice(("F32", "F32", "F32", "F16", "BOOL", "F8_E8M0", 3, ""))
            head[name] = {"dtype": code, "shape": shape}
            head[name]["data_offsets"] = [at, at + size]
            at += 4
        length = rng.choice((None, None, None, 0, 7, 2**16, 2**63))
        answer = served.ask(header(head, b"\0" * 12, length), BYTES)
        seen.add(judge(answer, described))
    assert {400, 422} <= seen
