"""Which columns of a stream changed, when, how much and how sure: a monitor's pass over the stream."""

from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter

import numpy as np

from thalweg.drift.hellinger import HellingerMonitor

BLOCK = 1 << 16
VALUES = 1 << 22                        # in a block at most


def watch(stream, monitor=None, labels=False, rows=None, progress=None):
    """Return a DriftReport on a stream, read once from its first row on.

    Memory: that of the monitor, and 12 bytes for each distribution watched and each window.

    Parameters
    ----------
    stream : Stream
        Where the rows come from.
    monitor : monitor or None
        A HellingerMonitor by default. It starts afresh, with the stream's names and categories; its parameter
        `categorical` is that of the stream.
    labels : bool, default=False
        Watch the labels too, and each input given each label.
    rows : int or None
        Stop after this many rows.
    progress : callable or None
        Called as progress(rows done, rows in all or None, number of distributions that changed so far).

    Examples
    --------
    >>> from thalweg.evaluation import watch
    >>> from thalweg.streams import SEA
    >>> report = watch(SEA(40_000, period=20_000, noise=0, seed=1), labels=True)
    >>> [(str(finding.watched), finding.start) for finding in report.findings]
    [('labels', 22000)]
    """
    monitor = HellingerMonitor() if monitor is None else monitor
    categorical = np.flatnonzero(stream.n_categories).tolist()
    monitor.set_params(categorical=categorical)
    monitor.begin(stream.n_features, stream.classes if labels else None, stream.names)
    report = DriftReport(getattr(stream, "name", type(stream).__name__), monitor)
    start = perf_counter()
    try:
        for X, codes in _first(stream, rows):
            report.add(monitor.update_coded(X, codes if labels else None))
            if progress:
                progress(monitor.n_rows_, rows or stream.n_rows, len(report.findings))
    except KeyboardInterrupt:
        report.interrupted = True
    report.seconds = perf_counter() - start
    report.n_rows = monitor.n_rows_
    report.skipped = getattr(stream, "skipped", 0)
    report.category_names = {j: _names_of(stream, j) for j in categorical}
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
        Windows from that one on, and how many of them differ.
    ended : int or None
        First row after the last window that differs, None if that is the last one of all.
    distance, expected : float
        Largest distance, and the one to be expected by chance there.
    at : int
        First row of the window with that distance.
    p_value : float
        The least p-value: probability that a stream without change ever gets an alarm as sure as that.
    """

    watched: object
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
        The monitor, as it was at the end.
    n_rows, skipped : int
        Rows read, and rows left out because they could not be.
    seconds : float
        Time taken, reading included.
    interrupted : bool
        Whether this is the result of a part only.
    category_names : dict
        For each categorical input, by position, its categories in the order of their codes.
    """

    stream: str
    monitor: object
    n_rows: int = 0
    skipped: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    category_names: dict = field(default_factory=dict)
    _parts: list = field(default_factory=list)

    def __post_init__(self):
        self.changed_counts = 0
        self._n_changed = np.zeros(len(self.watched), dtype=np.intp)

    def add(self, windows):
        """Take what was found in the next windows."""
        if not len(windows.stops):
            return
        alarms = windows.p_values <= self.monitor.false_alarms
        self.changed_counts = self.changed_counts + np.einsum("wt,wtc->tc", alarms, windows.counts)
        self._n_changed += alarms.sum(axis=0)
        kept = (windows.distances, windows.expected, windows.p_values)
        self._parts.append((windows.stops, *(values.astype(np.float32) for values in kept), alarms))

    @property
    def watched(self):
        """What was watched."""
        return self.monitor.watched_

    @property
    def stops(self):
        """The first row after each window."""
        return self._column(0, (0,))

    @property
    def distances(self):
        """The distance of each window from the reference, (windows, watched)."""
        return self._column(1, (0, len(self.watched)))

    @property
    def alarms(self):
        """Whether each window differs, (windows, watched)."""
        return self._column(4, (0, len(self.watched))).astype(bool)

    @property
    def findings(self):
        """What changed, as a list of Finding: inputs, the labels, inputs given a label, the surest first."""
        changed = np.flatnonzero(self._n_changed)
        if not len(changed):
            return []
        found = [self._finding(k) for k in changed]
        return sorted(found, key=lambda each: (_rank(each.watched), each.p_value, -each.distance))

    def _finding(self, k):
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

    def _column(self, i, shape):
        return np.concatenate([part[i] for part in self._parts]) if self._parts else np.empty(shape)


def _rank(watched):
    return 2 if watched.label is not None else int(watched.input is None)


def _first(stream, rows):
    """Yield blocks of the stream, of up to `rows` rows in all."""
    size = max(1, min(BLOCK, VALUES // stream.n_features))
    if rows is None:
        yield from stream.coded_blocks(size)
        return
    for X, codes in islice(stream.coded_blocks(size), -(-rows // size)):
        yield X[:rows], codes[:rows]
        rows -= len(X)


def _names_of(stream, j):
    if hasattr(stream, "inputs"):
        return [str(value) for value in stream.inputs[j].codes.values] or ["0", "1"]
    known = getattr(stream, "categories", {}).get(stream.names[j])
    return list(map(str, range(stream.n_categories[j]) if known is None else known))
