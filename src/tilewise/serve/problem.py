"""What is wrong with a request: a status and one sentence (RFC 9457)."""

import json
from http import HTTPStatus

MEDIA = "application/problem+json"


class Problem(Exception):
    """A request that gets no result: status, a sentence, the field it is about."""

    def __init__(self, status, detail, field=None, headers=()):
        super().__init__(detail)
        self.status, self.detail, self.field = status, detail, field
        self.headers = dict(headers)

    def body(self):
        """The problem details in JSON; `type` is about:blank, so `title` is HTTP's."""
        found = {"type": "about:blank", "title": HTTPStatus(self.status).phrase}
        found |= {"status": self.status, "detail": self.detail}
        found |= {"field": self.field} if self.field else {}
        return json.dumps(found).encode()


def short(x, limit=40):
    """Something given, in quotes, on one line, cut where it is long."""
    text = str(x)
    return repr(text if len(text) <= limit else text[:limit] + "…")


def bad(detail, field=None):
    """400: bytes that are not what their type says."""
    return Problem(400, detail, field)


def wrong(detail, field=None):
    """422: read, and not an attention that can be computed here."""
    return Problem(422, detail, field)


def busy(detail, seconds=1):
    """429: right, and to be sent again in some seconds."""
    return Problem(429, detail, headers={"Retry-After": str(seconds)})
