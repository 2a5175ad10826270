"""How new keys begin: cold, as a copy of a shared learner that is less sure of itself, or mixed with it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from thalweg._native.kernel import Kernel
from thalweg._parameters import one_of
from thalweg._types import State
from thalweg.errors import ParameterError
from thalweg.learners.base.native import NativeClassifier
from thalweg.learners.base.stream_classifier import StreamClassifier


class Start:
    """What the parameters `start` and `shared` of a bank mean for learners like `like`."""

    def __init__(self, start: str, shared: Any, like: StreamClassifier) -> None:
        self.kind = one_of("Bank", "start", start, ("cold", "copy", "mix"))
        self.shared = None if shared is None else getattr(shared, "learner_", shared)
        self._like = like
        if (self.shared is None) != (self.kind == "cold"):
            problem = 'must be given with start="copy" or "mix"' if self.shared is None else (
                'is given: say how new keys use it, start="copy" or start="mix"'
            )
            raise ParameterError.of("Bank", "shared", problem=problem)
        if self.shared is not None:
            self._check()
            self.shared = self.shared.copy()  # nobody else teaches it
        self._begin = None if self.shared is None else _less_sure(self.shared)
        if self.kind == "copy" and self._begin is None:
            problem = f'is of {type(like).__name__}, which cannot become less sure of itself: use start="mix"'
            raise ParameterError.of("Bank", "shared", problem=problem)

    def _check(self) -> None:
        """Raise ParameterError unless the shared learner is of the kind and shape of the keys' learners."""
        shared, like = self.shared, self._like
        if type(shared) is not type(like):
            problem = f"must be a {type(like).__name__}, as the learner is, got {type(shared).__name__}"
        elif not shared._begun or shared.classes_.tolist() != like.classes_.tolist():
            problem = f"must know the classes {like.classes_.tolist()}, in this order"
        elif shared.n_features_in_ != like.n_features_in_:
            problem = f"must have {like.n_features_in_} inputs, got {shared.n_features_in_}"
        else:
            return
        raise ParameterError.of("Bank", "shared", problem=problem)

    def arrays(self) -> State | None:
        """Return the arrays of a new key's kernel, None if they are those of a new one."""
        return self._begin

    def shared_kernel(self) -> Kernel | None:
        """Return the kernel of the learner that is mixed in, or None."""
        found: Any = self.mixed_in
        return None if found is None else found._handle()

    @property
    def mixed_in(self) -> StreamClassifier | None:
        """The learner that is mixed in, or None."""
        return self.shared if self.kind == "mix" else None

    def around(self, make: Callable[[int], StreamClassifier]) -> Callable[[int], StreamClassifier]:
        """Return `make` with the learners it makes begun as they should."""
        begin = self._begin
        if begin is None:
            return make

        def begun(number: int) -> StreamClassifier:
            learner: Any = make(number)
            learner._kernel.reset({name: np.array(array) for name, array in begin.items()})
            return learner

        return begun


def _less_sure(learner: StreamClassifier) -> State | None:
    return learner._less_sure() if isinstance(learner, NativeClassifier) else None
