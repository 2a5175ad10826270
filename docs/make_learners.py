"""Prints learners.md: everything that has a registry, with its docstring's first lines and parameters."""

import inspect
import re

from thalweg import drift, learners, preprocessing, streams


def section(title, registry):
    """Print one kind of thing, in the order of the alphabet."""
    print(f"\n## {title}\n")
    for name in sorted(registry, key=str.lower):
        print(f"### {name}\n")
        thing = registry.load(name)
        print(f"`{name}{_signature(thing)}`\n".replace("NoneType", "None"))
        print(re.split(r"\n\w+\n---", inspect.getdoc(thing))[0].strip() + "\n")


def _signature(thing):
    found = inspect.signature(thing)
    parameters = [each.replace(annotation=inspect.Parameter.empty) for each in found.parameters.values()]
    return found.replace(parameters=parameters, return_annotation=inspect.Signature.empty)


print("# Learners, steps, detectors, streams")
print("\nGenerated from the docstrings; `help(thalweg.learners.NaiveBayes)` describes the parameters too.")
section("Learners", learners.registry)
section("Preprocessing", preprocessing.registry)
section("Detectors", drift.registry)
section("Streams", streams.registry)
