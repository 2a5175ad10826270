"""The model: a learner, and the columns of the records that it learns."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from thalweg._misspelt import unknown_parameter
from thalweg._parameters import check_no_text, wrong
from thalweg._sklearn import ClassifierMixin
from thalweg._types import Floats, Mask
from thalweg._warn import quiet, warn_of_rows
from thalweg.errors import ParameterError, StreamError, first_of, learned_rows
from thalweg.evaluation import chunked, explanation, prequential
from thalweg.evaluation.inputs.columns import InputColumns
from thalweg.evaluation.learning import Progress
from thalweg.evaluation.run import Run
from thalweg.evaluation.stretches import LEARNED, warn_if_sorted
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.model.fitted import FITTED
from thalweg.model.opening import OPTIONS, check_own_order, has_any_order, is_table, sorted_if_set
from thalweg.model.predictions import as_given, prediction_columns
from thalweg.model.records import RecordsModel, check_no_keep
from thalweg.model.results import results
from thalweg.model.rows import as_ids, as_rows, is_empty
from thalweg.streams.base import Stream
from thalweg.streams.columns.class_codes import FAR, as_label
from thalweg.streams.columns.date_parts import PARTS
from thalweg.streams.files.row_digest import RowDigest
from thalweg.streams.files.stream import FileStream
from thalweg.trust.accuracy_estimate import AccuracyEstimate
from thalweg.trust.prediction_sets import PredictionSets
from thalweg.waiting import Ids

MOST_RUNS = 100


class Model(ClassifierMixin, RecordsModel):
    """A learner with its columns: it takes raw records, and gives labels.

    The kinds of columns (numbers, categories, dates, text, ids) are found from the first rows, up to 10,000,
    as `thalweg run` does, or given. Rows come as a frame of pandas, polars or Arrow, as a list of dicts, one
    dict, a 2-d array, or the path of a file. Whatever the form, the model learns the same. A cell may be
    written in any way that a file may have: "12,50" is a number if the column has decimal commas.

    What is new later: a new category gets the next code; a new label becomes a class, unless `classes` lists
    them; a new column is left out, with a warning; an absent column of a frame or file is an error, and an
    absent key of a record is a missing value; a cell that does not fit the kind of its column is an error
    that names it, before any row of its block of 16,384 is learned.

    Threads may share a model: predictions run side by side, learning excludes all other calls.

    Parameters
    ----------
    target : str, int or None, default=None
        The column of labels, by name or position; by default the last one.
    learner : learner, str or None, default=None
        What learns: an instance, of which a copy is used, or text such as "HoeffdingTree(grace_period=50)".
        By default `AdaptiveStacking` on all cores.
    columns : dict or None, default=None
        For some columns their kind: "number", "category", "date", "text" or "ignore", or a list of all
        categories in the order of their codes.
    classes : sequence or None, default=None
        The labels in the order of their codes; any other is an error. By default they are found.
    missing : sequence of str, default=()
        Further cells that stand for a missing value.
    decimal : "." or "," or None, default=None
        The decimal point of numbers in text; by default each column has its own.
    date_order : "mdy", "dmy", "ymd" or None, default=None
        The order of dates such as 01/02/03; by default it is found, see `from_file`.
    date_parts : sequence of str, default=("elapsed", "time", "weekday", "month")
        What a date becomes.
    n_words : int or None, default=None
        Number of inputs that a column of text becomes; None for 4096 if the learner takes sparse rows, as the
        default learner does, else 256.
    max_waiting : int, default=10000
        Most rows that wait for their labels; then the one that has waited longest is dropped. A learner given
        as text, or by default, keeps as many.
    random_state : int, default=0
        Seed of a learner given as text or by default.
    costs : array-like or dict, default=None
        What wrong answers cost, by label or in the order of `classes`: {"fraud": 50} or
        {"fraud": {"fine": 50}}. The learner is then put into a `thalweg.trust.Calibrated`, which takes dense
        rows only, and the answers are those of the least expected cost.
    new_labels : {"warn", "add", "refuse"}, default="warn"
        What becomes of a label that is new to a model that has learned: it becomes a class, with a warning if
        it comes after 100 rows, or without one; or it is an error, as with `classes`. "refuse" is from the
        second class on: a first call of `learn` that brings one class leaves the others open.
    shuffle : bool, default=True
        Whether `fit` learns rows in a random order, unless a column of dates says that they are in the order
        of time. `learn` and `partial_fit` keep the order.

    Attributes
    ----------
    learner_ : learner
        What has learned.
    classes_ : ndarray
        The labels, in the order of the columns of all probabilities: sorted,
        or as they are listed in `classes` or in the header of ARFF.
    columns : ColumnReport
        What the columns were taken for.
    n_waiting_, n_dropped_ : int
        Rows that wait for their labels, and rows that were dropped to make room for others.
    runs_ : list of dict
        The results of `prequential` and `chunked` so far, the latest 100.

    Examples
    --------
    >>> import thalweg
    >>> rows = [{"price": f"{i % 40},50", "shop": "north", "paid": "yes" if i % 40 < 25 else "no"}
    ...         for i in range(200)]
    >>> model = thalweg.Model(target="paid", learner="NaiveBayes").learn(rows)
    >>> model.predict_one({"price": "11,90", "shop": "north"})
    'yes'
    """

    def __init__(
        self,
        target: str | int | None = None,
        learner: Any = None,
        *,
        columns: Mapping[str, Any] | None = None,
        classes: Iterable[Any] | None = None,
        missing: str | Iterable[Any] = (),
        decimal: str | None = None,
        date_order: str | None = None,
        date_parts: Iterable[str] = PARTS,
        n_words: int | None = None,
        max_waiting: int = 10_000,
        random_state: int = 0,
        costs: Any = None,
        new_labels: str = "warn",
        shuffle: bool = True,
    ) -> None:
        self.target = target
        self.learner = learner
        self.columns = columns
        self.classes = classes
        self.missing = missing
        self.decimal = decimal
        self.date_order = date_order
        self.date_parts = date_parts
        self.n_words = n_words
        self.max_waiting = max_waiting
        self.random_state = random_state
        self.costs = costs
        self.new_labels = new_labels
        self.shuffle = shuffle

    def learn(
        self, source: Any, y: Any = None, *, ids: Ids | None = None, rows: int | None = None, **options: Any
    ) -> Self:
        """Learn rows in order; return self. The first call finds the columns.

        Parameters
        ----------
        source : frame, list of dicts, dict, 2-d array, path or stream
            The rows. Those without a label are observed: some learners use them.
        y : sequence or None
            The labels, if the rows have no column of them.
        ids : sequence of int or str, or None
            The ids under which rows were predicted before: the learner finds what it said about them, and
            they wait no longer.
        rows : int or None
            Learn only so many rows.
        **options
            How a file is read: `header`, `delimiter`, `encoding`, `on_error`, `missing`; and the order of the
            rows of a file, frame or list: `newest_first`, `sort`, `shuffle` and `seed`; see `from_file`.
        """
        is_plain = type(source) is dict and y is None and ids is None and rows is None and not options
        if is_plain and self._begun:
            with self._own_lock().write:
                if self._learn_record(source):
                    return self
        return self._learn(source, y, ids, rows, options)

    def _learn(
        self, source: Any, y: Any, ids: Ids | None, rows: int | None, options: dict[str, Any],
        may_repeat: bool = False,
    ) -> Self:
        """Do what `learn` does; warn of rows that were learned before unless they `may_repeat`."""
        if type(source) is not dict or y is not None:
            source, y = as_rows(source, y)
            if self._begun and is_empty(source):
                return self
        check_no_keep(options)
        if ids is not None and options.get("on_error", "raise") != "raise":
            raise ParameterError.of("Model", "on_error", problem="must be 'raise': each row has an id")
        if ids is not None:
            check_own_order(options, "excludes ids: each row has one")
        progress, n_before = None, self._n_learned
        try:
            with self._own_lock().write:
                stream = self._open(source, y, learns=True, rows=rows, **options)
                learner = self._begun_learner()
                known, progress = as_ids(ids), Progress(learner)
                if isinstance(stream, FileStream):
                    stream.digest = RowDigest(rows)
                learn = partial(self._learn_rows, stream, learner, rows, known, progress)
                try:
                    self._then_adopt(stream, learner, learn, progress)
                finally:
                    if self._begun and known is None:
                        self._estimates.n_learned += progress.n_labels
                repeated = self._noted(stream)
                warn_if_sorted(progress.stretches, LEARNED, progress.n_before)
                if repeated and not may_repeat:
                    warn_of_rows(repeated, progress.n_before)
        except BaseException as error:
            if progress is not None:
                progress.note_in(error)
            raise
        self._warn_of_new_labels((code, n_before + row) for code, row in progress.new_classes)
        return self

    def observe(self, source: Any, *, ids: Ids | None = None, **options: Any) -> None:
        """See rows whose labels come later or never; some learners use them.

        With `ids` the rows wait for their labels: see `label`.
        """
        self._predict_rows(source, ids, options, writes=True)

    def label(self, ids: Ids, labels: Iterable[Any], *, ignore_unknown: bool = False) -> int:
        """Learn rows that were predicted with these ids; return how many.

        Raise WaitingError, and learn nothing, if a row does not wait: its id is unknown, has had its label,
        or was dropped to make room. With `ignore_unknown` such labels are left out, and all but the first of
        those that have one id.
        """
        with self._writing:
            known = as_ids(ids) or []
            given = [labels] if isinstance(labels, str) or not isinstance(labels, Iterable) else list(labels)
            if len(known) != len(given):
                raise ValueError(f"Model: got {len(known)} ids and {len(given)} labels")
            if ignore_unknown:
                known, given = self._late.waiting(known, given)
            self._late.check(known)
            if known:
                n_labels = len(self._coding.labels)
                codes, n_before = self._coding.codes_of(given), self._n_learned
                with self._without_new_labels(n_labels):
                    self._learn_late(known, codes)
                new = range(n_labels, len(self._coding.labels))
                self._coding = self._closed(self._coding)
                self._warn_of_new_labels((code, n_before) for code in new)
        return len(known)

    def freeze(self) -> Self:
        """Get ready to answer many rows for which no label comes; return self.

        Labels that follow each other by a rule tell the next label, and nothing of rows far ahead. Until the
        next row is learned, the default learner then uses only members that need no past labels. Saving keeps
        it, and `thalweg predict` does it by itself.
        """
        with self._writing:
            self.learner_.freeze()
        return self

    def add_class(self, label: Any) -> Self:
        """Add a class before its first label comes, also where classes are fixed; return self."""
        with self._writing:
            if not self._coding.labels.knows(label):
                self.learner_.add_class(as_label(label))
                self._coding.labels.add(label)
        return self

    def mask_class(self, label: Any, masked: bool = True) -> Self:
        """Never answer a class from now on, such as one that a mistyped label has made; return self.

        Its probability is 0, and the others sum to 1. With `masked=False` it is answered again.
        """
        with self._writing:
            self.learner_.mask_class(as_label(label), masked)
        return self

    def accuracy_estimate(self) -> AccuracyEstimate:
        """Return how good the model is now, as estimated from rows predicted with ids and their labels.

        Labels that have come count as they are; for rows that wait, it is estimated how often such answers
        are right: `model.accuracy_estimate().now()`. The result is a copy, and does not change later.
        """
        with self._writing:
            return self._estimates.copy(self.learner_.classes_.tolist())

    def prequential(self, source: Any, y: Any = None, **options: Any) -> Run:
        """Test each row, then learn it when its label comes; return a Run.

        Takes the parameters of `thalweg.evaluation.prequential`, such as `delay`, and those of `learn`.
        """
        return self._evaluate(prequential, source, y, options)

    def chunked(self, source: Any, size: int, **options: Any) -> Run:
        """Test whole chunks of rows, then learn them; see `thalweg.evaluation.chunked`."""
        return self._evaluate(chunked, source, None, options | {"size": size})

    def predict(self, source: Any, *, ids: Ids | None = None, **options: Any) -> NDArray[Any]:
        """Return the most probable label of each row, or that of the least expected cost.

        Without `ids` this changes nothing. With `ids`, one for each row, the rows wait for their labels, and
        the learner observes them: see `label`. New categories then get their codes.
        """
        p, classes = self._predict_rows(source, ids, options)
        return classes[self.learner_._answers(p)]

    def predict_proba(self, source: Any, *, ids: Ids | None = None, **options: Any) -> Floats:
        """Return the probabilities of each row, in the order of `classes_`; `ids` are as in `predict`."""
        return self._in_order(self._predict_rows(source, ids, options)[0])

    def predict_set(self, source: Any, *, ids: Ids | None = None, **options: Any) -> list[NDArray[Any]]:
        """Return for each row the labels in its set, never none; `ids` are as in `predict`.

        The learner must be a `thalweg.trust.PredictionSets`.
        """
        sets_of = self._sets_of()
        p, classes = self._predict_rows(source, ids, options)
        return [classes[row] for row in sets_of(p)]

    def predict_set_one(self, record: Mapping[str, Any]) -> list[Any]:
        """Return the labels in the set of one record; none before the first row."""
        found = self._predict_record(record)
        if found is None:
            return []
        p, labels = found
        return [label for label, is_in in zip(labels, self._sets_of()(p[None])[0], strict=True) if is_in]

    def predict_table(self, source: Any, *, ids: Ids | None = None, **options: Any) -> Any:
        """Return a table of the kind given with the label and the probabilities of each row.

        Its columns are `prediction`, `probability` and `p_` followed by each class. Frames of pandas keep
        their index; for a path the table is one of Arrow, for records a list of dicts, for one record a dict.
        """
        source, _ = as_rows(source)
        p, classes = self._predict_rows(source, ids, options)
        places = np.argsort(self._in_order(np.arange(len(classes))))
        answers = places[self.learner_._answers(p)]
        columns = prediction_columns(self._in_order(p), self._in_order(classes), answers=answers)
        return as_given(columns, source)

    def predict_one(self, record: Mapping[str, Any]) -> Any:
        """Return the most probable label of one record; None before the first row."""
        found = self._predict_record(record)
        return None if found is None else found[1][self.learner_._answer(found[0])]

    def predict_proba_one(self, record: Mapping[str, Any]) -> dict[Any, float]:
        """Return {label: probability} for one record; empty before the first row."""
        found = self._predict_record(record)
        if found is None:
            return {}
        p, labels = found[0].tolist(), found[1]
        order = self._order(len(p))
        return dict(zip(labels, p, strict=True)) if order is None else {labels[k]: p[k] for k in order}

    def stream(self, source: Any, y: Any = None, **options: Any) -> Stream:
        """Return a source as a stream of the inputs of this model, with its codes and classes."""
        with self._reading:
            return self._open(*as_rows(source, y), **options)

    def explanation(self) -> dict[str, float] | None:
        """Return how much each column counts, by name; None if the learner cannot tell."""
        with self._reading:
            return explanation(self.learner_, InputColumns(self._coding.schema()))

    def fit(self, X: Any, y: Any = None, *, shuffle: bool | None = None) -> Self:
        """Forget everything, and learn rows whose order means nothing, as in scikit-learn; return self.

        They are learned in a random order, by the seed `random_state`, so that a table sorted by its labels
        does no harm. They keep their order if they are in the order of time by a column of dates, if they are
        those of a stream or of standard input, or if `shuffle`, by default the parameter, is False: then the
        model is that of `partial_fit`.
        """
        fresh = type(self)(**self.get_params(deep=False))
        source, y = as_rows(X, y)
        if isinstance(source, list | tuple) and not is_table(source) and y is not None:
            source = np.asarray(source)  # rows of numbers
        options: dict[str, Any] = {}
        if has_any_order(source) and (self.shuffle if shuffle is None else shuffle):
            with quiet():
                in_time = getattr(fresh._open(source, y), "runs_in_time", False)
            options = {} if in_time else {"shuffle": True, "seed": self.random_state}
        fresh._learn(source, y, None, None, options, may_repeat=True)
        fresh.learner_.flush()
        with self._own_lock().write:
            vars(self).update({name: vars(fresh)[name] for name in FITTED})
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Iterable[Any] | None = None) -> Self:
        """Learn more rows; return self. `classes` of the first call become the parameter."""
        check_no_text("Model", classes=classes)
        if classes is not None and not self._begun:
            self.classes = sorted_if_set(classes)
        elif classes is not None:
            given, known = {as_label(label) for label in classes}, self._coding.labels.values
            if given != set(known):
                problem = f"must be those of the first call, {first_of([*map(repr, known)], 10)}"
                raise ParameterError.of("Model", "classes", problem=f"{problem}, or None")
        return self._learn(X, y, None, None, {}, may_repeat=True)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy; without `y`, that on the rows which have a label in their target column."""
        if y is not None and _has_objects(y):
            pairs = zip(self.predict(X), y, strict=True)
            agreeing = [as_label(answer) == as_label(label) for answer, label in pairs]
            return float(np.average(agreeing, weights=sample_weight))
        if y is not None:
            return float(super().score(X, y, sample_weight))
        is_right, has_label = self._compare(X)
        if not has_label.any():
            raise StreamError(f"Model: the rows have no label in the column {self._coding.target!r}; pass y")
        if sample_weight is not None and np.shape(sample_weight) != has_label.shape:
            n = f"{len(has_label)} numbers, one for each row"
            raise wrong(self, "sample_weight", n, sample_weight)
        weights = None if sample_weight is None else np.asarray(sample_weight)[has_label]
        return float(np.average(is_right[has_label], weights=weights))

    def __sklearn_is_fitted__(self) -> bool:
        return self._begun

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        tags.target_tags.required = False
        return tags

    def _sets_of(self) -> Callable[[Floats], Mask]:
        self._check_begun()
        if not isinstance(self.learner_, PredictionSets):
            problem = "must be a PredictionSets around a learner to predict sets"
            raise ParameterError.of("Model", "learner", problem=problem)
        return self.learner_.sets_of

    def _evaluate(self, protocol: Callable[..., Run], source: Any, y: Any, options: dict[str, Any]) -> Run:
        """Run a protocol of `thalweg.evaluation`; keep what the learner learned, and the results."""
        source, y = as_rows(source, y)
        known = [*inspect.signature(protocol).parameters][2:]  # beyond the stream and the learner
        known.remove("resume")  # a model always goes on with what it has learned
        every = dict.fromkeys([*known, *OPTIONS])
        unknown = next((name for name in options if name not in every), None)
        if unknown is not None:
            raise unknown_parameter(f"Model.{protocol.__name__}", unknown, every)
        settings = {name: options.pop(name) for name in list(options) if name in known and name != "target"}
        options |= {name: settings[name] for name in ("rows", "seed") if name in settings}
        with self._own_lock().write:
            stream, learner = self._open(source, y, learns=True, **options), self._begun_learner()
            if self._begun:
                settings["resume"] = True
            if isinstance(stream, FileStream):
                stream.digest = RowDigest(settings.get("rows"))
            if settings.get("progress"):
                settings["progress"] = self._after_begin(settings["progress"], stream, learner)
            run: Run = self._then_adopt(stream, learner, lambda: protocol(stream, learner, **settings))
            with learned_rows(run.n_rows):
                run.learned_before = "" if run.interrupted else self._noted(stream)
                self.runs_ = [*self.runs_, results(run)][-MOST_RUNS:]
                asked = run.asked_labels
                self._estimates.n_learned += run.n_rows - run.unlabelled if asked is None else asked.asked
            if run.learned_before:
                warn_of_rows(run.learned_before, run.n_rows)
            return run

    def _after_begin(
        self, progress: Callable[..., object], stream: Stream, learner: StreamClassifier
    ) -> Callable[..., None]:
        """Return a function that calls `progress`, which may use the learner: it has begun by then."""

        def call(*arguments: Any) -> None:
            if not self._begun:
                self._adopt(stream, learner)
            progress(*arguments)

        return call


def _has_objects(labels: Any) -> bool:
    """Return whether labels are of no type that NumPy has, as whole numbers beyond 64 bits."""
    if hasattr(labels, "dtype"):
        return bool(labels.dtype == object)
    is_list = isinstance(labels, list | tuple)
    return is_list and any(type(each) is int and not -FAR <= each < FAR for each in labels)
