"""Default members of ensembles in saved states: a release that has other defaults still opens them."""

from collections.abc import Callable
from typing import Any, TypeVar

from thalweg._stateful import class_named
from thalweg._types import State
from thalweg.errors import StateError
from thalweg.learners.base.member_list import listed
from thalweg.learners.base.stream_classifier import StreamClassifier

T = TypeVar("T")


class RestoresDefaults(StreamClassifier):
    """The part of a learner with members that saves what these are made from, where no parameter says so.

    A model that is opened again goes on with the members it had. `begin` starts with the present defaults.
    """

    _member_parameter = "member"  # if it is None, the members are default ones
    _made_from: list[StreamClassifier]
    _defaults: list[StreamClassifier] | None = None  # those of the state, if the learner was restored
    _next_defaults: list[StreamClassifier] | None = None  # the same, until the learner begins

    def _templates(self) -> list[StreamClassifier]:
        """Return what members are made from."""
        raise NotImplementedError

    def _default(self, make: Callable[[], T]) -> T | list[StreamClassifier]:
        """Return the default members of a restored state, or those that `make` returns."""
        found = self._next_defaults or self._defaults
        return make() if found is None else found

    def _default_templates(self) -> list[StreamClassifier]:
        """Return what members are made from if no parameter says so; none if one does."""
        if getattr(self, self._member_parameter, self) is not None:
            return []
        return self._made_from if self._begun else self._templates()

    def _templates_in(self, memory: State) -> list[StreamClassifier] | None:
        """Return what the members in a state were made from; None if they do not tell."""
        return None

    def _begin_unlocked(self, *arguments: Any, **keywords: Any) -> Any:
        self._defaults, self._next_defaults = self._next_defaults, None
        return super()._begin_unlocked(*arguments, **keywords)

    def _content(self) -> State:
        found = [each._state_unlocked() for each in self._default_templates()]
        return super()._content() | ({"made_from": found} if found else {})

    def _restore_defaults(self, state: State) -> None:
        found: list[StreamClassifier] | None = None
        if "made_from" in state:
            found = [template_of(each) for each in state["made_from"]]
        elif "memory" in state:
            found = self._templates_in(state["memory"])
        self._defaults = self._next_defaults = found or None

    def _templates_with_defaults(self) -> list[StreamClassifier]:
        """Return the templates; those that a parameter names have the default members of a restored state."""
        templates = self._templates()
        for saved, template in zip(self._next_defaults or self._defaults or (), templates, strict=False):
            keep_defaults(saved, template)
        return templates


def template_of(state: State) -> StreamClassifier:
    """Return a learner with the parameters in this state and their defaults, which has not begun."""
    learner = class_named(state["learner"], "learner")()
    if not isinstance(learner, StreamClassifier):
        raise StateError(f"a member of the state must be a learner, not {state['learner']!r}")
    return learner._become({name: part for name, part in state.items() if name != "classes"})


def keep_defaults(template: Any, clone: Any) -> None:
    """Let `clone`, and learners among its parameters, begin with the defaults of a restored `template`."""
    if not isinstance(template, StreamClassifier) or type(template) is not type(clone):
        return
    if isinstance(template, RestoresDefaults) and template._next_defaults is not None:
        vars(clone)["_next_defaults"] = template._next_defaults
    copies = clone.get_params(deep=False)
    for name, part in template.get_params(deep=False).items():
        for pair in [(part, copies[name]), *zip(listed(part), listed(copies[name]), strict=False)]:
            keep_defaults(*pair)
