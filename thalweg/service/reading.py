"""Bodies of requests, as far as they may be long and take time."""

import asyncio
from collections.abc import Mapping

from starlette.types import Receive

from thalweg.service.request_error import RequestError

FEW_DIGITS, MOST_DIGITS = 5, 18  # of a content length


def check_length(headers: Mapping[bytes, bytes], max_bytes: int) -> None:
    """Raise RequestError if a request says that its body is too large."""
    length = headers.get(b"content-length", b"")
    if len(length) <= FEW_DIGITS and max_bytes >= 10**FEW_DIGITS:  # to read the number would cost more
        return
    if len(length) > MOST_DIGITS or int(length or 0) > max_bytes:
        raise too_large(max_bytes)


def too_large(max_bytes: int) -> RequestError:
    """Return the refusal of a body that is too large; its rest is not read."""
    what = f"a request may have {max_bytes:,} bytes: send fewer rows at once"
    return RequestError("too_large", what, closes=True)


async def read_body(receive: Receive, max_bytes: int, seconds: float) -> bytes:
    """Return the body of a request; raise RequestError if it is too large or too slow."""
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise RequestError("vanished", "the connection was closed within the body", closes=True)
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > max_bytes:
                    raise too_large(max_bytes)
                if not message.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        what = f"the body of the request did not arrive within {seconds:g} s"
        raise RequestError("too_slow", what, closes=True) from None
