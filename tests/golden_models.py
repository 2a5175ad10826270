"""Write a small model file of every learner, and of a pipeline, that has none yet, in the present layout:
golden/models/LAYOUT.

    python tests/golden_models.py

Files that are there are never written again: later releases must load them and get the same probabilities.
"""

from pathlib import Path

import numpy as np
from support import every_learner, order_rows

import thalweg
from thalweg import learners, preprocessing
from thalweg.saving import container

FOLDER = Path(__file__).parent / "golden" / "models" / str(container.VERSION)
SMALL = {
    "members": [learners.NaiveBayes(), learners.HoeffdingTree()],
    "n_members": 2,
    "max_members": 2,
    "n_particles": 10,
    "window": 20,
    "windows": (5, 20),
    "chunk_size": 20,
    "max_waiting": 5,
    "n_bins": 4,
}


PIPELINE = (
    preprocessing.Dates([0], parts=["elapsed", "weekday"]),
    preprocessing.OneHotEncoder([1], max_categories=3),
    preprocessing.OrdinalEncoder([2], max_categories=2),
    preprocessing.Imputer("flag"),
    preprocessing.StandardScaler(decay=0.99),
    preprocessing.FeatureHasher(4),
    learners.NaiveBayes(),
)
NAMES = [*every_learner.registry, "Pipeline"]


def small(name):
    """Return a learner with small parameters."""
    if name == "Pipeline":
        return preprocessing.make_pipeline(*PIPELINE).set_params(max_waiting=5)
    learner = every_learner.registry.load(name)()
    return learner.set_params(**{key: SMALL[key] for key in SMALL if key in learner.get_params(deep=False)})


def write_model():
    """Write a Model with every kind of column, and rows that wait, if there is none."""
    path = FOLDER.parents[1] / "raw_models" / FOLDER.name / "Model.tw"
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    rows, later = order_rows.orders(80), order_rows.orders(20, seed=2, first=80)
    learner = learners.AdaptiveStacking([learners.NaiveBayes(), learners.LabelChain()], n_jobs=None)
    model = thalweg.Model("paid", learner, columns={"id": "ignore", "note": "text"}, n_words=8).learn(rows)
    unlabelled, ids = order_rows.without(later, "paid"), [row["id"] for row in later]
    model.predict(unlabelled[:10], ids=ids[:10])
    probe = model.copy()
    notes = {"before": probe.predict_proba(unlabelled), "rows": later}
    probe.label(ids[9::-1], [row["paid"] for row in later[9::-1]])
    notes["after"] = probe.learn(later[10:]).predict_proba(unlabelled)
    thalweg.save(model, path, notes=notes)
    print(f"{path.stat().st_size:8,}  Model")


def main():
    """Write what is missing."""
    write_model()
    FOLDER.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(1)
    X, labels = rng.normal(size=(70, 2)), np.array(["high", "low"])
    y = labels[(X[:, 0] + 0.3 * rng.normal(size=70) < 0).astype(int)]
    for name in NAMES:
        path = FOLDER / f"{name}.tw"
        if path.exists():
            continue
        learner = small(name).begin(2, labels)
        learner.test_then_train(X[:50], y[:50])
        probe = learner.copy()
        notes = {"X": X[50:], "y": y[50:], "before": probe.predict_proba_block(X[50:])}
        notes["while"] = probe.test_then_train(X[50:], y[50:])
        thalweg.save(learner, path, notes=notes)
        print(f"{path.stat().st_size:8,}  {name}")


if __name__ == "__main__":
    main()
