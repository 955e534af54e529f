"""The description of the service that machines read: /openapi.json."""

from typing import Any

from fastapi.openapi.utils import get_openapi

from tilewise.serve.limits import HEADER, JSON_NUMBERS
from tilewise.serve.options import DTYPES
from tilewise.serve.problem import MEDIA
from tilewise.serve.writing import BYTES, JSON, SAFETENSORS
from tilewise.worked_example import SCALE, K, O, Q, V

ABOUT = """Attention, o = softmax(scale · q kᵀ) v, computed tile by tile on this
machine's CPU: `tilewise.flash_attention` for programs in any language. Meant for tests
and teaching, not for models: see the page memory/serving of the documentation.

A body in JSON or safetensors gets an answer in the same form unless `Accept` asks for
another. Options stand in the body (JSON), in `__metadata__` (safetensors) or in the
query, each once. Whatever is refused gets problem details (RFC 9457) with one sentence
in `detail` and, where one is meant, the name of a field. `X-Request-ID` comes back if
it is made of at most 64 letters, digits, dots, dashes and underscores.

NaN and infinity: refused, in numbers that come and in results, unless `allow_nonfinite`
is true, which needs safetensors both ways. In JSON, `null` in `lse` stands for −∞: a
row that sees no key.
"""
CAUSAL = {
    "enum": [False, True, "top-left"],
    "default": False,
    "description": "true: row r sees keys 0 .. r + N_k − N_q. top-left: 0 .. r.",
}
FLAG = {"type": "boolean", "default": False}
LSE = FLAG | {"description": "also answer with lse, log Σ e^s of each row"}
WILD = FLAG | {"description": "let NaN and infinity in and out; safetensors only"}
TAU = "what q kᵀ is multiplied with; null is 1/√d"


def lists(x, depth, **more):
    """The schema of x in lists in lists, none of them empty."""
    for _ in range(depth):
        x = {"type": "array", "items": x, "minItems": 1}
    return x | more


NUMBERS = lists({"type": "number"}, 4)
MAYBE = {"type": ["number", "null"]}
SCHEMAS = {
    "Attention": {
        "type": "object",
        "required": ["q", "k", "v"],
        "additionalProperties": False,
        "properties": {
            "q": NUMBERS | {"description": "(batch, heads, N_q, d)"},
            "k": NUMBERS
            | {"description": "(batch, kv heads, N_k, d); kv heads divide heads"},
            "v": NUMBERS | {"description": "(batch, kv heads, N_k, d_v)"},
            "dtype": {"enum": [*DTYPES], "default": "float32"},
            "causal": CAUSAL,
            "scale": MAYBE | {"description": TAU},
            "return_lse": LSE,
            "allow_nonfinite": FLAG | {"const": False},
        },
    },
    "Result": {
        "type": "object",
        "required": ["o", "dtype"],
        "properties": {
            "o": NUMBERS | {"description": "(batch, heads, N_q, d_v)"},
            "lse": lists(MAYBE, 3, description="(batch, heads, N_q); null is −∞"),
            "dtype": {"enum": [*DTYPES]},
        },
    },
    "Problem": {
        "type": "object",
        "required": ["type", "title", "status", "detail"],
        "properties": {
            "type": {"const": "about:blank"},
            "title": {"type": "string"},
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "detail": {"type": "string", "description": "one sentence"},
            "field": {"type": "string", "description": "what it is about"},
        },
    },
    "Health": {
        "type": "object",
        "required": ["live", "ready", "queued", "running", "threads"],
        "properties": {
            "live": {"const": True},
            "ready": {"type": "boolean"},
            **{x: {"type": "integer"} for x in ("queued", "running", "threads")},
            **{x: {"type": "string"} for x in ("version", "torch")},
        },
    },
}
ID = {"X-Request-ID": {"schema": {"type": "string"}}}
AGAIN = {"Retry-After": {"schema": {"type": "integer"}, "description": "seconds"}}


def of(name):
    return {"schema": {"$ref": f"#/components/schemas/{name}"}}


def problem(text, **headers):
    """A response of problem details."""
    return {
        "description": text,
        "headers": ID | headers,
        "content": {MEDIA: of("Problem")},
    }


BINARY = {"schema": {"type": "string", "format": "binary"}}
EXAMPLE = {"q": [[Q]], "k": [[K]], "v": [[V]], "scale": SCALE, "dtype": "float64"}
ANSWER = {"o": [[[[float(x) for x in row] for row in O]]], "dtype": "float64"}
PROBLEMS = {
    400: problem("The bytes are not JSON, safetensors or HTTP."),
    406: problem("Accept allows none of the three forms."),
    408: problem("The body did not come before the deadline."),
    413: problem("The body is too large."),
    415: problem("Content-Type is none of the three, or the body is packed."),
    422: problem("Read, and not an attention that is computed here: `field` is wrong."),
    429: problem("All threads are at work and the queue is full.", **AGAIN),
    503: problem("The result was not there before the deadline.", **AGAIN),
}
ATTENTION: dict[str, Any] = {
    "summary": "Compute attention",
    "operation_id": "attention",
    "responses": {
        200: {
            "description": "o, and lse if asked for, in q's dtype; lse in float32 or "
            "wider.",
            "headers": ID,
            "content": {
                JSON: of("Result") | {"example": ANSWER},
                SAFETENSORS: BINARY,
                BYTES: BINARY,
            },
        },
        **PROBLEMS,
    },
    "openapi_extra": {
        "parameters": [
            {"name": name, "in": "query", "required": False, "schema": schema}
            for name, schema in (
                ("causal", CAUSAL),
                ("scale", {"type": "number", "description": TAU}),
                ("return_lse", LSE),
                ("allow_nonfinite", WILD),
            )
        ],
        "requestBody": {
            "required": True,
            "description": "Tensors q, k, v with four axes and one dtype.",
            "content": {
                JSON: of("Attention") | {"example": EXAMPLE},
                SAFETENSORS: BINARY,
                BYTES: BINARY,
            },
        },
    },
}
HEALTH = {
    "summary": "Is it there, and would it take a request now",
    "operation_id": "health",
    "responses": {
        200: {"description": "Ready.", "content": {JSON: of("Health")}},
        503: {"description": "Not now.", "content": {JSON: of("Health")}},
    },
}
METRICS = {
    "summary": "What was counted, for Prometheus",
    "operation_id": "metrics",
    "responses": {
        200: {
            "description": "Metrics.",
            "content": {"text/plain": {"schema": {"type": "string"}}},
        }
    },
}


def describe(app, limits):
    """The document, made once: routes, schemas, limits in words."""
    if app.openapi_schema is None:
        said = ", ".join(f"{name} {x}" for name, x in limits.items())
        said += f", json_numbers {JSON_NUMBERS}, header {HEADER}"
        made = get_openapi(
            title=app.title,
            version=app.version,
            routes=app.routes,
            description=f"{ABOUT}\nLimits of this server: {said}.\n",
        )
        made.setdefault("components", {}).setdefault("schemas", {}).update(SCHEMAS)
        app.openapi_schema = made
    return app.openapi_schema
