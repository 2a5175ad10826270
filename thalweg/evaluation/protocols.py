"""Three ways to put a stream to a learner; each is a generator of steps for the one loop."""

import time

import numpy as np

from thalweg._parameters import is_real, wrong
from thalweg.evaluation.arrivals import Arrivals, steps_as_labels_come
from thalweg.evaluation.loop import Record, Step, play, stretches
from thalweg.evaluation.run import Run, bytes_of
from thalweg.learners.base import StreamClassifier
from thalweg.streams.base import check_closed
from thalweg.waiting import WaitingRows

MOST_CLASSES = 1000  # of a stream whose classes may grow


def prequential(stream, learner, delay=0, labels=1.0, seed=0, rows=None, block=1000, progress=None) -> Run:
    """Test each row, then learn it once its label is there.

    A row is predicted by a learner that has learned exactly the labels that had come: row j's label, `delay`
    d rows late, is learned after row j + d was predicted, so `delay=0` is plain test-then-train. Labels that
    come at the same moment are learned in the order of their rows. A row whose label is not there at once is
    observed right after it was predicted, whether its label comes later or never. Labels still under way at
    the end of the stream are not learned. Only rows that wait are kept.

    Parameters
    ----------
    stream : Stream
        Where the rows come from.
    learner : StreamClassifier
        Starts afresh, and holds what it learned afterwards.
    delay : int or frozen scipy.stats distribution
        Rows a label is late; draws are rounded up to whole rows >= 0.
    labels : float
        Share of the labels that ever come to the learner. Rows without are scored all the same.
    seed : int
        Seed of the delays and of which labels come.
    rows : int or None
        Stop after that many rows.
    block : int
        Rows asked of the stream at a time; changes the speed, never the result.
    progress : callable or None
        Called a few times a second with rows done, rows in all (or None), accuracy so far.
    """
    arrivals = Arrivals(delay, labels, seed)
    settings = {"protocol": "prequential", "delay": delay, "labels": labels, "seed": seed}
    total = _total(stream, rows)

    def steps():
        blocks = _limited(stream.coded_blocks(block), rows)
        waiting = WaitingRows(stream.n_features)
        return steps_as_labels_come(blocks, arrivals, _observes(learner), total, waiting)

    return _evaluate(stream, learner, steps, settings, total, progress)


def chunked(stream, learner, size, labels="all", seed=0, rows=None, progress=None) -> Run:
    """Test a whole chunk of rows, then learn it.

    Each row is observed right after it was predicted, as its label is not there yet; the chunk's labels, if
    they come, are learned together after its last row. The first chunk is scored too, though the learner
    knows nothing then: leave it out with `run.part(size)`.

    Parameters
    ----------
    stream, learner, rows, progress
        As in `prequential`.
    size : int
        Rows a chunk has.
    labels : "all", "first" or float
        Which chunks get their labels: all, the first only, or the first and this share of the others.
    seed : int
        Seed of which chunks get labels.
    """
    share = {"all": 1.0, "first": 0.0}.get(labels, -1.0) if isinstance(labels, str) else labels
    if not is_real(share) or not 0 <= share <= 1:
        raise wrong("chunked", "labels", '"all", "first" or a share of chunks from 0 to 1', labels)
    settings = {"protocol": "chunked", "size": size, "labels": labels, "seed": seed}

    def steps():
        observes = _observes(learner)
        for number, (X, codes) in enumerate(_limited(stream.coded_blocks(size), rows)):
            yield Step(X, codes, tested=True, observed=observes)
            if number == 0 or share == 1 or np.random.default_rng([seed, number]).random() < share:
                known = codes >= 0
                yield Step(X[known], codes[known], learned=True)

    return _evaluate(stream, learner, steps, settings, _total(stream, rows), progress)


def holdout(stream, learner, every, n, seed=0, rows=None, progress=None) -> Run:
    """Learn rows, and after every so many test on a fresh sample free of noise.

    The sample is of the concept the last learned row belongs to, and `run.row_numbers` gives that row for
    each tested row. Rows the stream has no label for are observed.

    Parameters
    ----------
    stream, learner, rows, progress
        As in `prequential`; the stream must be able to draw a `sample`.
    every : int
        Rows learned between two tests.
    n : int
        Rows of each test.
    seed : int
        Seed of the samples.
    """
    settings = {"protocol": "holdout", "every": every, "n": n, "seed": seed}

    def steps():
        observes, row = _observes(learner), -1
        for X, codes in _limited(stream.coded_blocks(every), rows):
            for start, stop in stretches(codes >= 0):
                if codes[start] >= 0:
                    yield Step(X[start:stop], codes[start:stop], learned=True, row=row + stop)
                elif observes:
                    yield Step(X[start:stop], row=row + stop)
            row += len(X)
            if len(X) == every:
                test, y = stream.sample(row, n, seed=seed)
                yield Step(test, _codes(y, stream.classes), tested=True, row=row)

    total = _total(stream, rows)
    n_tests = None if total is None else total // every * n
    return _evaluate(stream, learner, steps, settings, total, progress, n_tests)


def _evaluate(stream, learner, steps, settings, total, progress, n_tests=None):
    """Play a protocol's steps and gather the Run."""
    numbered = settings["protocol"] == "holdout"
    begin = time.perf_counter()
    classes = _begin(stream, learner)
    most = MOST_CLASSES if stream.is_open else None
    record = Record(max(len(classes), 1), n_tests if numbered else total, numbered, most)
    inside = play(steps(), learner, record, progress, total, stream if stream.is_open else None)
    seconds = time.perf_counter() - begin
    if progress is not None:
        progress(record.n_rows, total, record.running_accuracy())
    drifts = np.asarray(stream.drifts, dtype=np.int64)
    order = None
    if stream.is_open:
        classes, order = _sorted_classes(stream, record.highest_code + 1)
    return Run(
        learner=type(learner).__name__,
        parameters=learner.get_params(deep=False) if hasattr(learner, "get_params") else {},
        stream=str(getattr(stream, "name", type(stream).__name__)),
        classes=classes,
        settings=settings,
        n_rows=record.n_rows,
        drifts=drifts[drifts < record.n_rows],
        alarms=np.asarray(getattr(learner, "drifts_", ()), dtype=np.int64),
        seconds=seconds,
        learner_seconds=inside,
        memory=bytes_of(learner.state() if hasattr(learner, "state") else vars(learner)),
        skipped=int(getattr(stream, "skipped", 0)),
        messages=list(getattr(stream, "messages", ())),
        **record.arrays(order),
    )


def _begin(stream, learner):
    """Let a learner begin for the rows of a stream; return the classes that are known at the start."""
    classes, settings = np.asarray(stream.first_classes), {}
    if stream.is_open:
        if not isinstance(learner, StreamClassifier):
            check_closed(stream, type(learner).__name__)
        settings = {"more_classes": True}
    names, n_categories = stream.names, stream.n_categories
    learner.begin(stream.n_features, classes, names=names, n_categories=n_categories, **settings)
    return classes


def _sorted_classes(stream, n_found):
    """Return the classes of the rows that were read, sorted as if all had been known, and their codes."""
    n_first = len(stream.first_classes)
    classes = np.asarray(stream.classes)[: max(n_first, n_found)]
    if not len(classes):
        raise ValueError(f"{stream.name}: there is no label in the rows that were read")
    order = np.argsort(classes, kind="stable") if len(classes) > n_first else np.arange(n_first)
    return classes[order], order


def _limited(blocks, rows):
    """Yield blocks until `rows` rows are through."""
    left = rows
    for X, codes in blocks:
        if left is not None:
            X, codes = X[:left], codes[:left]
            left -= len(X)
        if len(X):
            yield X, codes
        if left == 0:
            return


def _total(stream, rows):
    known = [n for n in (stream.n_rows, rows) if n is not None]
    return min(known) if known else None


def _observes(learner):
    """Whether rows without a label are shown to the learner: unless it says that they mean nothing to it."""
    return getattr(learner, "observes", True)


def _codes(y, classes):
    order = np.argsort(classes)
    return order[np.searchsorted(classes[order], y)]
