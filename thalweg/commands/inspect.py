"""`thalweg inspect`: what a model file holds."""

import json as jsons
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thalweg.commands import options
from thalweg.commands.outputs import terminal
from thalweg.errors import ModelFileError, first_of

if TYPE_CHECKING:
    from thalweg.evaluation import InputColumns
    from thalweg.learners.base.stream_classifier import StreamClassifier

MOST_VALUES, MOST_RULES = 20, 40  # in the terminal
NO_COUNTS: dict[str, Any] = {"explanation": None, "values": {}, "parts": {}}


def inspect(model: options.Model, json: options.Json = False) -> None:
    """Describe a saved model: its learner, what it has seen, how accurate it was, and its weights.

    MODEL is only read; its columns and classes are shown too, how much each column counts if the learner says
    so, and the rules of a tree.

    Examples:

        thalweg inspect model.tw

        thalweg inspect model.tw --json
    """
    described = facts(model)
    if json:
        print(jsons.dumps(described))
        return
    console = terminal()
    for line in lines(described):
        console.print(line)


def facts(path: str) -> dict[str, Any]:
    """Return what is in a model file as plain data."""
    from thalweg.learners.base.stream_classifier import StreamClassifier
    from thalweg.saving.files import load_and_describe

    found, content = load_and_describe(path)
    learner = found if isinstance(found, StreamClassifier) else getattr(found, "learner_", None)
    if learner is None:
        raise ModelFileError(f"{path}: the model has learned nothing yet")
    is_begun, is_model = learner.__sklearn_is_fitted__(), found is not learner
    schema = found.schema() if is_model else learner.text_schema()
    columns = _columns(learner, schema) if is_begun else None
    return {
        "learner": type(learner).__name__,
        "parameters": {name: repr(value) for name, value in learner.get_params(deep=False).items()},
        "version": content["about"]["version"],
        "saved": content["about"]["saved"].isoformat(timespec="seconds"),
        "bytes": Path(path).stat().st_size,
        "inputs": _inputs(learner.given_names() if is_begun else [], schema),
        "target": (schema or {}).get("target"),
        "classes": [str(label) for label in learner.classes_] if is_begun else [],
        "runs": found.runs_ if is_model else [],
        "waiting": found.n_waiting_ if is_model else 0,
        "dropped": found.n_dropped_ if is_model else 0,
        "weighs": _weighs(learner) if is_begun else None,
        "rules": _rules(learner, columns) if is_begun else None,
        **(_counts(learner, columns) if is_begun else NO_COUNTS),
    }


def _columns(learner: "StreamClassifier", schema: dict[str, Any] | None) -> "InputColumns | None":
    """Return the columns that the inputs of a learner come from; None if the file does not tell them."""
    from thalweg.evaluation import InputColumns

    columns = None if schema is None else InputColumns(schema)
    return columns if columns is not None and len(columns.names) == learner.n_features_in_ else None


def _counts(learner: "StreamClassifier", columns: "InputColumns | None") -> dict[str, Any]:
    """Return how much each column counts, by name, and which of these are parts of others."""
    from thalweg.evaluation.inputs.explanations import by_column, explained

    found = explained(learner)
    if found is None:
        return NO_COUNTS
    named = by_column(found, columns)
    values = dict(zip(named.names, named.values.tolist(), strict=True))
    return {"explanation": found.title, "values": values, "parts": named.parts}


def _rules(learner: "StreamClassifier", columns: "InputColumns | None") -> str | None:
    """Return a tree in terms of the columns of its file; None for other learners."""
    from thalweg.learners.trees.base import Tree

    return learner.describe(columns) if isinstance(learner, Tree) else None


def _inputs(names: list[Any], schema: dict[str, Any] | None) -> dict[str, list[str]]:
    """Return {kind: names} of the columns, or of the inputs if the file does not tell the columns."""
    if schema is None:
        return {"input": [str(name) for name in names]}
    kinds: dict[str, list[str]] = {}
    for column in schema["columns"]:
        kinds.setdefault(column["kind"], []).append(column["name"])
    return kinds


def _weighs(learner: "StreamClassifier") -> str | None:
    """Return in words which members carry the answer, where a learner can say that."""
    from thalweg.learners.stacking.adaptive_stacking import AdaptiveStacking

    return learner.describe() if isinstance(learner, AdaptiveStacking) else None


def lines(described: dict[str, Any]) -> Iterator[str]:
    """Return the facts as lines."""
    from thalweg.evaluation.formatting import percentage

    changed = ", ".join(f"{name}={value}" for name, value in described["parameters"].items())
    yield f"{described['learner']}({changed})"
    yield f"saved {described['saved']} by thalweg {described['version']}, {described['bytes']:,} bytes"
    for kind, names in described["inputs"].items():
        yield f"{kind}: {first_of(names, 12)}"
    target = f"{described['target']}: " if described["target"] else ""
    yield f"classes: {target}{', '.join(described['classes'][:20])}"
    for run in described["runs"]:
        line = f"{run['when']}  {run['rows']:,} rows of {run['source']}: "
        if "accuracy" not in run:
            yield f"{line}interrupted"
            continue
        best = max((value, name) for name, value in run["baselines"].items() if value is not None)
        beside = f"(best baseline, {best[1]}: {percentage(best[0])})"
        yield f"{line}accuracy {percentage(run['accuracy'])} {beside}"
    if described["waiting"] or described["dropped"]:
        yield f"{described['waiting']:,} rows wait for their labels; {described['dropped']:,} were dropped"
    if described["weighs"]:
        yield f"members behind recent predictions: {described['weighs']}"
    yield from _value_lines(described)
    if described["rules"]:
        yield "its tree:"
        rules = described["rules"].splitlines()
        yield from rules[:MOST_RULES]
        if len(rules) > MOST_RULES:
            yield f"… and {len(rules) - MOST_RULES:,} more lines: --json has all"


def _value_lines(described: dict[str, Any]) -> Iterator[str]:
    """Yield the columns that count most, and below each of them its parts."""
    from thalweg.evaluation.inputs.explanations import IMPORTANCE

    values, parts = described["values"], described["parts"]
    if not any(values.values()):
        return
    below = {name for names in parts.values() for name in names}
    wholes = sorted(values.keys() - below, key=lambda name: (-abs(values[name]), name))
    yield f"{described['explanation']}{' of its trees' if described['explanation'] == IMPORTANCE else ''}:"
    for name in wholes[:MOST_VALUES]:
        yield f"  {values[name]:8.3f}  {name}"
        for part in sorted(parts.get(name, ()) if values[name] else (), key=lambda part: -abs(values[part])):
            yield f"    {values[part]:8.3f}  {part.removeprefix(f'{name}: ')}"
    if len(wholes) > MOST_VALUES:
        yield f"  … and {len(wholes) - MOST_VALUES:,} more"
