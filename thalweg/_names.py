"""Rows as dicts of named inputs: the names, their positions, and the codes of values that are text."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from thalweg._category_codes import CategoryCodes
from thalweg._types import Floats

CODE_TEXT = (
    "Code text as numbers first; or pass dict rows without begin(n_features), and text is a category."
)


class WordName(str):
    """The name of an input that counts words of a text, as the stream says that made it."""

    __slots__ = ()


def plain_names(names: Iterable[Any]) -> list[Any]:
    """Return names as a state has them, which says apart which are of words."""
    return [str(name) if isinstance(name, WordName) else name for name in names]


class Names(dict[Any, int]):
    """The names of inputs and their positions; names that are not given come from dict rows.

    If `n_features` is None, each new name is another input; if its first value is text, its values are
    categories, and `texts` has their codes; by default they are those of `names`, if these are Names.
    """

    def __init__(
        self,
        names: Iterable[Hashable] | None,
        n_features: int | None,
        who: str,
        texts: Mapping[Hashable, CategoryCodes] | None = None,
    ) -> None:
        given, names = names, [] if names is None else list(names)
        super().__init__((name, j) for j, name in enumerate(names))
        self.is_open = n_features is None
        self.n_features = len(names) if n_features is None else n_features
        self.texts: dict[Any, CategoryCodes] = dict(getattr(given, "texts", {}) if texts is None else texts)
        if len(names) > self.n_features:
            raise ValueError(f"{who}: got {len(names)} names for {self.n_features} inputs")
        if len(self) < len(names):
            raise ValueError(f"{who}: names of inputs must differ from each other, got {names}")

    @property
    def n_places(self) -> int:
        """Length of the rows that the learner gets: at least 1, even before the first input."""
        return max(self.n_features, 1)

    def row(self, x: dict[Any, Any], who: str, learns: bool = False) -> tuple[Floats, "Names"]:
        """Return a dict row as an array of shape (1, n_features), and the names after it is learned.

        An absent name is a missing value. While there are inputs without a name, a new name is that of the
        next one. If new inputs are allowed, a new name is ignored unless the row is learned; so is a new
        category, which counts as missing.
        """
        names = self if x.keys() <= self.keys() else self._extended(x, who, learns)
        if learns and names.texts:
            names = names._with_categories(x, who)
        row = np.full((1, names.n_places), np.nan)
        for name, value in x.items():
            if name in names.texts:
                row[0, names[name]] = names.texts[name].get(_spelling(value), np.nan)
            elif name in names:
                row[0, names[name]] = as_number(value, who, name)
        return row, names

    def _extended(self, x: dict[Any, Any], who: str, learns: bool) -> "Names":
        if self.is_open and not learns:
            return self
        new = [name for name in x if name not in self]
        names = [*self, *new]
        if not self.is_open and len(names) > self.n_features:
            known = list(self) or names[: self.n_features]
            raise ValueError(f"{who}: unknown input {names[self.n_features]!r}; the inputs are {known}")
        if not self.is_open:
            return Names(names, self.n_features, who)
        texts = {name: CategoryCodes() for name in new if _is_text(x[name])}
        return Names(names, None, who, self.texts | texts)

    def _with_categories(self, x: dict[Any, Any], who: str) -> "Names":
        found = {name: _spelling(x[name]) for name in self.texts if name in x}
        new = {name: text for name, text in found.items() if text and text not in self.texts[name]}
        if not new:
            return self
        added = {name: self.texts[name].with_text(text) for name, text in new.items()}
        return Names(self, None, who, self.texts | added)

    def schema(self) -> dict[str, Any]:
        """Return the inputs as columns are described in the schema of a stream."""
        return {"columns": [self._column(name) for name in self]}

    def condition(self, name: str, sign: str, value: float) -> str:
        """Return what `sign` (=, ≠, ≤ or >) and a number say of an input; a category is said by its text."""
        texts = list(self.texts.get(name, ())) if sign in "=≠" else []
        return f"{name} {sign} {texts[int(value)] if 0 <= value < len(texts) else f'{value:.5g}'}"

    def _column(self, name: Hashable) -> dict[str, Any]:
        if name not in self.texts:
            return {"name": str(name), "kind": "number"}
        return {"name": str(name), "kind": "category", "values": list(self.texts[name])}

    def of_width(self, n_features: int, who: str) -> "Names":
        """Return these names for a larger number of inputs."""
        return Names(self, n_features, who)


def _is_text(value: Any) -> bool:
    if not isinstance(value, str) or not value.strip():
        return False
    try:
        float(value)
    except ValueError:
        return True
    return False


def _spelling(value: Any) -> str:
    """Return a category as text, nothing if it is missing."""
    if value is None or value != value or str(value) == "<NA>":
        return ""
    return f"{value:.15g}" if isinstance(value, float) else str(value).strip()


def as_number(cell: Any, who: str, where: str) -> float:
    """Return a value as a float, NaN if it is missing."""
    try:
        return float(cell)
    except (TypeError, ValueError):
        if cell is None or (isinstance(cell, str) and not cell.strip()) or str(cell) == "<NA>":
            return np.nan
        raise ValueError(f"{who}: {where} is {cell!r}, not a number. {CODE_TEXT}") from None
