"""Which inputs of a stream changed, and when: a monitor applied to a whole stream."""

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from thalweg._parameters import wrong
from thalweg._types import Block, Floats, Ints
from thalweg.drift.hellinger import HellingerMonitor
from thalweg.drift.monitor import Monitor
from thalweg.evaluation.drift.inputs import Recoded, WatchedInputs
from thalweg.evaluation.drift.new_categories import SeenCategories
from thalweg.evaluation.drift.report import DriftReport
from thalweg.evaluation.drift.whole_days import DayOfRow, days_in, whole_spans
from thalweg.evaluation.inputs.columns import InputColumns
from thalweg.streams.base import Stream, first_rows, stream_name
from thalweg.streams.source import Source, as_stream

BLOCK = 1 << 16
VALUES = 1 << 22                        # most values in a block
Progress: TypeAlias = Callable[[int, int | None, int], object] | None


def detect_drift(
    stream: Source,
    monitor: Monitor | None = None,
    *,
    with_labels: bool = False,
    rows: int | None = None,
    progress: Progress = None,
    target: str | int | None = None,
    reference: Source | None = None,
    windows: str | None = None,
) -> DriftReport:
    """Return a DriftReport about a stream, which is read once.

    Columns are watched as they are in a file. Of a date these are the time of day and the weekday, and only
    if `windows` are whole days or weeks; elapsed days and months always change and are not compared.

    Memory: that of the monitor, 20 bytes for each window and each distribution watched, and with `windows`
    the rows of one of them.

    Parameters
    ----------
    stream : Stream, or what `thalweg.streams.as_stream` takes
        Where the rows come from.
    monitor : monitor or None
        A HellingerMonitor by default. It is reset, and its parameter `categorical` is set to the categorical
        inputs of the stream.
    with_labels : bool, default=False
        Whether to watch the labels too, and each input given each label.
    rows : int or None
        Stop after this many rows.
    progress : callable or None
        Called as progress(rows done, rows in all, distributions that changed so far). The number of rows in
        all is an estimate for a file whose length is not known, and None for standard input.
    target : str, int or None
        The column of labels, as in `prequential`.
    reference : Stream, what `thalweg.streams.as_stream` takes, or None
        Another stream, such as the file of last month: all of its rows are the reference, and the rows are
        also compared with it as a whole. Columns are matched by name and categories by value; columns that
        only one of the streams has are named in the report. With `windows`, it may be a span such as
        "4 weeks" instead: how much of the stream is the reference, two windows by default.
    windows : str or None
        "day", "week", "3 days", …: compare whole days or weeks instead of `monitor.window` rows. They are
        those of the first column of dates; the rows must be in its order.

    Examples
    --------
    >>> from thalweg.evaluation import detect_drift
    >>> from thalweg.streams import SEA
    >>> report = detect_drift(SEA(40_000, period=20_000, noise=0, seed=1), with_labels=True)
    >>> [(str(finding.watched), finding.start, finding.scale) for finding in report.findings[:1]]
    [('labels', 22000, 1)]
    """
    monitor = HellingerMonitor() if monitor is None else monitor
    if not isinstance(monitor, Monitor):
        raise wrong("detect_drift", "monitor", "a monitor such as HellingerMonitor()", monitor)
    stream = as_stream(stream, target, who="detect_drift")
    days = None if windows is None else _days("windows", windows)
    span = days_in(reference) if isinstance(reference, str) else None
    start = perf_counter()
    if reference is not None and span is None:
        other = as_stream(reference, target, who="detect_drift")
        watching: Watching = WithReference(stream, monitor, with_labels, days, other)
    else:
        n_windows = 2 if span is None or days is None else max(1, span // days)
        watching = Watching(stream, monitor, with_labels, days, n_windows)
    try:
        watching.read(rows, progress)
    except KeyboardInterrupt:
        watching.report.interrupted = True
    watching.finish()
    watching.report.seconds = perf_counter() - start
    return watching.report


class Watching:
    """One pass of a monitor over a stream whose first rows are the reference."""

    def __init__(
        self, stream: Stream, monitor: Monitor, with_labels: bool, days: int | None, n_reference: int
    ) -> None:
        self.stream, self.monitor, self.with_labels, self.days = stream, monitor, with_labels, days
        self.watched = WatchedInputs(stream, days)
        self._n_reference = n_reference  # windows of days
        self._begin(stream.first_classes, stream.is_open)

    def _begin(self, classes: Any, more_classes: bool) -> None:
        if not self.watched.items:
            raise ValueError(f"{stream_name(self.stream)}: there is no column that can be compared")
        categorical = self.watched.categorical
        self.monitor.set_params(categorical=categorical)
        self.monitor.begin(
            len(self.watched.items),
            classes if self.with_labels else None,
            names=self.watched.names,
            more_classes=more_classes,
        )
        self.seen = SeenCategories(categorical)
        self.report = DriftReport(stream_name(self.stream), self.monitor)
        self.report.left_out, self.report.days = dict(self.watched.left_out), self.days
        self.n_read = 0

    def read(self, rows: int | None, progress: Progress) -> None:
        """Compare the rows of the stream."""
        blocks = self._told(_first(self.stream, rows), rows, progress)
        if self.days is None:
            for X, codes in blocks:
                self._add_rows(*self._values(X, codes))
            return
        for number, span in enumerate(whole_spans(blocks, DayOfRow(self.stream), self.days)):
            values, labels = self._values(span.X, span.codes)
            if number >= self._n_reference:
                self.seen.add(values, span.start)
                self.report.add(self.monitor.compare_coded(values, labels, start=span.start))
                continue
            self._add_reference(values, labels)
            if number == self._n_reference - 1:
                self.monitor.end_reference()

    def finish(self) -> None:
        """Complete the report."""
        report, stream = self.report, self.stream
        report.n_rows = self.n_read
        report.skipped, report.columns = stream.skipped, stream.columns
        report.category_names = self._category_names()
        report.new_categories = self.seen.new(self.watched.names, report.category_names)
        report.reference_rows = report.reference_rows or min(self.monitor.reference, report.n_rows)

    def _told(self, blocks: Iterator[Block], rows: int | None, progress: Progress) -> Iterator[Block]:
        """Yield blocks, and say after each how far the pass is."""
        for X, codes in blocks:
            self.n_read += len(X)
            self.report.unlabelled += int(np.count_nonzero(codes < 0)) if self.with_labels else 0
            yield X, codes
            if progress is not None:
                total = rows or self.stream.expected_rows(self.n_read)
                progress(self.n_read, total, len(self.report.findings))

    def _add_rows(self, X: Floats, codes: Ints | None) -> None:
        row = self.monitor.n_rows_
        n_reference = min(max(self.monitor.reference - row, 0), len(X))
        self.seen.add_reference(X[:n_reference])
        self.seen.add(X[n_reference:], row + n_reference)
        self.report.add(self.monitor.update_coded(X, codes))

    def _add_reference(self, X: Floats, codes: Ints | None) -> None:
        self.monitor.extend_reference_coded(X, codes)
        self.seen.add_reference(X)
        self.report.reference_rows += len(X)

    def _values(self, X: Floats, codes: Ints) -> tuple[Floats, Ints | None]:
        """Return what is watched of rows, and the codes of their labels if these are watched."""
        return self.watched.rows(X), codes if self.with_labels else None

    def _category_names(self) -> dict[int, list[str]]:
        return {k: self.watched.category_names(k) for k in self.watched.categorical}


class WithReference(Watching):
    """One pass over a stream that is compared with all rows of another one."""

    def __init__(
        self, stream: Stream, monitor: Monitor, with_labels: bool, days: int | None, reference: Stream
    ) -> None:
        self.stream, self.monitor, self.with_labels, self.days = stream, monitor, with_labels, days
        self.other, self._n_reference = reference, 0
        self.recoded: Recoded | None = None  # until the reference is read
        mine, theirs = (WatchedInputs(each, days) for each in (stream, reference))
        kinds = {item.name: item.kind for item in theirs.items}
        both = [item.name for item in mine.items if kinds.get(item.name) == item.kind]
        self.watched, self.others = (WatchedInputs(each, days, both) for each in (stream, reference))
        self._begin(reference.first_classes, more_classes=True)
        self.report.reference = stream_name(reference)
        before, now = _column_names(reference), _column_names(stream)
        self.report.columns_missing = [name for name in before if name not in now]
        self.report.columns_new = [name for name in now if name not in before]

    def read(self, rows: int | None, progress: Progress) -> None:
        """Read the reference, then compare the rows of the stream."""
        self._read_reference()
        known = {k: self.others.category_names(k) for k in self.watched.categorical}
        self.recoded = Recoded(known, self.watched.category_names)
        super().read(rows, progress)

    def finish(self) -> None:
        """Complete the report: compare all rows with the reference."""
        report, monitor = self.report, self.monitor
        counts = report.total_counts
        if self.days is None and monitor.bins_ is not None:
            counts = counts + monitor._histograms()[1]  # rows of a window that is not complete
        if getattr(counts, "size", 1) > 1 and self.n_read and not report.interrupted:
            report.add_whole(monitor.compare_total(counts, 0, stop=self.n_read))
        known = {str(label) for label in self.other.classes.tolist()}
        if self.with_labels:
            now = [str(label) for label in self.stream.classes.tolist()]
            report.new_labels = [label for label in now if label not in known]
        super().finish()
        report.columns = self.other.columns

    def _read_reference(self) -> None:
        blocks = _first(self.other, None)
        if self.days is not None:
            spans = whole_spans(blocks, DayOfRow(self.other), self.days)
            blocks = ((span.X, span.codes) for span in spans)
        for X, codes in blocks:
            self._add_reference(self.others.rows(X), codes if self.with_labels else None)
        if not self.report.reference_rows:
            what = "no row" if self.days is None else f"no whole span of {self.days} days"
            raise ValueError(f"{stream_name(self.other)}: there is {what} in it to compare with")
        self.monitor.end_reference(total=True)

    def _add_rows(self, X: Floats, codes: Ints | None) -> None:
        self.seen.add(X, self.monitor.n_rows_)
        self.report.add(self.monitor.update_coded(X, codes))

    def _values(self, X: Floats, codes: Ints) -> tuple[Floats, Ints | None]:
        rows = self.watched.rows(X)
        rows = rows if self.recoded is None else self.recoded.rows(rows)
        return rows, self._labels(codes) if self.with_labels else None

    def _labels(self, codes: Ints) -> Ints:
        """Return labels as the reference codes them; those it did not know at first have the next code."""
        first = self.other.first_classes.tolist()
        place = {label: code for code, label in enumerate(first)}
        own = [place.get(label, len(first)) for label in self.stream.classes.tolist()]
        return np.array([*own, -1], dtype=np.intp)[codes]

    def _category_names(self) -> dict[int, list[str]]:
        return super()._category_names() if self.recoded is None else self.recoded.names


def _days(name: str, text: str) -> int:
    found = days_in(text)
    if found is None:
        raise ValueError(f'detect_drift: {name} must be "day", "week" or such as "2 weeks", got {text!r}')
    return found


def _column_names(stream: Stream) -> list[str]:
    """Return the names of all columns, those that are no inputs too."""
    columns = stream.columns
    if columns is None:
        return [group.name for group in InputColumns(stream).columns]
    return [*columns.kinds, *([] if columns.target is None else [columns.target])]


def _first(stream: Stream, rows: int | None) -> Iterator[Block]:
    """Yield blocks of the stream with up to `rows` rows in all."""
    size = max(1, min(BLOCK, VALUES // stream.n_features))
    return first_rows(stream.coded_blocks(size), rows)
