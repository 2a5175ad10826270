"""Counts and durations of requests, and what the live models know, as Prometheus reads them."""

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Durations:
    """How long requests took: counts by upper bound, their number and their sum."""

    __slots__ = ("counts", "n", "total")

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.n, self.total = 0, 0.0

    def add(self, seconds: float) -> None:
        """Count one request."""
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.n += 1
        self.total += seconds


class RequestMetrics:
    """Requests by model, route and status; durations and rows by model and route.

    Routes that are not of a model count under the model "". Labels are never ids, nor anything else that a
    client chooses, so their number is bounded.
    """

    def __init__(self) -> None:
        self.requests: dict[tuple[str, str, int], int] = {}
        self.durations: dict[tuple[str, str], Durations] = {}
        self.rows: dict[tuple[str, str], int] = {}

    def count(self, model: str, route: str, status: int, seconds: float, n_rows: int = 0) -> None:
        """Count one answered request."""
        key = model, route, status
        self.requests[key] = self.requests.get(key, 0) + 1
        place = model, route
        durations = self.durations.get(place)
        if durations is None:
            durations = self.durations[place] = Durations()
        durations.add(seconds)
        if n_rows and status < 400:
            self.rows[place] = self.rows.get(place, 0) + n_rows

    def lines(self) -> Iterable[str]:
        """Yield the lines of the exposition format."""
        yield from about("thalweg_requests_total", "counter", "Requests answered.")
        for (model, route, status), n in sorted(self.requests.items()):
            yield sample("thalweg_requests_total", {"model": model, "route": route, "status": status}, n)
        yield from about("thalweg_request_rows_total", "counter", "Rows of requests that succeeded.")
        for (model, route), n in sorted(self.rows.items()):
            yield sample("thalweg_request_rows_total", {"model": model, "route": route}, n)
        name = "thalweg_request_duration_seconds"
        yield from about(name, "histogram", "From the end of a request's headers to its answer.")
        for (model, route), durations in sorted(self.durations.items()):
            place = {"model": model, "route": route}
            n = 0
            for bound, count in zip((*BUCKETS, "+Inf"), durations.counts, strict=True):
                n += count
                yield sample(f"{name}_bucket", place | {"le": bound}, n)
            yield sample(f"{name}_sum", place, durations.total)
            yield sample(f"{name}_count", place, durations.n)


def about(name: str, kind: str, text: str) -> list[str]:
    """Return the two lines that say what a metric is."""
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]


def sample(name: str, labels: dict[str, Any], value: float) -> str:
    """Return the line of one value."""
    said = ",".join(f'{key}="{_escaped(str(each))}"' for key, each in labels.items())
    return f"{name}{{{said}}} {value!r}" if said else f"{name} {value!r}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
