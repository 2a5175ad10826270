"""`NativeClassifier` of `thalweg.learners.base`, where learners with a kernel of their own look for it too."""

from thalweg.learners.base.native import NativeClassifier as NativeClassifier
