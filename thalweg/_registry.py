"""Public names that import their module on first use, and can be described without importing it."""

import importlib
import re
from pathlib import Path

from thalweg.errors import StateError


class Registry:
    """The public names of one package: `{"NaiveBayes": "naive_bayes"}` maps a name to its module.

    A package hands its `__getattr__` and `__dir__` over to this and writes one line a name; the command's
    lists, the docs and the contract tests find the names here.
    """

    def __init__(self, package, modules, submodules=()):
        self.package = package
        self.modules = modules
        self.submodules = submodules
        self.folder = Path(importlib.import_module(package).__file__).parent

    def __iter__(self):
        return iter(self.modules)

    def load(self, name):
        """Import and return what `name` stands for."""
        if name in self.submodules:
            return importlib.import_module(f"{self.package}.{name}")
        if name not in self.modules:
            raise AttributeError(f"module {self.package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{self.package}.{self.modules[name]}"), name)

    def name_of(self, thing):
        """Return the name by which `named` finds the class of `thing`: a public one, or module:class."""
        kind = type(thing)
        public = self.modules.get(kind.__name__)
        if public and kind.__module__ == f"{self.package}.{public}":
            return kind.__name__
        return f"{kind.__module__}:{kind.__qualname__}"

    def named(self, name, base):
        """Return the class that `name_of` named: a public one, or a subclass of `base` defined already.

        Nothing is imported for a name that is not public: a saved state cannot make a program run other code.
        """
        if name in self.modules:
            return self.load(name)
        for kind in _subclasses(base):
            if f"{kind.__module__}:{kind.__qualname__}" == name:
                return kind
        raise StateError(
            f"the state is one of {name!r}, which is not known: if it is a class of your own, "
            "import the module that defines it first"
        )

    def summary(self, name):
        """Return the first line of the docstring of `name`, read from its file without importing it."""
        text = (self.folder / f"{self.modules[name].replace('.', '/')}.py").read_text(encoding="utf-8")
        found = re.search(rf'^(?:class|def) {name}\b[\s\S]*?:\n +r?"""(.+?)(?:"""|\n)', text, re.M)
        return found.group(1).strip() if found else ""

    def find(self, name):
        """Return the registered name that `name` means, whatever its case and dashes, or None."""
        wanted = _plain(name)
        return next((known for known in self.modules if _plain(known) == wanted), None)


def _subclasses(kind):
    for each in kind.__subclasses__():
        yield each
        yield from _subclasses(each)


def _plain(name):
    return re.sub(r"[-_ ]", "", name).lower()
