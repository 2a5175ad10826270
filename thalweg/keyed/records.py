"""Banks of models: raw records in, with the key in one of their columns or in several."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from thalweg._parameters import wrong
from thalweg._types import Floats, Ints, State
from thalweg.errors import ParameterError, StateError, StreamError, first_of
from thalweg.evaluation.array_runs import run_of
from thalweg.evaluation.protocols import begin_learner
from thalweg.evaluation.run import Run
from thalweg.evaluation.sparse_blocks import dense_size
from thalweg.keyed.key_texts import as_texts, text_of
from thalweg.keyed.keyed_rows import BLOCK, KeyedRows
from thalweg.keyed.keys import encode, numbers_of
from thalweg.keyed.new_labels import warn_of_labels
from thalweg.learners.base.arguments import Labels
from thalweg.learners.base.first_rows import N_COUNTED as FIRST_LABELS
from thalweg.learners.base.state import from_plain, to_plain
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.model.model import Model
from thalweg.model.rows import as_ids, as_rows
from thalweg.model.wording import in_words_of_model
from thalweg.streams.base import Stream
from thalweg.streams.columns.codes import MISSING
from thalweg.streams.files.coding import LabelError
from thalweg.streams.schema import plain_values
from thalweg.waiting import Ids


class RecordBank(KeyedRows):
    """The part of a `Bank` that reads records by the columns of a `Model`."""

    _model: Model

    def learn(self, source: Any, **options: Any) -> Self:
        """Learn records in order, each by the learner of its key; return self.

        For a bank of a `Model`. The first call finds the columns, as `Model.learn` does.

        Parameters
        ----------
        source : frame, list of dicts, dict or path
            The records, with the columns of the key and of the label. Those without a label are left out.
        **options
            How a file is read; see `Model.learn`.
        """
        for _ in self._learned(source, options):
            pass
        return self

    def prequential(self, source: Any, **options: Any) -> Run:
        """Predict each record, then learn it, by the learner of its key; return a Run."""
        found, labels = [], []
        for p, codes in self._learned(source, options):
            found.append(p)
            labels.append(codes)
        n_classes = len(self.classes_)
        p = np.concatenate([np.pad(each, ((0, 0), (0, n_classes - each.shape[1]))) for each in found])
        codes = np.concatenate(labels)
        y = np.empty(len(codes), dtype=object)
        y[:] = [None if code < 0 else self._labels.list[code] for code in codes.tolist()]
        return run_of(y, p, "prequential", classes=self.classes_)

    def predict_proba(self, source: Any, *, ids: Ids | None = None, **options: Any) -> Floats:
        """Return the probabilities of each record, in the order of `classes_`.

        With `ids`, one for each record, these wait for their labels: see `label`.
        """
        self._check_begun()
        known = as_ids(ids)
        with self._writing:
            found, n = [np.empty((0, len(self._labels.list)))], 0
            stream = self._open(source, options)
            for X, _, keys in self._blocks(stream):
                if known is None:
                    found.append(self._predict_numbers(self._record_numbers(keys, False), X, None))
                else:
                    part = known[n : n + len(X)]
                    if len(part) < len(X):
                        raise ValueError(f"Bank: got {len(known)} ids, and more rows")
                    self._late.check_new(part)
                    found.append(self._predict_waiting(self._record_numbers(keys, True), X, None, part))
                n += len(X)
            if known is not None:
                self._adopt(stream)
            return np.concatenate(found)

    def predict(self, source: Any, *, ids: Ids | None = None, **options: Any) -> NDArray[Any]:
        """Return the most probable label of each record; `ids` are as in `predict_proba`."""
        p = self.predict_proba(source, ids=ids, **options)
        return self.classes_[p.argmax(axis=1)]

    @property
    def _key_columns(self) -> list[str]:
        return [self.key] if isinstance(self.key, str) else list(self.key)

    def _key_of(self, key: Any) -> Any:
        """Return a key as records have it: text, as a file would."""
        if "_model" not in vars(self):
            return key
        return tuple(map(text_of, key)) if isinstance(key, tuple) else text_of(key)

    def _given_learner(self) -> StreamClassifier:
        if not isinstance(self.learner, Model):
            if self.key is not None:
                problem = "is for a bank of a Model; other banks are given the key of each row"
                raise ParameterError.of("Bank", "key", problem=problem)
            return super()._given_learner()
        return self.learner._begun_learner()

    def _open(self, source: Any, options: dict[str, Any]) -> Stream:
        """Return a source as a stream of the inputs of the model, which begins with the first one."""
        if not isinstance(self.learner, Model):
            raise ParameterError.of("Bank", "learner", problem="must be a Model to read records")
        if self.key is None:
            raise wrong(self, "key", "the name of a column, or several names", self.key)
        if "_model" not in vars(self) and isinstance(self.shared, Model) and self.shared._begun:
            self._model = self.shared.copy()  # its codes of categories and labels are those of its learner
        elif "_model" not in vars(self):
            ignored = dict.fromkeys(self._key_columns, "ignore")
            columns = dict(self.learner._given_columns or {}) | ignored
            self._model = clone(self.learner).set_params(columns=columns)
        rows = as_rows(source)[0]
        stream = self._model._open([rows] if isinstance(rows, dict) else rows, **options)
        missing = [name for name in self._key_columns if name not in getattr(stream, "cell_names", ())]
        if missing:
            there = first_of(list(getattr(stream, "cell_names", ())), 10)
            raise StreamError(f"Bank: the rows have no column {missing[0]!r} for the key, but {there}")
        if not self._model._begun:
            learner = self._model._begun_learner()
            begin_learner(stream, learner, "dense")
            self._model._adopt(stream, learner)
        if not self._begun:
            self._begin_unlocked(
                stream.n_features, stream.first_classes, list(stream.names), stream.n_categories.tolist()
            )
        return stream

    def _blocks(self, stream: Any) -> Iterator[tuple[Floats, Ints, Any]]:
        with in_words_of_model():
            yield from stream.blocks_with_cells(dense_size(stream, BLOCK), self._key_columns)

    def _learned(self, source: Any, options: dict[str, Any]) -> Iterator[tuple[Floats, Ints]]:
        """Learn a source block by block; yield the probabilities before, and the codes."""
        self._own_lock()
        with self._lock.write:
            stream = self._all_or_nothing(self._open, source, options)
        for X, codes, keys in self._blocks(stream):
            with self._lock.write:
                codes = np.ascontiguousarray(codes, dtype=np.intp)
                n_known = len(self._labels.list)
                if self._is_closed:
                    self.n_skipped_ += int((codes >= n_known).sum())
                    codes = np.where(codes < n_known, codes, MISSING)
                elif len(stream.classes) > n_known:
                    new = codes >= n_known
                    self._warn_of_new(stream.classes, self.n_rows_ + int(np.argmax(new)) if new.any() else 0)
                    self._grow(np.asarray(stream.classes))
                w, given = (codes >= 0).astype(float), np.maximum(codes, 0)
                p = self._learn_coded(self._record_numbers(keys, True), X, given, w)
                self._adopt(stream)
            yield p, codes

    def _adopt(self, stream: Stream) -> None:
        """Keep what has become known of columns and labels; not labels that are refused."""
        self._model._adopt(stream, self._model.learner_)
        if self._is_closed:
            self._model._coding.forget_labels(len(self._labels.list))

    def _warn_of_new(self, classes: Any, n_rows: int) -> None:
        """Warn of classes beyond those known, the first of them after so many rows, unless these are few."""
        if n_rows >= FIRST_LABELS:
            known = self._labels.list
            warn_of_labels(plain_values(classes)[len(known) :], known, f"{n_rows:,} rows")

    def _record_numbers(self, cells: Any, adds: bool) -> Ints:
        columns = [as_texts(cells.column(name)) for name in self._key_columns]
        keys = columns[0]
        if len(columns) > 1:
            keys = list(zip(*(map(_plain, column) for column in columns), strict=True))
        numbers = numbers_of(self._index, keys, adds)
        if adds:
            self._look_at_keys(len(numbers))
        return numbers

    def _learn_waiting(self, ids: list[Any], labels: list[Any]) -> int:
        return super()._learn_waiting(ids, self._as_labels(labels) if "_model" in vars(self) else labels)

    def _as_labels(self, labels: list[Any]) -> list[Any]:
        """Return labels as the bank knows them; new ones become classes of all keys."""
        coding = self._model._coding
        n_known = len(coding.labels)
        try:
            if self._is_closed:
                codes = [self._code_or_none(label) for label in labels]
            else:
                codes = coding.codes_of(labels).tolist()
        except LabelError:
            if self.on_error == "raise":
                raise
            codes = [self._code_or_none(label) for label in labels]
        if len(coding.labels) > len(self._labels.list):
            try:
                self._warn_of_new(coding.classes, self.n_rows_)
                self._grow(coding.classes)
            except BaseException:
                coding.forget_labels(n_known)
                raise
        known = self._labels.list
        return [label if code is None else known[code] for code, label in zip(codes, labels, strict=True)]

    def _code_or_none(self, label: Any) -> int | None:
        coding = self._model._coding
        try:
            return coding.known_code(label) if self._is_closed else int(coding.codes_of([label])[0])
        except LabelError:
            return None

    def _grow(self, classes: NDArray[Any]) -> None:
        """Let the learners of all keys know more classes, which none of them has seen."""
        if self.start != "cold":
            raise StreamError(
                f"Bank: the label {classes[len(self._labels.list)]!r} is new; with a shared model all labels "
                "must be known: pass classes=[…] to the Model"
            )
        self._all_or_nothing(self._grow_unlocked, classes)

    def _grow_unlocked(self, classes: NDArray[Any]) -> None:
        old, n = self._store, len(self._index)
        old.extend(n)
        labels = Labels(classes, is_open=True)
        self._labels = Labels(classes)
        self._like = self._made(-1)
        self._store = self._new_store()
        self._store.extend(n)
        for number in range(n):
            learner = old.learner(number)
            learner._add_classes(labels)
            self._store.put(number, learner)

    def _content(self) -> State:
        state = super()._content()
        if "_model" in vars(self):
            state["columns"] = to_plain(self._model)
        return state

    def _set_content(self, state: State) -> None:
        if "columns" in state:
            model = from_plain(state["columns"])
            if not isinstance(model, Model):
                raise StateError("Bank: what reads the rows of the state is no Model")
            self._model = model
        super()._set_content(state)

    def _find_key(self, key: Any) -> int:
        return self._index.find(self._key_of(key), False, encode)


def _plain(cell: Any) -> Any:
    return cell.as_py() if hasattr(cell, "as_py") else cell
