"""What a comparison of learners found: tables, ranks, tests."""

from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from itertools import product
from os import PathLike
from pathlib import Path
from time import strftime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._parameters import one_of, whole_number
from thalweg._registry import Pickled
from thalweg._types import Floats
from thalweg.evaluation.baselines import BASELINES
from thalweg.evaluation.comparison import statistics
from thalweg.evaluation.comparison.cached_run import rows_right
from thalweg.evaluation.formatting import DATE, count
from thalweg.evaluation.summary import plain_number
from thalweg.evaluation.uncertainty import Difference, paired

METRICS = (
    "accuracy", "balanced_accuracy", "kappa", "kappa_m", "kappa_temporal", "precision", "recall", "f1",
    "auc", "average_precision", "log_loss", "cost", "recovery", "rows_per_second", "seconds", "memory",
)  # fmt: skip
LEVEL = 0.05


@dataclass(repr=False)
class Comparison(Pickled):
    """The runs of several learners on several streams.

    Attributes
    ----------
    learners, streams : list of str
        Their names, in the order of the tables.
    n_seeds : int
        Number of runs of each learner on each stream.
    settings : dict
        How they were evaluated.
    results : dict
        {(learner, stream, seed): metrics of the run as plain data}.
    date, command : str
        When it was made, and the command, if there was one.
    """

    learners: list[str]
    streams: list[str]
    _: KW_ONLY
    n_seeds: int
    settings: dict[str, Any]
    results: dict[tuple[str, str, int], dict[str, Any]]
    date: str = field(default_factory=lambda: strftime(DATE))
    command: str = ""

    def __repr__(self) -> str:
        size = f"{count(len(self.learners), 'learner')} on {count(len(self.streams), 'stream')}"
        ranks = self.mean_ranks()
        if np.isnan(ranks).all():
            return f"<Comparison: {size}>"
        best = int(np.nanargmin(ranks))
        return f"<Comparison: {size}; best mean rank {ranks[best]:.2f}, {self.learners[best]}>"

    def _repr_html_(self) -> str:
        from thalweg.evaluation.pages.comparison_page import short

        return short(self)

    def table(self, metric: str = "accuracy") -> Floats:
        """Return a metric as an array [stream, learner], the mean over seeds; NaN if it is not defined."""
        one_of(self, "metric", metric, METRICS)
        return self._all(metric).mean(axis=2)

    def spread(self, metric: str = "accuracy") -> Floats:
        """Return the standard errors of `table`.

        A generator that is given by name has other rows for each seed: the error over seeds is all. A file, a
        dataset or a stream object has the same rows: the error over parts of the stream (`standard_error`)
        comes in addition, as the root of the sum of squares. It is known of the accuracy only; that of other
        metrics is over seeds alone, and NaN for one seed.
        """
        one_of(self, "metric", metric, METRICS)
        over_seeds = self._over_seeds(metric)
        if metric != "accuracy":
            return over_seeds
        over_rows = self._all("accuracy_error").mean(axis=2)
        if self.n_seeds == 1:
            return over_rows
        return np.hypot(over_seeds, np.where(np.any(self._all("same_rows") > 0, axis=2), over_rows, 0.0))

    def _over_seeds(self, metric: str) -> Floats:
        values = self._all(metric)
        if self.n_seeds == 1:
            return np.full(values.shape[:2], np.nan)
        return values.std(axis=2, ddof=1) / np.sqrt(self.n_seeds)

    def baselines(self, metric: str = "accuracy") -> dict[str, Floats]:
        """Return a metric of the trivial baselines on each stream, the mean over seeds: {name: [stream]}."""
        one_of(self, "metric", metric, METRICS)
        found = {name: np.full(len(self.streams), np.nan) for name in BASELINES}
        for s, stream in enumerate(self.streams):
            runs = [run for seed in range(self.n_seeds) if (run := self.of_stream(stream, seed))]
            for name, values in found.items():
                if runs:
                    values[s] = np.mean([_number(run["baselines"][name].get(metric)) for run in runs])
        return found

    @cached_property
    def ranked(self) -> list[str]:
        """The streams that count in the ranks: all learners came to their end without an error."""
        whole = dict.fromkeys(self.streams, True)
        for (_, stream, _), result in self.results.items():
            whole[stream] &= "error" not in result and not result["stopped"]
        return [stream for stream in self.streams if whole[stream]]

    def scores(self) -> Floats:
        """Return the accuracies [stream, learner] of the streams that count."""
        return self.table()[[self.streams.index(stream) for stream in self.ranked]]

    def mean_ranks(self) -> Floats:
        """Return the mean rank of each learner, 1 for the best; NaN if no stream counts."""
        if not self.ranked:
            return np.full(len(self.learners), np.nan)
        return statistics.ranks(self.scores()).mean(axis=0)

    def tests(self) -> dict[str, Any]:
        """Return Friedman's test, Nemenyi's critical difference, pairwise Wilcoxon tests, and wins.

        None where there are too few learners or streams for a test.
        """
        n_streams, n_learners = len(self.ranked), len(self.learners)
        if n_streams < 2 or n_learners < 2:
            return {"friedman": None, "critical_difference": None, "wilcoxon": None, "wins": None}
        scores = self.scores()
        return {
            "friedman": statistics.friedman(scores) if n_learners > 2 else None,
            "critical_difference": statistics.critical_difference(n_learners, n_streams, LEVEL),
            "wilcoxon": statistics.wilcoxon(scores),
            "wins": statistics.wins(scores),
        }

    def paired(self, first: str, second: str, *, stream: str, seed: int | None = None) -> Difference:
        """Compare two learners row by row on one stream; rows may depend on each other.

        A row counts with the share of the seeds by which it was predicted correctly, or with one `seed` only.
        See `uncertainty.paired` for the test. If a run was stopped, the rows that all have count.
        """
        one_of(self, "stream", stream, self.streams)
        if seed is not None:
            whole_number(self, "seed", seed, 0, self.n_seeds - 1)
        seeds = range(self.n_seeds) if seed is None else [seed]
        of_first, of_second = ([self._right(name, stream, s) for s in seeds] for name in (first, second))
        n = min(map(len, [*of_first, *of_second]))
        return paired(*(np.mean([right[:n] for right in runs], axis=0) for runs in (of_first, of_second)))

    def _right(self, learner: str, stream: str, seed: int) -> NDArray[np.bool_]:
        """Return for each scored row of a run whether it was predicted correctly."""
        run = self.results[one_of(self, "learner", learner, self.learners), stream, seed]
        if "error" in run:
            raise ValueError(f"{learner} has no result on {stream}: {run['error']}")
        return rows_right(run)

    def kept(self) -> NDArray[np.bool_]:
        """Return [stream, learner]: whether a run was kept from an earlier call, and so were its times."""
        return np.any(self._all("kept") > 0, axis=2)

    def errors(self) -> dict[str, str]:
        """Return {run: message} of the runs that failed."""
        return {run_name(*key): run["error"] for key, run in self.results.items() if "error" in run}

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each run."""
        import pandas

        rows = [
            {"learner": learner, "stream": stream, "seed": seed}
            | {name: result.get(name) for name in (*METRICS, "positive")}
            for (learner, stream, seed), result in self.results.items()
        ]
        return pandas.DataFrame(rows)

    def write(self, path: str | PathLike[str], *, csv_safe: bool = False) -> Path:
        """Write a file in the format of its ending; return its path.

        `.html` is a self-contained page, `.csv` has a line for each run with all metrics; `.md` and `.tex`
        are the table of accuracies for Markdown and LaTeX (with the package booktabs). With `csv_safe` no
        name in a CSV file is a formula to a spreadsheet.
        """
        from thalweg.evaluation.comparison.files import write

        return write(self, path, csv_safe)

    def summary(self) -> dict[str, Any]:
        """Return all tables and tests as plain data for JSON; None if a number is not defined."""
        tests = self.tests()
        friedman, wilcoxon, wins = tests["friedman"], tests["wilcoxon"], tests["wins"]
        about_all = {} if friedman is None else friedman._asdict()
        return {
            "learners": self.learners,
            "streams": self.streams,
            "seeds": self.n_seeds,
            "settings": {name: str(value) for name, value in self.settings.items() if value is not None},
            "tables": {metric: _plain(self.table(metric)) for metric in METRICS},
            "accuracy_error": _plain(self.spread()),
            "baselines": {name: _plain(values) for name, values in self.baselines().items()},
            "ranked_streams": self.ranked,
            "mean_ranks": _plain(self.mean_ranks()),
            "friedman": {name: plain_number(value) for name, value in about_all.items()} or None,
            "critical_difference": tests["critical_difference"],
            "wilcoxon": None if wilcoxon is None else _plain(wilcoxon),
            "wins_ties_losses": None if wins is None else wins.tolist(),
            "unlabelled": self.unlabelled(),
            "positive": self.positive(),
            "sorted_by_label": self.sorted_by_label(),
            "kept": self.kept().tolist(),
            "errors": self.errors(),
        }

    def unlabelled(self) -> dict[str, int]:
        """Return the number of rows without a label, which are not scored, of each stream that has any."""
        runs = {stream: self.of_stream(stream) for stream in self.streams}
        return {stream: run["unlabelled"] for stream, run in runs.items() if run and run["unlabelled"]}

    def positive(self) -> dict[str, str]:
        """Return the class whose F1, precision, recall and average precision are meant, of each stream."""
        runs = {stream: self.of_stream(stream) for stream in self.streams}
        return {stream: run["positive"] for stream, run in runs.items() if run and run.get("positive")}

    def sorted_by_label(self) -> list[str]:
        """Return the streams whose rows are sorted by label, so that no figure carries over to new rows."""
        runs = {stream: self.of_stream(stream) for stream in self.streams}
        return [stream for stream, run in runs.items() if run and run.get("sorted_by_label")]

    def _all(self, metric: str) -> Floats:
        """Return a metric as an array [stream, learner, seed]."""
        keys = product(self.streams, self.learners, range(self.n_seeds))
        values = [_number(self.results[learner, stream, s].get(metric)) for stream, learner, s in keys]
        return np.reshape(values, (len(self.streams), len(self.learners), self.n_seeds))

    def of_stream(self, stream: str, seed: int = 0) -> dict[str, Any] | None:
        """Return the longest run on a stream with a seed: it has the baselines over the most rows."""
        runs = [run for key, run in self.results.items() if key[1:] == (stream, seed) and "error" not in run]
        return max(runs, key=lambda run: run["rows"], default=None)


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _plain(values: Floats) -> Any:
    return [_plain(row) if np.ndim(row) else plain_number(row) for row in values]


def run_name(learner: str, stream: str, seed: int) -> str:
    """Return a run of a comparison in words."""
    return f"{learner} on {stream}, seed {seed}"
