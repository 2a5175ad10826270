"""The first rows of a model without columns: they say what its columns are."""

import numpy as np

from thalweg.errors import ThalwegError
from thalweg.live.answering import check_number, checked_ids
from thalweg.live.engine import Engine
from thalweg.live.errors import RowError
from thalweg.live.events import LEARN, LEARN_WITHOUT_ID, Group
from thalweg.live.requests import LEARNED, LearnRequest, Outcomes
from thalweg.live.rows import number_of_rows, with_labels
from thalweg.saving import to_bytes


def begin(engine: Engine, request: LearnRequest, time: float) -> tuple[Group, Outcomes]:
    """Let the rows of a request begin the model; return the events, with the whole model, and the outcomes.

    The columns depend on the rows of this one request, so it is not joined with others.
    """
    rows, labels = with_labels(request.rows, request.labels, engine.model)
    n = number_of_rows(rows)
    ids = None if request.ids is None else checked_ids(request.ids)
    if len(labels) != n:
        raise RowError(f"got {n} rows and {len(labels)} labels")
    if ids is not None:
        check_number(ids, n, "rows")
        if len(set(ids)) < n:
            raise RowError("an id occurs twice among the first rows", None, "id")
    model = engine.model.copy()
    try:
        if request.labels is None:
            model.learn(rows)
        else:
            model.learn(rows, labels)
    except (ThalwegError, TypeError, ValueError) as error:
        raise RowError(str(error)) from error
    codes = model._coding.codes_of(labels)
    kinds = np.full(n, LEARN_WITHOUT_ID if ids is None else LEARN, dtype=np.uint8)
    X = np.empty((n, 0))
    group = Group(time, kinds, ids or [], X, codes, model=to_bytes(model))
    first = engine.event + 1
    engine.begin(model, ids or [], codes.tolist() if ids else [], n)
    engine.time = time
    return group, Outcomes(ids, [LEARNED] * n, list(range(first, first + n)), [None] * n)
