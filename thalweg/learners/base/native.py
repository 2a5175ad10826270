"""The base class of learners with a compiled kernel: a subclass writes one method."""

from collections.abc import Collection, Hashable
from typing import Any, TypeGuard, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._native.kernel import Kernel, call_counted
from thalweg._types import Floats, Ints, Numbers, State
from thalweg.learners.base.arguments import Row, as_id
from thalweg.learners.base.first_rows import N_COUNTED
from thalweg.learners.base.memory_limit import Needs
from thalweg.learners.base.stream_classifier import StreamClassifier


class NativeClassifier(StreamClassifier):
    """A learner whose state is in a kernel (`thalweg._native.kernel.Kernel`)."""

    _n_learned: int = 0
    _kernel: Kernel

    def _make_kernel(self, n_features: int, n_classes: int) -> Kernel:
        """Check the parameters and return a kernel for rows of this shape."""
        raise NotImplementedError

    def _n_places(self, n_features: int) -> int:
        """Return how many numbers the kernel is given for a row."""
        return n_features

    def _begin(self, n_features: int, n_classes: int) -> None:
        kernel = self._make_kernel(self._n_places(n_features), n_classes)
        kernel.lock = self._own_lock()
        self._kernel = kernel

    def learn_one(self, x: Row, y: Any, *, id: int | None = None) -> None:
        """Learn one row: an array of inputs, or a dict of named inputs; `id` is that of an observed row."""
        if self._is_fast(x) and (self._n_counted >= N_COUNTED or not self._labels.is_open):
            code = self._labels.code.get(y, -1)
            if self._first_rows and code in self._first_rows:
                code = -1
            if id is None and self._waiting is None:
                is_done = code >= 0 and self._kernel.learn_row(x, code, self._means)
            else:
                given = None if id is None else as_id(id, self._who)
                is_done = code >= 0 and self._kernel.learn_row(x, code, self._means, self._waiting, given)
            if is_done:
                return
        super().learn_one(x, y, id=id)

    @overload
    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Hashable, float]: ...

    @overload
    def predict_proba_one(self, x: ArrayLike) -> Floats: ...

    @overload
    def predict_proba_one(self, x: Row) -> Floats | dict[Hashable, float]: ...

    def predict_proba_one(self, x: Row) -> Floats | dict[Hashable, float]:
        """Return the probabilities of one row: an array, or {class: probability} if the row is a dict."""
        if self._is_fast(x) and (labels := self._labels.list):
            p = np.empty(len(labels))
            if self._kernel.predict_row(x, p, self._means is not None):
                return p
        return super().predict_proba_one(x)

    def predict_one(self, x: Row) -> Hashable | None:
        """Return the most probable class of one row, None before the first label.

        The row is an array of inputs, or a dict of named inputs.
        """
        if self._is_fast(x) and (labels := self._labels.list):
            p = np.empty(len(labels))
            if self._kernel.predict_row(x, p, self._means is not None):
                return labels[self._answer(p)]
        return super().predict_one(x)

    def _is_fast(self, x: object) -> TypeGuard[NDArray[Any]]:
        return type(x) is np.ndarray and self._begun and self._names.n_features > 0 and not self._masked

    def _learn(self, X: Floats, y: Ints, w: Floats, p: Floats) -> None:
        call_counted(self, "_n_learned", len(y), self._kernel.learn, X, y, w, p)

    def _learn_tested(self, X: Floats, y: Ints, w: Floats, p: Floats, tested: NDArray[np.uint8]) -> None:
        call_counted(self, "_n_learned", len(y), self._kernel.learn, X, y, w, p, tested)

    def _predict(self, X: Floats, p: Floats) -> None:
        self._kernel.predict(X, p)

    def _fit_block(self, X: Floats, y: Ints, w: Floats) -> None:
        self._kernel.fit_block(X, y, w)

    def _flush(self) -> None:
        self._kernel.flush()

    def _state(self) -> State:
        return self._kernel.state()

    def _restore(self, memory: dict[str, Any]) -> None:
        self._kernel.restore(memory)

    def _grow_from(self, n_features: int, n_classes: int) -> None:
        kernel = self._extended_kernel(n_features)
        if kernel is None:
            kernel = self._make_kernel(self._n_places(self.n_features_in_), self._n_columns)
            kernel.inherit(self._kernel, np.nan if self.takes_missing else 0.0)
        kernel.lock = self._kernel.lock
        self._kernel = kernel

    def _extended_kernel(self, n_features: int) -> Kernel | None:
        """Return a kernel made of that of `n_features` inputs by lengthening its arrays, without checks.

        None if it must be made again from the parameters.
        """
        return None

    def _needs(self) -> Needs:
        return Needs(self._kernel.bytes)

    def _needs_as_begun(self) -> Needs | None:
        if type(self)._needs is NativeClassifier._needs and self._kernel.is_fixed:
            return self._needs()
        return None

    def _extended_beginning(self, pristine: State) -> State | None:
        """Return the state after `begin` of a learner like this one; `pristine` is that for one class less.

        None if that is unknown.
        """
        return None

    def _starts_again(self, seeds: Collection[str]) -> bool:
        """Return whether `_start_again` can be used with these seeds; here, if there are none."""
        return not seeds

    def _start_again(self, pristine: State, **seeds: int) -> None:
        """Reset to `pristine`, the state of the kernel after `begin`: no allocation."""
        self._kernel.reset(self._beginning(pristine, **seeds))

    def _beginning(self, pristine: State, **seeds: int) -> State:
        """Return the state of the kernel after `begin` with these seeds."""
        return pristine

    def _less_sure(self) -> State | None:
        """Return arrays of the kernel with what it knows, but as unsure as after a few rows.

        None if it cannot be less sure. A learner that begins with them answers as this one does, and soon
        follows rows that differ.
        """
        return None

    def _handle(self) -> Kernel:
        self._check_begun()
        return self._kernel


class KeepsRows(NativeClassifier):
    """A native learner that keeps something with rows which wait for labels, or has members that do."""

    _observes_in_blocks = True
    _n_observed: int = 0

    def _learn(self, X: Floats, y: Ints, w: Floats, p: Floats, ids: Numbers | None = None) -> None:
        call_counted(self, "_n_learned", len(y), self._kernel.learn, X, y, w, p, None, ids)

    def _learn_late(
        self, X: Any, y: Ints, w: Floats, p: Floats, tested: NDArray[np.uint8] | None, ids: Numbers
    ) -> None:
        if tested is None:
            self._learn(X, y, w, p, ids)
        else:
            call_counted(self, "_n_learned", len(y), self._kernel.learn, X, y, w, p, tested, ids)

    def _learn_and_observe(
        self, X: Any, y: Ints, w: Floats, p: Floats, tested: NDArray[np.uint8] | None,
        observed: NDArray[np.uint8], ids: Numbers,
    ) -> None:
        call_counted(self, "_n_learned", len(y), self._kernel.learn, X, y, w, p, tested, ids, observed)

    def _observe(self, X: Floats, ids: Numbers | None = None) -> None:
        call_counted(self, "_n_observed", len(X), self._kernel.observe, X, ids)

    def _predict_observe(self, X: Floats, p: Floats, ids: Numbers | None = None) -> None:
        call_counted(self, "_n_observed", len(X), self._kernel.predict_observe, X, p, ids)
