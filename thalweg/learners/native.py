"""The contract of a learner whose rows are taken by a compiled kernel: one method to write."""

import numpy as np

from thalweg.learners.base import StreamClassifier


class NativeClassifier(StreamClassifier):
    """A learner whose whole state is in a kernel (`thalweg._kernels.learner.Kernel`)."""

    _counts_rows = True

    def _make_kernel(self, n_features, n_classes):
        """Return the kernel for rows of this shape."""
        raise NotImplementedError

    def _begin(self, n_features, n_classes):
        kernel = self._make_kernel(n_features, n_classes)
        kernel.lock = self._own_lock()
        self._kernel = kernel

    def learn_one(self, x, y):
        """Learn one row: an array of inputs, or a dict of named ones."""
        if self._is_fast(x):
            code = self._labels.code.get(y, -1)
            if code >= 0 and self._kernel.learn_row(x, code):
                return
        super().learn_one(x, y)

    def predict_proba_one(self, x):
        """Return the probabilities of one row: an array for an array, {class: probability} for a dict."""
        if self._is_fast(x) and self._labels.list:
            p = np.empty(len(self._labels.list))
            if self._kernel.predict_row(x, p):
                return p
        return super().predict_proba_one(x)

    def predict_one(self, x):
        """Return the most probable class of one row, None before any is known.

        The row is an array of inputs, or a dict of named ones.
        """
        if self._is_fast(x) and self._labels.list:
            p = np.empty(len(self._labels.list))
            if self._kernel.predict_row(x, p):
                return self._labels.list[p.argmax()]
        return super().predict_one(x)

    def _is_fast(self, x):
        return type(x) is np.ndarray and self._begun and self._means is None and self._names.n_features

    def _learn(self, X, y, w, p):
        self._kernel.learn(X, y, w, p)

    def _learn_asked(self, X, y, w, p, asked):
        self._kernel.learn(X, y, w, p, asked)

    def _predict(self, X, p):
        self._kernel.predict(X, p)

    def _fit_block(self, X, y, w):
        self._kernel.fit_block(X, y, w)

    def _flush(self):
        self._kernel.flush()

    def _state(self):
        return self._kernel.state()

    def _restore(self, memory):
        self._kernel.restore(memory)

    def _grow_from(self, n_features, n_classes):
        kernel = self._make_kernel(self.n_features_in_, self._n_columns)
        kernel.inherit(self._kernel, np.nan if self.takes_missing else 0.0)
        kernel.lock = self._kernel.lock
        self._kernel = kernel

    def _starts_again(self, seeds):
        """Whether `_start_again` serves with these seeds: here, if there are none."""
        return not seeds

    def _start_again(self, pristine):
        """Reset to `pristine`, the kernel's state after `begin`: faster than to begin again."""
        self._kernel.reset(pristine)

    def _handle(self):
        self._check_begun()
        return self._kernel
