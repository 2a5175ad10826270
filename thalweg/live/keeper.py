"""What is on disk of a live model: commits to the log, checkpoints when they are due, compaction."""

import logging
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thalweg import __version__
from thalweg._types import State
from thalweg.live import checkpoints
from thalweg.live.engine import Engine, packed
from thalweg.live.events import Group, to_bytes
from thalweg.live.log import Entry, Log, Survive

logger = logging.getLogger("thalweg.live")
WORK = 20.0  # times the cost of a checkpoint: 5 % of the work goes into checkpoints
LEAST, MOST = 1.0, 10.0  # seconds of work between two checkpoints


class Keeper:
    """Writes events and checkpoints into a folder whose lock the caller holds.

    Only the thread of the live model calls it. A checkpoint is copied there and written in another thread.
    """

    def __init__(self, folder: Path, survive: Survive, least: float = LEAST) -> None:
        self.folder, self._least = folder, least
        self.log = Log(folder, survive)
        self._entries: list[Entry] = []
        self._time = 0.0
        self._worked, self._cost = 0.0, 0.0
        self._writer: threading.Thread | None = None
        self._written_at = -1  # event of the newest checkpoint
        self._remove_below = 0
        self.n_checkpoints = 0
        self.checkpoint_error: str | None = None
        self._events_on_disk()

    def _events_on_disk(self) -> None:
        events = checkpoints.events_of(self.folder)
        self._written_at = events[0] if events else -1
        if len(events) >= checkpoints.KEPT:
            self._remove_below = events[checkpoints.KEPT - 1] + 1

    @property
    def n_open(self) -> int:
        """Number of events that are not on disk yet."""
        return sum(each.n for each in self._entries)

    def add(self, group: Group, first: int) -> None:
        """Take a group for the next commit."""
        self._entries.append(Entry(first, len(group), to_bytes(group)))
        self._time = group.time

    def commit(self, notes: Mapping[str, str] | None = None) -> None:
        """Write all groups that were added, and `notes` with them; when this returns they are on disk."""
        if self._entries or notes:
            self.log.append(self._entries, self._time, self._remove_below, notes)
            self._entries = []

    def discard(self) -> None:
        """Forget the groups that were added and are not on disk."""
        self._entries = []

    def worked(self, seconds: float) -> None:
        """Note processor time that replaying the last events would take."""
        self._worked += seconds

    def is_due(self) -> bool:
        """Return whether it is time for a checkpoint."""
        wait = min(max(WORK * self._cost, self._least), max(MOST, self._least)) if self._least else 0.0
        return self._worked >= wait and self._writer is None

    def checkpoint(self, engine: Engine) -> None:
        """Copy the state, all of whose events are on disk; write it in another thread."""
        start = time.thread_time()
        state = engine.state()
        copied, self._worked = time.thread_time() - start, 0.0
        self._writer = threading.Thread(
            target=self._write, args=(engine.event, *state, copied), name="thalweg checkpoint", daemon=True
        )
        self._writer.start()

    def _write(self, event: int, model: State, live: dict[str, Any], copied: float) -> None:
        start = time.thread_time()
        try:
            self._write_file(event, model, live)
            self._cost = copied + time.thread_time() - start
        except Exception as error:
            self._note_failure(event, error)
        finally:
            self._writer = None

    def _note_failure(self, event: int, error: Exception) -> None:
        """Log that there is no checkpoint: the log has everything, so only the next start takes longer."""
        self.checkpoint_error = f"{type(error).__name__}: {error}"
        logger.error("no checkpoint was written at event %d: %s", event, self.checkpoint_error)

    def _write_file(self, event: int, model: State, live: dict[str, Any]) -> None:
        checkpoints.write(self.folder, event, model, packed(live))
        checkpoints.remove_old(self.folder)
        self.n_checkpoints += 1
        self.checkpoint_error = None
        self._events_on_disk()

    def wait(self) -> None:
        """Wait until the checkpoint that is being written is done."""
        writer = self._writer
        if writer is not None:
            writer.join()

    def checkpoint_now(self, engine: Engine, again: bool = False) -> None:
        """Write a checkpoint and wait for it; not if there is one at this event, unless `again`."""
        self.wait()
        if again or self._written_at != engine.event:
            self._write_file(engine.event, *engine.state())
            self._worked = 0.0

    def checkpoint_at_end(self, engine: Engine) -> None:
        """Write a checkpoint if the disk has room; wait for it."""
        try:
            self.checkpoint_now(engine)
        except OSError as error:
            self._note_failure(engine.event, error)

    def begin_version(self, first: int) -> None:
        """Note that events from `first` on are written by this version of thalweg."""
        self.log.begin_version(first, __version__)

    def compact(self) -> int:
        """Remove all groups that no checkpoint needs; return how many."""
        self.wait()
        removed = 0
        while n := self.log.remove(self._remove_below):
            removed += n
        self.log.shrink()
        return removed

    def forget_before(self, engine: Engine) -> dict[str, int]:
        """Write a checkpoint, then remove all older ones and the whole log; return what was removed."""
        self.wait()
        old = [each for each in checkpoints.events_of(self.folder) if each != engine.event]
        n_groups = self.log.size()[0]
        self.checkpoint_now(engine, again=True)
        checkpoints.remove_old(self.folder, keep=1)
        checkpoints.remove_parts(self.folder)
        checkpoints.flush_folder(self.folder)
        # The number tells followers of several erasures at one event. The checkpoint has the changes.
        number = str(int(self.log.meta("erasures") or 0) + 1)
        self.log.set_all({"emptied": str(engine.event), "erasures": number, "changes": "[]"})
        while self.log.remove(engine.event + 1):
            pass
        self.log.shrink()
        self._events_on_disk()
        return {"checkpoints": len(old), "groups": n_groups}

    def close(self) -> None:
        """Close the log."""
        self.wait()
        self.log.close()
