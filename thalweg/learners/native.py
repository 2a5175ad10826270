"""`NativeClassifier` of `thalweg.learners.base`, for learners with a kernel of their own."""

from thalweg.learners.base.native import NativeClassifier as NativeClassifier
