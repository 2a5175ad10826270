"""Requests of one row, asked of a live model together."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np

from thalweg.live.errors import RowError
from thalweg.live.requests import Outcomes, Predictions, PredictRequest
from thalweg.service.arrays import InputColumns, by_position
from thalweg.service.asked import PREDICT, Asked
from thalweg.service.encoding import Labels, encode_many, outcome_rows, prediction_rows, to_json
from thalweg.service.failures import RETRY_SECONDS, as_request_error
from thalweg.service.media import ARROW, JSON
from thalweg.service.request_error import STATUSES, RequestError

log = logging.getLogger("thalweg.service")
Answer: TypeAlias = Callable[[int, bytes, list[tuple[bytes, bytes]]], None]
MOST_ANSWER = 64 << 20  # bytes of the probabilities in an answer, in JSON or as numbers of Arrow
FLOAT_BYTES = 8
NO_HEADERS: list[tuple[bytes, bytes]] = []


class Group:
    """Requests that are alike, and what answers each of them."""

    __slots__ = ("answers", "asked", "form")

    def __init__(self, asked: Asked, answer: Answer, form: str = "") -> None:
        self.asked, self.answers, self.form = asked, [answer], form

    def add(self, other: Asked, answer: Answer) -> None:
        """Add a request of one row."""
        asked = self.asked
        asked.n += 1
        if asked.rows is not None:
            asked.rows.append(other.rows[0])
        if asked.ids is not None and other.ids is not None:
            asked.ids.append(other.ids[0])
        if asked.labels is not None and other.labels is not None:
            asked.labels.append(other.labels[0])
        self.answers.append(answer)

    def parts(self) -> list["Group"]:
        """Return each request of one row as a group of its own."""
        return [Group(_row(self.asked, i), answer) for i, answer in enumerate(self.answers)]


def _row(asked: Asked, i: int) -> Asked:
    rows, ids, labels = (
        None if many is None else [many[i]] for many in (asked.rows, asked.ids, asked.labels)
    )
    return Asked(asked.kind, 1, rows, ids, labels, asked.durable, asked.sets, is_one=True)


class Groups:
    """The requests to one live model.

    Requests of one row that arrive in the same turn of the event loop, and are alike, are asked together, so
    that they cost one call. If a row of them cannot be read, each is asked alone, and only that one is
    refused. All methods are called in the event loop.

    Parameters
    ----------
    live : LiveModel
    max_pending : int
        Most rows that are asked for and not answered yet.
    """

    def __init__(self, live: Any, max_pending: int) -> None:
        self.live, self.max_pending = live, max_pending
        self.labels = Labels()
        self.n_pending = 0
        self.columns: InputColumns | None = None  # of the model, where known
        self._open: dict[Any, Group] = {}
        self._loop = asyncio.get_running_loop()

    def ask_one(self, asked: Asked, answer: Answer) -> None:
        """Ask for one row; `answer` is called later with a status, a body and headers."""
        self._check_room(1)
        kind_of_row = None
        if asked.rows is not None:
            row = asked.rows[0]
            kind_of_row = type(row)
            if kind_of_row is list and self.columns is not None and len(row) != len(self.columns.names):
                what = f"x has {len(row)} numbers, the model takes {len(self.columns.names)}"
                raise RequestError("wrong_row", what, field="x")
        if self.columns is None:  # the first rows say what the columns are: each request alone, as it came
            self.n_pending += 1
            self._submit(Group(asked, answer))
            return
        key = asked.kind, kind_of_row, asked.ids is None, asked.durable, asked.sets
        group = self._open.get(key)
        self.n_pending += 1
        if group is not None:
            group.add(asked, answer)
            return
        if not self._open:
            self._loop.call_soon(self._submit_open)
        self._open[key] = Group(asked, answer)

    def ask_many(self, asked: Asked, form: str, answer: Answer) -> None:
        """Ask for several rows; `answer` gets the body in this form."""
        if not asked.n:
            answer(200, encode_many(_nothing(asked.kind), self.labels, form), NO_HEADERS)
            return
        self._check_room(asked.n)
        self._check_answer(asked, form)
        self.n_pending += asked.n
        self._submit(Group(asked, answer, form))

    async def result(self, asked: Asked) -> Any:
        """Ask for rows; return Predictions or Outcomes, or raise what the live model raises."""
        self._check_room(asked.n)
        self._check_answer(asked, JSON)
        if type(asked.rows) is list and asked.rows and type(asked.rows[0]) is list:
            asked.rows = by_position(asked.rows, self.columns)
        future: asyncio.Future[Any] = self._loop.create_future()

        def finish(result: Any) -> None:
            if future.done():
                return
            if isinstance(result, BaseException):
                future.set_exception(result)
            else:
                future.set_result(result)

        def done(result: Any) -> None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(finish, result)

        self.n_pending += asked.n
        try:
            self.live.submit(asked.request(), done)
            return await future
        finally:
            self.n_pending -= asked.n

    def _check_room(self, n: int) -> None:
        if self.n_pending + n > self.max_pending:
            what = f"{self.n_pending:,} rows wait for their answers; at most {self.max_pending:,} may"
            raise RequestError("queue_full", what, retry_after=RETRY_SECONDS)

    def _check_answer(self, asked: Asked, form: str) -> None:
        """Raise RequestError if the answer to several rows would be too large; compute nothing."""
        if asked.kind != PREDICT or asked.n <= 1 or self.columns is None:
            return
        classes = self.live.model.classes_
        if form == ARROW and not asked.sets:
            size = FLOAT_BYTES * len(classes)
        else:
            size = self.labels.bytes_of_row(classes) * (1 + asked.sets)
        if asked.n * size > MOST_ANSWER:
            what = (
                f"the answer for {asked.n:,} rows and {len(classes):,} classes would have more than "
                f"{MOST_ANSWER >> 20} MiB: send up to {max(MOST_ANSWER // size, 1):,} rows at once"
            )
            raise RequestError("answer_too_large", what, field="rows")

    def _submit_open(self) -> None:
        groups, self._open = self._open, {}
        for group in groups.values():
            self._submit(group)

    def _submit(self, group: Group) -> None:
        result: Any
        try:
            asked = group.asked
            if type(asked.rows) is list and type(asked.rows[0]) is list:
                asked.rows = by_position(asked.rows, self.columns)
            request, result = asked.request(), None
            if isinstance(request, PredictRequest):
                result = self.live.read_now(request)
            if result is None:
                self.live.submit(request, lambda result: self._done(group, result))
                return
        except Exception as error:
            result = error
        self._finish(group, result)

    def _done(self, group: Group, result: Any) -> None:
        """Hand a result over to the event loop. Called in the thread of the live model."""
        with suppress(RuntimeError):  # the loop has been closed: nobody waits
            self._loop.call_soon_threadsafe(self._finish, group, result)

    def _finish(self, group: Group, result: Any) -> None:
        """Answer each request of a group. One that cannot be answered does not disturb the others."""
        if isinstance(result, RowError | RequestError) and len(group.answers) > 1:
            group.asked.rows = _as_lists(group.asked.rows)
            for part in group.parts():
                self._submit(part)
            return
        self.n_pending -= group.asked.n
        try:
            replies = self._replies(group, result)
        except Exception as error:
            replies = [_refusal(as_request_error(error))] * len(group.answers)
        for answer, reply in zip(group.answers, replies, strict=True):
            try:
                answer(*reply)
            except Exception:
                log.exception("an answer could not be sent")

    def _replies(self, group: Group, result: Any) -> list[tuple[int, bytes, list[tuple[bytes, bytes]]]]:
        if isinstance(result, BaseException):
            refused = as_request_error(result, group.asked.is_one)
            return [_refusal(refused)] * len(group.answers)
        if group.form:
            return [(200, encode_many(result, self.labels, group.form), NO_HEADERS)]
        if isinstance(result, Predictions):
            return [(200, row, NO_HEADERS) for row in prediction_rows(result, self.labels)]
        found = []
        for i, row in enumerate(outcome_rows(result)):
            status = STATUSES.get(result.statuses[i], 200)
            if status == 200:
                found.append((status, row, NO_HEADERS))
            else:
                message = result.messages[i] or "the label cannot be learned"
                field = "label" if result.statuses[i].endswith("_label") else "id"
                found.append(_refusal(RequestError(result.statuses[i], message, field=field)))
        return found


def _nothing(kind: str) -> Predictions | Outcomes:
    """Return the result of a request without rows."""
    if kind == PREDICT:
        return Predictions(None, np.empty(0, dtype=np.intp), np.empty((0, 0)), [], [], [])
    return Outcomes([], [], [], [])


def _refusal(error: RequestError) -> tuple[int, bytes, list[tuple[bytes, bytes]]]:
    return error.status, to_json(error.plain()), error.headers()


def _as_lists(rows: Any) -> Any:
    return rows.tolist() if hasattr(rows, "tolist") else rows
