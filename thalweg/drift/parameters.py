"""Parameters by name, as scikit-learn's estimators have them, without importing it.

That import takes longer than reading and watching a million rows.
"""

import inspect
from typing import Any, Self

from thalweg._misspelt import CheckedKeywords, unknown_parameter
from thalweg._registry import Pickled


class Parameters(Pickled, CheckedKeywords):
    """The parameters of `__init__`, each kept in the attribute of its name; `sklearn.base.clone` works."""

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        found = list(inspect.signature(cls.__init__).parameters.values())[1:]
        return {parameter.name: parameter.default for parameter in found}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; return self."""
        known = self._defaults()
        for name, value in params.items():
            if name not in known:
                raise unknown_parameter(type(self).__name__, name, known)
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        usual, given = self._defaults(), self.get_params()
        changed = [f"{name}={value!r}" for name, value in given.items() if value != usual[name]]
        return f"{type(self).__name__}({', '.join(changed)})"
