"""`thalweg inspect`: what a model file holds."""

import json as jsons
from pathlib import Path

from thalweg import options

HELP = """
Describe a saved model: its learner, what it has seen, how accurate it was, and its weights.

MODEL is only read; the names of its inputs and its classes are shown too.

Examples:

    thalweg inspect model.tw

    thalweg inspect model.tw --json
"""


def inspect(model: options.Model, json: options.Json = False):
    """Describe a saved model: its learner, what it has seen, how accurate it was, and its weights."""
    found = facts(model)
    if json:
        print(jsons.dumps(found))
        return
    from rich.console import Console

    console = Console()
    for line in lines(found):
        console.print(line, highlight=False, markup=False)


def facts(path):
    """Return what is in a model file as plain data."""
    from thalweg import saving

    content = saving.describe(path)
    learner = saving.load(path)
    notes = content["notes"]
    return {
        "learner": type(learner).__name__,
        "parameters": {name: repr(value) for name, value in learner.get_params(deep=False).items()},
        "version": content["about"]["version"],
        "saved": content["about"]["saved"].isoformat(timespec="seconds"),
        "bytes": Path(path).stat().st_size,
        "inputs": _inputs(learner, notes.get("schema")),
        "target": (notes.get("schema") or {}).get("target"),
        "classes": [str(label) for label in getattr(learner, "classes_", ())],
        "runs": notes.get("runs", []),
        "weighs": _weighs(learner),
    }


def _inputs(learner, schema):
    """Return {kind: names} of the columns, or of the inputs if the file does not tell the columns."""
    if schema is None:
        n = getattr(learner, "n_features_in_", 0)
        return {"input": [str(name) for name in getattr(learner, "feature_names_in_", range(n))]}
    kinds = {}
    for column in schema["columns"]:
        kinds.setdefault(column["kind"], []).append(column["name"])
    return kinds


def _weighs(learner):
    """Return in words what carries the answer, where a learner can say that."""
    describe = getattr(learner, "describe", None)
    return describe() if callable(describe) and hasattr(learner, "classes_") else None


def lines(found):
    """Return the facts as lines."""
    changed = ", ".join(f"{name}={value}" for name, value in found["parameters"].items())
    yield f"{found['learner']}({changed})"
    yield f"saved {found['saved']} by thalweg {found['version']}, {found['bytes']:,} bytes"
    for kind, names in found["inputs"].items():
        more = f" and {len(names) - 12} more" if len(names) > 12 else ""
        yield f"{kind}: {', '.join(names[:12])}{more}"
    target = f"{found['target']}: " if found["target"] else ""
    yield f"classes: {target}{', '.join(found['classes'][:20])}"
    for run in found["runs"]:
        best = max((value, name) for name, value in run["baselines"].items() if value is not None)
        yield (
            f"{run['when']}  {run['rows']:,} rows of {run['source']}: accuracy {100 * run['accuracy']:.2f} % "
            f"(best baseline, {best[1]}: {100 * best[0]:.2f} %)"
        )
    if found["weighs"]:
        yield f"members behind recent predictions: {found['weighs']}"
