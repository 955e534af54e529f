"""Whatever goes wrong gets one form of answer: problem details (RFC 9457)."""

from functools import partial
from http import HTTPStatus
from typing import Any

from fastapi import Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from tilewise.checks import short
from tilewise.serve.models import Details

STATUSES = (400, 408, 413, 415, 422, 429, 503)  # of POST /v1/attention, besides 200
INVALID = RequestValidationError, ValidationError
ERRORS: tuple[type[Exception], ...] = HTTPException, *INVALID, Exception
CLOSE, AGAIN = {"Connection": "close"}, {"Retry-After": "1"}  # seconds
HEADERS = {400: CLOSE, 408: CLOSE, 429: AGAIN, 503: AGAIN}
MEDIA = "application/problem+json"
CONTENT = {MEDIA: {"schema": Details.model_json_schema()}}
RESPONSES: dict[int | str, dict[str, Any]] = {
    x: {"description": HTTPStatus(x).phrase, "content": CONTENT} for x in STATUSES
}


class Problem(HTTPException):
    """A request that gets no result: a status, a sentence, the field it is about."""

    def __init__(self, status, detail, field=None):
        super().__init__(status, detail, HEADERS.get(status))
        self.field = field


wrong = partial(Problem, 422)  # read, and not an attention that is computed here


def invalid(error):
    """The Problem that pydantic found first: its field, and what it should be."""
    places = [[y for y in x["loc"] if y != "query"] for x in error.errors()]
    field, *rest = places[0] or ["__metadata__"]  # which alone may be no object
    said = [x["msg"] for x, y in zip(error.errors(), places) if y[:1] in ([], [field])]
    where = "".join(f"[{x}]" for x in rest if isinstance(x, int))
    return wrong(f"{short(field, 40)}{where}: {' or '.join(said)}", field[:40])


async def respond(_, error):
    """The response to any exception."""
    if isinstance(error, INVALID):
        error = invalid(error)
    elif not isinstance(error, HTTPException):  # its traceback goes to the log
        error = Problem(500, "a mistake in the server; its log says more")
    elif not isinstance(error, Problem):  # the router has 404 and 405
        error.detail += ": see /openapi.json for what there is"
    status, field = error.status_code, getattr(error, "field", None)
    title = HTTPStatus(status).phrase
    about = Details(title=title, status=status, detail=error.detail, field=field)
    text = about.model_dump_json(exclude_none=True)
    return Response(text, status, error.headers, MEDIA)
