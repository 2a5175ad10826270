"""Alerts by HTTP: a bounded queue, a thread, and a few retries, so that no model ever waits for them."""

import http.client
import json
import logging
import queue
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

logger = logging.getLogger("thalweg.alerts")
TIMEOUT = 10.0
PAUSES = (1.0, 4.0, 16.0, 60.0)  # seconds before each retry
MOST_WAITING = 100


class Webhook:
    """Posts data as JSON to an address, in its own thread.

    An answer of status 200 to 299 counts as received. Otherwise it is tried again 1, 4, 16 and 60 seconds
    later, then given up with a line in the log `thalweg.alerts`. A status from 400 to 499 other than 408 and
    429 is given up at once. At most 100 wait; then the oldest is given up.

    Parameters
    ----------
    url : str
        An address of http or https.
    timeout : float
        Seconds until a connection or an answer is given up.
    pauses : sequence of float
        Seconds before each retry.
    """

    def __init__(self, url: str, timeout: float = TIMEOUT, pauses: tuple[float, ...] = PAUSES) -> None:
        check_url(url)
        self._url, self._timeout, self._pauses = url, timeout, pauses
        self._waiting: queue.Queue[Mapping[str, Any] | None] = queue.Queue()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def send(self, data: Mapping[str, Any]) -> None:
        """Send data as JSON, later; never waits."""
        with self._lock:
            while self._waiting.qsize() >= MOST_WAITING:
                lost = self._waiting.get_nowait()
                logger.error("an alert was not sent, as %d others wait: %s", MOST_WAITING, _said(lost))
            self._waiting.put(data)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="thalweg-webhook", daemon=True)
                self._thread.start()

    def close(self, timeout: float = 5.0) -> None:
        """Send what waits, without further retries; wait at most so long."""
        self._stop.set()
        self._waiting.put(None)
        if self._thread is not None:
            self._thread.join(timeout)

    def _run(self) -> None:
        while (data := self._waiting.get()) is not None:
            for pause in (*self._pauses, None):
                problem, again = self._post(data)
                if problem is None:
                    break
                if pause is None or not again or self._stop.wait(pause):
                    logger.error("an alert was not sent to %s: %s: %s", self._host, problem, _said(data))
                    break

    @property
    def _host(self) -> str:
        return str(urlsplit(self._url).hostname)  # the rest of the address may be secret

    def _post(self, data: Mapping[str, Any]) -> tuple[str | None, bool]:
        """Return what went wrong, None if nothing, and whether to try again."""
        body = json.dumps(data, default=str).encode()
        headers = {"Content-Type": "application/json", "User-Agent": "thalweg"}
        request = urllib.request.Request(self._url, body, headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=self._timeout):
                return None, False
        except urllib.error.HTTPError as error:
            error.close()
            return f"status {error.code}", error.code >= 500 or error.code in (408, 429)
        except (OSError, http.client.HTTPException, ValueError) as error:
            return f"{type(error).__name__}: {error}", True


def check_url(url: str | None) -> None:
    """Raise ValueError unless alerts can be sent to this address; None is no address."""
    parts = urlsplit(url or "http://none")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"an alert address must begin with http:// or https:// and a host, got {url!r}")


def _said(data: Mapping[str, Any] | None) -> str:
    return json.dumps(data, default=str)
