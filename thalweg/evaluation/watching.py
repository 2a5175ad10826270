"""Which inputs of a stream changed, and when: a monitor applied to a whole stream."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter, strftime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thalweg._parameters import wrong
from thalweg._types import Block, Floats, Ints, Mask
from thalweg.drift.changes import Watched, Windows
from thalweg.drift.hellinger import HellingerMonitor
from thalweg.drift.monitor import Monitor
from thalweg.evaluation.run import DATE
from thalweg.streams.base import Stream, stream_name
from thalweg.streams.source import Source, as_stream

if TYPE_CHECKING:  # importing it takes pyarrow
    from thalweg.streams.found import FoundColumns

BLOCK = 1 << 16
VALUES = 1 << 22                        # most values in a block


def watch(
    stream: Source,
    monitor: Monitor | None = None,
    labels: bool = False,
    rows: int | None = None,
    progress: Callable[[int, int | None, int], object] | None = None,
    target: str | int | None = None,
) -> "DriftReport":
    """Return a DriftReport about a stream, which is read once.

    Memory: that of the monitor, and 12 bytes for each window and each distribution watched.

    Parameters
    ----------
    stream : Stream, or what `thalweg.streams.as_stream` takes
        Where the rows come from.
    monitor : monitor or None
        A HellingerMonitor by default. It is reset, and its parameter `categorical` is set to the categorical
        inputs of the stream.
    labels : bool, default=False
        Whether to watch the labels too, and each input given each label.
    rows : int or None
        Stop after this many rows.
    progress : callable or None
        Called as progress(rows done, rows in all, distributions that changed so far). The number of rows in
        all is an estimate for a file whose length is not known, and None for standard input.
    target : str, int or None
        The column of labels, as in `prequential`.

    Examples
    --------
    >>> from thalweg.evaluation import watch
    >>> from thalweg.streams import SEA
    >>> report = watch(SEA(40_000, period=20_000, noise=0, seed=1), labels=True)
    >>> [(str(finding.watched), finding.start) for finding in report.findings]
    [('labels', 22000)]
    """
    monitor = HellingerMonitor() if monitor is None else monitor
    if not isinstance(monitor, Monitor):
        raise wrong("watch", "monitor", "a monitor such as HellingerMonitor()", monitor)
    stream = as_stream(stream, target, "watch")
    categorical = np.flatnonzero(stream.n_categories).tolist()
    monitor.set_params(categorical=categorical)
    classes = stream.first_classes if labels else None
    monitor.begin(stream.n_features, classes, stream.names, more_classes=stream.is_open)
    report = DriftReport(stream_name(stream), monitor)
    start = perf_counter()
    try:
        for X, codes in _first(stream, rows):
            report.add(monitor.update_coded(X, codes if labels else None))
            report.unlabelled += int(np.count_nonzero(codes < 0)) if labels else 0
            if progress is not None:
                done = monitor.n_rows_
                progress(done, rows or stream.expected_rows(done), len(report.findings))
    except KeyboardInterrupt:
        report.interrupted = True
    report.seconds = perf_counter() - start
    report.n_rows = monitor.n_rows_
    report.skipped = getattr(stream, "skipped", 0)
    report.columns = getattr(stream, "columns", None)
    report.category_names = {j: category_names(stream, j) for j in categorical}
    return report


@dataclass(frozen=True)
class Finding:
    """One distribution that changed.

    Attributes
    ----------
    watched : Watched
        Which: an input, the labels, an input given a label.
    start : int
        First row of the first window that differs.
    n_windows, n_changed : int
        Number of windows from that one on, and how many of them differ.
    ended : int or None
        First row after the last window that differs; None if the last window of all differs.
    distance, expected : float
        Largest distance, and the distance expected by chance in that window.
    at : int
        First row of the window with that distance.
    p_value : float
        The smallest p-value: the probability that a stream without change ever gives such an alarm.
    """

    watched: Watched
    start: int
    n_windows: int
    n_changed: int
    ended: int | None
    distance: float
    expected: float
    at: int
    p_value: float


@dataclass
class DriftReport:
    """What a monitor found in a stream.

    Attributes
    ----------
    stream : str
        The stream's name.
    monitor : monitor
        The monitor in its final state.
    n_rows, skipped : int
        Number of rows read, and of unreadable rows left out.
    unlabelled : int
        Number of rows without a label, if the labels are watched.
    columns : FoundColumns or None
        What the columns of a file were taken for.
    seconds : float
        Time taken, reading included.
    interrupted : bool
        Whether Ctrl-C stopped the run; then the rest is the result so far.
    category_names : dict
        For each categorical input, by position, its categories in the order of their codes.
    date, command : str
        The time of the start, and the command, if there was one.
    """

    stream: str
    monitor: Monitor
    n_rows: int = 0
    skipped: int = 0
    unlabelled: int = 0
    columns: "FoundColumns | None" = None
    seconds: float = 0.0
    interrupted: bool = False
    category_names: dict[int, list[str]] = field(default_factory=dict)
    date: str = field(default_factory=lambda: strftime(DATE))
    command: str = ""
    _parts: list[tuple[NDArray[Any], ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.changed_counts: Any = 0
        self._n_changed = np.zeros(len(self.watched), dtype=np.intp)

    def add(self, windows: Windows) -> None:
        """Add what was found in the next windows."""
        if not len(windows.stops):
            return
        alarms = windows.p_values <= self.monitor.false_alarms
        self.changed_counts = self.changed_counts + np.einsum("wt,wtc->tc", alarms, windows.counts)
        self._n_changed += alarms.sum(axis=0)
        kept = (windows.distances, windows.expected, windows.p_values)
        self._parts.append((windows.stops, *(values.astype(np.float32) for values in kept), alarms))

    @property
    def watched(self) -> list[Watched]:
        """The distributions watched."""
        return self.monitor.watched_

    @property
    def stops(self) -> Ints:
        """The first row after each window."""
        return self._column(0, (0,))

    @property
    def distances(self) -> Floats:
        """The distance of each window from the reference, of shape (windows, watched)."""
        return self._column(1, (0, len(self.watched)))

    @property
    def alarms(self) -> Mask:
        """Whether each window differs, of shape (windows, watched)."""
        return self._column(4, (0, len(self.watched))).astype(bool)

    @property
    def findings(self) -> list[Finding]:
        """What changed: inputs, then the labels, then inputs given a label, each by rising p-value."""
        changed = np.flatnonzero(self._n_changed)
        if not len(changed):
            return []
        found = [self._finding(k) for k in changed.tolist()]
        return sorted(found, key=lambda each: (_rank(each.watched), each.p_value, -each.distance))

    def _finding(self, k: int) -> Finding:
        window = self.monitor.window
        stops, distances, expected, p_values, alarms = (
            np.concatenate([part[i] if i == 0 else part[i][:, k] for part in self._parts]) for i in range(5)
        )
        places = np.flatnonzero(alarms)
        most = places[np.argmax(distances[places])]
        return Finding(
            watched=self.watched[k],
            start=int(stops[places[0]]) - window,
            n_windows=len(stops) - int(places[0]),
            n_changed=len(places),
            ended=None if places[-1] == len(stops) - 1 else int(stops[places[-1]]),
            distance=float(distances[most]),
            expected=float(expected[most]),
            at=int(stops[most]) - window,
            p_value=float(p_values[places].min()),
        )

    def _column(self, i: int, shape: tuple[int, ...]) -> NDArray[Any]:
        return np.concatenate([part[i] for part in self._parts]) if self._parts else np.empty(shape)


def _rank(watched: Watched) -> int:
    return 2 if watched.label is not None else int(watched.input is None)


def _first(stream: Stream, rows: int | None) -> Iterator[Block]:
    """Yield blocks of the stream with up to `rows` rows in all."""
    size = max(1, min(BLOCK, VALUES // stream.n_features))
    if rows is None:
        yield from stream.coded_blocks(size)
        return
    for X, codes in islice(stream.coded_blocks(size), -(-rows // size)):
        yield X[:rows], codes[:rows]
        rows -= len(X)


def category_names(stream: Any, j: int) -> list[str]:
    """Return the names of the categories of input j, as text."""
    if hasattr(stream, "categories_of"):
        return [str(value) for value in stream.categories_of(j)]
    known = getattr(stream, "categories", {}).get(stream.names[j])
    return list(map(str, range(stream.n_categories[j]) if known is None else known))
