"""What `doctor --format json` prints, as a JSON schema."""

from tilewise.cli.doctor.rows import table

TEXT, MAYBE = {"type": "string", "minLength": 1}, {"type": ["string", "null"]}


def thing(**parts):
    """The schema of an object with just these parts."""
    how = {"type": "object", "additionalProperties": False}
    return how | {"properties": parts, "required": [*parts]}


def many(**parts):
    return {"type": "array", "items": thing(**parts)}


def one_of(*words):
    return {"enum": list(words)}


PAIR = {"type": ["array", "null"], "items": {"type": "integer"}, "maxItems": 2}
NUMBER = {"type": ["integer", "null"]}
NAMES = {"type": "array", "items": TEXT}
TORCH = thing(
    version=TEXT,
    cuda=MAYBE,
    hip=MAYBE,
    abi={"type": "boolean"},
    cudnn=NUMBER,
    architectures=NAMES,
    driver_cuda=MAYBE,
)
ASKED = thing(
    shape={"type": "array", "items": {"type": "integer"}},
    device=one_of("cpu", "cuda"),
    backend=MAYBE,
    reasons={"type": "object", "additionalProperties": TEXT},
    error=TEXT,
)
ASKED["required"].remove("error")
FINDING = {
    "id": one_of(*(x["id"] for x in table()["finding"])),
    "level": one_of("error", "warning"),
    "package": MAYBE,
    "says": TEXT,
    "advice": TEXT,
    "threads": {"type": "array", "items": {"pattern": "^https://github.com/"}},
}
SCHEMA = thing(
    tilewise=TEXT,
    healthy={"type": "boolean"},
    python=TEXT,
    system=TEXT,
    libc=MAYBE,
    driver=MAYBE,
    gpus=many(name=TEXT, capability=PAIR),
    torch=TORCH | {"type": ["object", "null"]},
    packages=many(
        name=TEXT,
        version=MAYBE,
        module=TEXT,
        state=one_of("works", "broken", "blocked"),
        finding=MAYBE,
    ),
    sdpa={"type": "array", "items": ASKED},
    dtype=TEXT,
    causal={"type": "boolean"},
    call=TEXT,
    findings=many(**FINDING),
)
