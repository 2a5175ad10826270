"""Random patches see inputs of their own; of all inputs they are a forest."""

import numpy as np
from support.ensemble_rows import begun, drifting_rows

from thalweg.learners import AdaptiveRandomForest, NaiveBayes, StreamingRandomPatches


def test_patches_have_inputs_of_their_own():
    X, y = drifting_rows()
    learner = begun(StreamingRandomPatches(NaiveBayes(), max_features=2))
    first = np.array([adapter.arrays["columns"] for adapter in learner._kernel.adapters()])
    learner.test_then_train(X, y)
    later = np.array([adapter.arrays["columns"] for adapter in learner._kernel.adapters()])
    assert all(len(set(columns)) == 2 for columns in later.tolist())
    assert len(np.unique(first, axis=0)) == 3 and (first != later).any()
    assert all(member.n_features_in_ == 2 for member in learner.members_)


def test_patches_of_all_inputs_are_a_forest():
    X, y = drifting_rows()
    settings = {"member": NaiveBayes(), "warning_delta": 0.01, "drift_delta": 0.001}
    patches = begun(StreamingRandomPatches(max_features=None, **settings)).test_then_train(X, y)
    np.testing.assert_array_equal(patches, begun(AdaptiveRandomForest(**settings)).test_then_train(X, y))
