"""How much any learner needs each input: what it loses when the values of the input are shuffled."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thalweg._bounded_record import BoundedRecord
from thalweg._native.argmax import likeliest
from thalweg._parameters import one_of, whole_number
from thalweg._registry import Pickled
from thalweg._types import Floats, Ints
from thalweg.evaluation.history import History
from thalweg.evaluation.inputs.columns import InputColumns

MOST_KEPT = 128
TITLES = {"accuracy": "accuracy lost by shuffling", "log_loss": "log-loss gained by shuffling"}
LEAST_PROBABILITY = 1e-6  # of a label, so that one row does not decide


class PermutationImportance(Pickled):
    """Permutation importance of a learner over time, on rows that it has not learned yet.

    Every `period` learned rows the learner is copied. When `window` more rows have been learned, the copy is
    asked about them, which it has never seen: once as they are, and for each input with its values shuffled
    among them. The importance of the input is what the copy loses by that. It is about 0 for an input that
    the learner does not use, and can be a little below 0 by chance. Inputs that say the same share their
    importance, as each can replace the other.

    Give it to `prequential`, `chunked` or `holdout` as `observers`: then the size of blocks makes no
    difference, and the inputs that a column of dates or text became are shuffled together: there is one
    importance for each column, and one for each part of a date (`names` has their names, `parts` says which
    are parts). Missing values are shuffled like others, and categories by their codes.

    Cost: for every `period` rows a copy of the learner and window × (1 + repeats × importances) predictions.
    Memory: `window` rows, the copy, and at most 128 results, evenly spread over the run.

    Parameters
    ----------
    window : int, default=500
        Rows the copy is asked about. The importance of accuracy has a standard error of about
        sqrt(c / window), where c is the share of rows whose answer changes with the shuffled input.
    period : int, default=1000
        Learned rows from one copy to the next, at least `window`.
    repeats : int, default=1
        How often each input is shuffled; the mean counts.
    metric : {"accuracy", "log_loss"}, default="accuracy"
        What is lost: accuracy, or log-loss, which rises.
    seed : int, default=0
        Seed of the shuffling.

    Examples
    --------
    >>> from thalweg.evaluation import PermutationImportance, prequential
    >>> from thalweg.learners import NaiveBayes
    >>> from thalweg.streams import SEA
    >>> importance = PermutationImportance(repeats=5)
    >>> run = prequential(SEA(10_000, seed=1), NaiveBayes(), observers=importance)
    >>> importance.history_["importance"].mean(axis=0).round(2)
    array([0.23, 0.21, 0.  ])
    """

    _learned_at: Ints | None = None
    _answers: Callable[[Floats], Ints] = staticmethod(likeliest)

    def __init__(
        self,
        window: int = 500,
        period: int = 1000,
        *,
        repeats: int = 1,
        metric: str = "accuracy",
        seed: int = 0,
    ) -> None:
        self.window = whole_number(self, "window", window, 2)
        self.period = whole_number(self, "period", period, window)
        self.repeats = whole_number(self, "repeats", repeats, 1)
        self.metric = one_of(self, "metric", metric, ("accuracy", "log_loss"))
        self.seed = whole_number(self, "seed", seed, 0)
        self.begin()

    def begin(self, names: Sequence[Any] = (), n_rows: int | None = None) -> "PermutationImportance":
        """Forget everything; `names` are those of the inputs. Return self."""
        self.names = [str(name) for name in names]
        self.parts: dict[str, list[str]] = {}
        self._groups: list[list[int]] | None = None  # inputs shuffled together; None: each alone
        self.importance_: Floats | None = None
        self._learner: Any = None
        self._rows: list[tuple[Floats, Ints]] = []
        self._n_learned = self._n_held = self._n_results = 0
        self._next = self.period
        self._learned_at = None
        self._record = BoundedRecord[tuple[int, float, Floats]](MOST_KEPT, 1)  # by the number of results
        return self

    def set_columns(self, columns: InputColumns) -> None:
        """Shuffle the inputs of each column together, then those of each part of a date."""
        parts = columns.parts
        groups = [each for column in columns.columns for each in (column, *parts.get(column.name, ()))]
        self.names = [group.name for group in groups]
        self.parts = {name: [part.name for part in below] for name, below in parts.items()}
        self._groups = [list(group.inputs) for group in groups]

    def set_rows(self, rows: Ints) -> None:
        """Tell it the rows of the source at which the next rows are learned; else they are numbered here."""
        self._learned_at = rows

    def set_answers(self, answers: Callable[[Floats], Ints] | None) -> None:
        """Judge the answers that this function gives to probabilities; None: the likeliest classes."""
        vars(self).pop("_answers", None)
        if answers is not None:
            self._answers = answers

    @property
    def n_until_next(self) -> int:
        """Learned rows until the learner is copied; blocks that end there make results exact."""
        return self._next - self._n_learned

    @property
    def history_(self) -> dict[str, Any]:
        """The results, in bounded number.

        "row" is the number of the source's rows at the end of each window, or of learned rows if `update` is
        called; "score" the accuracy or log-loss there; "importance" has a line for each of them and a column
        for each of `names`.
        """
        results = self._record.values
        importances = [importance for _, _, importance in results]
        return {
            "row": np.array([row for row, _, _ in results], dtype=np.int64),
            "score": np.array([score for _, score, _ in results]),
            "importance": np.array(importances).reshape(len(importances), -1 if importances else 0),
        }

    def as_history(self) -> History | None:
        """Return the results for the page of a run; None if there are none yet."""
        if not self._record.values:
            return None
        values = self.history_["importance"]
        names = self.names or [f"x{j}" for j in range(values.shape[1])]
        return History(
            TITLES[self.metric], self.history_["row"], values=values, names=names, parts=self.parts
        )

    def update(self, learner: Any, X: ArrayLike, y: ArrayLike) -> None:
        """Tell it which rows and labels `learner` has just learned."""
        place = {label: code for code, label in enumerate(learner.classes_.tolist())}
        codes = np.array([place.get(label, -1) for label in np.asarray(y).tolist()], dtype=np.intp)
        self.update_coded(learner, np.asarray(X, dtype=np.float64), codes)

    def update_coded(self, learner: Any, X: Floats, codes: Ints) -> None:
        """Do `update` for labels given as positions in the learner's classes; rows below 0 are left out."""
        known = codes >= 0
        learned_at, self._learned_at = self._learned_at, None
        rows = np.arange(self._n_learned, self._n_learned + len(X)) if learned_at is None else learned_at
        X, codes, rows = X[known], codes[known], rows[known]
        if self._learner is not None:
            kept = slice(self.window - self._n_held)
            self._rows.append((X[kept].copy(), codes[kept].copy()))
            self._n_held += len(X[kept])
            if self._n_held == self.window:
                self._add_result(int(rows[kept][-1]) + 1)
        self._n_learned += len(X)
        if self._n_learned >= self._next and self._learner is None:
            self._learner = learner.copy() if hasattr(learner, "copy") else copy.deepcopy(learner)
            self._next = (self._n_learned // self.period + 1) * self.period

    def _add_result(self, row: int) -> None:
        X, codes = (np.concatenate(part) for part in zip(*self._rows, strict=True))
        rng = np.random.default_rng([self.seed, self._n_results])
        score, self.importance_ = self._losses(X, codes, rng)
        self._learner, self._rows, self._n_held = None, [], 0
        self._n_results += 1
        if self._record.is_due(self._n_results):
            self._record.add(self._n_results, (row, score, self.importance_))

    def _losses(self, X: Floats, codes: Ints, rng: np.random.Generator) -> tuple[float, Floats]:
        score = self._score(X, codes)
        groups = [[j] for j in range(X.shape[1])] if self._groups is None else self._groups
        lost, shuffled = np.zeros(len(groups)), X.copy()
        for g, inputs in enumerate(groups):
            for _ in range(self.repeats):
                shuffled[:, inputs] = X[rng.permutation(len(X))][:, inputs]
                lost[g] += (score - self._score(shuffled, codes)) / self.repeats
            shuffled[:, inputs] = X[:, inputs]
        return (score, lost) if self.metric == "accuracy" else (score, -lost)

    def _score(self, X: Floats, codes: Ints) -> float:
        p = self._learner.predict_proba_block(X)
        if self.metric == "accuracy":
            return float((self._answers(p) == codes).mean())
        known = codes < p.shape[1]
        likely = np.where(known, p[np.arange(len(p)), np.where(known, codes, 0)], 0.0)
        return float(-np.log(np.maximum(likely, LEAST_PROBABILITY)).mean())
