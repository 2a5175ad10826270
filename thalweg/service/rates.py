"""How many rows a client may send in a second."""

import time
from collections import OrderedDict
from collections.abc import Callable

from thalweg.service.request_error import RequestError

SECONDS = 2.0  # a client may send so many seconds' rows at once
MOST_CLIENTS = 10_000


class Rates:
    """A bucket of rows for each client address: it fills at `rate` a second and holds two seconds of them.

    The clients that were heard of least recently are forgotten beyond 10,000, so memory is bounded.
    """

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self._clock = rate, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def spend(self, client: str, n_rows: int) -> None:
        """Take rows out of a client's bucket; raise RequestError, and take none, if there are too few.

        A request of more rows than a full bucket holds may empty it below zero, or it could never be sent.
        """
        now = self._clock()
        full = self.rate * SECONDS
        left, then = self._buckets.pop(client, (full, now))
        left = min(full, left + (now - then) * self.rate)
        wanted = min(float(n_rows), full)
        is_refused = left < wanted
        self._buckets[client] = (left if is_refused else left - n_rows, now)
        if len(self._buckets) > MOST_CLIENTS:
            self._buckets.popitem(last=False)
        if is_refused:
            wait = (wanted - left) / self.rate
            raise RequestError(
                "too_fast",
                f"more than {self.rate:g} rows a second from {client}; try again in {wait:.1f} s",
                retry_after=wait,
            )
