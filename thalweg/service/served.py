"""The live models of a service, by name."""

import re
from collections.abc import Iterator
from typing import Any

from thalweg.errors import ParameterError
from thalweg.service.arrays import InputColumns
from thalweg.service.described import input_columns, is_begun
from thalweg.service.failures import RETRY_SECONDS
from thalweg.service.groups import Groups
from thalweg.service.limits import Limits
from thalweg.service.request_error import RequestError

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Served:
    """A live model with its name and the requests to it."""

    def __init__(self, name: str, live: Any, limits: Limits) -> None:
        self.name, self.live, self._limits = name, live, limits
        self._groups: Groups | None = None
        self._known_model: Any = None
        self._known: InputColumns | None = None

    @property
    def groups(self) -> Groups:
        """The requests to the model; raise RequestError if it cannot answer yet, or no longer."""
        self.check_ready()
        if self._groups is None:
            self._groups = Groups(self.live, self._limits.max_pending)
        self._groups.columns = self.columns()
        return self._groups

    def check_ready(self) -> None:
        """Raise RequestError while the model replays its log, and after it has failed."""
        failure = getattr(self.live, "failure", None)
        if failure is not None:
            raise RequestError("stopped", f"{self.name} has stopped: {failure}")
        if self.live.is_recovering:
            what = f"{self.name} is replaying its log, at event {self.live.event:,}"
            raise RequestError("recovering", what, retry_after=RETRY_SECONDS)

    @property
    def n_pending(self) -> int:
        """Rows that were asked for and are not answered yet."""
        return self._groups.n_pending if self._groups is not None else 0

    def columns(self) -> InputColumns | None:
        """Return the columns of the model; None as long as it has none."""
        model = self.live.model
        if model is not self._known_model:
            if not is_begun(model):
                return None
            self._known, self._known_model = input_columns(model), model
        return self._known

    @property
    def busy_seconds(self) -> float:
        """Seconds that the model has worked on one group of requests, once they are more than the limit."""
        seconds = float(getattr(self.live, "busy_seconds", 0.0))
        return seconds if seconds > self._limits.busy_seconds else 0.0

    @property
    def state(self) -> str:
        """Return "ready", "busy", "recovering" or "stopped"."""
        if getattr(self.live, "failure", None) is not None:
            return "stopped"
        if self.live.is_recovering:
            return "recovering"
        return "busy" if self.busy_seconds else "ready"


class ServedModels:
    """All models of a service."""

    def __init__(self, models: dict[str, Any], limits: Limits) -> None:
        if not models:
            raise ParameterError.of("serve", "models", problem="must be at least one")
        for name in models:
            if not NAME.fullmatch(name):
                problem = f"must be letters, digits, dots, dashes and underscores, at most 64, got {name!r}"
                raise ParameterError.of("serve", "name", problem=problem)
        self._models = {name: Served(name, live, limits) for name, live in models.items()}

    def __iter__(self) -> Iterator[Served]:
        return iter(self._models.values())

    def __len__(self) -> int:
        return len(self._models)

    def find(self, name: str) -> Served:
        """Return a model by name; raise RequestError if there is none."""
        found = self._models.get(name)
        if found is None:
            known = ", ".join(sorted(self._models))
            raise RequestError("no_such_model", f"there is no model {name[:80]!r}; there are {known}")
        return found
