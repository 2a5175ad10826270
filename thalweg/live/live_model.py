"""The live model: a durable model that predicts, learns late labels, and survives crashes."""

import threading
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from thalweg._parameters import one_of, real_number, whole_number, wrong
from thalweg.live import checkpoints
from thalweg.live.answering import checked_id
from thalweg.live.engine import Engine
from thalweg.live.errors import LiveError, Recovering
from thalweg.live.folder import adopt_settings, check_folder, first_engine
from thalweg.live.has_engine import HasEngine
from thalweg.live.keeper import LEAST, Keeper
from thalweg.live.label_codes import ADD, REFUSE
from thalweg.live.lock import FolderLock
from thalweg.live.log import Survive
from thalweg.live.operations import add_class, erase, exported, replace
from thalweg.live.origin import origin_of
from thalweg.live.recovery import check_span, check_version, newest_engine, replay
from thalweg.live.requests import LabelRequest, LearnRequest, Outcomes, Predictions, PredictRequest, Request
from thalweg.live.worker import Deliver, Done, Task, Worker, task_of
from thalweg.model import Model
from thalweg.trust.label_budget import LabelBudget
from thalweg.waiting import Ids

WHO = "LiveModel"


class LiveModel(HasEngine):
    """A model whose predictions, late labels and learning are events in a folder, which survive a crash.

    What changes the model is an event: a row predicted with an id, which then waits for its label; a label; a
    row that is learned with its label. No event is acknowledged before it is on disk, in `log.sqlite`. After
    a crash the model is the newest checkpoint and the events after it, bit for bit what it was. Sending a
    request again is harmless if its rows have ids.

    All calls are thread-safe. One thread does the work: it takes all that is queued as one group, so that
    many callers share one flush of the disk. One process owns a folder at a time.

    Parameters
    ----------
    folder : path
        Where the events are. It is made if it does not exist.
    model : Model or None, default=None
        What to start with, of which a copy is used: one that has learned, or one whose columns are those of
        the first rows to learn. For a folder that has events: None, as it has its own model.
    survive : {"power", "process"}, default="power"
        What an acknowledged event survives: a loss of power, or only the end of the process, which needs no
        flush of the disk.
    max_waiting : int or None, default=None
        Most rows that wait for their labels, also in a model that replaces this one; by default that of the
        model. Then the oldest is dropped.
    max_age : float or None, default=None
        Seconds after which a row no longer waits for its label; None for no bound.
    max_known : int, default=100000
        How many ids that wait no longer are remembered, so that sending them again is harmless.
    max_queue : int, default=100000
        Most rows of requests that may be queued; then `QueueFull` is raised.
    label_budget : LabelBudget, float or None, default=None
        Says for each row predicted with an id whether its label would help: a `thalweg.trust.LabelBudget`, or
        the share of rows to ask for. A folder goes on with its own if None, or if parameters are the same.
    new_labels : {"refuse", "add"}, default="refuse"
        What becomes of a label that is no class, once the classes are closed: it is refused alone, with the
        status "unknown_label", and its row goes on waiting; or it is a class from then on. They are closed if
        the model that was put into the folder knows two; one that has learned nothing takes them from labels,
        and is closed after 100 of them if there are two. The `classes` of a `Model` are always closed.
    watch : bool, default=True
        Whether a `thalweg.live.watch.LiveWatch` follows how the model does; it is saved in checkpoints.
    wait : bool, default=True
        Whether to wait until the events after the last checkpoint are replayed. If not, requests raise
        `Recovering` until then, and `failure` says if it failed.
    replay_other_version : bool, default=False
        Whether to replay events that another version of thalweg has written: the model may then differ from
        what was answered.
    lock_timeout : float, default=5
        Seconds to wait for a process that is ending to release the folder.
    checkpoint_seconds : float, default=1
        Least processor time of learning between two checkpoints. By default they take up to 5 % of the work,
        and a start replays at most 10 s of it; with 0 there is one after every group.
    deliver : callable or None, default=None
        Gets the answers of a group as pairs of a `done` and its result, instead of calling each `done`.

    Attributes
    ----------
    folder : Path
        The folder.
    event : int
        Number of events so far.
    n_waiting : int
        Rows that wait for their labels.
    is_recovering : bool
        Whether events are being replayed.
    origin : Origin
        The `digest` of the model that was put into the folder last, `since` when, and after which `event`.
    failure : exception or None
        Why the live model has stopped.

    Examples
    --------
    >>> import tempfile, thalweg
    >>> from thalweg.live import LiveModel
    >>> rows = [{"price": i % 40, "paid": "yes" if i % 40 < 25 else "no"} for i in range(200)]
    >>> model = thalweg.Model(target="paid", learner="NaiveBayes").learn(rows)
    >>> folder = tempfile.mkdtemp()
    >>> with LiveModel(folder, model) as live:
    ...     answer = live.predict([{"price": 11}], ids=["order 7"])
    >>> answer.labels, answer.events
    (['yes'], [1])
    >>> with LiveModel(folder) as live:  # perhaps after a crash, and hours later
    ...     live.label(["order 7"], ["yes"]).statuses, live.label(["order 7"], ["yes"]).statuses
    (['learned'], ['already'])
    """

    def __init__(
        self, folder: str | PathLike[str], model: Model | None = None, *, survive: Survive = "power",
        max_waiting: int | None = None, max_age: float | None = None, max_known: int = 100_000,
        max_queue: int = 100_000, label_budget: LabelBudget | float | None = None,
        new_labels: str = REFUSE, watch: bool = True, wait: bool = True,
        replay_other_version: bool = False, lock_timeout: float = 5.0, checkpoint_seconds: float = LEAST,
        deliver: Deliver | None = None,
    ) -> None:  # fmt: skip
        if survive not in ("power", "process"):
            raise wrong(WHO, "survive", '"power" or "process"', survive)
        if max_waiting is not None:
            whole_number(WHO, "max_waiting", max_waiting, 1)
        if max_age is not None:
            real_number(WHO, "max_age", max_age, above=0)
        one_of(WHO, "new_labels", new_labels, (REFUSE, ADD))
        whole_number(WHO, "max_known", max_known, 1)
        whole_number(WHO, "max_queue", max_queue, 1)
        self.folder = Path(folder)
        self._survive, self._least, self._watch = survive, checkpoint_seconds, watch
        self._settings = max_waiting, max_known, label_budget
        self._is_new = check_folder(self.folder, model)
        self._lock = FolderLock(self.folder, lock_timeout)
        try:
            self._is_new = check_folder(self.folder, model)
            if self._is_new:
                assert model is not None
                first_engine(self.folder, model, max_waiting, max_known, label_budget)
            checkpoints.remove_parts(self.folder)
            self._keeper = Keeper(self.folder, survive, checkpoint_seconds)
            self._engine, self._damaged = newest_engine(self.folder, self._watch)
            self.origin = origin_of(self._keeper.log)
            check_span(self._engine, self._keeper.log, self.folder)
            check_version(self._engine, self._keeper.log, replay_other_version)
        except BaseException:
            if hasattr(self, "_keeper"):
                self._keeper.close()
            self._lock.release()
            raise
        self._worker = Worker(max_queue, max_age, self._recover, self._reload, deliver, new_labels == ADD)
        self._worker.thread.start()
        if wait:
            self._wait_until_ready()

    def _recover(self) -> tuple[Engine, Keeper]:
        """Replay the events after the checkpoint; called in the thread of the live model."""
        replay(self._engine, self._keeper.log)
        self._keeper.begin_version(self._engine.event + 1)
        is_changed = adopt_settings(self._engine, self._keeper.log, *self._settings)
        if is_changed or self._damaged:
            # A damaged file must not be one of the two that are kept, or be taken for one at this event.
            checkpoints.remove(self.folder, self._damaged)
            self._keeper.checkpoint_now(self._engine, again=True)
        return self._engine, self._keeper

    def _reload(self) -> Engine:
        """Return the state that is on disk, instead of one that a failed event has spoilt."""
        self._keeper.wait()
        self._engine, _ = newest_engine(self.folder, self._watch)
        replay(self._engine, self._keeper.log)
        return self._engine

    def _wait_until_ready(self) -> None:
        self._worker.is_ready.wait()
        if self._worker.failure is not None:
            self.close()
            raise self._worker.failure

    def predict(
        self, rows: Any, *, ids: Ids | None = None, durable: bool = True, sets: bool = False
    ) -> Predictions:
        """Predict rows; with `ids` they wait for their labels.

        Parameters
        ----------
        rows : list of dicts, dict, 2-d array or table
            Whatever `thalweg.Model` takes but a path.
        ids : sequence of int or str, or None
            One for each row. Without ids this is a pure read: nothing changes, and nothing is logged.
        durable : bool, default=True
            Whether to answer after the rows are on disk. If not, they are within 50 ms; a crash before that
            loses them, and their labels are then answered with "unknown_id".
        sets : bool, default=False
            Whether to return prediction sets, if the learner is a `thalweg.trust.PredictionSets`.
        """
        return self._ask(PredictRequest(rows, ids, durable, sets))

    def label(self, ids: Ids, labels: Sequence[Any]) -> Outcomes:
        """Learn the labels of rows that were predicted with these ids."""
        return self._ask(LabelRequest(ids, labels))

    def learn(self, rows: Any, labels: Sequence[Any] | None = None, *, ids: Ids | None = None) -> Outcomes:
        """Learn rows with their labels; `ids` make it harmless to send them again.

        Without `labels` they are in the target column of the rows. A row whose id waits is learned as it was
        predicted.
        """
        return self._ask(LearnRequest(rows, labels, ids))  # type: ignore[arg-type]

    def submit(self, request: Request, done: Done) -> None:
        """Queue a request; return at once.

        `done` is called once with the result, or with an exception, from the thread of the live model: after
        the events are on disk, or at once for reads and for predictions that need not be durable. What it
        raises is logged. Requests that are queued at the same time have no order among themselves, unless
        they name the same id. Raises QueueFull, Recovering or LiveStopped.
        """
        if not self._worker.is_ready.is_set():
            raise Recovering(f"{self.folder}: events are being replayed: try again soon")
        self._worker.put(task_of(request, done))

    def read_now(self, request: PredictRequest) -> Predictions | None:
        """Return the answer to a prediction without ids, computed in the calling thread.

        This is None if the live model is busy, if so many rows took more than a millisecond, or if a row
        cannot be read: submit the request then. It is meant for event loops. Signal handlers must not raise
        in the calling thread, as that of Python does in the main thread unless an event loop replaces it.
        """
        return self._worker.read_now(request) if self._worker.is_ready.is_set() else None

    def _ask(self, request: Request) -> Any:
        return self._wait_for(lambda done: self.submit(request, done))

    def _call(self, function: Callable[[], Any]) -> Any:
        """Return what a function returns that is called in the thread of the live model."""
        if not self._worker.is_ready.is_set():
            raise Recovering(f"{self.folder}: events are being replayed: try again soon")
        return self._wait_for(lambda done: self._worker.put(Task(None, function, done, 0)))

    def _wait_for(self, start: Callable[[Done], None]) -> Any:
        if threading.current_thread() is self._worker.thread:
            raise LiveError("a live model cannot wait for itself: call submit in the thread of `done`")
        ready, found = threading.Event(), []

        def done(result: Any) -> None:
            found.append(result)
            ready.set()

        start(done)
        ready.wait()
        if isinstance(found[0], BaseException):
            raise found[0]
        return found[0]

    @property
    def is_recovering(self) -> bool:
        """Whether events are being replayed."""
        return not self._worker.is_ready.is_set()

    @property
    def busy_seconds(self) -> float:
        """Seconds that the present group of requests has taken; 0 if none is being answered."""
        return self._worker.reads.busy_seconds

    @property
    def failure(self) -> BaseException | None:
        """Why the live model has stopped; None if it has not."""
        return self._worker.failure

    def digest(self) -> str:
        """Return a checksum of the state: equal digests mean equal answers, now and after equal events."""
        return str(self._call(lambda: self._engine.digest()))

    def export(self, path: str | PathLike[str]) -> None:
        """Write the model as it is now to a model file, with the rows that wait; `thalweg.load` opens it."""
        model = self._call(lambda: exported(self._engine))
        model.save(path)

    def checkpoint(self) -> int:
        """Write a checkpoint and wait for it; return its event."""
        self._call(lambda: self._keeper.checkpoint_now(self._engine))
        return self.event

    def compact(self) -> int:
        """Remove all events that no checkpoint needs, and give their space back; return how many groups."""
        return int(self._call(self._keeper.compact))

    def erase(self, key: int | str) -> dict[str, Any]:
        """Remove an id, and its row if it waits, from the log and the checkpoints.

        The events before are removed from the log altogether, and older checkpoints too, so the model cannot
        be replayed from before this moment. What was learned from the row stays in the model; learners that
        keep rows, such as those of neighbours or windows, may still hold its inputs, without the id.

        Returns
        -------
        dict
            `was_waiting`, `was_known`; and how many `checkpoints` and `groups` of events were removed.
        """
        found = checked_id(key)
        return dict(self._call(lambda: erase(self._engine, self._keeper, found)))

    def replace(self, model: Model, *, drop_waiting: bool = False) -> int:
        """Go on with another model, between two requests; return the event.

        Rows that wait go on waiting if both models have the same inputs; the new one learns their labels as
        those of ordinary rows. Otherwise this raises LiveError, or drops them with `drop_waiting`.
        """
        most = self._settings[0]
        event = int(self._call(lambda: replace(self._engine, self._keeper, model, drop_waiting, most)))
        self.origin = self._call(lambda: origin_of(self._keeper.log))
        return event

    def add_class(self, label: Any) -> int:
        """Make a label a class, as an event; return its number. From then on the label is learned.

        The model predicts it like a class whose rows it has not met. Raise RowError if it is a class already,
        or cannot be one.
        """
        return int(self._call(lambda: add_class(self._engine, self._keeper, label)))

    def close(self) -> None:
        """Do what is queued, write a checkpoint, and release the folder."""
        worker = self._worker
        worker.close()
        try:
            if worker.failure is None and hasattr(self, "_lock"):
                self._keeper.commit()
                self._keeper.checkpoint_at_end(self._engine)
        finally:
            if hasattr(self, "_lock"):
                self._keeper.close()
                self._lock.release()
                del self._lock

    def __repr__(self) -> str:
        state = "stopped" if self.failure else "closed" if self._worker.is_closed else "recovering"
        state = state if self._worker.failure or self._worker.is_closed or self.is_recovering else "running"
        return f"<LiveModel {str(self.folder)!r}: {state}, event {self.event:,}, {self.n_waiting:,} waiting>"
