"""What learners made from models of other libraries share."""

import copy
from typing import Any

from thalweg._types import State
from thalweg.errors import StateError
from thalweg.learners.base.stream_classifier import StreamClassifier


class ForeignLearner(StreamClassifier):
    """A learner whose knowledge is in the model of another library.

    Copies and pickles hold the model itself. Model files cannot: nothing is known of what is in it.
    """

    can_be_saved = False
    model: Any
    _model: Any

    @property
    def model_(self) -> Any:
        """The model as it is now."""
        self._check_begun()
        return self._model

    def model_with_seed(self, seed: int) -> Any:
        """Return a copy of the parameter `model` whose randomness comes from `seed`."""
        raise NotImplementedError

    def _state_unlocked(self) -> State:
        state = super(ForeignLearner, self._with_parameters(model=None))._state_unlocked()
        return self._with_object(state, "model", copy.deepcopy)

    def _state(self) -> State:
        return {"model": copy.deepcopy(self._model)} | self._own_state()

    def _own_state(self) -> State:
        return {}

    def _restore(self, memory: dict[str, Any]) -> None:
        if not isinstance(memory, dict) or type(memory.get("model")) is not type(self._model):
            raise StateError(f"the state's model must be a {type(self._model).__name__}")
        self._model = copy.deepcopy(memory["model"])
