"""Small learners, alone and inside each other: every owner that takes a member, around every learner."""

from inspect import signature

from support import every_learner
from thalweg.preprocessing import Pipeline, StandardScaler

SMALL = {"n_members": 2, "max_members": 2, "chunk_size": 20, "window": 20, "period": 5, "size": "small"}
PARTS = ("member", "members", "learner")  # parameters that are the members


def small(name, **parameters):
    """Return a public learner that costs little."""
    kind = every_learner.registry.load(name)
    known = signature(kind).parameters
    if "chunk_size" in known and "folds" in known:
        parameters = {"folds": 2} | parameters
    found = {key: value for key, value in SMALL.items() if key in known} | parameters
    return kind(**found)


def part_of(name):
    """Return the parameter that is the member of a public learner, None if it has none."""
    known = signature(every_learner.registry.load(name)).parameters
    return next((part for part in PARTS if part in known), None)


def around(name, *members):
    """Return the owner of this name around members, of which it takes one or all."""
    if name == "Pipeline":
        return Pipeline([StandardScaler()], members[0])
    part = part_of(name)
    is_list = part == "members" or (part == "member" and len(members) > 1)
    return small(name, **{part: list(members) if is_list else members[0]})


ALONE = list(every_learner.registry)
OWNERS = ["Pipeline", *(name for name in ALONE if part_of(name))]
ONE_MEMBER = ["LastLabels", "CategoryEffects", "Calibrated", "ClassWeights", "PredictionSets", "Pipeline"]
