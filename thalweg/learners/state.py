"""A learner as a plain dict of arrays, numbers, strings and nested members, and back."""

import numpy as np

from thalweg import drift

FORMAT = 1


def plain(value):
    """Return a copy of `value` made of dicts, lists, tuples, arrays, numbers, strings and None alone."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple):
        return type(value)(plain(part) for part in value)
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, np.random.Generator):
        return {"generator": plain(value.bit_generator.state)}
    if hasattr(value, "state") and hasattr(value, "restore"):
        return value.state()
    raise TypeError(f"cannot save a value of type {type(value).__name__}: {value!r}")


def alive(value):
    """Return what `plain` took apart put together again."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list | tuple):
        return type(value)(alive(part) for part in value)
    if not isinstance(value, dict):
        return value
    if "generator" in value:
        state = value["generator"]
        bits = getattr(np.random, state["bit_generator"])()
        bits.state = state
        return np.random.Generator(bits)
    if "format" in value and "learner" in value:
        return find(value["learner"])().restore(value)
    if "format" in value and "detector" in value:
        return drift.registry.named(value["detector"], drift.base.Detector)().restore(value)
    return {key: alive(part) for key, part in value.items()}


def name_of(learner):
    """Return the name a learner is found by again: a public one, or module:class."""
    from thalweg.learners import registry

    return registry.name_of(learner)


def find(name):
    """Return the class that `name_of` named."""
    from thalweg.learners import registry
    from thalweg.learners.base import StreamClassifier

    return registry.named(name, StreamClassifier)
