"""Who may ask: tokens from a file, compared in constant time."""

import base64
import binascii
import hashlib
import hmac
import logging
import os
import stat
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path

from thalweg.errors import ParameterError
from thalweg.service.request_error import RequestError

log = logging.getLogger("thalweg.service")
MIN_LENGTH = 16


class Tokens:
    """The tokens that a file lists, one a line; empty lines and those that begin with # are left out.

    Only their hashes are kept. A client sends `Authorization: Bearer TOKEN`; a browser, which asks for a
    password, sends the token as that, with any name.
    """

    def __init__(self, tokens: list[str]) -> None:
        self._hashes = [hashlib.sha256(token.encode()).digest() for token in tokens]

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> "Tokens":
        """Read a file; raise ParameterError if it has no token, or one that is too short to be safe.

        A file that other users of this machine may read is a warning in the log.
        """
        lines = [line.strip() for line in Path(path).read_text("utf-8").splitlines()]
        tokens = [line for line in lines if line and not line.startswith("#")]
        if not tokens:
            raise ParameterError.of(
                "serve", "token_file", problem=f"must have a token in a line: {path} has none"
            )
        if any(len(token) < MIN_LENGTH for token in tokens):
            problem = f"must have tokens of at least {MIN_LENGTH} characters: {path} has a shorter one"
            raise ParameterError.of("serve", "token_file", problem=problem)
        if os.name != "nt" and os.stat(path).st_mode & (stat.S_IRGRP | stat.S_IROTH):
            log.warning("other users may read the token file %s: run chmod 600 on it", path)
        return cls(tokens)

    def check(self, headers: Mapping[bytes, bytes] | Iterable[tuple[bytes, bytes]]) -> None:
        """Raise RequestError unless the headers of a request carry one of the tokens."""
        given = dict(headers).get(b"authorization")
        if given is None:
            raise RequestError("unauthorized", "send the header Authorization: Bearer TOKEN")
        found = hashlib.sha256(_token(given)).digest()
        # Every hash is compared, so that the time does not tell which of them is nearest.
        if not sum([hmac.compare_digest(found, known) for known in self._hashes]):
            raise RequestError("unauthorized", "the token is not one of this service")


def _token(header: bytes) -> bytes:
    scheme, _, given = header.partition(b" ")
    if scheme.lower() == b"bearer":
        return given.strip()
    if scheme.lower() == b"basic":
        try:
            return base64.b64decode(given, validate=True).partition(b":")[2]
        except (binascii.Error, ValueError):
            return b""
    return b""
