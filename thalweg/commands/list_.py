"""`thalweg list`: names of learners, streams, …, listed without importing them."""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from thalweg import drift, evaluation, learners, streams, trust
from thalweg._learner_text import DEFAULT_LEARNER
from thalweg._misspelt import hint
from thalweg._registry import Registry
from thalweg.commands.outputs import say


def list_(
    what: Annotated[
        str | None, typer.Argument(help="learners, streams, detectors, monitors or metrics.")
    ] = None,
) -> None:
    """List learners, streams, detectors, monitors or metrics, one line each."""
    for line in lines(what):
        say(line)


def lines(what: str | None = None) -> Iterator[str]:
    """Yield a line for each learner, stream, …, or for everything under headings if not told."""
    kinds = {
        "learners": sorted(
            [*_registered(learners.registry), *_registered(trust.registry)], key=_default_first
        ),
        "streams": _streams(),
        "detectors": _registered(drift.registry),
        "monitors": _registered(drift.monitor_registry),
        "metrics": _registered(evaluation.metric_registry),
    }
    if what is None:
        for kind, entries in kinds.items():
            yield f"{kind}:"
            yield from _aligned(entries, indent="  ")
    elif what in kinds:
        yield from _aligned(kinds[what])
    else:
        raise ValueError(f"there is no list of {what!r}; {hint(what, kinds, 'lists')}")


def _default_first(entry: tuple[str, str]) -> tuple[bool, str]:
    """Return a key by which names are sorted, the default learner before all others."""
    return entry[0] != DEFAULT_LEARNER, entry[0].lower()


def _registered(registry: Registry) -> list[tuple[str, str]]:
    return [(name, registry.summary(name)) for name in registry]


def _streams() -> list[tuple[str, str]]:
    made = [(dashed(name), text) for name, text in _registered(streams.registry)]
    return made + [(name, streams.datasets.summary(name)) for name in streams.datasets.names()]


def dashed(name: str) -> str:
    """Return a class's name as it is written in the shell: RandomRBF is random-rbf."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


def _aligned(entries: Sequence[tuple[str, str]], indent: str = "") -> list[str]:
    width = max(len(name) for name, _ in entries)
    return [f"{indent}{name:<{width}}  {text}" for name, text in entries]
