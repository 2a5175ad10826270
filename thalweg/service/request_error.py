"""What is wrong with a request, as data: a status, a code, a sentence, the field and the row."""

from typing import Any

STATUSES = {
    "not_http": 400,
    "not_json": 400,
    "not_arrow": 400,
    "wrong_query": 400,
    "vanished": 400,
    "unauthorized": 401,
    "foreign_origin": 403,
    "read_only": 403,
    "not_found": 404,
    "no_such_model": 404,
    "unknown_id": 404,
    "dropped": 404,
    "expired": 404,
    "method_not_allowed": 405,
    "too_slow": 408,
    "other_label": 409,
    "conflict": 409,
    "too_large": 413,
    "too_many_rows": 413,
    "answer_too_large": 413,
    "unsupported_type": 415,
    "wrong_host": 421,
    "wrong_field": 422,
    "wrong_row": 422,
    "unknown_label": 422,
    "queue_full": 429,
    "too_fast": 429,
    "headers_too_large": 431,
    "internal": 500,
    "recovering": 503,
    "too_many_viewers": 503,
    "stopped": 503,
}


class RequestError(Exception):
    """A request that is refused.

    Attributes
    ----------
    code : str
        A word for programs; `STATUSES` has the HTTP status of each.
    message : str
        A sentence for people.
    field : str or None
        The part of the request that is wrong, such as "x[3]", or the column of a row.
    row : int or None
        Which of several rows, from 0 on.
    retry_after : float or None
        Seconds after which the same request may succeed.
    closes : bool
        Whether the connection is closed, because the rest of the request is not read.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        field: str | None = None,
        row: int | None = None,
        retry_after: float | None = None,
        closes: bool = False,
        allow: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.field, self.row = code, message, field, row
        self.retry_after, self.closes, self.allow = retry_after, closes, allow

    @property
    def status(self) -> int:
        """The HTTP status."""
        return STATUSES[self.code]

    def plain(self) -> dict[str, Any]:
        """Return the body of the answer."""
        found: dict[str, Any] = {"error": self.code, "message": self.message}
        if self.field is not None:
            found["field"] = self.field
        if self.row is not None:
            found["row"] = self.row
        return found

    def headers(self) -> list[tuple[bytes, bytes]]:
        """Return the headers that go with it."""
        found = []
        if self.retry_after is not None:
            found.append((b"retry-after", b"%d" % max(1, round(self.retry_after))))
        if self.code == "unauthorized":
            found.append((b"www-authenticate", b'Basic realm="thalweg", Bearer'))
        if self.allow is not None:
            found.append((b"allow", self.allow.encode("latin-1")))
        if self.closes:
            found.append((b"connection", b"close"))
        return found
