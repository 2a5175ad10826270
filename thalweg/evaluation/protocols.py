"""Three evaluation protocols; each generates steps for the evaluation loop."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg import __version__
from thalweg._parameters import real_number, whole_number, wrong
from thalweg._types import Ints
from thalweg.adapters.foreign import ForeignLearner
from thalweg.errors import ParameterError, learned_rows, one_line
from thalweg.evaluation.arguments import stream_and_learner
from thalweg.evaluation.arrivals import Arrivals, Distribution, steps_as_labels_come
from thalweg.evaluation.asked_labels import Asking, as_budget, steps_as_labels_are_asked
from thalweg.evaluation.estimating import EstimateFollower, as_estimate
from thalweg.evaluation.formatting import DATE
from thalweg.evaluation.history import HistoryRecorder, resolved_parameters
from thalweg.evaluation.inputs.observers import Observers, as_list, begin_observer, set_answers
from thalweg.evaluation.loop import Progress, Record, constant_parts, run_steps
from thalweg.evaluation.positive import code_of
from thalweg.evaluation.prediction_sets import watcher_of
from thalweg.evaluation.row_forms import Form, block_size, blocks_of, form_of, waiting_rows
from thalweg.evaluation.run import Run, learner_code
from thalweg.evaluation.run_costs import run_costs
from thalweg.evaluation.state_size import bytes_of
from thalweg.evaluation.steps import Step
from thalweg.evaluation.stretches import ACCURACY, warn_if_sorted
from thalweg.evaluation.totals_run import TotalsRecord, TotalsRun
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.streams.base import Stream, check_closed, fewest, first_rows, stream_name
from thalweg.streams.source import Source
from thalweg.trust.accuracy_estimate import AccuracyEstimate

MOST_CLASSES = 1000  # of a stream whose classes may grow


def prequential(
    stream: Source,
    learner: Any,
    *,
    delay: int | Distribution = 0,
    label_share: float = 1.0,
    label_budget: Any = None,
    seed: int = 0,
    rows: int | None = None,
    block: int = 1000,
    progress: Progress | None = None,
    limit: float | None = None,
    resume: bool = False,
    keep: str = "rows",
    observers: Observers = None,
    target: str | int | None = None,
    estimate: bool | AccuracyEstimate = False,
    costs: Any = None,
    positive: Any = None,
) -> Run:
    """Test each row, then learn it when its label comes; return a Run.

    A row is predicted by a learner that has learned exactly the labels that have come so far: with a `delay`
    of d, the label of row j is learned after row j + d was predicted, so `delay=0` is plain test-then-train.
    Labels that come at the same time are learned in the order of their rows. A row whose label does not come
    at once is observed right after its prediction. Labels that have not come at the end of the stream are not
    learned. Only rows that wait for labels are kept in memory.

    Parameters
    ----------
    stream : Stream, or what `thalweg.streams.as_stream` takes
        Where the rows come from: a stream, the path of a file, the name of a generator or a dataset, (X, y),
        a data frame, or an iterable of pairs (x, y) of dicts or arrays and their labels.
    learner : learner
        It is reset first, and keeps what it learned. A copy of a classifier of scikit-learn or River learns.
    delay : int or frozen scipy.stats distribution
        Number of rows by which labels are late; draws are rounded up to whole rows >= 0.
    label_share : float
        Share of the labels that the learner gets. Rows without one are scored too.
    label_budget : float, LabelBudget or None
        Labels come only for rows for which they are asked: this share of the rows, or as a LabelBudget
        decides by the prediction just made; it is reset first. Any object with its method `ask_one` will do.
    seed : int
        Seed of the delays and of the choice of labels, not of a LabelBudget that is given.
    rows : int or None
        Stop after this many rows.
    block : int
        Number of rows per block; it affects the speed, never the result.
    progress : callable or None
        Called at the start and a few times a second with the rows done, the rows in all and the accuracy so
        far. The rows in all are estimated for a file whose length is not known, and None for standard input.
    limit : float or None
        Stop after this many seconds, at the end of a block; the result is then that of the rows so far, as
        after Ctrl-C.
    resume : bool
        Go on with what the learner has learned instead of resetting it. The stream must have its inputs, and
        its classes in the same order.
    keep : "rows" or "totals"
        With "totals" the result has no codes and probabilities of single rows and needs constant memory, for
        streams without end.
    observers : observer, sequence of observers or None
        Find out during the run which inputs count: a `PermutationImportance`, an `Explanations`, or both.
    target : str, int or None
        The column of labels of a file or a frame, by default the last; the label in rows that are dicts.
    estimate : bool or AccuracyEstimate
        Whether to estimate the accuracy of each window of rows at its end, when labels have not come: the
        `estimates` of the Run. An AccuracyEstimate says how, and keeps what it found.
    costs : array-like, dict or None
        What wrong answers cost, as in `thalweg.trust.Calibrated`: the answers of the run are those of the
        least expected cost by the learner's probabilities. By default those of the learner, if it has any.
    positive : label or None
        The class whose F1, precision, recall and average precision are meant; by default as in
        `Run.positive_class`.
    """
    stream, learner = stream_and_learner(stream, learner, "prequential", target)
    found = as_estimate(estimate, "prequential")
    arrivals = Arrivals(delay, label_share, seed)
    settings = {"protocol": "prequential", "delay": delay, "label_share": label_share, "seed": seed}
    settings |= {"resume": True} if resume else {}
    total, asking = _total(stream, rows), None
    if label_budget is not None and found is not None:
        problem = "excludes label_budget: which labels come depends on what is predicted"
        raise ParameterError.of("prequential", "estimate", problem=problem)
    if label_budget is not None:
        asking = Asking(as_budget(label_budget, seed, resume), keep == "rows")
        settings["label_budget"] = repr(asking.budget)

    def steps() -> Iterator[Step]:
        form = form_of(stream, learner, as_list(observers))
        blocks = first_rows(blocks_of(stream, learner, block_size(stream, block, form), form), rows)
        given = _observes(learner), total, waiting_rows(stream, form)
        if asking is None:
            return steps_as_labels_come(blocks, arrivals, *given)
        return steps_as_labels_are_asked(blocks, arrivals, asking, *given)

    follower = None if found is None else EstimateFollower(found, arrivals)
    run = _evaluate(
        stream, learner, steps, settings, total, progress, None, limit, resume, keep, observers, follower,
        costs, positive,
    )
    if asking is not None:
        vars(run).update(asking.fields())
    if not run.interrupted:
        warn_if_sorted(run.stretches, ACCURACY, run.n_rows)
    return run


def chunked(
    stream: Source,
    learner: Any,
    *,
    size: int,
    label_share: float = 1.0,
    seed: int = 0,
    rows: int | None = None,
    progress: Progress | None = None,
    resume: bool = False,
    keep: str = "rows",
    observers: Observers = None,
    target: str | int | None = None,
    costs: Any = None,
    positive: Any = None,
) -> Run:
    """Test a whole chunk of rows, then learn it; return a Run.

    Each row is observed right after its prediction; the labels of the chunk, if they come, are learned
    together after its last row. The first chunk is scored too, although the learner has learned nothing yet:
    `run.part(size)` leaves it out.

    Parameters
    ----------
    stream, learner, rows, progress, resume, keep, observers, target, costs, positive
        As in `prequential`.
    size : int
        Number of rows of a chunk.
    label_share : float
        Share of the chunks after the first whose labels come; with 0 only the first chunk has labels.
    seed : int
        Seed of the choice of chunks.
    """
    stream, learner = stream_and_learner(stream, learner, "chunked", target)
    size = whole_number("chunked", "size", size, 1)
    share = real_number("chunked", "label_share", label_share, least=0, most=1)
    size, seed = whole_number("chunked", "size", size, 1), whole_number("chunked", "seed", seed, 0)
    settings = {"protocol": "chunked", "size": size, "label_share": label_share, "seed": seed}
    settings |= {"resume": True} if resume else {}

    def steps() -> Iterator[Step]:
        observes, form = _observes(learner), form_of(stream, learner, as_list(observers))
        for number, (X, codes) in enumerate(first_rows(blocks_of(stream, learner, size, form), rows)):
            ids = np.arange(number * size, number * size + len(X), dtype=np.int64) if observes else None
            yield Step(X, codes, tested=True, observed=observes, ids=ids)
            if number == 0 or share == 1 or np.random.default_rng([seed, number]).random() < share:
                known = codes >= 0
                learned = None if ids is None else ids[known]
                yield Step(X[known], codes[known], learned=True, ids=learned)

    run = _evaluate(
        stream, learner, steps, settings, _total(stream, rows), progress, resume=resume, keep=keep,
        observers=observers, costs=costs, positive=positive,
    )
    if not run.interrupted:
        warn_if_sorted(run.stretches, ACCURACY, run.n_rows)
    return run


def holdout(
    stream: Source,
    learner: Any,
    *,
    every: int,
    n: int,
    seed: int = 0,
    rows: int | None = None,
    progress: Progress | None = None,
    observers: Observers = None,
) -> Run:
    """Learn rows, and test regularly on a new sample without noise; return a Run.

    The sample is from the concept of the last learned row, and `run.row_numbers` gives that row for each
    tested row. Rows without a label are observed.

    Parameters
    ----------
    stream, learner, rows, progress, observers
        As in `prequential`; the stream must be able to draw a `sample`.
    every : int
        Number of rows learned between two tests.
    n : int
        Number of rows of each test.
    seed : int
        Seed of the samples.
    """
    stream, learner = stream_and_learner(stream, learner, "holdout")
    every, n = whole_number("holdout", "every", every, 1), whole_number("holdout", "n", n, 1)
    seed = whole_number("holdout", "seed", seed, 0)
    settings = {"protocol": "holdout", "every": every, "n": n, "seed": seed}

    def steps() -> Iterator[Step]:
        observes, row = _observes(learner), -1
        for X, codes in first_rows(stream.coded_blocks(every), rows):
            for start, stop in constant_parts(codes >= 0):
                ids = np.arange(row + 1 + start, row + 1 + stop, dtype=np.int64) if observes else None
                if codes[start] >= 0:
                    yield Step(X[start:stop], codes[start:stop], learned=True, row=row + stop, ids=ids)
                elif observes:
                    yield Step(X[start:stop], row=row + stop, ids=ids)
            row += len(X)
            if len(X) == every:
                test, y = stream.sample(row, n, seed=seed)
                yield Step(test, _codes(y, stream.classes), tested=True, row=row)

    total = _total(stream, rows)
    n_tests = None if total is None else total // every * n
    return _evaluate(stream, learner, steps, settings, total, progress, n_tests, observers=observers)


def _evaluate(
    stream: Stream,
    learner: StreamClassifier,
    steps: Callable[[], Iterator[Step]],
    settings: dict[str, Any],
    total: int | None,
    progress: Progress | None,
    n_tests: int | None = None,
    limit: float | None = None,
    resume: bool = False,
    keep: str = "rows",
    observers: Observers = None,
    follower: EstimateFollower | None = None,
    costs: Any = None,
    positive: Any = None,
) -> Run:
    """Run the steps of a protocol and return the Run."""
    if positive is not None and not stream.is_open:
        code_of(positive, np.asarray(stream.first_classes).tolist(), settings["protocol"], "positive")
    if keep not in ("rows", "totals"):
        raise wrong(settings["protocol"], "keep", '"rows" or "totals"', keep)
    date, begin, observers = time.strftime(DATE), time.perf_counter(), as_list(observers)
    numbered, most = settings["protocol"] == "holdout", MOST_CLASSES if stream.is_open else None
    form = "dense" if numbered else form_of(stream, learner, observers)
    classes = (resume_learner if resume else begin_learner)(stream, learner, form)
    n_classes, n = max(len(classes), 1), n_tests if numbered else total
    record = TotalsRecord(n_classes, most) if keep == "totals" else Record(n_classes, n, numbered, most)
    record.follower, record.costs = follower, run_costs(costs, learner, stream, settings["protocol"])
    for observer in observers:
        begin_observer(observer, stream, total)
    set_answers(observers, record.answers)
    recorder, growing = HistoryRecorder(learner), stream if stream.is_open else None
    progress = None if progress is None else _with_total(progress, stream)
    record.watcher = watcher_of(learner)
    try:
        run_steps(steps(), learner, record, progress, total, growing, limit, recorder, observers)
    finally:
        set_answers(observers, None)
        if record.watcher is not None:
            record.watcher.end()
    seconds = time.perf_counter() - begin
    with learned_rows(record.n_rows):
        if progress is not None and record.n_rows:
            progress(record.n_rows, total, record.running_accuracy())
        found = [each.as_history() for each in observers]
        times = {"date": date, "seconds": seconds, "learner_seconds": record.learner_seconds}
        explained = {"explanations": [each for each in found if each is not None]}
        estimates = None if follower is None else follower.estimates()
        return _run(
            stream, learner, record, classes, settings=settings, estimates=estimates,
            alarms=recorder.alarms(), history=recorder.history(), positive=positive, **times, **explained,
        )


def _run(stream: Stream, learner: Any, record: Record, classes: NDArray[Any], **about: Any) -> Run:
    """Return what was recorded as a Run, with what the stream and the learner say of themselves."""
    order = None
    if stream.is_open:
        classes, order = _sorted_classes(stream, record.highest_code + 1)
    if about.get("positive") is not None:
        code_of(about["positive"], classes.tolist(), about["settings"]["protocol"], "positive")
    is_ours = isinstance(learner, StreamClassifier)
    parameters = learner.get_params(deep=False) if is_ours else {}
    drifts = np.asarray(stream.drifts, dtype=np.int64)
    kind = TotalsRun if isinstance(record, TotalsRecord) else Run
    return kind(
        learner=type(learner).__name__,
        parameters=parameters,
        resolved_parameters=resolved_parameters(learner, parameters),
        inputs=_inputs_by_kind(stream),
        version=__version__,
        stream=stream_name(stream),
        classes=classes,
        n_rows=record.n_rows,
        drifts=drifts[drifts < record.n_rows],
        memory=bytes_of(learner.state() if is_ours else vars(learner)),
        columns=stream.columns,
        learner_code=learner_code(learner),
        unlabelled=record.n_unlabelled,
        costs=None if record.costs is None else record.costs.of(classes.tolist()),
        skipped=stream.skipped,
        messages=list(stream.messages),
        **about,
        **record.arrays(order),
    )


def begin_learner(stream: Stream, learner: StreamClassifier, form: Form) -> NDArray[Any]:
    """Call `begin` of the learner for a stream; return the classes that are known at the start.

    Our own learners stay open to new labels, unless the stream's labels were listed; those of other libraries
    do only if they must.
    """
    classes, settings = np.asarray(stream.first_classes), {}
    if stream.is_open and not isinstance(learner, StreamClassifier):
        check_closed(stream, type(learner).__name__)
    is_ours = isinstance(learner, StreamClassifier) and not isinstance(learner, ForeignLearner)
    if stream.is_open or (stream.more_classes and is_ours):
        settings = {"more_classes": True}
    is_named = form == "named"
    n_inputs, names = (None, stream.input_names) if is_named else (stream.n_features, stream.names)
    n_categories = stream.n_categories if not is_named or names else None
    learner.begin(n_inputs, classes, names=names, n_categories=n_categories, **settings)
    return classes


def resume_learner(stream: Stream, learner: StreamClassifier, form: Form) -> NDArray[Any]:
    """Check that the learner can go on with a stream; return the classes that are known at the start."""
    n_inputs = len(learner.given_names())
    if form != "named" and stream.n_features != n_inputs:
        raise ValueError(
            f"{stream_name(stream)} has {stream.n_features} inputs, but {type(learner).__name__} has learned "
            f"{n_inputs}"
        )
    known, first = np.asarray(learner.classes_), np.asarray(stream.first_classes)
    if not np.array_equal(known, first[: len(known)]):
        raise ValueError(
            f"{stream_name(stream)} has the classes {one_line(str(first))}, but {type(learner).__name__} has "
            f"learned {one_line(str(known))}"
        )
    return first


def _inputs_by_kind(stream: Stream) -> dict[str, list[str]]:
    """Return the names of the inputs by kind."""
    kinds = ["category" if n else "number" for n in stream.n_categories]
    return {
        kind: [str(name) for name, each in zip(stream.names, kinds, strict=True) if each == kind]
        for kind in ("number", "category")
        if kind in kinds
    }


def _sorted_classes(stream: Stream, n_found: int) -> tuple[NDArray[Any], Ints]:
    """Return the sorted classes of the rows that were read, and their codes."""
    n_first = len(stream.first_classes)
    classes = np.asarray(stream.classes)[: max(n_first, n_found)]
    if not len(classes):
        raise ValueError(f"{stream_name(stream)}: there is no label in the rows that were read")
    order, listed = np.arange(len(classes)), classes.tolist()
    if len(classes) > n_first:  # numbers first, then text
        order = np.array(sorted(order, key=lambda code: (isinstance(listed[code], str), listed[code])))
    return classes[order], order


def _total(stream: Stream, rows: int | None) -> int | None:
    if rows is not None:
        whole_number("evaluation", "rows", rows, 0)
    return fewest(stream.n_rows, rows)


def _with_total(progress: Progress, stream: Stream) -> Progress:
    """Return a function that calls `progress` with the number of rows that is expected now."""
    return lambda done, total, accuracy: progress(done, fewest(total, stream.expected_rows(done)), accuracy)


def _observes(learner: Any) -> bool:
    """Return whether rows without a label are passed to the learner."""
    return not isinstance(learner, StreamClassifier) or learner.observes


def _codes(y: NDArray[Any], classes: NDArray[Any]) -> Ints:
    order = np.argsort(classes)
    return order[np.searchsorted(classes[order], y)]
