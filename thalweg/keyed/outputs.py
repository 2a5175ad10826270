"""What an operator says about each event: a table of Arrow."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from thalweg._types import Floats
from thalweg.keyed.event_columns import Events
from thalweg.streams.files.kept_cells import free_names

if TYPE_CHECKING:
    from thalweg.keyed.operator import Operator

STATUSES = ("predicted", "learned", "late", "dropped", "unknown", "refused")
PREDICTED, LEARNED, LATE, DROPPED, UNKNOWN, REFUSED = range(len(STATUSES))
OWN = ("status", "label", "prediction", "probability", "problem")


def output_table(operator: "Operator", events: Events, status: NDArray[np.int8], p: Floats) -> Any:
    """Return the outputs of events, in the order in which these came."""
    columns, roles = operator.columns_, operator.columns_.roles
    own = [*OWN, *(f"p_{label}" for label in columns.classes.tolist())]
    cells = dict(events.cells)
    if roles.id is not None:
        cells[roles.id] = pa.array(events.ids or [None] * len(p), pa.string())
    names = [*roles.key, roles.order, *(() if roles.id is None else (roles.id,)), *roles.keep]
    found = dict(zip(free_names(names, own), (cells[name] for name in names), strict=True))
    classes = pa.array(columns.classes.tolist())
    has_p = ~np.isnan(p[:, 0]) if p.shape[1] else np.zeros(len(p), dtype=bool)
    answers = np.zeros(len(p), dtype=np.int64)
    if has_p.any():
        answers[has_p] = operator._like._answers(p[has_p])
    chosen = pa.array(answers, mask=~has_p)
    found["status"] = pa.array(STATUSES, pa.string()).take(pa.array(status))
    found["label"] = classes.take(pa.array(events.codes.astype(np.int64), mask=events.codes < 0))
    found["prediction"] = classes.take(chosen)
    found["probability"] = pa.array(p[np.arange(len(p)), answers], mask=~has_p)
    for k, name in enumerate(own[len(OWN) :]):
        found[name] = pa.array(p[:, k], mask=~has_p)
    problems = [events.problems.get(i) for i in range(len(p))] if events.problems else None
    found["problem"] = pa.nulls(len(p), pa.string()) if problems is None else pa.array(problems, pa.string())
    return pa.table(found)
