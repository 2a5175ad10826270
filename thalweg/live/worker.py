"""The thread of a live model: it takes what is queued as one group, learns it, commits it and answers."""

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from thalweg.live.answering import NO_COLUMNS, Answering, SpoiltBlock, read
from thalweg.live.beginning import begin
from thalweg.live.engine import Engine
from thalweg.live.errors import CommitFailed, LiveError, LiveStopped, QueueFull, RowError
from thalweg.live.keeper import Keeper
from thalweg.live.quick_reads import QuickReads
from thalweg.live.requests import LearnRequest, Predictions, PredictRequest, Request
from thalweg.live.rows import number_of_rows
from thalweg.live.watch.watching import count_statuses

logger = logging.getLogger("thalweg.live")
SOON = 0.04  # seconds until events that need not be on disk at once are committed
MOST_ROWS = 16_384  # in a group
MOST_OPEN = 50_000  # events that wait for a commit
Done = Callable[[Any], object]
Deliver = Callable[[Sequence[tuple[Done, Any]]], object]


class Task(NamedTuple):
    """Something to do in the thread of the live model: a request, or a function to call."""

    request: Request | None
    call: Callable[[], Any] | None
    done: Done
    n_rows: int


class Worker:
    """The queue and the thread. Only this thread touches the engine and the files.

    Parameters
    ----------
    max_queue : int
        Most rows that may be queued.
    max_age : float or None
        Seconds after which a waiting row expires.
    start : callable
        Returns the engine and the keeper; called in the thread, where it may take long.
    reload : callable
        Returns an engine from what is on disk, after the learner has raised an exception.
    deliver : callable or None
        Gets the answers of a group as pairs of a `done` and its result, instead of calling each `done`.
    adds_labels : bool
        Whether a label that is no class becomes one, also where classes are closed.
    """

    def __init__(
        self, max_queue: int, max_age: float | None, start: Callable[[], tuple[Engine, Keeper]],
        reload: Callable[[], Engine], deliver: Deliver | None, adds_labels: bool = True,
    ) -> None:
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._max_queue, self._max_age = max_queue, max_age
        self._start, self._reload, self._deliver = start, reload, deliver or deliver_each
        self._adds_labels = adds_labels
        self._count = threading.Lock()
        self._n_queued = 0
        self._answers: list[tuple[Task, Any]] = []
        self._unanswered: dict[int, Task] = {}  # of those that were taken from the queue
        self._deadline: float | None = None
        self.reads = QuickReads()
        self.failure: BaseException | None = None
        self.is_closed = False
        self.is_ready = threading.Event()
        self.clock: Callable[[], float] = time.time
        self.thread = threading.Thread(target=self._run, name="thalweg live", daemon=True)
        self.engine: Engine
        self.keeper: Keeper

    def put(self, task: Task) -> None:
        """Queue a task; raise QueueFull or LiveStopped."""
        with self._count:
            if self.failure is not None or self.is_closed:
                raise self.stopped()
            if task.n_rows and self._n_queued + task.n_rows > self._max_queue and self._n_queued:
                n, most = self._n_queued, self._max_queue
                raise QueueFull(f"{n:,} rows are queued, and at most {most:,} may be: try again soon")
            self._n_queued += task.n_rows
            self._tasks.put(task)

    def read_now(self, request: PredictRequest) -> Predictions | None:
        """Return the answer to a read, in the calling thread; None if it must be queued."""
        return self.reads.answer(lambda: None if self.failure or self.is_closed else self.engine, request)

    def stopped(self) -> LiveError:
        """Return why nothing is done any more."""
        if isinstance(self.failure, CommitFailed):
            return CommitFailed(str(self.failure))
        if self.failure is not None:
            return LiveStopped(f"the live model has stopped: {self.failure}")
        return LiveStopped("the live model was closed: open its folder again")

    def _run(self) -> None:
        try:
            self.engine, self.keeper = self._start()
        except BaseException as error:
            self.failure = error
        self.is_ready.set()
        while self.failure is None and (tasks := self._take()) is not None:
            try:
                with self.reads.paused():
                    self._handle(tasks)
            except BaseException as error:
                logger.error("the live model has stopped: %s", error)
                self.failure = error
                self._answers = [(task, self.stopped()) for task in self._unanswered.values()]
                self._flush()
        self._refuse_rest()

    def _refuse_rest(self) -> None:
        with self._count:
            self.is_closed = True
        while not self._tasks.empty():
            task = self._tasks.get()
            if task is not None:
                self._answers.append((task, self.stopped()))
        self._flush()

    def _take(self) -> list[Task] | None:
        """Wait for tasks and return all that are queued, up to a bound; None to end."""
        timeout = None if self._deadline is None else max(self._deadline - time.monotonic(), 0.0)
        try:
            task = self._tasks.get(timeout=timeout)
        except queue.Empty:
            self._commit()
            return []
        tasks, n_rows = [], 0
        while task is not None:
            tasks.append(task)
            n_rows += task.n_rows
            if n_rows >= MOST_ROWS:
                break
            try:
                task = self._tasks.get_nowait()
            except queue.Empty:
                break
        else:
            if not tasks:
                return None
            self._tasks.put(None)  # the end comes after what was queued before
        with self._count:
            self._n_queued -= n_rows
        self._unanswered = {id(task): task for task in tasks}
        return tasks

    def _handle(self, tasks: list[Task]) -> None:
        """Do tasks; calls come after the requests before them."""
        requests: list[Task] = []
        for task in tasks:
            if task.call is None:
                requests.append(task)
                continue
            self._answer(requests)
            requests = []
            self._commit()
            try:
                result = task.call()
            except LiveStopped:
                raise
            except Exception as error:
                result = error
            self._answers.append((task, result))
            self._flush()
        self._answer(requests)

    def _answer(self, tasks: list[Task]) -> None:
        start = time.thread_time()
        reads = [task for task in tasks if _is_read(task.request)]
        if reads:
            self._read(reads)
        writes = [task for task in tasks if not _is_read(task.request)] if len(reads) < len(tasks) else []
        while writes and not self.engine.has_begun:
            self._begin(writes.pop(0))
        if writes:
            if self.engine.learner.observes:
                writes = predictions_first(writes)
            self._write(writes)
            self.keeper.worked(time.thread_time() - start)
            if self.keeper.is_due():
                self._commit()
                self.keeper.checkpoint(self.engine)

    def _read(self, tasks: list[Task]) -> None:
        if not self.engine.has_begun:
            self._answers += [(task, LiveError(NO_COLUMNS)) for task in tasks]
        else:
            start = time.thread_time()
            results = read(self.engine, [task.request for task in tasks])  # type: ignore[misc]
            self.reads.note(sum(task.n_rows for task in tasks), time.thread_time() - start)
            for task, found in zip(tasks, results, strict=True):
                self._answers.append((task, self._refused(found) if isinstance(found, Exception) else found))
        self._flush()

    def _begin(self, task: Task) -> None:
        request = task.request
        try:
            if not isinstance(request, LearnRequest):
                raise LiveError(NO_COLUMNS)
            group, outcomes = begin(self.engine, request, self._now())
        except LiveStopped:
            raise
        except Exception as error:
            self._answers.append((task, error))
        else:
            if group is not None:
                self.keeper.add(group, self.engine.event - len(group) + 1)
                self._commit()
            self._answers.append((task, outcomes))
        self._flush()

    def _now(self) -> float:
        return max(self.clock(), self.engine.time)

    def answering(self) -> Answering:
        """Return what decides about the next group of requests."""
        return Answering(self.engine, self._now(), self._max_age, self._adds_labels)

    def _write(self, tasks: list[Task]) -> None:
        answering, accepted = self.answering(), []
        answers: list[tuple[Task, Any]] = []
        for task in tasks:
            assert task.request is not None
            try:
                answering.add(task.request)
                accepted.append(task)
            except SpoiltBlock as error:
                logger.exception("a request failed half way")
                self._answers += answers
                self._start_again([each for each in tasks if id(each) not in _refused(answers)], error)
                return
            except Exception as error:
                answers.append((task, self._refused(error)))
        first = self.engine.event + 1
        try:
            group, results = answering.finish()
        except Exception as error:
            self._answers += answers
            self._start_again(accepted, error)
            return
        answers += [(task, result) for task, result in zip(accepted, results, strict=True)]
        if group is not None:
            self.keeper.add(group, first)
        count_statuses(self.engine, self.engine.time, results, len(answers) - len(results))
        self._answers += answers
        is_soon = all(type(each.request) is PredictRequest and not each.request.durable for each in accepted)
        if is_soon and accepted and self.keeper.n_open < MOST_OPEN:
            if self._deadline is None and self.keeper.n_open:
                self._deadline = time.monotonic() + SOON
        else:
            self._commit()
        self._flush()

    def _refused(self, error: Exception) -> LiveError:
        """Return the answer to a request that could not be read."""
        if isinstance(error, LiveError):
            return error
        logger.error("a request was refused", exc_info=error)
        return RowError(f"the rows cannot be read: {type(error).__name__}: {error}")

    def _start_again(self, tasks: list[Task], error: Exception) -> None:
        """Go back to the events before these tasks, because the learner has raised; do each task alone."""
        logger.error("the learner has raised %s: %s", type(error).__name__, error)
        self._commit()
        self.engine = self._reload()
        if len(tasks) == 1:
            self._answers.append((tasks[0], LiveError(f"the learner has raised {error!r}")))
            self._flush()
            return
        for task in tasks:
            self._write([task])

    def _commit(self) -> None:
        self._deadline = None
        self.keeper.commit()

    def _flush(self) -> None:
        """Pass the answers on."""
        answers, self._answers = self._answers, []
        if answers:
            for task, _ in answers:
                self._unanswered.pop(id(task), None)
            try:
                self._deliver([(task.done, result) for task, result in answers])
            except Exception:
                logger.exception("answers could not be delivered")

    def close(self) -> None:
        """Do what is queued, then end the thread."""
        self.is_closed = True
        self._tasks.put(None)
        if threading.current_thread() is not self.thread:
            self.thread.join()


def _refused(answers: Sequence[tuple[Task, Any]]) -> set[int]:
    return {id(task) for task, _ in answers}


def _is_read(request: Request | None) -> bool:
    return type(request) is PredictRequest and request.ids is None


def deliver_each(answers: Sequence[tuple[Done, Any]]) -> None:
    """Call each `done` with its result; one that raises does not keep the others from theirs."""
    for done, result in answers:
        try:
            done(result)
        except Exception:
            logger.exception("an answer could not be delivered")


def predictions_first(tasks: list[Task]) -> list[Task]:
    """Return tasks with predictions first, as far as they name other ids than the tasks before them."""
    first: list[Task] = []
    rest: list[Task] = []
    named: set[Any] = set()
    for task in tasks:
        request = task.request
        assert request is not None
        if isinstance(request, PredictRequest) and (not rest or named.isdisjoint(_ids(request))):
            first.append(task)
        else:
            rest.append(task)
            named.update(_ids(request))
    return first + rest


def _ids(request: Request) -> Sequence[Any]:
    ids = request.ids
    if ids is None or isinstance(ids, str | int):
        return () if ids is None else (ids,)
    try:
        return list(ids.tolist() if hasattr(ids, "tolist") else ids)
    except TypeError:
        return ()


def task_of(request: Request, done: Done) -> Task:
    """Return the task of a request; raise RowError if it has no rows that could be counted."""
    n = number_of_rows(request.rows) if hasattr(request, "rows") else len(_ids(request))
    return Task(request, None, done, max(n, 1))
