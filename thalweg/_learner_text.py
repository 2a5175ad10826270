"""Learners, detectors and pipelines written as text, such as `OnlineBagging(NaiveBayes(), n_members=20)`."""

import ast
import importlib
import inspect
from collections.abc import Sequence
from itertools import chain
from typing import Any

from thalweg import drift, learners, preprocessing, trust
from thalweg._misspelt import hint, nearest, unknown_parameter

DEFAULT_LEARNER = "AdaptiveStacking"
FOREIGN = ("sklearn.", "river.")
BASES = {"sklearn": ("sklearn.base", "BaseEstimator"), "river": ("river.base", "Base")}
CACHE = "memory"  # a parameter of scikit-learn: where results are written to and unpickled from
ARGUMENTS = {  # of estimators: what is made of scikit-learn besides these
    "sklearn.gaussian_process.kernels": (
        "CompoundKernel", "ConstantKernel", "DotProduct", "ExpSineSquared", "Exponentiation", "Matern",
        "PairwiseKernel", "Product", "RBF", "RationalQuadratic", "Sum", "WhiteKernel",
    ),
    "sklearn.model_selection": (
        "KFold", "RepeatedKFold", "RepeatedStratifiedKFold", "ShuffleSplit", "StratifiedKFold",
        "StratifiedShuffleSplit", "TimeSeriesSplit",
    ),
}  # fmt: skip
REGISTRIES = (learners.registry, drift.registry, preprocessing.registry, trust.registry)
PIPELINES = ("Pipeline", "make_pipeline")


def make_learner(text: str, pairs: Sequence[str], seed: int) -> Any:
    """Return the learner that `text` describes; `pairs` are more parameters, as `key=value` texts."""
    parameters = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"--set {pair}: expected key=value")
        if key in parameters:
            raise ValueError(f"--set {key}=…: given twice")
        parameters[key] = read_value(value)
    return read_learner(text, parameters, seed)


def read_learner(text: str, parameters: dict[str, Any], seed: int) -> Any:
    """Return the learner that `text` describes: its name, or its name with arguments.

    Arguments are literals, learners, detectors and steps of pipelines; nothing else is evaluated.
    `parameters` are more arguments. `seed` is its `random_state` unless that is given; if it has none, that
    of its members.
    """
    node = _parsed(text)
    if _is_foreign(node):
        return _foreign_learner(node, text, parameters)
    name, call = (node, None) if not isinstance(node, ast.Call) else (node.func, node)
    if not isinstance(name, ast.Name):
        raise ValueError(f"learner {text}: expected the name of a learner, such as NaiveBayes")
    if preprocessing.registry.find(name.id):
        return _pipeline(name.id, call, text, seed).set_params(**parameters)
    registry = trust.registry if trust.registry.find(name.id) else learners.registry
    known = registry.find(name.id)
    if known is None:
        meant = hint(name.id, [*learners.registry, *trust.registry], "learners")
        raise ValueError(f"there is no learner {name.id!r}; {meant}")
    kind = registry.load(known)
    args, given = _arguments(call, text, None if _is_seeded(kind) else seed)
    twice = next((key for key in parameters if key in given), None)
    if twice:
        raise ValueError(f"{twice} is given twice: in the learner and beside it")
    chosen = {**given, **parameters}
    if _is_seeded(kind):
        chosen.setdefault("random_state", seed)
    return _made(known, kind, args, chosen)


def read_value(text: str) -> Any:
    """Return a literal, a learner or detector such as NaiveBayes(), or else the text itself."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return text
    if isinstance(node, ast.Name):
        return _value(node, text) if _find(node.id) else text
    try:
        return _value(node, text)
    except ValueError:
        if any(isinstance(part, ast.Call) for part in ast.walk(node)):
            raise
        return text


def _parsed(text: str) -> ast.expr:
    plain = text.strip()
    name, bracket, rest = plain.partition("(")
    try:
        return ast.parse(name.strip().replace("-", "_") + bracket + rest, mode="eval").body
    except (SyntaxError, ValueError):
        if bracket:
            raise ValueError(f"learner {text}: cannot be read; is a bracket or quote missing?") from None
        return ast.Name(plain)


def _value(node: ast.expr, text: str, seed: int | None = None) -> Any:
    """Return the value of a part of the text: a literal, or a learner, detector or step."""
    if isinstance(node, ast.Name):
        return float(node.id) if node.id in ("inf", "nan") else _object(node.id, None, text, seed)
    if _is_foreign(node):
        return _foreign(node, text)
    if isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name):
            raise ValueError(f"{text}: only learners and detectors can have arguments")
        return _object(node.func.id, node, text, seed)
    if isinstance(node, ast.List | ast.Tuple):
        values = [_value(each, text, seed) for each in node.elts]
        return values if isinstance(node, ast.List) else tuple(values)
    if isinstance(node, ast.Dict) and None not in node.keys:
        pairs = zip(node.keys, node.values, strict=True)
        return {_value(key, text): _value(value, text) for key, value in pairs if key is not None}
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        part = ast.unparse(node)
        raise ValueError(f"{text}: {part} is neither a literal nor a learner, detector or step") from None


def _arguments(
    call: ast.Call | None, text: str, seed: int | None = None
) -> tuple[list[Any], dict[str, Any]]:
    if call is None:
        return [], {}
    args = [_value(arg, text, seed) for arg in call.args]
    given = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise ValueError(f"{text}: write the arguments one by one, not as **…")
        given[keyword.arg] = _value(keyword.value, text, seed)
    return args, given


def _object(name: str, call: ast.Call | None, text: str, seed: int | None) -> Any:
    """Return a learner, detector or step; what has a `random_state` that is not given gets the seed."""
    registry = _find(name)
    if registry is None:
        meant = hint(name, chain(*REGISTRIES), "names")
        raise ValueError(f"there is no learner, detector or step {name!r}; {meant}")
    known = str(registry.find(name))
    kind = registry.load(known)
    is_seeded = _is_seeded(kind)  # then it seeds its members itself
    args, given = _arguments(call, text, None if is_seeded else seed)
    if is_seeded and seed is not None:
        given.setdefault("random_state", seed)
    return _made(known, kind, args, given)


def _made(name: str, kind: Any, args: list[Any], given: dict[str, Any]) -> Any:
    signature = inspect.signature(kind)
    unknown = next((key for key in given if key not in signature.parameters), None)
    if unknown is not None:
        raise unknown_parameter(name, unknown, signature.parameters)
    accepted = ", ".join(sorted(signature.parameters)) or "no parameters"
    try:
        signature.bind(*args, **given)
    except TypeError as error:
        raise ValueError(f"{name}: {error}; {name} takes {accepted}") from None
    return kind(*args, **given)


def _pipeline(name: str, call: ast.Call | None, text: str, seed: int) -> Any:
    known = str(preprocessing.registry.find(name))
    if known not in PIPELINES:
        raise ValueError(f"{known} learns no labels: write make_pipeline({known}(…), NaiveBayes())")
    try:
        return _object(name, call, text, seed)
    except TypeError as error:
        raise ValueError(str(error)) from None


def _is_seeded(kind: Any) -> bool:
    return "random_state" in inspect.signature(kind).parameters


def _is_foreign(node: ast.expr) -> bool:
    name = ast.unparse(node.func if isinstance(node, ast.Call) else node)
    return name.startswith(FOREIGN) and "(" not in name


def _foreign_learner(node: ast.expr, text: str, parameters: dict[str, Any]) -> Any:
    from thalweg.adapters import RiverLearner, SklearnLearner

    kind = RiverLearner if ast.unparse(node).startswith("river.") else SklearnLearner
    return _made(kind.__name__, kind, [_foreign(node, text)], parameters)


def _foreign(node: ast.expr, text: str) -> Any:
    """Return the object of scikit-learn or River that a part of the text makes, such as river.bayes.NB().

    Modules of both have all kinds of classes in them, some of which open files when they are made. Only
    estimators are made, and what `ARGUMENTS` lists.
    """
    call = node if isinstance(node, ast.Call) else None
    dotted = ast.unparse(call.func if call else node)
    module, _, name = dotted.rpartition(".")
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        raise ValueError(f"{dotted}: {error}") from None
    kind = getattr(found, name, None)
    if kind is None:
        near = nearest(name, [each for each in dir(found) if each[0].isupper()])
        meant = f"; did you mean {near}?" if near else ""
        raise ValueError(f"{module} has no class {name!r}{meant}")
    if not isinstance(kind, type) or not _may_be_made(kind, module, name):
        raise ValueError(
            f"{dotted} is no estimator of {module.partition('.')[0]}: text can name these, and kernels and "
            "splits of scikit-learn; in Python, pass the object itself"
        )
    args, given = _arguments(call, text)
    if given.get(CACHE) is not None:
        raise ValueError(f"{dotted}: {CACHE} names a folder of pickles, which text cannot choose")
    return _made(dotted, kind, args, given)


def _may_be_made(kind: type, module: str, name: str) -> bool:
    where, base = BASES[module.partition(".")[0]]
    is_listed = name in ARGUMENTS.get(module, ())
    return is_listed or issubclass(kind, getattr(importlib.import_module(where), base))


def _find(name: str) -> Any:
    return next((each for each in REGISTRIES if each.find(name)), None)
