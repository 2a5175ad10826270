"""River's EntropySampler around its Hoeffding tree, run by a Python that has River: rows in, counts out."""

import json
import sys

import numpy as np
from river import active, tree

FIRST = 100  # rows whose labels are asked for: a tree that knows nothing has no entropy, and would never ask


def main(path, discount):
    """Print how many rows were right, and how many labels were asked for, as JSON."""
    cells = np.load(path)
    model = active.EntropySampler(tree.HoeffdingTreeClassifier(), discount_factor=discount, seed=1)
    right = asked = 0
    for i, row in enumerate(cells):
        x, y = dict(enumerate(row[:-1].tolist())), int(row[-1])
        answer, ask = model.predict_one(x)
        right += answer == y
        if ask or i < FIRST:
            asked += 1
            model.learn_one(x, y)
    print(json.dumps({"rows": len(cells), "correct": int(right), "labels": asked}))


main(sys.argv[1], float(sys.argv[2]))
