"""Alerts about live models: each once per episode, to a web address or as a line of a log."""

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from thalweg._atomic_file import PRIVATE, replacing
from thalweg.live.watch import words
from thalweg.live.webhook import Webhook

logger = logging.getLogger("thalweg.alerts")
PERIOD = 5.0
MOST_SENT = 1000
ACCURACY, DRIFT, SILENCE, DROPPED = "accuracy_fell", "inputs_changed", "labels_stopped", "rows_dropped"
KINDS = (ACCURACY, DRIFT, SILENCE, DROPPED)


@dataclass(frozen=True, slots=True)
class AlertRules:
    """When to alert.

    Attributes
    ----------
    silence : float or None
        Seconds without a label after which labels count as stopped, while rows wait for them. None for three
        times the longest silence of the last 14 days, and at least ten minutes.
    quiet : float
        Seconds without a dropped row after which an episode of drops is over.
    kinds : tuple of str
        What to alert about.
    """

    silence: float | None = None
    quiet: float = 600.0
    kinds: tuple[str, ...] = KINDS

    LEAST_SILENCE = 600.0
    LEAST_LABELS = 20

    def conditions(self, found: Mapping[str, Any], now: float) -> dict[str, "Condition"]:
        """Return what is wrong now, by kind, from a snapshot of a LiveWatch."""
        all_of_them = {
            ACCURACY: _accuracy(found), DRIFT: _drift(found), SILENCE: self._silence(found, now),
            DROPPED: self._dropped(found, now),
        }  # fmt: skip
        return {kind: each for kind, each in all_of_them.items() if each is not None and kind in self.kinds}

    def _silence(self, found: Mapping[str, Any], now: float) -> "Condition | None":
        traffic = found["traffic"]
        last, silence = traffic["last_label"], traffic["silence"]
        if last is None or not found["waiting"] or found["labels"] < self.LEAST_LABELS:
            return None
        limit = self.silence
        if limit is None:
            limit = max(3 * (traffic["longest_silence"] or 0.0), self.LEAST_SILENCE)
        if silence <= limit:
            return None
        seen = {"silence": silence, "limit": limit, "rows_since": traffic["rows_since_label"],
                "waiting": found["waiting"]}
        return Condition(last, f"{last:.3f}", seen, words.silence(found))

    def _dropped(self, found: Mapping[str, Any], now: float) -> "Condition | None":
        n, at = found["counts"]["dropped"], found["counted_at"]["dropped"]
        if not n or at is None or now - at > self.quiet:
            return None
        seen = {"dropped": n, "waiting": found["waiting"]}
        message = f"{n:,} rows in all were dropped before their labels came, as too many wait for labels."
        return Condition(at, "", seen, message)


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that is wrong: since when, a key that tells episodes apart, what was seen, and a sentence.

    Without a key an episode lasts as long as the condition is found at every look.
    """

    began: float
    key: str
    seen: Mapping[str, Any]
    message: str


@dataclass(frozen=True, slots=True)
class Alert:
    """One alert: the model, the kind, when it began and was found, what was seen, and a sentence."""

    model: str
    kind: str
    began: float
    found: float
    seen: Mapping[str, Any]
    message: str

    def to_plain(self) -> dict[str, Any]:
        """Return it as data for JSON."""
        from thalweg import __version__

        return {"source": "thalweg", "version": __version__, **asdict(self)}


@dataclass
class Episodes:
    """Which alerts have been sent, so that each is sent once per episode; it can be kept in a file."""

    sent: dict[str, str] = field(default_factory=dict)

    def new_alerts(self, model: str, conditions: Mapping[str, Condition], now: float) -> list[Alert]:
        """Return the alerts that are due, and remember them; forget those whose conditions are over."""
        found = []
        for kind in KINDS:
            place, condition = f"{model} {kind}", conditions.get(kind)
            if condition is None:
                self.sent.pop(place, None)
            elif self.sent.get(place) != condition.key:
                self.sent[place] = condition.key
                seen, message = dict(condition.seen), condition.message
                found.append(Alert(model, kind, condition.began, now, seen, message))
        return found

    @classmethod
    def read(cls, path: Path | None) -> "Episodes":
        """Return what a file has; an empty one if there is none, or if it cannot be read."""
        try:
            given = {} if path is None else json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            given = {}
        good = isinstance(given, dict) and len(given) <= MOST_SENT
        return cls({str(key): str(value) for key, value in given.items()} if good else {})

    def write(self, path: Path) -> None:
        """Write it to a file, which is replaced as a whole."""
        with replacing(path, mode=PRIVATE) as file:
            file.write(json.dumps(self.sent).encode())


class Alerts:
    """Looks at live models now and then, in a thread of its own, and sends alerts.

    Parameters
    ----------
    snapshots : callable
        Returns the snapshots of all live models by name: see `LiveWatch.snapshot`. Called from the thread.
    url : str or None
        Where to POST alerts as JSON; see `Webhook`.
    log : bool
        Whether to write each alert to the logger `thalweg.alerts`: a sentence, and all else as a dict in the
        attribute `data` of the record, which the logs of `thalweg serve` have as JSON.
    rules : AlertRules or None
        When to alert.
    path : path or None
        A file that keeps which alerts were sent, so that a restart does not send them again.
    period : float
        Seconds between two looks.

    Examples
    --------
    >>> from thalweg.live import AlertRules, Alerts
    >>> alerts = Alerts(lambda: {}, log=True, rules=AlertRules(silence=3600))
    >>> alerts.look()
    []
    """

    def __init__(
        self,
        snapshots: Callable[[], Mapping[str, Mapping[str, Any]]],
        *,
        url: str | None = None,
        log: bool = True,
        rules: AlertRules | None = None,
        path: str | PathLike[str] | None = None,
        period: float = PERIOD,
    ) -> None:
        self._snapshots, self._log, self._rules = snapshots, log, rules or AlertRules()
        self._webhook = None if url is None else Webhook(url)
        self._path = None if path is None else Path(path)
        self._episodes, self._period = Episodes.read(self._path), period
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to look."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="thalweg-alerts", daemon=True)
            self._thread.start()

    def close(self, timeout: float = 5.0) -> None:
        """Stop looking; wait so long for alerts that are being sent."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout)
        if self._webhook is not None:
            self._webhook.close(timeout)

    def look(self, now: float | None = None) -> list[Alert]:
        """Look once, and send what is new; return it."""
        now = time.time() if now is None else now
        before = dict(self._episodes.sent)
        found: list[Alert] = []
        for model, snapshot in self._snapshots().items():
            found += self._episodes.new_alerts(model, self._rules.conditions(snapshot, now), now)
        for alert in found:
            self._send(alert)
        if self._path is not None and self._episodes.sent != before:
            self._episodes.write(self._path)
        return found

    def _send(self, alert: Alert) -> None:
        plain = alert.to_plain()
        if self._log:
            data = {key: value for key, value in plain.items() if key != "message"}
            logger.warning("%s: %s", alert.model, alert.message, extra={"data": data})
        if self._webhook is not None:
            self._webhook.send(plain)

    def _run(self) -> None:
        while not self._stop.wait(self._period):
            try:
                self.look()
            except Exception:  # the next look may succeed, and no model depends on this thread
                logger.exception("the alerts could not be looked for")


def _accuracy(found: Mapping[str, Any]) -> Condition | None:
    if not found["alarm"]["is_open"]:
        return None
    last = found["alarm"]["episodes"][-1]
    return Condition(last["began"], f"label {last['label']}", last, words.fall(last))


def _drift(found: Mapping[str, Any]) -> Condition | None:
    if not found["drift"]["is_open"]:
        return None
    last = found["drift"]["episodes"][-1]
    return Condition(last["began"], f"row {last['row']}", last, words.drift(found))
