"""Public names that import their module on first use, and by which objects are pickled."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from thalweg._misspelt import nearest, plain

_LISTED = re.compile(r"^ +from ([\w.]+) import (?:\(\s+)?(\w+) as \2\b", re.M)
_registries: list["Registry"] = []  # in which the name of a class is looked up


class Registry:
    """The public names of one package, read from the imports in its `__init__.py` that type checkers see.

    `from thalweg.learners.bayes.naive_bayes import NaiveBayes as NaiveBayes` lists a name and its module. The
    package delegates its `__getattr__` and `__dir__` to the registry. The command's lists, the docs and the
    contract tests read the names from it.
    """

    def __init__(self, package: str, modules: dict[str, str] | None = None) -> None:
        self.package = package
        path = Path(str(importlib.import_module(package).__file__))
        self.folder = path.parent
        listed = _LISTED.findall(path.read_text("utf-8")) if modules is None else []
        self.submodules = [name for origin, name in listed if origin == package]
        self.modules = modules or {
            name: origin[len(package) + 1 :] for origin, name in listed if origin != package
        }
        _registries.append(self)

    def part(self, end: str | tuple[str, ...]) -> "Registry":
        """Take the names with one of these ends out of this registry; return a registry of them."""
        names = [name for name in self.modules if name.endswith(end)]
        return Registry(self.package, {name: self.modules.pop(name) for name in names})

    def decorated(self, module: str, decorator: str) -> "Registry":
        """Return a registry of the functions of a module below a decorator whose name ends in `decorator`."""
        text = (self.folder / f"{module}.py").read_text("utf-8")
        names = re.findall(rf"^@\w*{decorator}\ndef (\w+)", text, re.M)
        return Registry(self.package, dict.fromkeys(names, module))

    def public(self) -> list[str]:
        """Return all names, those of submodules last."""
        return [*self.modules, *self.submodules]

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
