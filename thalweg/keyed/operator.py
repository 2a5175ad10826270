"""A model for every key as a pure function: events and a state in, outputs and a state out."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from thalweg._native.layout import at_most
from thalweg._parameters import check_no_text, one_of, whole_number, wrong
from thalweg._types import State
from thalweg.errors import ParameterError, StateError, StreamError
from thalweg.keyed.bank import Bank
from thalweg.keyed.bucket import Bucket, EventBank
from thalweg.keyed.event_columns import PROBLEM, EventColumns, Roles
from thalweg.keyed.new_labels import REFUSE, warn_of_labels
from thalweg.keyed.orders import KINDS, WHOLE, order_kind
from thalweg.learners.base.state import from_plain, to_plain
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.model.model import Model
from thalweg.model.rows import as_rows
from thalweg.saving.container import pack, unpack
from thalweg.saving.files import allowed_bytes
from thalweg.saving.plain import from_json, to_json
from thalweg.streams.columns.class_codes import ClassCodes
from thalweg.streams.files.coding import Coding
from thalweg.streams.files.first_rows import check_labels
from thalweg.streams.files.tables import readable_table
from thalweg.streams.schema import plain_values, schema

BLOCK = 20_000
FORMAT = 1
ROW = "_row"  # the order of events whose runner numbers them: no column of a history


class Operator:
    """Predicts and learns events of many keys: `outputs, state = operator(events, state)`.

    Nothing but its arguments decides what comes out, bit for bit: the events of a key in their order, however
    they are cut into batches and whichever other keys are in the state. So keys can be shared out over
    buckets, processes and machines, and a batch can be done again after a failure. Bytes of a state have no
    time in them, and are the same for the same events.

    Events are a table of Arrow, or what becomes one: a frame, a list of dicts. Each has a key, and an order
    among the events of its key: a number or a time, different for each of them. Within a batch events are
    sorted; one that does not come after the last event of its key is dropped, so that a batch that is
    delivered again changes nothing. A row is predicted, then learned if it has a label. A row with an id and
    without a label waits: a later event of the same key with that id and a label, with or without inputs, has
    it learned. An event that cannot be read is refused, and all others go on.

    Columns, categories and labels are found by `begin`, and frozen: a category that is new later is taken for
    one more, the same for all new ones; a label that is new is refused.

    Parameters
    ----------
    bank : Bank
        What learns: `Bank(Model(…), key="customer")`, or a bank of a learner whose inputs are numbers. Its
        `start` and `shared` say how new keys begin; without `shared`, `begin` learns it from the history.
    order : str
        The column of the order.
    key : str, sequence of str or None, default=None
        The columns of the key, if the bank does not name them.
    target : str or None, default=None
        The column of labels, if the bank has no `Model`.
    id : str or None, default=None
        The column of ids, for labels that come later.
    weight : str or None, default=None
        The column of weights. A row of weight 0 is only predicted; a missing weight is 1.
    order_kind : {"whole", "real", "time"} or None, default=None
        What the order is: found by `begin` from the history if None, else whole numbers.
    keep : sequence of str, default=()
        Further columns that the outputs have.
    max_waiting : int, default=1000
        Most rows of a key that wait for labels; then the one that has waited longest is dropped.

    Attributes
    ----------
    columns_ : EventColumns
        How events are read.
    classes_ : ndarray
        The labels, in the order of the columns of all probabilities.
    digest_ : str
        A checksum of all this; a state is refused by an operator with another one.

    Examples
    --------
    >>> from thalweg.keyed import Bank, Operator
    >>> from thalweg.learners import NaiveBayes
    >>> operator = Operator(Bank(NaiveBayes()), key="who", order="n", target="y")
    >>> operator = operator.begin(inputs=["x"], classes=["no", "yes"])
    >>> events = [{"who": "ann", "n": 1, "x": 2.0, "y": "yes"}, {"who": "ann", "n": 2, "x": 2.1}]
    >>> outputs, state = operator(events)
    >>> outputs.column("prediction").to_pylist(), outputs.column("status").to_pylist()
    (['no', 'yes'], ['learned', 'predicted'])
    >>> operator(events, state)[0].column("status").to_pylist()
    ['dropped', 'dropped']
    """

    columns_: EventColumns
    digest_: str
    _like: StreamClassifier

    def __init__(
        self,
        bank: Bank,
        *,
        order: str,
        key: str | Iterable[str] | None = None,
        target: str | None = None,
        id: str | None = None,
        weight: str | None = None,
        order_kind: str | None = None,
        keep: Iterable[str] = (),
        max_waiting: int = 1000,
    ) -> None:
        if not isinstance(bank, Bank):
            raise wrong("Operator", "bank", "a Bank", bank)
        self.bank, self.order, self.target, self.id, self.weight = bank, order, target, id, weight
        self.key = bank.key if key is None else key
        if self.key is None:
            raise wrong("Operator", "key", "the name of a column, or several names", key)
        self._check_roles()
        self.order_kind = order_kind
        if order_kind is not None:
            one_of("Operator", "order_kind", order_kind, KINDS)
        self.keep = (keep,) if isinstance(keep, str) else tuple(keep)
        self.max_waiting = whole_number("Operator", "max_waiting", max_waiting, 1)

    @property
    def key_columns(self) -> tuple[str, ...]:
        """The columns that together are the key."""
        return (self.key,) if isinstance(self.key, str) else tuple(self.key)

    def _check_roles(self) -> None:
        """Raise ParameterError if a column is named twice: as a part of the key, or as that and the label."""
        model = self.bank.learner if isinstance(self.bank.learner, Model) else None
        roles = [("target", self.target if model is None else model.target), ("order", self.order),
                 ("id", self.id), ("weight", self.weight)]
        known: dict[Any, str] = {}
        for role, name in [*(("key", name) for name in self.key_columns), *roles]:
            if name is not None and name in known:
                problem = f"is {name!r}, which is the {known[name]} already: name another column"
                raise ParameterError.of("Operator", role, problem=problem)
            known[name] = role
        kinds = {} if model is None else model._given_columns or {}
        if model is not None and isinstance(model.target, str) and kinds.get(model.target) == "ignore":
            problem = f"is {model.target!r}, a column to ignore: name another, or do not ignore it"
            raise ParameterError.of("Operator", "target", problem=problem)

    def begin(
        self, history: Any = None, *, inputs: Iterable[str] | None = None, classes: ArrayLike | None = None,
        **options: Any,
    ) -> Self:
        """Find the columns, and freeze them; return self.

        Parameters
        ----------
        history : frame, list of dicts or path, default=None
            Rows from which a `Model` finds its columns and categories, from the first 10,000 of them, and its
            labels, from all, or from those if the bank has new_labels="refuse". With `start="copy"` or
            `"mix"` and no `shared`, the shared model learns all.
        inputs, classes : sequences
            For a bank without a `Model`: the columns of inputs, which are numbers, and the labels.
        **options
            How a file is read; see `Model.learn`.
        """
        kind = self.order_kind
        check_no_text("Operator", inputs=inputs, classes=classes)
        if isinstance(self.bank.learner, Model):
            coding, kind = self._found(history, kind, options)
        elif inputs is None or classes is None:
            problem = "and classes must be given: the columns of inputs, and the labels"
            raise ParameterError.of("Operator", "inputs", problem=problem)
        else:
            specs = [{"name": str(name), "kind": "number"} for name in inputs]
            coding = Coding(schema(specs, np.asarray(classes).tolist(), False, self.target))
        roles = Roles(self.key_columns, self.order, kind or WHOLE, self.id, self.weight, self.keep)
        self._settle(coding, roles, self._given_shared())
        if self.bank.start != "cold" and self._shared is None:
            self._settle(coding, roles, self._learned(history, options))
        return self

    def _is_shared(self, shared: Any) -> bool:
        """Return whether this is the model from which keys begin."""
        if self.bank.start == "cold":
            return False
        forms = []
        for each in (getattr(shared, "learner_", shared), self._shared):
            arrays: list[Any] = []
            content = to_json(to_plain(each), arrays)
            forms.append(pack({"content": content}, arrays))
        return forms[0] == forms[1]

    def _given_shared(self) -> Any:
        shared = self.bank.shared
        return None if shared is None else getattr(shared, "learner_", shared)

    def _model(self) -> Any:
        own = (*self.key_columns, self.order, self.id, self.weight)
        given = dict(self.bank.learner._given_columns or {})
        columns = given | {name: "ignore" for name in own if name not in (None, ROW)}
        return clone(self.bank.learner).set_params(columns=columns)

    def _found(self, history: Any, kind: str | None, options: dict[str, Any]) -> tuple[Coding, str | None]:
        """Return the coding of the columns, that of a shared model if there is one, and the order's kind."""
        shared = self.bank.shared
        if isinstance(shared, Model) and shared._begun and history is None:
            return shared._coding, kind
        if history is None:
            problem = "must be given: rows to find the columns from"
            raise ParameterError.of("Operator", "history", problem=problem)
        rows = as_rows(history)[0]
        stream = self._model()._open([rows] if isinstance(rows, dict) else rows, **options)
        there = getattr(stream, "cell_names", ())
        for name in (*self.key_columns, self.order):
            if name not in (*there, ROW):
                raise StreamError(f"Operator: the rows have no column {name!r}")
        if kind is None and self.order != ROW:
            _, _, cells = next(iter(stream.blocks_with_cells(BLOCK, [self.order])))
            kind = order_kind(cells.column(self.order))
            if kind is None:
                problem = f"{self.order!r} has neither numbers nor times such as 2026-05-01 10:30"
                raise ParameterError.of("Operator", "order", problem=problem)
        if isinstance(shared, Model) and shared._begun:
            return shared._coding, kind
        return Coding(stream.schema() | {"classes": self._labels_of(stream)}), kind

    def _labels_of(self, stream: Any) -> list[Any]:
        """Return the labels that are classes: those of the first rows, or all, with a warning of others."""
        first = plain_values(stream.first_classes.tolist())
        if self.bank.new_labels == REFUSE and len(first) > 1:
            return first
        found = _all_labels(stream)
        if len(found) > len(first) > 0:
            warn_of_labels(found[len(first) :], first, "the first rows")
        return found

    def _settle(self, coding: Coding, roles: Roles, shared: Any) -> None:
        """Begin with what was found."""
        self.columns_, self._shared = EventColumns(coding, roles), shared
        self._made = self.bank._given_learner() if not isinstance(self.bank.learner, Model) else (
            clone(self.bank.learner)._begun_learner()
        )
        if shared is not None or self.bank.start == "cold":
            self._like = self._new_bank()._like
            # How many processes there are, and how much memory, changes no result.
            self.digest_ = hashlib.sha256(self._as_bytes(n_jobs=1, max_bytes=None, folder=None)).hexdigest()
            self._as_written = hashlib.sha256(self.to_bytes()).hexdigest()  # by earlier releases

    def _shape(self) -> dict[str, Any]:
        columns = self.columns_
        return {"n_features": len(columns.names), "classes": columns.classes, "names": columns.names,
                "n_categories": columns.n_categories}

    def _learned(self, history: Any, options: dict[str, Any]) -> StreamClassifier:
        """Return a learner that has learned the history: what new keys begin from."""
        if not isinstance(self.bank.learner, Model):
            raise ParameterError.of("Operator", "bank", problem="has no shared learner to begin from")
        stream = self._model()._open(as_rows(history)[0], **options)
        learner = clone(self._made, safe=False).begin(**self._shape())
        most = np.where(self.columns_.n_categories > 0, self.columns_.n_categories, np.inf)
        codes_of = {code: i for i, code in enumerate(self.columns_.classes.tolist())}
        for X, y in stream.coded_blocks(BLOCK):
            known = [codes_of.get(label, -1) for label in np.asarray(stream.classes).tolist()]
            codes = np.array([*known, -1])[y]
            chosen = codes >= 0
            learner.test_then_train_coded(np.minimum(X[chosen], most), codes[chosen])
        return learner

    def _new_bank(self) -> EventBank:
        bank = self.bank
        found = EventBank(
            self._made, start=bank.start, shared=self._shared, max_bytes=bank.max_bytes, folder=bank.folder,
            n_jobs=bank.n_jobs,
        )
        found._n_columns = len(self.key_columns)
        return found.begin(**self._shape())

    @property
    def classes_(self) -> Any:
        """The labels, in the order of the columns of all probabilities."""
        self._check_begun()
        return self.columns_.classes

    def _check_begun(self) -> None:
        if "digest_" not in vars(self):
            raise NotFittedError("This Operator has not begun: call begin first.")

    def __call__(self, events: Any, state: bytes | None = None) -> tuple[Any, bytes]:
        """Predict and learn a batch of events; return a table of outputs, and the state after them.

        Parameters
        ----------
        events : table of Arrow, frame or list of dicts
            The events.
        state : bytes or None, default=None
            What the last call returned; None before the first.
        """
        bucket = self.bucket(state)
        return bucket.process(self.table(events)), self.state_of(bucket)

    def table(self, events: Any) -> Any:
        """Return events as a table of Arrow; a column of it says why some of them cannot be read."""
        self._check_begun()
        table, problems = readable_table(events, self.columns_.used)
        if not problems:
            return table
        why = {
            i: f"column {name!r}: {problem}" if name else problem
            for name, by_row in problems.items() for i, problem in by_row.items()
        }  # fmt: skip
        # An event whose key is unknown has no place in the order of any.
        without = {i for name in ("", *self.key_columns) for i in problems.get(name, ())}
        place = table.schema.get_field_index(self.order)
        if without and place >= 0:
            has_order = pa.array([i not in without for i in range(table.num_rows)])
            orders = pc.if_else(has_order, table.column(place), pa.scalar(None, table.field(place).type))
            table = table.set_column(place, self.order, orders)
        texts = [why.get(i) for i in range(table.num_rows)]
        return table.append_column(PROBLEM, pa.array(texts, pa.string()))

    def bucket(self, state: bytes | None = None) -> Bucket:
        """Return a bucket of keys with this state, for who keeps it in memory between batches."""
        self._check_begun()
        bucket = Bucket(self)
        if state is not None:
            content = self._content(state)
            with _restoring("the state is", state):
                bucket.restore(content)
        return bucket

    def _content(self, state: bytes) -> State:
        with _restoring("the state is", state):
            description, arrays = unpack(state)
            content = from_json(description["content"], arrays)
            digest, bucket = content["operator"], content["bucket"]
        if not isinstance(digest, str) or digest not in (self.digest_, self._as_written):
            raise StateError("Operator: the state is of another operator, with other columns or settings")
        found: State = bucket
        return found

    def state_of(self, bucket: Bucket) -> bytes:
        """Return the bytes of the state of a bucket."""
        arrays: list[Any] = []
        content = to_json({"operator": self.digest_, "bucket": bucket.state()}, arrays)
        return pack({"content": content}, arrays)

    def to_bytes(self) -> bytes:
        """Return the operator as bytes, without any state of keys, to be restored by `from_bytes`."""
        return self._as_bytes()

    def _as_bytes(self, **of_bank: Any) -> bytes:
        """Return the operator as bytes, with other parameters of its bank."""
        bank = self.bank.state()
        bank["parameters"] |= {name: to_plain(value) for name, value in of_bank.items()}
        roles = self.columns_.roles
        arrays: list[Any] = []
        names = ("order", "target", "id", "weight", "max_waiting")
        parameters = {name: getattr(self, name) for name in names}
        content = {
            "format": FORMAT, "bank": bank, "key": list(self.key_columns),
            "keep": list(self.keep), "order_kind": roles.order_kind, "schema": self.columns_.coding.schema(),
            "shared": to_plain(self._shared), **parameters,
        }
        return pack({"content": to_json(content, arrays)}, arrays)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Operator":
        """Return the operator that `to_bytes` was given; raise StateError if the bytes are damaged."""
        with _restoring("the bytes are", data):
            description, arrays = unpack(data)
            content = from_json(description["content"], arrays)
            if content.pop("format") != FORMAT:
                raise StateError("Operator: the bytes have another format")
            bank, shared = from_plain(content.pop("bank")), from_plain(content.pop("shared"))
            coding, key = Coding(content.pop("schema")), content.pop("key")
            optional = [content[name] for name in ("target", "id", "weight") if content[name] is not None]
            names = *key, content["order"], *optional, *content["keep"]
            if not key or not all(isinstance(name, str) for name in names):
                raise StateError("Operator: the names of columns must be text")
            operator = cls(bank, key=key[0] if len(key) == 1 else key, **content)
            roles = Roles(tuple(key), operator.order, content["order_kind"], operator.id, operator.weight,
                          operator.keep)
            operator._settle(coding, roles, shared)
            operator._check_begun()
            pa.array(operator.classes_.tolist())  # outputs have them in one column
        return operator

    def __reduce__(self) -> Any:
        if "digest_" in vars(self):
            return Operator.from_bytes, (self.to_bytes(),)
        return super().__reduce__()


@contextmanager
def _restoring(what: str, data: bytes) -> Iterator[None]:
    """Bound the memory for what these bytes hold; raise StateError for any error."""
    try:
        with at_most(allowed_bytes(len(data))):
            yield
    except Exception as error:
        raise StateError(f"Operator: {what} damaged: {error}") from error


def _all_labels(stream: Any) -> list[Any]:
    """Return the labels of a stream, also those beyond the first rows if it can be read again."""
    known = stream.first_classes.tolist()
    if not stream.more_classes or stream.is_once or getattr(stream, "label", None) is None:
        return plain_values(known)
    source, match = stream.source, stream.label.codes.match
    labels = ClassCodes(known, True, match=match, form=source.label_form, decoded=source.labels)
    for values, _, _ in stream.source.distinct(stream.label.name):
        labels.of(values)
    check_labels(stream.source, stream.label, labels)
    return plain_values(labels.values)
