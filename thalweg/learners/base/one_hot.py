"""Categories as inputs of their own, for learners that can only use numbers."""

from collections.abc import Callable
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from thalweg._native.kernel import Kernel
from thalweg._types import Floats, Ints
from thalweg.learners.base._native.one_hot import OneHotKernel, widened, width_of
from thalweg.learners.base.growth import MOST_PLACES
from thalweg.learners.base.native import NativeClassifier
from thalweg.learners.base.stream_classifier import StreamClassifier

PART = 1 << 20  # numbers widened at a time
OTHERS, NOT_FIRST = -1, -2  # codes: categories without a place of their own; all but the first of two


class OneHot(StreamClassifier):
    """The part of a learner that turns each category of an input into an input of its own, 0 or 1.

    An input of three or more categories gets a place for each category known when the learner begins, and one
    for all others; a missing category is 0 in all of them. An input of two categories stays one input, 0 or
    1; a third one that comes later counts as the second. There are at most `most_places` in all: inputs with
    the most categories keep places for the first of them only.
    """

    most_places = MOST_PLACES
    _own: Ints | None = None  # categories of each input that have a place each; None if rows are not widened

    @property
    def expands_categories(self) -> bool:
        """Whether rows are widened."""
        return self._own is not None

    @property
    def _row_width(self) -> int | None:
        return None if self._own is None else width_of(self._own)

    @property
    def input_names_(self) -> list[str]:
        """Names of the inputs that have a coefficient each.

        Of a category, the input's name and its code, or its text if it came in dict rows.
        """
        self._check_begun()
        given = self.given_names()
        texts = {name: list(codes) for name, codes in self._names.texts.items()}
        return [_place_name(given[j], code, texts.get(given[j], [])) for j, code in self.input_places()]

    def input_places(self) -> list[tuple[int, int | None]]:
        """Return for each place of a widened row its input, and the code of its category.

        The code is None for a number, OTHERS for categories without a place, and NOT_FIRST if there are two.
        """
        if self._own is None:
            return [(j, None) for j in range(self.n_features_in_)]
        places: list[tuple[int, int | None]] = []
        for j, n in enumerate(self._own.tolist()):
            codes = [*range(n), OTHERS] if n > 0 else [NOT_FIRST if n < 0 else None]
            places += [(j, code) for code in codes]
        return places

    @property
    def coef_(self) -> Floats:
        """Coefficients of the scores of the classes, for inputs as they are given.

        There is one row for two classes, the score of the second as against the first, else one for each
        class: scores are `X @ coef_.T + intercept_`, with a column of `X` for each of `input_names_`.
        """
        return self._current_coefficients()[0]

    @property
    def intercept_(self) -> Floats:
        """Constant terms of the scores of the classes, for inputs as they are given."""
        return self._current_coefficients()[1]

    def _current_coefficients(self) -> tuple[Floats, Floats]:
        with self._reading:
            return self._coefficients()

    def _coefficients(self) -> tuple[Floats, Floats]:
        """Return `coef_` and `intercept_`; the caller has the lock."""
        raise NotImplementedError

    def _n_places(self, n_features: int) -> int:
        """Return how many numbers a widened row has."""
        self._own = own_places(self.n_categories_, self.most_places) if self.n_categories_.any() else None
        return n_features if self._own is None else width_of(self._own)

    def _indicators(self) -> Ints:
        """Return the places that are 1 for one category, else 0."""
        if self._own is None:
            return np.zeros(0, dtype=np.intp)
        return np.flatnonzero(np.repeat(self._own > 0, np.where(self._own > 0, self._own + 1, 1)))

    def _widened(self, X: Floats) -> Floats:
        return X if self._own is None else widened(X, self._own)


def _place_name(name: Any, code: int | None, texts: list[str]) -> str:
    if code is None or code == NOT_FIRST:
        return str(name)
    category: Any = "other" if code == OTHERS else code
    return f"{name}={texts[code] if 0 <= code < len(texts) else category}"


class NativeOneHot(OneHot, NativeClassifier):
    """A native learner whose kernel sees widened rows."""

    def _is_fast(self, x: object) -> TypeGuard[NDArray[Any]]:
        return self._own is None and super()._is_fast(x)

    def _learn(self, X: Floats, y: Ints, w: Floats, p: Floats) -> None:
        self._in_parts(super()._learn, X, y, w, p)

    def _learn_tested(self, X: Floats, y: Ints, w: Floats, p: Floats, tested: NDArray[np.uint8]) -> None:
        self._in_parts(super()._learn_tested, X, y, w, p, tested)

    def _predict(self, X: Floats, p: Floats) -> None:
        self._in_parts(super()._predict, X, p)

    def _fit_block(self, X: Floats, y: Ints, w: Floats) -> None:
        super()._fit_block(self._widened(X), y, w)

    def _in_parts(self, process: Callable[..., None], X: Floats, *others: NDArray[Any]) -> None:
        if self._own is None:
            process(X, *others)
            return
        # Not all at once: a widened row may be many times as long.
        n = max(PART // width_of(self._own), 1)
        for start in range(0, len(X), n):
            part = slice(start, start + n)
            process(self._widened(X[part]), *(each[part] for each in others))

    def _handle(self) -> Kernel:
        kernel = super()._handle()
        return kernel if self._own is None else OneHotKernel(kernel, self._own)


def n_widened(n_categories: Ints) -> int:
    """Return how many inputs there are if each category is one, however many there may be."""
    return int(np.where(n_categories > 2, n_categories + 1, 1).sum())


def own_places(n_categories: Ints, most: int) -> Ints:
    """Return how many categories of each input have a place each: -1 for two categories, 0 for a number.

    With one more place for each input that has several they are at most `most`, unless one each is more; the
    inputs that have the most lose places first.
    """
    own = np.where(n_categories > 2, np.minimum(n_categories, most), np.where(n_categories > 0, -1, 0))
    several = own > 0
    free = most - int(several.sum())
    if own[several].sum() > free:
        least, beyond = 1, most + 1
        while beyond - least > 1:
            middle = (least + beyond) // 2
            if np.minimum(own[several], middle).sum() <= free:
                least = middle
            else:
                beyond = middle
        own[several] = np.minimum(own[several], least)
    return own.astype(np.intp)
