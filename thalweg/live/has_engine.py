"""What a live model and its followers show of the state."""

from typing import Self

from thalweg.live.engine import Engine
from thalweg.live.watch.live_watch import LiveWatch
from thalweg.model import Model


class HasEngine:
    """Base of what has an engine, and has to be closed."""

    _engine: Engine

    @property
    def event(self) -> int:
        """Number of events so far."""
        return self._engine.event

    @property
    def model(self) -> Model:
        """The model as it is now. Read it only: what it learns elsewhere is lost."""
        return self._engine.model

    @property
    def watch(self) -> LiveWatch | None:
        """What is known about how the model does; None before its first row."""
        return self._engine.watch

    @property
    def n_waiting(self) -> int:
        """Number of rows that wait for their labels."""
        return len(self._engine.waiting) if self._engine.has_begun else 0

    def close(self) -> None:
        """End the work."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
