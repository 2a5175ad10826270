"""The parameter `member` of an ensemble: a learner, or a list of different learners."""

import copy
import re
from collections.abc import Sequence
from typing import Any, Self, TypeAlias

from thalweg._parameters import instance_of, wrong
from thalweg.learners.base.contract import Contract
from thalweg.learners.base.stream_classifier import StreamClassifier

A_LEARNER = "a learner such as HoeffdingTree()"
HOW = " (docs/add_a_learner.md shows how to wrap another model)"


Members: TypeAlias = StreamClassifier | Sequence[StreamClassifier] | None


class MemberList(Contract):
    """The part of an ensemble that names the parameters of a list of learners: member__0__delta, …"""

    _list_name = "member"  # the parameter

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; if `deep`, also those of the members."""
        params = super().get_params(deep)
        for i, each in enumerate(listed(getattr(self, self._list_name)) if deep else ()):
            params[f"{self._list_name}__{i}"] = each
            if hasattr(each, "get_params") and not isinstance(each, type):
                own = each.get_params().items()
                params |= {f"{self._list_name}__{i}__{name}": value for name, value in own}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, such as `delta`, `member__delta` or, in a list, `member__0__delta`."""
        in_list = [name for name in params if re.match(rf"{self._list_name}__\d", name)]
        super().set_params(**{name: value for name, value in params.items() if name not in in_list})
        for name in sorted(in_list, key=len):
            self._set_in_list(name, params[name])
        return self

    def _set_in_list(self, name: str, value: Any) -> None:
        place, _, rest = name.removeprefix(f"{self._list_name}__").partition("__")
        before = getattr(self, self._list_name)
        learners = copy.deepcopy(list(listed(before))) if self._begun and rest else list(listed(before))
        if not place.isdecimal() or int(place) >= len(learners):
            raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}.")
        if rest:
            learners[int(place)].set_params(**{rest: value})
        else:
            learners[int(place)] = value
        if self._begun or not rest:
            setattr(self, self._list_name, type(before)(learners))


def listed(model: object) -> Sequence[Any]:
    """Return `model` if it is a list or tuple, else an empty tuple."""
    return model if isinstance(model, list | tuple) else ()


def as_member(owner: object, model: object) -> StreamClassifier:
    """Return `model`, the member of `owner`; raise ParameterError unless it is a StreamClassifier."""
    return instance_of(owner, "member", model, StreamClassifier, A_LEARNER + HOW)


def as_members(owner: object, model: Any, name: str = "member") -> list[StreamClassifier]:
    """Return the templates of the members of `owner` as a list: `model`, or the learners in it.

    Raises ParameterError unless there is at least one and all are StreamClassifiers.
    """
    learners = list(model) if isinstance(model, list | tuple) else [model]
    if not learners or not all(isinstance(each, StreamClassifier) for each in learners):
        raise wrong(owner, name, f"{A_LEARNER}, or a list of them{HOW}", model)
    return learners
