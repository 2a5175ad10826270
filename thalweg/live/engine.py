"""The state of a live model: a function of its events, however these are cut into groups."""

import hashlib
import json
import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._native.layout import at_most
from thalweg._types import Floats, Ints, Mask, State
from thalweg.errors import ParameterError, StateError
from thalweg.evaluation.state_size import bytes_of
from thalweg.learners.base.first_rows import N_COUNTED as FIRST_LABELS
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.live.block import Block
from thalweg.live.coder import Coder
from thalweg.live.ids import Id
from thalweg.live.waiting import DROPPED, DoneIds, Said, WaitingStore, packed_ids
from thalweg.live.watch.live_watch import LiveWatch
from thalweg.model import Model
from thalweg.model.late_rows import FAR
from thalweg.rows.sparse_rows import joined
from thalweg.saving.files import allowed_bytes
from thalweg.saving.plain import to_json
from thalweg.trust.label_budget import LabelBudget
from thalweg.trust.prediction_sets import PredictionSets


class Engine:
    """A model, the rows that wait for their labels, the ids that do no longer, and the number of events.

    Parameters
    ----------
    model : Model
        It is changed; before its first row it has no columns, and there are no waiting rows.
    max_known : int
        How many ids that wait no longer are remembered.
    budget : LabelBudget or None
        Decides whether a label would help.
    """

    def __init__(self, model: Model, max_known: int, budget: LabelBudget | None) -> None:
        self.model, self.budget = model, budget
        self.event = self.n_predicted = self.n_dropped = self.n_first_labels = 0
        self.time = 0.0
        self.done = DoneIds(max_known)
        self.is_watched = False
        self.watch: LiveWatch | None = None
        self._number_base = 0
        if model._begun:
            self.n_dropped = model._late.n_dropped
            self._adopt_model()
            self._close_if_known()

    def _adopt_model(self) -> None:
        """Take over the rows that wait in the model."""
        late = self.model._late
        check_waiting(self.model)
        self.coder = Coder(self.model)
        self.waiting = WaitingStore(late.n_features, self.model.max_waiting, late._sparse)
        self._number_base = max(late._next - self.event, self._number_base)
        self._sets_of: Any = None
        self._classes: list[Any] = []
        rows = late._rows.rows()
        if rows.ids:
            with late.taken(rows.ids, all_wait=True) as (X, numbers):
                n = len(rows.ids)
                fields: dict[str, Any] = {
                    "number": numbers, "event": np.zeros(n), "row": np.full(n, -1), "asks": np.zeros(n),
                    "time": np.full(n, self.time), "answer": np.full(n, -1), "n_classes": np.zeros(n),
                }  # fmt: skip
                self.waiting.add(rows.ids, X, Said(fields, np.zeros((n, 0)), None))
        set_max_waiting(self.model, self.model.max_waiting)
        self.resize_waiting(self.model.max_waiting)

    def _close_if_known(self) -> None:
        """Let the classes of a model that is put in be closed if there are two; else labels have to come."""
        self.n_first_labels = FIRST_LABELS if len(self.model._coding.labels) > 1 else 0

    def is_closed(self, n_labels: int = 0) -> bool:
        """Return whether classes are closed after so many labels more, unless new labels are added."""
        return len(self.model._coding.labels) > 1 and self.n_first_labels + n_labels >= FIRST_LABELS

    def note_labels(self, n: int) -> None:
        """Count labels that were learned, as far as they are the first ones."""
        if self.n_first_labels < FIRST_LABELS:
            self.n_first_labels = min(self.n_first_labels + n, FIRST_LABELS)

    def begin_watch(self, state: State | None = None) -> None:
        """Follow how the model does, from now on or from a saved state; not if it is not watched."""
        if self.is_watched and self.has_begun:
            new = LiveWatch.for_model(self.model, max_waiting=self.model.max_waiting)
            self.watch = new if state is None else LiveWatch.from_state(state)

    @property
    def has_begun(self) -> bool:
        """Whether the model has columns."""
        return self.model._begun

    @property
    def learner(self) -> StreamClassifier:
        """The learner of the model."""
        return self.model.learner_

    @property
    def has_sets(self) -> bool:
        """Whether the learner predicts sets."""
        return isinstance(self.model.learner_, PredictionSets)

    @property
    def classes(self) -> list[Any]:
        """The labels that the learner knows; the same list as long as they are the same."""
        known = self.model._class_list
        if len(known) != len(self._classes):
            self._classes = list(known)
        return self._classes

    def open_block(self, latest: float = -math.inf) -> Block:
        """Return a block for the next events; it must be finished before the next one is opened.

        Rows that came at `latest` or before are too old.
        """
        return Block(self, latest)

    def number_of(self, events: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers by which the learner knows the rows of events, as in `LateRows`."""
        return -FAR - self._number_base - events

    def new_classes(self) -> NDArray[Any] | None:
        """Return all labels if there are some that the learner has not learned yet."""
        coding = self.model._coding
        return coding.classes if len(coding.labels) > len(self.model._class_list) else None

    def sets_of(self, p: Floats) -> Mask:
        """Return which classes are in the sets of rows."""
        return self.learner.sets_of(p)  # type: ignore[attr-defined]

    def asks(self, p: Floats, n_classes: Ints) -> Mask:
        """Return whether a label would help; `n_classes` of the columns of each row are known classes."""
        assert self.budget is not None
        found = np.ones(len(p), dtype=bool)
        borders = [0, *(np.flatnonzero(np.diff(n_classes)) + 1).tolist(), len(p)]
        for start, stop in pairwise(borders):
            if stop > start and n_classes[start]:
                found[start:stop] = self.budget.ask(p[start:stop, : n_classes[start]]).asked
        return found

    def read(self, rows: Any) -> Floats:
        """Return the probabilities of rows; this changes nothing."""
        return self.learner.predict_proba_block(self.coder.rows(rows, False))

    def predict_parts(self, parts: list[Any]) -> Floats:
        """Return the probabilities of several blocks of coded rows, one after another."""
        if not parts:
            return np.empty((0, len(self.classes)))
        if len(parts) == 1:
            return self.learner.predict_proba_block(parts[0])
        sparse, n = self.waiting.sparse, self.waiting.n_features
        X: Any = joined(parts, n) if sparse else np.concatenate(parts)
        return self.learner.predict_proba_block(X)

    def state(self) -> tuple[State, dict[str, Any]]:
        """Return the state of the model, and all else, as plain data that later events do not change."""
        live: dict[str, Any] = {"event": self.event, "time": self.time, "n_predicted": self.n_predicted,
                                "n_dropped": self.n_dropped, "n_first_labels": self.n_first_labels,
                                "number_base": self._number_base, "done": self.done.state(),
                                "budget": None if self.budget is None else self.budget.state(),
                                "watch": None if self.watch is None else self.watch.state()}
        if self.has_begun:
            live["waiting"] = self.waiting.state()
        return self.model.state(), live

    @classmethod
    def from_state(cls, model: State, live: dict[str, Any]) -> "Engine":
        """Return an engine with what `state` returned; its watch is restored by the caller.

        Raises StateError if it is damaged.
        """
        try:
            return cls._from_state(model, live)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise StateError(f"the state of a live model is damaged: {error}") from error

    @classmethod
    def _from_state(cls, model: State, live: dict[str, Any]) -> "Engine":
        budget = None if live["budget"] is None else LabelBudget().restore(live["budget"])
        with at_most(allowed_bytes(bytes_of(model))):
            made = cls(Model().restore(model), 1, budget)
        made.event, made.time = int(live["event"]), float(live["time"])
        made.n_predicted, made._number_base = int(live["n_predicted"]), int(live["number_base"])
        made.n_dropped = int(live.get("n_dropped", 0))  # earlier releases did not keep it
        # Earlier releases did not count them: their models have learned.
        made.n_first_labels = int(live.get("n_first_labels", FIRST_LABELS))
        if not 0 <= made.n_first_labels <= FIRST_LABELS:
            raise ValueError("a checkpoint has counted more of the first labels than there are")
        if not all(0 <= n <= FAR for n in (made.event, made.n_predicted, made._number_base, made.n_dropped)):
            raise ValueError("the events of a checkpoint have numbers beyond all that there are")
        made.done = DoneIds.from_state(live["done"])
        if made.has_begun:
            made.waiting = waiting = WaitingStore.from_state(live["waiting"])
            if (waiting.n_features, waiting.sparse) != (made.coder.n_inputs, made.coder.sparse):
                raise StateError("the waiting rows of a checkpoint are not rows of its model")
            if waiting.newest_row() >= made.n_predicted:
                raise StateError("more rows of a checkpoint wait than were predicted")
        return made

    def digest(self) -> str:
        """Return a checksum of the model, the waiting rows, the ids remembered and the budget."""
        model, live = self.state()
        parts = {"event": self.event, "done": live["done"], "budget": live["budget"]}
        if self.has_begun:
            parts["waiting"] = {**live["waiting"], "time": None}
        arrays: list[NDArray[Any]] = []
        parts["model"] = self.model.digest() if self.has_begun else to_json(model["parameters"], arrays)
        found = hashlib.sha256(json.dumps(to_json(parts, arrays)).encode())
        for array in arrays:
            found.update(f"{array.dtype.str}{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
        return found.hexdigest()

    def replace(self, model: Model) -> None:
        """Go on with another model; the rows that wait, which fit it, go on waiting."""
        waiting = self.waiting if self.has_begun else None
        self.model = model
        self._adopt_model()
        if waiting is not None and waiting.n_features == self.waiting.n_features:
            self.waiting = waiting
            self.resize_waiting(model.max_waiting)
        self._close_if_known()
        self.begin_watch()

    def next_number(self) -> int:
        """Return the number of the next row, counted as `LateRows` does."""
        return self._number_base + self.event + 1

    def change(self, settings: dict[str, Any]) -> None:
        """Change settings as of the next event; to do so again before that event changes nothing."""
        if "max_known" in settings:  # first: the ids of rows that are dropped below count as known
            self.done.resize(settings["max_known"])
        if "max_waiting" in settings:
            set_max_waiting(self.model, settings["max_waiting"])
            if self.has_begun:
                self.resize_waiting(settings["max_waiting"])
        if "budget" in settings:
            self.budget = LabelBudget().restore(settings["budget"])

    def resize_waiting(self, capacity: int) -> None:
        """Let so many rows wait; drop the oldest if more do."""
        self.waiting.capacity = capacity
        while len(self.waiting) > capacity:
            key, slot = self.waiting.index.popitem(last=False)
            self.waiting.free([slot])
            self.done.add(key, DROPPED, self.event)
            self.n_dropped += 1

    def begin(self, model: Model, ids: list[Id], codes: list[int], n: int) -> None:
        """Go on with the model that has begun with `n` rows, some of them with these ids."""
        self.model = model
        self._adopt_model()
        self.begin_watch()
        for event, (key, code) in enumerate(zip(ids, codes, strict=True), self.event + 1):
            self.done.add(key, code, event)
        self.n_first_labels = 0
        self.note_labels(n)
        self.event += n

    def add_class(self, label: Any, when: float) -> Any:
        """Make a label a class that the learner has not met, as an event; return it as a class.

        Raise RowError or what the learner raises, and change nothing, if that is not possible.
        """
        before = self.coder.mark()
        found = self.coder.open_label(label)
        try:
            self.learner.add_class(found)
        except BaseException:
            self.coder.undo(before)
            raise
        self.event += 1
        self.time = when
        return found


def packed(live: dict[str, Any]) -> dict[str, Any]:
    """Return what `Engine.state` returned as it is saved."""
    found = live | {"done": packed_ids(live["done"])}
    return found | {"waiting": packed_ids(live["waiting"])} if "waiting" in live else found


def set_max_waiting(model: Model, max_waiting: int) -> None:
    """Change how many rows may wait in a model; all that do stay until an engine takes them over."""
    if model._begun:
        model._late._rows.capacity = max(max_waiting, len(model._late))
    model.max_waiting = max_waiting


def check_waiting(model: Model) -> None:
    """Raise ParameterError if the learner forgets waiting rows earlier than the model."""
    kept = getattr(model.learner_, "max_waiting", None)
    if kept is not None and model.learner_.observes and kept < model.max_waiting:
        raise ParameterError(
            f"LiveModel: the learner keeps {kept:,} waiting rows and the model {model.max_waiting:,}; give "
            "both the same max_waiting"
        )
