"""Ensembles that take sparse rows: some members see all inputs, the others few places."""

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from thalweg._names import WordName
from thalweg._native.kernel import Kernel, call_counted
from thalweg._types import Floats, Ints, Numbers, State
from thalweg.errors import StateError
from thalweg.learners.base.importance import importance_of, weighted_mean
from thalweg.learners.base.member_state import check_inputs
from thalweg.learners.base.sparse_one_hot import SparseOneHot
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.ensembles.base import Ensemble
from thalweg.learners.stacking._native.wide_rows import SparseMemberKernel
from thalweg.learners.stacking.folding import Folding, dense_rows, keys_of, sparse_rows
from thalweg.rows.sparse_rows import SparseRows

OLD_WORD = re.compile(r"\bword\d+$")
MOST_DENSE = 256  # inputs that all members see as they are
BLOCK = 512  # rows that are made dense or wide at a time


class WideEnsemble(Ensemble):
    """An ensemble that takes sparse rows, and dense ones of any width, with the same answers.

    If it begins with at most 256 inputs, or inputs come later, all members see all of them. With more,
    members that take sparse rows see all, and the others a dense row: declared categories, numbers beside the
    words of a text, and 256 places in which the values of all other inputs are added up.
    """

    _fold: Folding | None = None
    _words: list[int] | None = None  # inputs that count words of a text
    _was_folded: bool | None = None  # what a state says, until `_begin`, as for `_words`

    @property
    def takes_sparse(self) -> bool:
        """Whether rows may be sparse: if missing values reach the members."""
        return self.takes_missing

    @property
    def _folds(self) -> bool:
        return self._fold is not None if self._was_folded is None else self._was_folded

    def _set_folding(self) -> None:
        """Decide whether members see folded rows; called once, when the inputs are known."""
        was_folded, self._was_folded = self._was_folded, None
        is_wide = self.n_features_in_ > MOST_DENSE and not self._names.is_open and self.takes_missing
        self._fold = None
        if is_wide if was_folded is None else was_folded:
            if was_folded is None or self._words is None:
                self._words = [j for name, j in self._names.items() if _is_word(name, was_folded is not None)]
            if max(self._words, default=0) >= self.n_features_in_:
                raise StateError(f"{self._who}: the state's 'words' are beyond its inputs")
            self._fold = Folding.of(self.n_categories_, self._words)

    def _n_places(self, n_features: int) -> int:
        return n_features if self._fold is None else self._fold.width

    def _sees_all(self, member: StreamClassifier) -> bool:
        return self._fold is None or isinstance(member, SparseOneHot)

    def _categories(self, columns: Ints | None) -> Ints:
        return super()._categories(columns) if self._fold is None else self._fold.n_categories

    def _begun_member(
        self, template: StreamClassifier, seeds: dict[str, int], n_categories: Ints
    ) -> StreamClassifier:
        categories = self.n_categories_ if self._sees_all(template) else n_categories
        if not self._sees_all(template):
            self._check_named_inputs(template)
        return super()._begun_member(template, seeds, categories)

    def _grown(self, slot: int, member: StreamClassifier, n_categories: Ints) -> StreamClassifier:
        return super()._grown(slot, member, self.n_categories_ if self._sees_all(member) else n_categories)

    def _kernel_of(self, member: StreamClassifier, columns: Ints | None) -> Kernel:
        if self._fold is None or not isinstance(member, SparseOneHot):
            return super()._kernel_of(member, columns)
        return SparseMemberKernel(member._kernel, self._fold.n_dense)

    def _restored_kernel(self, member: StreamClassifier, slot: int, adapter: Any) -> Kernel:
        if self._fold is None:
            return super()._restored_kernel(member, slot, adapter)
        check_inputs(self, member, self.n_categories_ if self._sees_all(member) else self._categories(None))
        if not self._fills(member):
            return self._kernel_of(member, None)
        kernel = self._adapter(member)
        kernel.restore(adapter)
        return kernel

    def _handle(self) -> Kernel:
        # Other compiled code has rows of all inputs.
        return super()._handle() if self._fold is None else StreamClassifier._handle(self)

    def _is_fast(self, x: object) -> TypeGuard[NDArray[Any]]:
        return self._fold is None and super()._is_fast(x)

    def _member_rows(self, X: Any) -> Iterator[tuple[slice, Floats]]:
        """Yield parts of rows in the form that the kernel takes."""
        if self._fold is None and not isinstance(X, SparseRows):
            yield slice(0, len(X)), X
            return
        for start in range(0, len(X), BLOCK):
            part = slice(start, start + BLOCK)
            if self._fold is None:
                yield part, dense_rows(X[part])
            else:
                rows, _whole = self._fold.wide(sparse_rows(X[part]))  # rows point into `_whole`
                yield part, rows

    def _learn_rows(
        self, X: Any, y: Ints, w: Floats, p: Floats, tested: NDArray[np.uint8] | None, ids: Numbers | None,
        observed: NDArray[np.uint8] | None = None,
    ) -> None:
        for part, rows in self._member_rows(X):
            these = [None if each is None else each[part] for each in (y, w, p, tested, ids, observed)]
            call_counted(self, "_n_learned", len(rows), self._kernel.learn, rows, *these)

    def _learn(self, X: Any, y: Ints, w: Floats, p: Floats, ids: Numbers | None = None) -> None:
        self._learn_rows(X, y, w, p, None, ids)

    def _learn_tested(self, X: Any, y: Ints, w: Floats, p: Floats, tested: NDArray[np.uint8]) -> None:
        self._learn_rows(X, y, w, p, tested, None)

    def _learn_late(
        self, X: Any, y: Ints, w: Floats, p: Floats, tested: NDArray[np.uint8] | None, ids: Numbers
    ) -> None:
        self._learn_rows(X, y, w, p, tested, ids)

    def _learn_and_observe(
        self, X: Any, y: Ints, w: Floats, p: Floats, tested: NDArray[np.uint8] | None,
        observed: NDArray[np.uint8], ids: Numbers,
    ) -> None:
        self._learn_rows(X, y, w, p, tested, ids, observed)

    def _predict(self, X: Any, p: Floats) -> None:
        for part, rows in self._member_rows(X):
            self._kernel.predict(rows, p[part])

    def _observe(self, X: Any, ids: Numbers | None = None) -> None:
        for part, rows in self._member_rows(X):
            numbers = None if ids is None else ids[part]
            call_counted(self, "_n_observed", len(rows), self._kernel.observe, rows, numbers)

    def _predict_observe(self, X: Any, p: Floats, ids: Numbers | None = None) -> None:
        for part, rows in self._member_rows(X):
            numbers = None if ids is None else ids[part]
            call_counted(self, "_n_observed", len(rows), self._kernel.predict_observe, rows, p[part], numbers)

    def _fit_block(self, X: Any, y: Ints, w: Floats) -> None:
        if self._fold is None:
            super()._fit_block(X, y, w)
        else:
            self._learn(X, y, w, np.empty((len(X), self._n_columns)))

    def _observe_rows(self, X: Any, ids: Numbers | None, observe: Callable[..., None], *rest: Any) -> None:
        super()._observe_rows(self._found_by(X, ids), ids, observe, *rest)

    def _take_numbers(
        self, X: Any, ids: Numbers | None, w: Floats, numbers: Numbers | None,
        observed: NDArray[np.uint8] | None = None,
    ) -> bool:
        rows = X if numbers is None else self._found_by(X, ids)
        return super()._take_numbers(rows, ids, w, numbers, observed)

    def _found_by(self, X: Any, ids: Numbers | None) -> Any:
        # What the rows that wait are found by, if they have no ids.
        if ids is not None or (self._fold is None and not isinstance(X, SparseRows)):
            return X
        return dense_rows(X) if self._fold is None else keys_of(X)

    def _importance(self) -> Floats | None:
        if self._fold is None:
            return super()._importance()
        votes = self._votes().tolist()
        members = zip(self._kernel.members, votes, strict=True)
        parts = [(importance_of(each), None, vote) for each, vote in members if not self._sees_all(each)]
        found = weighted_mean(parts, self._fold.n_dense)
        return None if found is None else self._fold.unfolded(found)

    def _state(self) -> State:
        return super()._state() | ({} if self._fold is None else {"folded": True, "words": self._words})

    def _check_size(self, memory: dict[str, Any]) -> None:
        self._was_folded = memory.get("folded", False) is True
        if memory.get("folded", True) is not True:
            raise StateError(f"{self._who}: the state's 'folded' must be True, got {memory['folded']!r}")
        self._words = _checked_words(memory.get("words"), self._who) if self._was_folded else None
        super()._check_size(memory)

    def _restore(self, memory: dict[str, Any]) -> None:
        super()._restore({name: value for name, value in memory.items() if name not in ("folded", "words")})


def _is_word(name: Any, is_old: bool) -> bool:
    """Return whether an input counts words; states of earlier releases say so by its name alone."""
    return isinstance(name, WordName) or (is_old and isinstance(name, str) and bool(OLD_WORD.search(name)))


def _checked_words(words: Any, who: str) -> list[int] | None:
    """Return the inputs that count words of a state; None if it is of an earlier release."""
    if words is None:
        return None
    if not isinstance(words, list) or any(type(j) is not int or j < 0 for j in words):
        raise StateError(f"{who}: the state's 'words' must be positions of inputs")
    return words
