"""Public names that import their module on first use, and by which objects are pickled."""

import importlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from thalweg._misspelt import nearest, plain

_registries: list["Registry"] = []  # in which the name of a class is looked up


class Registry:
    """The public names of one package: `{"NaiveBayes": "naive_bayes"}` maps a name to its module.

    A package lists each name here once and delegates its `__getattr__` and `__dir__` to the registry. The
    command's lists, the docs and the contract tests read the names from it.
    """

    def __init__(self, package: str, modules: dict[str, str], submodules: Sequence[str] = ()) -> None:
        self.package = package
        self.modules = modules
        self.submodules = submodules
        self.folder = Path(str(importlib.import_module(package).__file__)).parent
        _registries.append(self)

    def __iter__(self) -> Iterator[str]:
        return iter(self.modules)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.modules

    def load(self, name: str) -> Any:
        """Import the object called `name` and return it."""
        if name in self.submodules:
            return importlib.import_module(f"{self.package}.{name}")
        if name not in self.modules:
            near = None if name.startswith("_") else nearest(name, self.modules)
            meant = f"; did you mean {near}?" if near else ""
            raise AttributeError(f"module {self.package!r} has no attribute {name!r}{meant}")
        return getattr(importlib.import_module(f"{self.package}.{self.modules[name]}"), name)

    def has(self, kind: type[Any]) -> bool:
        """Return whether `kind` is the class of that name in this registry."""
        return kind.__module__ == f"{self.package}.{self.modules.get(kind.__name__)}"

    def summary(self, name: str) -> str:
        """Return the first line of the docstring of `name`, read from its file without importing it."""
        text = (self.folder / f"{self.modules[name].replace('.', '/')}.py").read_text(encoding="utf-8")
        found = re.search(rf'^(?:class|def) {name}\b[\s\S]*?:\n +r?"""(.+?)(?:"""|\n)', text, re.M)
        return found.group(1).strip() if found else ""

    def find(self, name: str) -> str | None:
        """Return the registered name equal to `name` but for case, dashes and underscores, or None."""
        wanted = plain(name)
        return next((known for known in self.modules if plain(known) == wanted), None)


class Pickled:
    """A base of public classes: their objects are pickled by public name, and modules can move.

    Subclasses that are not public are pickled by module, as usual.
    """

    def __reduce_ex__(self, protocol: Any) -> Any:
        kind = type(self)
        for registry in _registries:
            if registry.has(kind):
                return blank, (registry.package, kind.__name__), self.__getstate__()
        return super().__reduce_ex__(protocol)


def blank(package: str, name: str) -> Any:
    """Return an object of a public class without its state. Pickles name this function: it never moves."""
    kind = getattr(importlib.import_module(package), name)
    return kind.__new__(kind)
