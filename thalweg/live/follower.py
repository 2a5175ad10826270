"""A read-only copy of a live model that follows its log."""

import queue
import threading
import time
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

from thalweg.live.answering import NO_COLUMNS, read
from thalweg.live.errors import LiveError, LiveStopped, LogDamaged, ReadOnly, Recovering
from thalweg.live.has_engine import HasEngine
from thalweg.live.log import Log
from thalweg.live.quick_reads import QuickReads
from thalweg.live.recovery import check_version, newest_engine, replay
from thalweg.live.requests import Predictions, PredictRequest, Request
from thalweg.live.worker import Done, Task, deliver_each, task_of

TRIES = 3


class LiveFollower(HasEngine):
    """Predicts from a folder whose live model another process owns, and follows its events.

    It reads the newest checkpoint and the events after it, and then new events as they come, so it is a
    moment behind the owner. At the same event it is the same model, bit for bit. Only predictions without ids
    are answered; everything else goes to the owner of the folder, and raises ReadOnly here. Any number of
    followers may share a folder. Threads may share a follower.

    Parameters
    ----------
    folder : path
        The folder of a live model.
    period : float, default=0.01
        Seconds between two looks at the log.
    wait : bool, default=True
        Whether to wait until all events so far have been read; if not, predictions raise Recovering.
    replay_other_version : bool, default=False
        As for `LiveModel`.

    Attributes
    ----------
    event : int
        Number of events that were read.
    """

    def __init__(
        self, folder: str | PathLike[str], *, period: float = 0.01, wait: bool = True,
        replay_other_version: bool = False,
    ) -> None:  # fmt: skip
        self.folder, self.period, self._allow_other = Path(folder), period, replay_other_version
        if not self.folder.is_dir():
            raise LiveError(f"{folder}: there is no such folder")
        self._log = Log(self.folder, read_only=True)
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._unanswered: list[Task] = []  # of those that were taken from the queue
        self._ending = threading.Lock()
        self._reads = QuickReads()
        try:
            self._load()
        except BaseException:
            self._log.close()  # an open log would keep the owner from opening the folder
            raise
        self.failure: BaseException | None = None
        self._is_ready, self._is_closed = threading.Event(), False
        self._has_ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="thalweg follower", daemon=True)
        self._thread.start()
        if wait:
            self._is_ready.wait()
            if self.failure is not None:
                self.close()
                raise self.failure

    def _load(self) -> None:
        """Read the newest checkpoint; the owner may be replacing it, so this is tried more than once."""
        for attempt in range(TRIES):
            try:
                self._erasures = self._log.erasures()
                self._engine, _ = newest_engine(self.folder)
                break
            except LogDamaged:
                if attempt == TRIES - 1:
                    raise
                time.sleep(self.period)
        check_version(self._engine, self._log, self._allow_other)

    def _run(self) -> None:
        tasks: list[Task] | None = []
        try:
            self._refresh()
            self._is_ready.set()
            seen = time.monotonic()
            while (tasks := self._take()) is not None:
                with self._reads.paused():
                    if time.monotonic() - seen >= self.period:
                        self._refresh()
                        seen = time.monotonic()
                    self._answer(tasks)
        except Exception as error:
            self.failure = error
        with self._ending:
            self._is_closed = True
        self._is_ready.set()
        while not self._tasks.empty():
            if (task := self._tasks.get()) is not None:
                self._unanswered.append(task)
        self._deliver([(task, self._stopped()) for task in self._unanswered])

    def _put(self, task: Task) -> None:
        """Queue a task; raise LiveStopped if nobody would do it."""
        with self._ending:
            if self._is_closed:
                raise self._stopped()
            self._tasks.put(task)

    def _deliver(self, answers: list[tuple[Task, Any]]) -> None:
        done = {id(task) for task, _ in answers}
        self._unanswered = [task for task in self._unanswered if id(task) not in done]
        deliver_each([(task.done, result) for task, result in answers])

    def _refresh(self) -> None:
        """Read new events; begin again from a checkpoint if the owner has removed some or erased an id."""
        for attempt in range(TRIES):
            try:
                if self._log.erasures() != self._erasures:
                    self._load()
                replay(self._engine, self._log)
                return
            except LogDamaged:
                if attempt == TRIES - 1:
                    raise
                self._load()

    def _take(self) -> list[Task] | None:
        try:
            task = self._tasks.get(timeout=self.period)
        except queue.Empty:
            return []
        tasks = []
        while task is not None:
            tasks.append(task)
            self._unanswered.append(task)
            if self._tasks.empty():
                return tasks
            task = self._tasks.get()
        if not tasks:
            return None
        self._tasks.put(None)  # what came before the end is answered
        return tasks

    def _answer(self, tasks: list[Task]) -> None:
        reads = [task for task in tasks if task.call is None]
        if reads and not self._engine.has_begun:
            self._deliver([(task, LiveError(NO_COLUMNS)) for task in reads])
        elif reads:
            start = time.thread_time()
            results: list[Any]
            try:
                results = read(self._engine, [task.request for task in reads])  # type: ignore[misc]
            except Exception as error:
                results = [error] * len(reads)
            else:
                self._reads.note(sum(task.n_rows for task in reads), time.thread_time() - start)
            self._deliver([*zip(reads, results, strict=True)])
        for task in tasks:
            if task.call is not None:
                self._deliver([(task, task.call())])

    def submit(self, request: Request, done: Done) -> None:
        """Queue a prediction without ids; `done` gets the result from the thread of the follower."""
        if not isinstance(request, PredictRequest) or request.ids is not None:
            self._refuse("what changes the model")
        if not self._is_ready.is_set():
            raise Recovering(f"{self.folder}: events are being replayed: try again soon")
        self._put(task_of(request, done))

    def read_now(self, request: PredictRequest) -> Predictions | None:
        """Return the answer to a prediction in the calling thread, or None, as `LiveModel.read_now` does."""
        if self.is_recovering or self._is_closed:
            return None
        return self._reads.answer(lambda: self._engine, request)

    def _stopped(self) -> LiveStopped:
        why = "was closed" if self.failure is None else f"has stopped: {self.failure}"
        return LiveStopped(f"the follower {why}; open it again")

    def _refuse(self, what: str) -> NoReturn:
        raise ReadOnly(f"a follower only predicts: send {what} to the owner of {self.folder}")

    def predict(self, rows: Any, *, sets: bool = False) -> Predictions:
        """Predict rows, as `LiveModel.predict` does without ids."""
        found: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.submit(PredictRequest(rows, sets=sets), found.put)
        return self._result(found.get())

    def _result(self, result: Any) -> Any:
        if isinstance(result, BaseException):
            raise result
        return result

    def _call(self, function: Any) -> Any:
        found: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._put(Task(None, function, found.put, 0))
        return self._result(found.get())

    def refresh(self) -> int:
        """Read all events that are on disk now; return the number of the last one."""
        self._call(self._refresh)
        return self.event

    def label(self, *args: Any, **options: Any) -> NoReturn:
        """Raise ReadOnly."""
        self._refuse("labels")

    def learn(self, *args: Any, **options: Any) -> NoReturn:
        """Raise ReadOnly."""
        self._refuse("rows to learn")

    def digest(self) -> str:
        """Return the checksum of `LiveModel.digest`: equal at the same event."""
        return str(self._call(lambda: self._engine.digest()))

    @property
    def busy_seconds(self) -> float:
        """Seconds that the present group of requests has taken; 0 if none is being answered."""
        return self._reads.busy_seconds

    @property
    def is_recovering(self) -> bool:
        """Whether the first events are being read."""
        return not self._is_ready.is_set()

    def close(self) -> None:
        """End following."""
        self._is_closed = True
        self._tasks.put(None)
        self._thread.join()
        self._log.close()

    def __repr__(self) -> str:
        return f"<LiveFollower {str(self.folder)!r}: event {self.event:,}, {self.n_waiting:,} waiting>"
