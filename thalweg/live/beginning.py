"""The first rows of a model without columns: they say what its columns are."""

from typing import Any

import numpy as np

from thalweg.errors import ThalwegError
from thalweg.live.answering import check_number, checked_ids
from thalweg.live.engine import Engine
from thalweg.live.errors import RowError
from thalweg.live.events import LEARN, LEARN_WITHOUT_ID, Group
from thalweg.live.label_codes import Coded, refused_without_model
from thalweg.live.requests import LEARNED, UNKNOWN_LABEL, LearnRequest, Outcomes
from thalweg.live.rows import chosen_rows, number_of_rows, with_labels
from thalweg.model import Model
from thalweg.saving import to_bytes
from thalweg.streams.files.coding import LabelError


def begin(engine: Engine, request: LearnRequest, time: float) -> tuple[Group | None, Outcomes]:
    """Let the rows of a request begin the model; return the events, with the whole model, and the outcomes.

    The columns depend on the rows of this one request, so it is not joined with others. All its labels are
    classes, unless the model lists them. There are no events if all are refused.
    """
    rows, labels = with_labels(request.rows, request.labels, engine.model)
    n = number_of_rows(rows)
    given = None if request.ids is None else checked_ids(request.ids)
    if len(labels) != n:
        raise RowError(f"got {n} rows and {len(labels)} labels")
    if given is not None:
        check_number(given, n, "rows")
        if len(set(given)) < n:
            raise RowError("an id occurs twice among the first rows", None, "id")
    refused = refused_without_model(engine.model, labels)
    coded = _coded(refused, n)
    if n and not coded.places:
        return None, _outcomes(given, coded, [])
    model = _begun(engine.model, request, rows, labels, coded)
    while unreadable := _unreadable(model, coded.chosen(labels), coded.places):
        refused |= unreadable
        coded = _coded(refused, n)
        if not coded.places:
            return None, _outcomes(given, coded, [])
        model = _begun(engine.model, request, rows, labels, coded)
    codes = model._coding.codes_of(coded.chosen(labels))
    ids, first = None if given is None else coded.chosen(given), engine.event + 1
    kinds = np.full(len(codes), LEARN_WITHOUT_ID if ids is None else LEARN, dtype=np.uint8)
    X = np.empty((len(codes), 0))
    group = Group(time, kinds, ids or [], X, codes, model=to_bytes(model))
    engine.begin(model, ids or [], codes.tolist() if ids else [], len(codes))
    engine.time = time
    return group, _outcomes(given, coded, [*range(first, first + len(codes))])


def _coded(refused: dict[int, str], n: int) -> Coded:
    return Coded([], [i for i in range(n) if i not in refused], refused)


def _begun(like: Model, request: LearnRequest, rows: Any, labels: list[Any], coded: Coded) -> Model:
    """Return a copy of a model that has learned the rows whose labels are not refused."""
    model, chosen = like.copy(), chosen_rows(rows, coded.places) if coded.refused else rows
    try:
        return model.learn(chosen) if request.labels is None else model.learn(chosen, coded.chosen(labels))
    except (ThalwegError, TypeError, ValueError) as error:
        raise RowError(str(error)) from error


def _unreadable(model: Model, labels: list[Any], places: Any) -> dict[int, str]:
    """Return why labels have no code in the model that has learned them, by their places."""
    found = {}
    for place, label in zip(places, labels, strict=True):
        try:
            model._coding.known_code(label)
        except LabelError as error:
            found[place] = error.problem
    return found


def _outcomes(ids: list[Any] | None, coded: Coded, events: list[int]) -> Outcomes:
    messages = [coded.refused.get(i) for i in range(len(events) + len(coded.refused))]
    statuses = coded.spread([LEARNED] * len(events), UNKNOWN_LABEL)
    numbers: list[int | None] = [*events]
    return Outcomes(ids, statuses, coded.spread(numbers, None), messages)
