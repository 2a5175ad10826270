"""Parameters of public functions, classes and methods beyond the second are given by name."""

import importlib
import inspect

import pytest

PACKAGES = [
    "thalweg",
    "thalweg.adapters",
    "thalweg.checks",
    "thalweg.errors",
    "thalweg.evaluation",
    "thalweg.evaluation.metrics",
    "thalweg.evaluation.plots",
    "thalweg.evaluation.report",
    "thalweg.mlflow",
    "thalweg.papers",
    "thalweg.saving",
    "thalweg.streams",
    "thalweg.streams.datasets",
    "thalweg.streams.drifting",
    "thalweg.waiting",
]
OTHER_PACKAGES = ("thalweg.learners", "thalweg.drift", "thalweg.preprocessing")  # of inherited methods
SKLEARNS = {"fit", "partial_fit", "score"}  # which take their arguments by position
EXCEPTIONS = {  # see "What is given by name" in docs/concepts.md
    "Explanations.update_coded",
    "InputColumns.condition",
    "PermutationImportance.update",
    "PermutationImportance.update_coded",
}


def public(package):
    """Yield (name, function) of all that can be called in a package, the methods of its classes too."""
    module = importlib.import_module(package)
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.isclass(thing):
            yield from methods(thing)
        elif inspect.isfunction(thing):
            yield name, thing


def methods(kind):
    for name in dir(kind):
        function = inspect.getattr_static(kind, name)
        function = getattr(function, "__func__", function)
        is_private = name.startswith("_") and name != "__init__"
        if not inspect.isfunction(function) or is_private or name in SKLEARNS:
            continue
        made_here = function.__module__.startswith("thalweg.") or name == "__init__"
        if made_here and not function.__module__.startswith(OTHER_PACKAGES):
            yield f"{kind.__name__}.{name}", function


def by_position(function):
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    found = [each.name for each in inspect.signature(function).parameters.values() if each.kind in kinds]
    return [name for name in found if name not in ("self", "cls")]


@pytest.mark.parametrize("package", PACKAGES)
def test_parameters_beyond_the_second_are_given_by_name(package):
    found = dict(public(package))
    assert found
    wrong = {
        name: by_position(function) for name, function in found.items() if len(by_position(function)) > 2
    }
    assert wrong.keys() <= EXCEPTIONS, wrong


def test_all_exceptions_are_needed():
    found = dict(public("thalweg.evaluation"))
    assert all(len(by_position(found[name])) > 2 for name in EXCEPTIONS)
