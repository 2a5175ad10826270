"""The forms that rows may be sent in, by the content type of a request."""

from collections.abc import Mapping

from thalweg.service.request_error import RequestError

JSON, LINES, ARROW = "json", "lines", "arrow"
TYPES = {
    b"application/json": JSON,
    b"application/x-ndjson": LINES,
    b"application/jsonl": LINES,
    b"application/x-jsonlines": LINES,
    b"application/vnd.apache.arrow.stream": ARROW,
}
CONTENT_TYPES = {
    JSON: b"application/json",
    LINES: b"application/x-ndjson",
    ARROW: b"application/vnd.apache.arrow.stream",
}
NOSNIFF = b"x-content-type-options", b"nosniff"  # on every answer: browsers take its content type as it is
LISTED = ", ".join(content_type.decode() for content_type in CONTENT_TYPES.values())


def form_of(headers: Mapping[bytes, bytes]) -> str:
    """Return the form of a request's body; raise RequestError if it is none of ours.

    A content type is demanded, so that a page of another site cannot make a browser send rows: browsers ask
    a server first before they send one of these types across sites.
    """
    given = headers.get(b"content-type", b"")
    found = TYPES.get(given) or TYPES.get(given.partition(b";")[0].strip().lower())
    if found is None:
        seen = f"not {given.decode('latin-1')[:80]!r}" if given else "and the request has none"
        raise RequestError("unsupported_type", f"the content type must be one of {LISTED}, {seen}")
    encoding = headers.get(b"content-encoding")
    if encoding and encoding != b"identity":
        what = encoding.decode("latin-1")[:40]
        raise RequestError(
            "unsupported_type", f"the body must not be compressed, got content-encoding {what!r}"
        )
    return found
