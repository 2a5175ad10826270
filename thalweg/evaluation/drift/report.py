"""What a monitor found in a stream: which distributions changed, when, how much, and how sure that is."""

from dataclasses import KW_ONLY, dataclass, field, replace
from time import strftime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats, Ints, Mask
from thalweg.drift.changes import Watched, Windows
from thalweg.drift.monitor import Monitor
from thalweg.drift.ragged import row_of, summed
from thalweg.evaluation.drift.new_categories import NewCategory
from thalweg.evaluation.drift.together import Together, add_longer
from thalweg.evaluation.formatting import DATE

if TYPE_CHECKING:  # importing it takes pyarrow
    from thalweg.streams.files.column_report import ColumnReport


@dataclass(frozen=True)
class Finding:
    """One distribution that changed.

    Attributes
    ----------
    watched : Watched
        Which: an input, the labels, an input given a label.
    start : int
        First row of the first window that differs.
    stop : int
        First row after that window.
    n_windows, n_changed : int
        Number of windows from that one on, and how many of them differ; no window need differ if the rows
        differ as a whole.
    ended : int or None
        First row after the last window that differs; None if the last window of all differs.
    distance, expected : float
        Distance of all rows if these differ as a whole, else of the window with the largest one; and the
        distance expected there by chance.
    at : int
        First row of the window with the largest distance.
    p_value : float
        The smallest p-value: the probability that a stream without change ever gives such an alarm.
    whole : bool
        Whether all rows taken together differ from those of another stream; False if there is none.
    scale : int
        How many windows had to be taken together to find it; 1 if a single one differs. If more, `start`,
        `stop`, `distance` and `expected` are those of the windows taken together, and `n_changed` is 0.
    """

    watched: Watched
    start: int
    stop: int
    n_windows: int
    n_changed: int
    ended: int | None
    distance: float
    expected: float
    at: int
    p_value: float
    whole: bool = False
    scale: int = 1


@dataclass(repr=False)
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
    reference : str
        The name of the other stream that the rows are compared with, if there is one.
    reference_rows : int
        Number of rows that the rows are compared with.
    days : int or None
        The length of windows in days; None if they have a number of rows.
    left_out : dict of str
        What is not compared, and why.
    columns_missing, columns_new : list of str
        Columns that the other stream has and this one has not, and the other way round.
    new_categories : list of NewCategory
        Categories that the reference does not have.
    new_labels : list of str
        Labels that the other stream does not have.
    columns : ColumnReport or None
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
    _: KW_ONLY
    n_rows: int = 0
    skipped: int = 0
    unlabelled: int = 0
    reference: str = ""
    reference_rows: int = 0
    days: int | None = None
    left_out: dict[str, str] = field(default_factory=dict)
    columns_missing: list[str] = field(default_factory=list)
    columns_new: list[str] = field(default_factory=list)
    new_categories: list[NewCategory] = field(default_factory=list)
    new_labels: list[str] = field(default_factory=list)
    columns: "ColumnReport | None" = None
    seconds: float = 0.0
    interrupted: bool = False
    category_names: dict[int, list[str]] = field(default_factory=dict)
    date: str = field(default_factory=lambda: strftime(DATE))
    command: str = ""
    _parts: list[tuple[NDArray[Any], ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.changed_counts: Any = 0
        self.total_counts: Any = 0
        self._whole: Windows | None = None
        self._n_changed = np.zeros(len(self.watched), dtype=np.intp)
        self._together: dict[int, Together] = {}

    def __repr__(self) -> str:
        from thalweg.evaluation.drift.words import compared, headline

        return f"<Drift in {self.stream}: {headline(self)} {compared(self)}>"

    def _repr_html_(self) -> str:
        from thalweg.evaluation.pages.drift_page import short

        return short(self)

    def add(self, windows: Windows) -> None:
        """Add what was found in the next windows."""
        if not len(windows.stops):
            return
        alarms = windows.p_values <= self.monitor.false_alarms
        self.changed_counts = self.changed_counts + summed(windows.counts, alarms)
        self.total_counts = self.total_counts + windows.counts.sum(axis=0)
        self._n_changed += alarms.sum(axis=0)
        kept = (windows.distances, windows.expected)
        # Not p-values: they may be below what 32 bits can hold, and are not 0.
        distances, expected = (values.astype(np.float32) for values in kept)
        self._parts.append((windows.stops, distances, expected, windows.p_values, alarms, windows.starts))
        if windows.longer is not None:
            alarms = (windows.longer.p_values <= self.monitor.false_alarms) & (self._n_changed == 0)
            add_longer(self._together, windows.longer, alarms)

    def add_whole(self, whole: Windows) -> None:
        """Add what was found in all rows taken together."""
        self._whole = whole
        self.changed_counts = whole.counts[0]
        self._n_changed = self._n_changed + (whole.p_values[0] <= self.monitor.false_alarms)

    @property
    def is_whole_compared(self) -> bool:
        """Whether all rows together were compared with another stream."""
        return self._whole is not None

    @property
    def watched(self) -> list[Watched]:
        """The distributions watched."""
        return self.monitor.watched_

    @property
    def stops(self) -> Ints:
        """The first row after each window."""
        return self._column(0, (0,))

    @property
    def starts(self) -> Ints:
        """The first row of each window."""
        return self._column(5, (0,))

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
        changed = {*np.flatnonzero(self._n_changed).tolist(), *self._together}
        found = [self._finding(k) for k in sorted(changed)]
        return sorted(found, key=lambda each: (_rank(each.watched), each.p_value, -each.distance))

    def _finding(self, k: int) -> Finding:
        found = self._in_windows(k) or self._in_longer(k)
        whole = self._whole
        if whole is None or whole.p_values[0, k] > self.monitor.false_alarms:
            assert found is not None
            return found
        distance, expected, p_value = (
            float(values[0, k]) for values in (whole.distances, whole.expected, whole.p_values)
        )
        if found is not None:
            p_value = min(p_value, found.p_value)
            return replace(found, distance=distance, expected=expected, p_value=p_value, whole=True)
        start, stop = int(whole.starts[0]), int(whole.stops[0])
        n_windows = len(self.stops)
        return Finding(
            self.watched[k], start, stop, n_windows, 0, None, distance, expected, start, p_value, whole=True
        )

    def _in_windows(self, k: int) -> Finding | None:
        """Return what was found in windows; None if no window differs."""
        if not self._parts:
            return None
        stops, distances, expected, p_values, alarms, starts = (
            np.concatenate([part[i] if i in (0, 5) else part[i][:, k] for part in self._parts])
            for i in range(6)
        )
        places = np.flatnonzero(alarms)
        if not len(places):
            return None
        most = places[np.argmax(distances[places])]
        return Finding(
            watched=self.watched[k],
            start=int(starts[places[0]]),
            stop=int(stops[places[0]]),
            n_windows=len(stops) - int(places[0]),
            n_changed=len(places),
            ended=None if places[-1] == len(stops) - 1 else int(stops[places[-1]]),
            distance=float(distances[most]),
            expected=float(expected[most]),
            at=int(starts[most]),
            p_value=float(p_values[places].min()),
        )

    def _in_longer(self, k: int) -> Finding | None:
        """Return what was found in windows taken together; None if none differ."""
        each = self._together.get(k)
        if each is None:
            return None
        first = each.spans[0]
        return Finding(
            watched=self.watched[k],
            start=first[0],
            stop=each.stop,
            n_windows=int(np.count_nonzero(self.stops > first[0])),
            n_changed=0,
            ended=None if self._goes_on(each) else each.spans[-1][1],
            distance=each.distance,
            expected=each.expected,
            at=each.at,
            p_value=each.p_value,
            scale=each.scale,
        )

    def _goes_on(self, each: Together) -> bool:
        """Return whether no later comparison of that length was without alarm."""
        return bool(np.count_nonzero(self.stops > each.spans[-1][1]) < each.scale)

    def counts_after(self, k: int) -> Ints:
        """Return the histogram of the rows in which distribution `k` differs."""
        alone = self._whole is not None or self._n_changed[k] or k not in self._together
        return row_of(self.changed_counts, k) if alone else self._together[k].counts

    def _column(self, i: int, shape: tuple[int, ...]) -> NDArray[Any]:
        return np.concatenate([part[i] for part in self._parts]) if self._parts else np.empty(shape)


def _rank(watched: Watched) -> int:
    return 2 if watched.label is not None else int(watched.input is None)
