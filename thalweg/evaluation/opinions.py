"""What others say about each row, without having seen its label."""

import numpy as np
from sklearn.base import clone

from thalweg._kernels.batch_tree import BatchTree
from thalweg._kernels.block import Block

N_FOLDS, N_SUBSETS, N_DRAWS = 5, 20, 5
GINI = 0


def read_both_ways(learner, X, codes, classes, n_categories):
    """Yield ("forwards", p) and ("backwards", p): the probabilities before each row is learned.

    A learner that has read up to a row from either side knows how things were just before and after it.
    """
    for direction, step in (("forwards", 1), ("backwards", -1)):
        reader = clone(learner).begin(X.shape[1], classes, n_categories=n_categories)
        rows, labels = np.ascontiguousarray(X[::step]), np.ascontiguousarray(codes[::step])
        yield direction, reader.test_then_train_coded(rows, labels)[::step]


def forest_on_folds(X, codes, n_classes, n_categories, seed):
    """Return the probabilities that forests give which were grown on four fifths of the rows, in any order.

    Each has 100 trees, each on half of the inputs and rows drawn with repetition. Knows more than a learner
    that reads in order where nothing changes and rows are few.
    """
    rng = np.random.default_rng(seed)
    n, d = X.shape
    fold, p = rng.permutation(n) % N_FOLDS, np.zeros((n, n_classes))
    for _ in range(N_SUBSETS):
        columns = np.sort(rng.choice(d, (d + 1) // 2, replace=False))
        part = np.ascontiguousarray(X[:, columns])
        block = Block(n, len(columns), n_classes)
        block.load(part)
        for k in range(N_FOLDS):
            asked = np.ascontiguousarray(part[fold == k])
            for _ in range(N_DRAWS):
                tree = BatchTree(len(columns), n_classes, n_categories[columns], n, GINI, 0.0)
                tree.grow(block, codes, rng.poisson(1.0, n) * (fold != k).astype(float))
                answer = np.empty((len(asked), n_classes))
                tree.predict(asked, answer)
                p[fold == k] += answer / (N_SUBSETS * N_DRAWS)
    return p
