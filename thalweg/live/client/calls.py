"""The calls of both clients: what they send, whether they wait for it or not."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from thalweg._parameters import real_number, whole_number, wrong
from thalweg.live.client.answers import (
    Call,
    Outcome,
    Prediction,
    calls,
    is_one_row,
    is_one_value,
    listed,
    new_ids,
    row_fields,
)  # fmt: skip


class ClientSettings:
    """Where a service is, and how a client asks it; the parameters are those of `Client`."""

    def __init__(
        self, url: str, model: str, *, token: str | None, token_file: str | PathLike[str] | None,
        timeout: float, attempts: int, batch_size: int,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise wrong(self, "url", "an address such as http://127.0.0.1:8000", url)
        self.is_secure, self.host = parts.scheme == "https", parts.hostname
        self.port = parts.port or (443 if self.is_secure else 80)
        self.prefix = f"{parts.path.rstrip('/')}/models/{model}"
        if token is None and token_file is not None:
            lines = Path(token_file).read_text("utf-8").splitlines()
            token = next((line.strip() for line in lines if line.strip() and not line.startswith("#")), None)
        self.headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self.timeout = real_number(self, "timeout", timeout, above=0)
        self.attempts = whole_number(self, "attempts", attempts, 1)
        self.batch_size = whole_number(self, "batch_size", batch_size, 1)

    def predict(self, rows: Any, ids: Any, durable: bool, sets: bool) -> tuple[list[Call], bool]:
        """Return the requests that predict rows, and whether it is one row alone."""
        is_one, given, known = _rows_and_ids(rows, ids)
        query = ({} if durable else {"durable": "soon"}) | ({"sets": "true"} if sets else {})
        fields = _with(_fields(given), "id", known)
        return [*calls(self._path("predict", query), fields, self.batch_size, Prediction, is_one)], is_one

    def label(self, ids: Any, labels: Any) -> tuple[list[Call], bool]:
        """Return the requests that send labels, and whether it is one alone."""
        is_one, known, given = is_one_value(ids), listed(ids), listed(labels)
        _check_number("labels", given, known)
        fields = [{"id": each, "label": label} for each, label in zip(known, given, strict=True)]
        return [*calls(self._path("label", {}), fields, self.batch_size, Outcome, is_one)], is_one

    def learn(self, rows: Any, labels: Any, ids: Any) -> tuple[list[Call], bool]:
        """Return the requests that learn rows, and whether it is one alone."""
        is_one, given, known = _rows_and_ids(rows, ids)
        answers = listed(labels)
        _check_number("labels", answers, given)
        known = known or new_ids(len(given))
        fields = _with(_with(_fields(given), "label", answers), "id", known)
        return [*calls(self._path("learn", {}), fields, self.batch_size, Outcome, is_one)], is_one

    def _path(self, kind: str, query: Mapping[str, str]) -> str:
        return f"{self.prefix}/{kind}{'?' + urlencode(query) if query else ''}"


def _rows_and_ids(rows: Any, ids: Any) -> tuple[bool, list[Any], list[Any] | None]:
    if hasattr(rows, "to_pylist"):  # a table of Arrow
        rows = rows.to_pylist()
    elif hasattr(rows, "to_dict") and hasattr(rows, "iloc"):  # a frame or a Series of pandas
        rows = rows.to_dict("records") if hasattr(rows, "columns") else rows.to_dict()
    elif hasattr(rows, "iter_rows"):  # a frame of polars
        rows = [*rows.iter_rows(named=True)]
    is_one = is_one_row(rows)
    given = [rows] if is_one else [*rows]
    known = None if ids is None else listed(ids)
    if known is not None:
        _check_number("ids", known, given)
    return is_one, given, known


def _fields(rows: list[Any]) -> list[dict[str, Any]]:
    return [row_fields(row) for row in rows]


def _with(fields: list[dict[str, Any]], name: str, values: Sequence[Any] | None) -> list[dict[str, Any]]:
    if values is None:
        return fields
    return [{name: value} | field for field, value in zip(fields, values, strict=True)]


def _check_number(name: str, values: Sequence[Any], rows: Sequence[Any]) -> None:
    if len(values) != len(rows):
        raise ValueError(f"Client: got {len(values)} {name} for {len(rows)} rows")
