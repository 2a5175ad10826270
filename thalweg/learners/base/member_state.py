"""Members of ensembles in saved states, checked against the parameters of the ensemble."""

from typing import Any

import numpy as np

from thalweg._parameters import is_seed
from thalweg._sklearn import BaseEstimator
from thalweg._types import Ints
from thalweg.errors import StateError
from thalweg.learners.base.member_list import listed
from thalweg.learners.base.state import to_plain
from thalweg.learners.base.stream_classifier import StreamClassifier


def restored_member(
    owner: StreamClassifier, template: StreamClassifier, state: dict[str, Any]
) -> StreamClassifier:
    """Return a member of `owner` with this state; it shares the lock of the owner.

    Raises StateError unless it has the parameters of `template`, except seeds, and the classes of the owner.
    """
    member = type(template)()
    member._lock = owner._lock
    member._become(state)
    check_parameters(owner, member, template)
    # Members have room for the first class from the start, and hear of it only when the second comes.
    hears_later = member._begun and len(member.classes_) == 0 and len(owner.classes_) == 1
    if not hears_later and not (member._begun and np.array_equal(member.classes_, owner.classes_)):
        raise StateError(f"{owner._who}: a member of the state has other classes than {owner.classes_}")
    return member


def check_inputs(owner: StreamClassifier, member: StreamClassifier, n_categories: Ints) -> None:
    """Raise StateError unless `member` has inputs with these numbers of categories."""
    if not np.array_equal(member.n_categories_, n_categories):
        raise StateError(f"{owner._who}: a member of the state has other inputs than the parameters say")


def check_parameters(owner: StreamClassifier, part: BaseEstimator, template: BaseEstimator) -> None:
    """Raise StateError unless `part` of a state has the parameters of `template`, except seeds."""
    given, wanted = part.get_params(), template.get_params()
    for name in given.keys() | wanted.keys():
        if not is_seed(name) and not _same(given.get(name), wanted.get(name)):
            raise StateError(
                f"{owner._who}: a {type(part).__name__} of the state has {name}={given.get(name)!r}, "
                f"the parameters say {wanted.get(name)!r}"
            )


def _same(one: Any, other: Any) -> bool:
    if hasattr(other, "get_params"):  # its parameters are compared by name
        return type(one) is type(other)
    if any(hasattr(each, "get_params") for each in listed(other)):  # theirs too
        return list(map(type, listed(one))) == list(map(type, other))
    try:
        one, other = to_plain(one), to_plain(other)
    except TypeError:  # of another library: nothing is known of what is in it
        return type(one) is type(other)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return type(one) is type(other) and np.array_equal(one, other)
    return one == other or (one != one and other != other)
