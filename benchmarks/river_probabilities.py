"""Probabilities of River's scaled logistic regression, test-then-train; runs where River is installed."""

import sys

import numpy as np
from river import linear_model, multiclass, preprocessing


def main(given, found):
    """Read rows and codes, write the probabilities; missing inputs are left out."""
    with np.load(given) as arrays:
        X, codes = arrays["X"], arrays["codes"].tolist()
    n_classes = max(codes) + 1
    model = linear_model.LogisticRegression()
    if n_classes > 2:
        model = multiclass.OneVsRestClassifier(model)
    model = preprocessing.StandardScaler() | model
    p = np.full((len(X), n_classes), 1 / n_classes)
    for i, (row, code) in enumerate(zip(X.tolist(), codes, strict=True)):
        x = {j: value for j, value in enumerate(row) if value == value}
        answer = model.predict_proba_one(x)
        if answer:
            p[i] = [answer.get(bool(k) if n_classes == 2 else k, 0.0) for k in range(n_classes)]
            p[i] /= p[i].sum()
        model.learn_one(x, bool(code) if n_classes == 2 else code)
    np.save(found, p)


if __name__ == "__main__":
    main(*sys.argv[1:])
