"""Reads that are answered in the calling thread: passing them to another thread and back costs more."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from thalweg.live.answering import read
from thalweg.live.engine import Engine
from thalweg.live.requests import Predictions, PredictRequest
from thalweg.live.rows import number_of_rows

LONGEST = 0.001  # seconds that a caller may be held up


class QuickReads:
    """Answers reads while the thread of a live model is idle, if reads of this size have been quick."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_wanted = False  # by the thread, which many reads one after another must not keep waiting
        self._seconds: dict[int, float] = {}  # of the latest read, by the bits of its number of rows
        self._since: float | None = None  # when the thread began what it does now

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Answer nothing while the thread of the live model uses the engine."""
        self._is_wanted = True
        with self._lock:
            self._since = time.monotonic()
            try:
                yield
            finally:
                self._since = None
                self._is_wanted = False

    @property
    def busy_seconds(self) -> float:
        """Seconds since the thread of the live model began what it does now; 0 if it is idle."""
        since = self._since
        return 0.0 if since is None else time.monotonic() - since

    def note(self, n: int, seconds: float) -> None:
        """Remember how long a read of `n` rows took."""
        self._seconds[n.bit_length()] = seconds

    def answer(self, engine: Callable[[], Engine | None], request: PredictRequest) -> Predictions | None:
        """Return what is predicted; None if this would take long, the engine is in use, or a row is wrong.

        `engine` returns the engine, or None if it cannot be used. A signal handler that raises must not be
        called here: the lock would stay held.
        """
        n = number_of_rows(request.rows)
        is_quick = request.ids is None and self._seconds.get(n.bit_length(), LONGEST) < LONGEST
        if self._is_wanted or not is_quick or not self._lock.acquire(blocking=False):
            return None
        try:
            found = engine()
            if found is None or not found.has_begun:
                return None
            start = time.thread_time()
            result = read(found, [request])[0]
            self.note(n, time.thread_time() - start)
            return result if isinstance(result, Predictions) else None
        except Exception:  # the thread of the live model will raise it again, and say so
            return None
        finally:
            self._lock.release()
