"""Requests in a given order and a note about where they came from, in one commit."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from thalweg.live.answering import NO_COLUMNS, SpoiltBlock
from thalweg.live.engine import Engine
from thalweg.live.errors import LiveError, LiveStopped, RowError
from thalweg.live.requests import Request, Result
from thalweg.live.watch.watching import count_statuses

if TYPE_CHECKING:
    from thalweg.live.live_model import LiveModel
    from thalweg.live.worker import Worker

Answer = Result | LiveError
Notes = Callable[[Sequence[Answer]], Mapping[str, str]]


def apply(live: "LiveModel", requests: Sequence[Request], notes: Notes) -> list[Answer]:
    """Do requests in their order; return an answer for each, an error if it was refused.

    Events and the text that `notes` returns for the answers are written in one commit: after a crash both are
    there or neither. Predictions must have ids.
    """
    return list(live._call(lambda: _Applying(live._worker, requests).run(notes)))


def note(live: "LiveModel", name: str) -> str | None:
    """Return the text that was last written under a name."""
    found = live._call(lambda: live._worker.keeper.log.meta(f"note {name}"))
    return None if found is None else str(found)


class _Applying:
    """One call of `apply`, in the thread of the live model, which has committed all that came before."""

    def __init__(self, worker: "Worker", requests: Sequence[Request]) -> None:
        self._worker, self._requests = worker, requests
        self._failed: dict[int, LiveError] = {}

    @property
    def _engine(self) -> Engine:
        return self._worker.engine

    def run(self, notes: Notes) -> list[Answer]:
        if not self._engine.has_begun:
            raise LiveError(NO_COLUMNS)
        start, keeper = time.thread_time(), self._worker.keeper
        answers = self._at_once(range(len(self._requests)))
        try:
            while answers is None:
                self._go_back()
                answers = self._one_by_one()
            said = {f"note {name}": text for name, text in notes(answers).items()}
        except BaseException:
            self._go_back()
            raise
        keeper.commit(said)
        keeper.worked(time.thread_time() - start)
        if keeper.is_due():
            keeper.checkpoint(self._engine)
        return answers

    def _go_back(self) -> None:
        """Return to what is on disk."""
        self._worker.keeper.discard()
        self._worker.engine = self._worker._reload()

    def _at_once(self, places: Sequence[int]) -> list[Answer] | None:
        """Do requests as one group; return their answers, None if the learner has raised an exception."""
        engine, worker = self._engine, self._worker
        answering = worker.answering()
        refused: dict[int, LiveError] = {}
        for i in places:
            try:
                answering.add(self._requests[i])
            except SpoiltBlock as error:
                self._note_failure(places, error)
                return None
            except Exception as error:
                refused[i] = error if isinstance(error, LiveError) else RowError(f"cannot be read: {error}")
        first = engine.event + 1
        try:
            group, results = answering.finish()
        except LiveStopped:
            raise
        except Exception as error:
            self._note_failure(places, error)
            return None
        if group is not None:
            worker.keeper.add(group, first)
        count_statuses(engine, engine.time, results, len(refused))
        rest = iter(results)
        return [refused[i] if i in refused else next(rest) for i in places]

    def _note_failure(self, places: Sequence[int], error: Exception) -> None:
        if len(places) == 1:
            self._failed[places[0]] = LiveError(f"the learner has raised {error.__cause__ or error!r}")

    def _one_by_one(self) -> list[Answer] | None:
        """Do each request alone but for those that have failed; None if one more has failed."""
        answers: list[Any] = []
        for i in range(len(self._requests)):
            found = [self._failed[i]] if i in self._failed else self._at_once([i])
            if found is None:
                return None
            answers += found
        return answers
