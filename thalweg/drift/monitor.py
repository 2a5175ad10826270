"""What all monitors share: the reference, windows, histograms and the rate of false alarms."""

from collections.abc import Sequence
from dataclasses import astuple, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._parameters import columns, count, real_number, whole_number
from thalweg._types import Counts, Floats, Ints, Mask, State
from thalweg.drift.bins import OTHER, Bins
from thalweg.drift.changes import (
    Change,
    Watched,
    Windows,
    adjusted,
    changes_in,
    joined_windows,
    no_windows,
)
from thalweg.drift.distances import LEAST_ROWS
from thalweg.drift.parameters import Parameters
from thalweg.drift.ragged import Histograms, Ragged, compared, row_of
from thalweg.drift.scales import Scales

CUT_BY = 4                              # one of four rows of the reference defines the bins
MOST_COUNTS = 1 << 20                   # in one array
MOST_KEPT = 1 << 16                     # rows of a long reference that are kept to define the bins


class Monitor(Parameters):
    """Compares each window of rows with a reference, input by input; a subclass writes `_compare`.

    Parameters, attributes and methods are those of `HellingerMonitor`.
    """

    classes_: NDArray[Any] | None
    watched_: list[Watched]
    n_features_: int
    n_rows_: int
    n_windows_: int
    _by_ranks = True  # whether longer windows are compared by the sum of ranks too

    def __init__(
        self,
        reference: int = 2000,
        window: int = 1000,
        *,
        n_bins: int | None = None,
        false_alarms: float = 0.01,
        categorical: Sequence[int] = (),
        longest: int = 64,
    ) -> None:
        self.reference = reference
        self.window = window
        self.n_bins = n_bins
        self.false_alarms = false_alarms
        self.categorical = categorical
        self.longest = longest

    def _compare(
        self, reference: Counts, counts: Counts, unordered: Mask
    ) -> tuple[Floats, Floats, Floats]:
        """Return distances, expected distances and p-values for counts of shape (windows, watched, bins)."""
        raise NotImplementedError

    def _usual_bins(self, n_rows: int) -> int:
        """Return the number of bins for histograms of `n_rows` rows."""
        return int(np.clip(n_rows // 25, 3, 20))

    def begin(
        self,
        n_features: int,
        classes: ArrayLike | None = None,
        *,
        names: Sequence[str] | None = None,
        more_classes: bool = False,
    ) -> Self:
        """Start with rows of `n_features` inputs; if `classes` are given, watch labels too. Return self.

        With `more_classes`, codes beyond those of `classes` count as other labels.
        """
        n_features = whole_number(self, "n_features", n_features, 1)
        names = [f"x{j}" for j in range(n_features)] if names is None else [str(name) for name in names]
        if len(names) != n_features:
            raise ValueError(f"{self._who}: {len(names)} names for {n_features} inputs")
        window = count(self, "window", self.window, LEAST_ROWS)
        length = count(self, "reference", self.reference, 2 * LEAST_ROWS)
        if self.n_bins is not None:
            whole_number(self, "n_bins", self.n_bins, 3, 1000)
        real_number(self, "false_alarms", self.false_alarms, above=0, below=1)
        longest = whole_number(self, "longest", self.longest, 1, 1 << 20)
        categorical = set(np.arange(n_features)[columns(self, "categorical", self.categorical, n_features)])
        self.n_features_, self._window, self._length = n_features, window, length
        self._categorical = categorical
        self.classes_ = None if classes is None else np.asarray(classes)
        self._n_others = int(more_classes and classes is not None)
        self.watched_ = self._all_watched(names)
        self.n_rows_, self.n_windows_ = 0, 0
        self._scales = Scales(longest)
        self._forget()
        return self

    def update(self, X: ArrayLike, y: ArrayLike | None = None) -> list[Change]:
        """Process rows, and their labels if these are watched; return a list of the Changes found.

        A missing value is NaN, a missing label None or NaN. Each window gives a Change for each distribution
        that differs from the reference; the last 2, 4, 8, … windows give one if they differ together, and
        no shorter one among them does.
        """
        X = self._rows(X)
        if not hasattr(self, "watched_"):
            self.begin(X.shape[1], None if y is None else _labels_in(y))
            X = self._rows(X)
        windows = self.update_coded(X, self._codes(y, len(X)))
        return changes_in(windows, self.watched_, self.false_alarms)

    def update_coded(self, X: Floats, codes: Ints | None = None) -> Windows:
        """Process rows and the codes of their labels (-1 if missing); return the Windows that are complete.

        Unlike `update` it returns all distances, not only alarms. Rows must be a float64 array in C order.
        """
        groups = self._groups(codes, len(X))
        found = []
        if self._bins is None:
            used = self._collect(X, groups)
            X, groups = X[used:], groups[used:]
        bins = self._bins
        if bins is not None and len(X):
            size = self._window * max(1, MOST_COUNTS // self._blank(1, bins).size)
            for start in range(0, len(X), size):
                part = slice(start, start + size)
                found.append(self._count(bins, X[part], groups[part]))
        return joined_windows(found) if found else no_windows(len(self.watched_))

    def set_reference(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Compare with these rows from now on; drop the rows of an incomplete window. Return self."""
        X = self._rows(X)
        if not hasattr(self, "watched_"):
            self.begin(X.shape[1], None if y is None else _labels_in(y))
        if len(X) < 2 * LEAST_ROWS:
            raise ValueError(f"{self._who}: a reference needs at least {2 * LEAST_ROWS} rows, got {len(X)}")
        self._set_reference(X, self._groups(self._codes(y, len(X)), len(X)))
        return self

    def extend_reference_coded(self, X: Floats, codes: Ints | None = None) -> None:
        """Add rows to the reference, as many as come; call `end_reference` after the last of them.

        Bins are those of the first 65,536 rows. A random quarter of all rows is not counted, as in any
        reference.
        """
        groups = self._groups(codes, len(X))
        if self._bins is not None:
            counted = split_reference(len(X))[1]
            self._bins.add(X[counted], groups[counted], 0, len(counted) + 1, self._reference)
            return
        self._kept.append((X.copy(), groups))
        self._n_kept += len(X)
        if self._n_kept >= MOST_KEPT:
            self._set_reference(*_concatenated(self._kept))

    def end_reference(self, total: bool = False) -> None:
        """Compare with the rows given to `extend_reference_coded` from now on.

        If `compare_total` will be called too, half of the rate of false alarms is kept for it.
        """
        if self._bins is None:
            if self._n_kept < 2 * LEAST_ROWS:
                hint = f"a reference needs at least {2 * LEAST_ROWS} rows, got {self._n_kept}"
                raise ValueError(f"{self._who}: {hint}")
            self._set_reference(*_concatenated(self._kept))
        self.n_windows_ = int(total)
        self._scales.n_checks[:] = int(total)
        self._scales.start(self._tabulate(self._reference)[0], grows=not total)

    def compare_coded(self, X: Floats, codes: Ints | None = None, *, start: int = 0) -> Windows:
        """Compare rows with the reference as one window, whatever their number; `start` is the first row."""
        self._check_begun()
        if self._bins is None:
            raise ValueError(f"{self._who}: the reference is not complete yet")
        counts = self._blank(1, self._bins)
        self._bins.add(X, self._groups(codes, len(X)), 0, len(X) + 1, counts)
        found = self._compared(counts, [start], [start + len(X)])
        self.n_windows_, self.n_rows_ = self.n_windows_ + 1, start + len(X)
        return found

    def compare_total(self, counts: Histograms, start: int, *, stop: int) -> Windows:
        """Compare the sum of all windows, counts of shape (watched, bins), with the reference."""
        return self._tested(counts[None], [start], [stop], np.ones(1, dtype=np.intp), 1.0)[0]

    def reset(self) -> None:
        """Make the next `reference` rows the reference. The rate of false alarms still holds."""
        self._check_begun()
        self._forget()

    def histograms(self) -> tuple[Ints, Ints]:
        """Return the counts (watched, bins) of the reference and of the incomplete window."""
        reference, counts = self._histograms()
        return np.asarray(reference), np.asarray(counts)

    def _histograms(self) -> tuple[Histograms, Histograms]:
        """Return the same, and take less memory if there are many labels."""
        self._check_begun()
        if self._bins is None:
            raise ValueError(f"{self._who}: the reference is not complete yet")
        return self._tabulate(self._reference)[0], self._tabulate(self._counts)[0]

    def reference_histogram(self, k: int) -> Ints:
        """Return the counts of the reference for one of those watched."""
        return row_of(self._histograms()[0], k)

    @property
    def bins_(self) -> Bins | None:
        """The bins of the histograms; None before the reference is complete."""
        self._check_begun()
        return self._bins

    def _forget(self) -> None:
        self._bins: Bins | None = None
        self._reference = self._counts = np.empty(0, dtype=np.intp)
        self._kept: list[tuple[Floats, Ints]] = []
        self._n_kept, self._filled = 0, 0

    def _collect(self, X: Floats, groups: Ints) -> int:
        """Keep rows until there are enough for a reference; return how many were kept."""
        used = min(self._length - self._n_kept, len(X))
        kept = [*self._kept, (X[:used].copy(), groups[:used].copy())]
        if self._n_kept + used < self._length:
            self._kept, self._n_kept, self.n_rows_ = kept, self._n_kept + used, self.n_rows_ + used
            return used
        n_rows = self.n_rows_ + used
        self._set_reference(*_concatenated(kept), n_rows, grows=True)
        return used

    def _set_reference(
        self, X: Floats, groups: Ints, n_rows: int | None = None, grows: bool = False
    ) -> None:
        cutting, counted = split_reference(len(X))
        n_bins = self.n_bins or self._usual_bins(min(len(counted), self._window))
        bins = Bins(X[cutting], self._categorical, n_bins)
        reference = self._blank(1, bins)
        bins.add(X[counted], groups[counted], 0, len(counted) + 1, reference)
        counts, n_rows = self._blank(1, bins), self.n_rows_ if n_rows is None else n_rows
        self._bins, self._reference, self._counts = bins, reference, counts
        self._kept, self._n_kept, self._filled, self.n_rows_ = [], 0, 0, n_rows
        self._scales.start(self._tabulate(reference)[0], grows)

    def _count(self, bins: Bins, X: Floats, groups: Ints) -> Windows:
        """Count rows, and compare the windows that are complete."""
        n_windows, filled = divmod(self._filled + len(X), self._window)
        counts = self._blank(n_windows + 1, bins)
        counts[:1] = self._counts
        bins.add(X, groups, self._filled, self._window, counts)
        starts = self.n_rows_ - self._filled + self._window * np.arange(n_windows)
        found = self._compared(counts[:-1], starts, starts + self._window)
        rest, n_windows, n_rows = counts[-1:].copy(), self.n_windows_ + n_windows, self.n_rows_ + len(X)
        self._counts, self._filled, self.n_windows_, self.n_rows_ = rest, filled, n_windows, n_rows
        return found

    def _compared(self, counts: Ints, starts: ArrayLike, stops: ArrayLike) -> Windows:
        number = self.n_windows_ + 1 + np.arange(len(counts))
        part = self._scales.parts[0]
        found, chances = self._tested(self._tabulate(counts), starts, stops, number, part)
        return replace(found, longer=self._scales.add(self, found, chances, number))

    def _tested(
        self, counts: Histograms, starts: ArrayLike, stops: ArrayLike, number: Ints, part: float
    ) -> tuple[Windows, Floats]:
        """Compare windows with the reference; return them, and their p-values before any adjustment."""
        reference = self._tabulate(self._reference)
        distances, expected, chances = compared(self._compare, reference, counts, self._unordered)
        rows = np.minimum(reference.sum(axis=-1), counts.sum(axis=-1))
        possible = rows >= LEAST_ROWS
        found = Windows(
            np.asarray(starts, dtype=np.intp),
            np.asarray(stops, dtype=np.intp),
            np.where(possible, distances, np.nan),
            np.where(possible, expected, np.nan),
            adjusted(chances, possible, number, part),
            counts,
            np.ones(len(counts), dtype=np.intp),
        )
        return found, np.where(possible, chances, 1.0)

    def _tabulate(self, counts: Ints) -> Histograms:
        """Return counts (windows, groups, inputs, bins) as counts (windows, watched, bins)."""
        all_rows, n_bins = counts.sum(axis=1), counts.shape[-1]
        if self.classes_ is None:
            return all_rows
        n_classes = len(self.classes_)
        of_labels = np.zeros((len(counts), max(n_bins, n_classes + 2)), dtype=np.intp)
        rows = counts[:, :, 0].sum(axis=-1)  # of each group
        of_labels[:, OTHER + 1 : OTHER + 1 + n_classes] = rows[:, :n_classes]
        of_labels[:, OTHER] = rows[:, n_classes:-1].sum(axis=1)
        of_labels[:, 0] = rows[:, -1]
        given = counts[:, :n_classes].reshape(len(counts), n_classes * self.n_features_, n_bins)
        short = np.concatenate([all_rows, of_labels[:, None, :n_bins], given], axis=1)
        if of_labels.shape[1] == n_bins:
            return short
        short[:, self.n_features_] = 0
        return Ragged(short, of_labels, self.n_features_)

    def _blank(self, n_windows: int, bins: Bins) -> Ints:
        n_classes = 0 if self.classes_ is None else len(self.classes_)
        n_groups = n_classes + self._n_others + 1
        return np.zeros((n_windows, n_groups, self.n_features_, bins.n_bins), dtype=np.intp)

    def _all_watched(self, names: list[str]) -> list[Watched]:
        inputs = [Watched(name, None, j) for j, name in enumerate(names)]
        by_input = np.array([j in self._categorical for j in range(len(names))])
        if self.classes_ is None:
            self._unordered = by_input
            return inputs
        given = [Watched(name, label, j) for label in self.classes_.tolist() for j, name in enumerate(names)]
        self._unordered = np.concatenate([by_input, [True], np.tile(by_input, len(self.classes_))])
        return [*inputs, Watched(None), *given]

    def _rows(self, X: ArrayLike) -> Floats:
        try:
            X = np.ascontiguousarray(X, dtype=np.float64)
        except (TypeError, ValueError) as error:
            hint = "rows must be numbers, categories coded 0, 1, 2, …"
            raise type(error)(f"{self._who}: {hint}: {error}") from None
        wanted = getattr(self, "n_features_", None)
        if X.ndim != 2 or wanted not in (None, X.shape[1]):
            shape = f"(rows, {wanted or 'inputs'})"
            raise ValueError(f"{self._who}: expected rows of shape {shape}, got shape {X.shape}")
        return X

    def _codes(self, y: ArrayLike | None, n_rows: int) -> Ints | None:
        if y is None:
            return None
        if self.classes_ is None:
            raise ValueError(f"{self._who}: labels are not watched; give their classes to begin()")
        place = {label: code for code, label in enumerate(self.classes_.tolist())}
        labels = np.asarray(y).tolist()
        if len(labels) != n_rows:
            raise ValueError(f"{self._who}: {n_rows} rows, but {len(labels)} labels")
        codes = [-1 if label is None or label != label else place.get(label) for label in labels]
        if None in codes:
            unknown = labels[codes.index(None)]
            raise ValueError(f"{self._who}: label {unknown!r} is not among the classes {list(place)}")
        return np.array(codes, dtype=np.intp)

    def _groups(self, codes: Ints | None, n_rows: int) -> Ints:
        """Return the group that counts each row: the code of its label, or the last one if it has none."""
        self._check_begun()
        n_classes = 0 if self.classes_ is None else len(self.classes_)
        last = n_classes + self._n_others
        if codes is None or not last:
            return np.full(n_rows, last, dtype=np.intp)
        codes = np.asarray(codes, dtype=np.intp)
        if self._n_others:
            codes = np.minimum(codes, n_classes)
        if codes.shape != (n_rows,) or (n_rows and not -1 <= codes.min() <= codes.max() < last):
            raise ValueError(f"{self._who}: expected {n_rows} codes from -1 to {last - 1}")
        return np.where(codes < 0, last, codes)

    def __getstate__(self) -> State:
        state = vars(self).copy()
        if "watched_" in state:
            state["watched_"] = [astuple(each) for each in self.watched_]
            bins = state.pop("_bins")
            state["_cells"] = None if bins is None else vars(bins)
            state["_scales"] = vars(self._scales).copy()
        return state

    def __setstate__(self, state: State) -> None:
        self.longest = 1  # as in states written before there were longer windows
        vars(self).update(state)
        if "watched_" in state:
            self.watched_ = [Watched(*each) for each in state["watched_"]]
            self._bins = None
            if vars(self).pop("_cells") is not None:
                self._bins = Bins.__new__(Bins)
                vars(self._bins).update(state["_cells"])
            self._scales = Scales(self.longest)
            vars(self._scales).update(state.get("_scales", {}))
            self._adopt_wider()

    def _adopt_wider(self) -> None:
        """Shorten the histograms of a state written when all were as long as that of the labels."""
        if self._bins is None or self._reference.shape[-1] == self._bins.n_bins:
            return
        n_bins, place = self._bins.n_bins, self.n_features_
        self._reference, self._counts = self._reference[..., :n_bins], self._counts[..., :n_bins]
        for name in ("base", "total", "marks") if hasattr(self._scales, "base") else ():
            setattr(self._scales, name, Ragged.split(getattr(self._scales, name), place, n_bins))

    def _check_begun(self) -> None:
        if not hasattr(self, "watched_"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(f"{self._who}: call begin() or update() first")

    @property
    def _who(self) -> str:
        return type(self).__name__


def split_reference(n_rows: int) -> tuple[Ints, Ints]:
    """Return the rows of a reference that define the bins, a random one of every four, and the others.

    Random, because in periodic data every fourth row might always be the same hour.
    """
    starts = np.arange(0, n_rows, CUT_BY)
    cutting = np.minimum(starts + np.random.default_rng(0).integers(CUT_BY, size=len(starts)), n_rows - 1)
    return cutting, np.delete(np.arange(n_rows), cutting)


def _concatenated(parts: list[tuple[Floats, Ints]]) -> tuple[Floats, Ints]:
    return np.concatenate([X for X, _ in parts]), np.concatenate([groups for _, groups in parts])


def _labels_in(y: ArrayLike) -> NDArray[Any]:
    labels = {label for label in np.asarray(y).tolist() if label is not None and label == label}
    return np.array(sorted(labels))
