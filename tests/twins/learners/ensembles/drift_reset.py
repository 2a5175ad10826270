"""A learner that a detector resets, in plain Python, row by row."""

import numpy as np


def run(build, detector, X, y):
    """Return the probabilities before each row, and the rows of the drifts."""
    here, other, warned, p, drifts = build(), build(), False, [], []
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        p.append(here.predict_proba_one(x))
        if detector.update(float(p[-1].argmax() != label)):
            here, warned = other if warned else build(), False
            drifts.append(i)
        elif detector.warning:
            other = other if warned else build()
            other.learn_one(x, label)
            warned = True
        else:
            warned = False
        here.learn_one(x, label)
    return np.array(p), drifts
