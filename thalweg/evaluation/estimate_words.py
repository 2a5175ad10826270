"""The estimate for a table of predictions, in words and as plain data."""

from dataclasses import dataclass
from typing import Any, Self

from thalweg.evaluation.formatting import count, formatted, percentage
from thalweg.trust.accuracy_estimate import AccuracyEstimate
from thalweg.trust.window_estimates import Estimate, WindowEstimates
from thalweg.trust.worse_since import Worse, below_since, worse_since

FEW_SETTLED = 5


@dataclass
class Found:
    """What is estimated for a table of predictions.

    `limit` is what the metric should not be worse than: below, or above if it is a cost.
    """

    source: str
    metric: str
    label: Any
    level: float
    n_rows: int
    n_labels: int
    now: Estimate
    windows: WindowEstimates
    worse: Worse | None
    limit: float | None = None

    @classmethod
    def of(
        cls, estimate: AccuracyEstimate, source: str, metric: str, label: Any, limit: float | None = None
    ) -> Self:
        """Return what an estimate says of a metric."""
        windows = estimate.estimates(metric, label)
        return cls(
            source, metric, label, estimate.level, estimate.n_rows_, estimate.n_labels_,
            estimate.now(metric, label), windows, worse_since(windows), limit,
        )  # fmt: skip

    @property
    def name(self) -> str:
        """The metric, and the label it is of."""
        return self.metric if self.label is None else f"{self.metric} of {self.label}"

    @property
    def is_worse(self) -> bool:
        """Whether the whole interval of the latest rows is worse than the limit."""
        if self.limit is None:
            return False
        return self.now.low > self.limit if self.is_cost else self.now.high < self.limit

    @property
    def is_cost(self) -> bool:
        """Whether the metric is a cost, which is no share, and the lower the better."""
        return self.metric == "cost"

    def shown(self, value: float, spec: str = ".1f") -> str:
        """Return a value of the metric as text."""
        return formatted(value, ".4g") if self.is_cost else percentage(value, spec)

    @property
    def below_since(self) -> int | None:
        """The row since when all intervals are worse than the limit, if those of the latest windows are."""
        return None if self.limit is None else below_since(self.windows, self.limit)

    def to_plain(self) -> dict[str, Any]:
        """Return all of it as plain data; rows are counted from 0, and shares are fractions of 1."""
        now = {name: None if value != value else value for name, value in self.now._asdict().items()}
        return {
            "source": self.source, "metric": self.metric, "label": self.label, "level": self.level,
            "rows": self.n_rows, "labels": self.n_labels, "now": now,
            "worse_since": None if self.worse is None else self.worse._asdict(),
            "worse_than": self.limit, "is_worse": self.is_worse, "below_since": self.below_since,
            "windows": self.windows.to_plain(),
        }  # fmt: skip


def headline(found: Found) -> str:
    """Return how good the model is now, in a sentence."""
    now, n = found.now, found.now.stop - found.now.start
    has = "all" if now.known == n else "none" if not now.known else f"{now.known:,}"
    ends = f"{found.shown(now.low)} to {found.shown(now.high)}"
    return (
        f"{found.name[0].upper()}{found.name[1:]} now: {found.shown(now.estimate)} "
        f"({percentage(found.level, 'g')} interval {ends}), over the latest {count(n, 'row')}, of which "
        f"{has} have labels."
    )


def notes(found: Found) -> list[str]:
    """Return since when the model is worse, whether it is below the limit, and what to mistrust."""
    said = [f"{count(found.n_rows, 'row')}, {count(found.n_labels, 'label')}."]
    worse = found.worse
    if worse is not None:
        said.append(
            f"Worse since row {worse.row + 1:,} or so: {found.shown(worse.since)} since, "
            f"{found.shown(worse.before)} before."
        )
    elif len(found.windows) >= FEW_SETTLED:
        said.append(f"No {'rise' if found.is_cost else 'fall'} over time that chance would not explain.")
    if found.limit is not None:
        said.append(_about_limit(found, found.limit))
    if found.now.known < found.now.stop - found.now.start:
        said.append(
            "A change that leaves the probabilities as they were shows only when labels from after it come."
        )
    return said


def _about_limit(found: Found, limit: float) -> str:
    side = f"{'above' if found.is_cost else 'below'} {found.shown(limit, 'g')}"
    if found.is_worse:
        since = found.below_since
        return side.capitalize() + ("." if since is None else f" since row {since + 1:,} or so.")
    if found.now.high <= limit if found.is_cost else found.now.low >= limit:
        return f"Not {side}."
    return f"Not surely {side}: the interval contains it."
