"""Baselines that any learner must beat: the majority class, the last label, a Markov chain of labels."""

from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from thalweg import learners
from thalweg._native.argmax import likeliest
from thalweg._types import Ints, State
from thalweg.errors import StateError

if TYPE_CHECKING:  # importing it takes scikit-learn
    from thalweg.learners.base.stream_classifier import StreamClassifier


class Style(NamedTuple):
    """How a line of a chart is drawn: its dash, as in SVG, and its colours on light and on dark pages."""

    dash: str
    light: str
    dark: str


class Baseline(NamedTuple):
    """A baseline: its class in `thalweg.learners`, its title in tables, what it does, and its line."""

    kind: str
    title: str
    doing: str
    style: Style

    def learner(self) -> "StreamClassifier":
        """Return a new learner."""
        made: StreamClassifier = learners.registry.load(self.kind)()
        return made


BASELINES = {
    "majority": Baseline(
        "MajorityClass",
        "majority class",
        "always answering the majority class",
        Style("2 3", "#848e99", "#8a95a1"),
    ),
    "no_change": Baseline(
        "NoChange",
        "repeat the last label",
        "repeating the last label",
        Style("", "#66717d", "#a9b4bf"),
    ),
    "label_chain": Baseline(
        "LabelChain",
        "Markov chain of labels",
        "answering the class that most often follows the last label",
        Style("6 3", "#77828e", "#95a0ac"),
    ),
}
_ROWS_AT_A_TIME, _MOST_NUMBERS = 65_536, 2**21  # of labels, and of probabilities


class Baselines:
    """Predictions of all baselines for each tested row.

    They learn the same labels as the learner, at the same time and in the same order: with late labels the
    last label is the one that came last. All predict class 0 before the first label, and the first of equally
    likely classes. Predictions are computed now and then, so that little is left for the end.
    """

    def __init__(self, n_classes: int, most_classes: int | None = None) -> None:
        self.dtype = np.min_scalar_type(-(most_classes or n_classes) - 1)
        self._classes = np.arange(n_classes)
        self._learners = [
            baseline.learner().begin(1, self._classes, more_classes=True) for baseline in BASELINES.values()
        ]
        self._n_labels = 0
        self._answers = [np.empty((len(BASELINES), 0), self.dtype)]
        self._learned: list[NDArray[np.integer]] = []
        self._n_known: list[NDArray[np.int64]] = []
        self._n_left = 0

    def set_classes(self, n_classes: int) -> None:
        """Increase the number of classes, which learners take in when the next label is learned."""
        self._classes = np.arange(n_classes)

    def add(self, learned: NDArray[np.integer], n_known: NDArray[np.int64]) -> None:
        """Add the codes of learned labels, and for each tested row the number of labels learned before it."""
        self._learned.append(learned.astype(self.dtype))
        self._n_known.append(n_known)
        self._n_left += len(learned) + len(n_known)
        if self._n_left > _ROWS_AT_A_TIME:
            self._predict()

    def codes(self, n: int) -> dict[str, NDArray[np.integer]]:
        """Return the predictions for the first `n` tested rows."""
        # There are more than `n` if Ctrl-C came before the last rows were recorded.
        self._predict()
        return {name: codes[:n].copy() for name, codes in self._by_name(self._answers).items()}

    def new_codes(self) -> dict[str, NDArray[np.integer]]:
        """Return the predictions for the rows tested since the last call, and keep them no longer."""
        self._predict()
        answers, self._answers = self._answers, self._answers[:1]
        return self._by_name(answers)

    def state(self) -> State:
        """Return what was learned, as plain data; call it after `new_codes`, as no predictions are kept."""
        learners = [learner.state() for learner in self._learners]
        return {"learners": learners, "n_labels": self._n_labels, "n_classes": len(self._classes)}

    def restore(self, state: State) -> Self:
        """Go on from what `state` returned; return self. Do not use it after an error."""
        for learner, each in zip(self._learners, state["learners"], strict=True):
            learner.restore(each)
            if not learner._labels.is_open or learner.n_features_in_ != 1:
                raise StateError("Baselines: the learners of the state learn other inputs, or no new labels")
        self._n_labels = int(state["n_labels"])
        self._classes = np.arange(int(state["n_classes"]))
        return self

    def _by_name(self, answers: list[NDArray[np.integer]]) -> dict[str, NDArray[np.integer]]:
        return dict(zip(BASELINES, np.concatenate(answers, axis=1), strict=True))

    def _predict(self) -> None:
        learned = np.concatenate([np.empty(0, np.intp), *self._learned])
        known = np.concatenate([np.empty(0, np.int64), *self._n_known]) - self._n_labels
        before = [learner.state() for learner in self._learners]
        try:
            found = np.array([self._after_each(learner, learned)[known] for learner in self._learners])
            answers, n_labels = [*self._answers, found], self._n_labels + len(learned)
        except BaseException:  # Ctrl-C: these labels are learned later
            for learner, state in zip(self._learners, before, strict=True):
                learner.restore(state)
            raise
        # No call between these assignments, so that Ctrl-C cannot come between them.
        self._answers, self._n_labels = answers, n_labels
        self._learned, self._n_known, self._n_left = [], [], 0

    def _after_each(self, learner: "StreamClassifier", codes: Ints) -> NDArray[np.integer]:
        """Return what a learner predicts before the first of these labels, and after each of them."""
        found = np.empty(len(codes) + 1, self.dtype)
        stretch = max(1, _MOST_NUMBERS // len(self._classes))
        for start in range(0, len(codes), stretch):
            part = slice(start, min(start + stretch, len(codes)))
            X = np.zeros((part.stop - start, 1))
            found[part] = likeliest(learner.test_then_train_coded(X, codes[part], classes=self._classes))
        found[-1] = likeliest(learner.predict_proba_block(np.zeros((1, 1))))[0]
        return found
