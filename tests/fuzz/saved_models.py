"""Load model files with damaged values and right checksums, of every learner and of models with pending rows.

    PYTHONPATH=tests python tests/fuzz/saved_models.py --seconds 60 --seed 1

What is loaded must predict, label the rows that wait, learn, observe, be copied and saved.
"""

import numpy as np
from golden_models import NAMES, small
from support import every_learner
from support.damaged_states import DamagedStates, packed, unpacked
from support.late_rows import keepers
from support.numbered_inputs import Steps, fuzz_script, refused, run_inputs

import thalweg
from thalweg.checks.rows import rows, taught
from thalweg.errors import ModelFileError, ThalwegError

DENSE = ("NaiveBayes", "HoeffdingTree", "LogisticMixture", "LabelChain", "LastLabels", "NeighbourMixture",
         "AdaptiveStacking", "Calibrated", "PredictionSets")  # fmt: skip
N_WORDS = 64
WAITING = [f"w{i}" for i in range(8)]
X, Y = rows(60, with_gaps=True)


def records(n, seed=0):
    """Return records with a text, a category and a number."""
    rng = np.random.default_rng(seed)
    return [
        {"note": " ".join(f"word{k}" for k in rng.integers(12, size=3)), "shop": "nsw"[rng.integers(3)],
         "price": float(rng.integers(9)), "paid": "ab"[rng.integers(2)]}
        for _ in range(n)
    ]  # fmt: skip


NEW, LABELS = [{**each} for each in records(4, seed=2)], list("abababab")
UNLABELLED = [{name: each[name] for name in ("note", "shop", "price")} for each in records(8, seed=1)]


def model(learner, **options):
    """Return the bytes of a model with rows that wait."""
    found = thalweg.Model("paid", learner, max_waiting=30, **options).learn(records(40))
    found.predict(UNLABELLED, ids=WAITING)
    return thalweg.to_bytes(found)


def sparse_learners():
    """Return the names of the learners that take sparse rows."""
    return [name for name in every_learner.registry if every_learner.registry.load(name)().takes_sparse]


class SavedModels:
    """Half of the inputs are models with sparse rows that wait, a quarter dense ones, others learners."""

    def __init__(self):
        text, no_text = {"columns": {"note": "text"}, "n_words": N_WORDS}, {"columns": {"note": "ignore"}}
        self._parts = (
            {f"sparse {name}": lambda name=name: model(small(name), **text) for name in sparse_learners()},
            {f"dense {name}": lambda name=name: model(small(name), **no_text) for name in DENSE},
            {name: lambda name=name: _learner(_made(name)) for name in NAMES}
            | {f"{name} of keepers": lambda each=each: _learner(each) for name, each in keepers().items()},
        )
        self._made = {}

    def damaged(self, rng, number):
        """Return what was changed, and the bytes of a model file."""
        part = self._parts[(0, 0, 1, 2)[number % 4]]
        name = list(part)[rng.integers(len(part))]
        if name not in self._made:
            self._made[name] = DamagedStates(unpacked(part[name]()), often=["waiting"])
        while True:
            what, content = self._made[name].draw(rng)
            try:
                return (name, what), packed(content)
            except (TypeError, ValueError):
                continue  # there is no file with such a value

    def attempt(self, data):
        """Return what became of a file."""
        try:
            loaded = thalweg.from_bytes(data)
        except ModelFileError as error:
            return refused(error)
        steps = Steps(ThalwegError)
        use = _use_model if isinstance(loaded, thalweg.Model) else _use_learner
        with np.errstate(all="ignore"):
            use(loaded, steps)
        return steps.answer()


def _made(name):
    return every_learner.registry.load(name)() if name in every_learner.registry else small(name)


def _learner(learner):
    found = taught(learner, X, Y)
    if found.observes:
        found.observe(X[:8], np.arange(8))
    return thalweg.to_bytes(found)


def _use_model(loaded, steps):
    if not loaded._begun:
        return
    steps(loaded.predict_one, UNLABELLED[0])
    steps(loaded.predict_proba, UNLABELLED)
    steps(loaded.label, WAITING[:4], LABELS[:4], ignore_unknown=True)
    steps(loaded.predict, UNLABELLED[:3], ids=["n1", "n2", "n3"])
    for record in NEW:
        steps(loaded.learn, record)
    twin = steps(loaded.copy)
    steps(loaded.label, WAITING[:3:-1], LABELS[4:], ignore_unknown=True)
    steps(loaded.predict_proba, UNLABELLED)
    if twin is not None:
        steps(thalweg.to_bytes, twin)


def _use_learner(loaded, steps):
    if not hasattr(loaded, "classes_"):
        return
    d, k = loaded.n_features_in_, len(loaded.classes_)
    if d > 1000:
        return
    Z = np.resize(X, (30, d))
    steps(loaded.predict_proba_block, Z)
    steps(loaded.observe, Z[:5], np.arange(3, 8))
    steps(loaded.test_then_train_coded, Z, Y[:30] % k)
    twin = steps(loaded.copy)
    steps(loaded.predict_proba_block, Z)
    if twin is not None:
        steps(thalweg.to_bytes, twin)


def run(seed, **limit):
    """Load damaged files; return counts of answers, and the problems."""
    return run_inputs(__file__, seed, **limit)


if __name__ == "__main__":
    fuzz_script(__doc__, SavedModels, __file__)
