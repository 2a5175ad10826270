"""The contract of a learner whose rows are taken by a compiled kernel: one method to write."""

from thalweg.learners.base import StreamClassifier


class NativeClassifier(StreamClassifier):
    """A learner whose whole state is in a kernel (`thalweg._kernels.learner.Kernel`)."""

    def _make_kernel(self, n_features, n_classes):
        """Return the kernel for rows of this shape."""
        raise NotImplementedError

    def _begin(self, n_features, n_classes):
        self._kernel = self._make_kernel(n_features, n_classes)

    def _learn(self, X, y, w, p):
        self._kernel.learn(X, y, w, p)

    def _predict(self, X, p):
        self._kernel.predict(X, p)

    def _state(self):
        return self._kernel.state()

    def _restore(self, memory):
        self._kernel.restore(memory)

    def _starts_again(self, seeds):
        """Whether `_start_again` can take these seeds: here, if there are none."""
        return not seeds

    def _start_again(self, pristine):
        """Go back to what `_state` was after `begin`: much quicker than to begin anew."""
        self._restore(pristine)

    def _handle(self):
        self._check_begun()
        return self._kernel
