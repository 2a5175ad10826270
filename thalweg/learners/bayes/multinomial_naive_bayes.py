"""Multinomial naive Bayes for counts of words and other sparse rows."""

import numpy as np

from thalweg._parameters import real_number, yes_or_no
from thalweg._types import Floats
from thalweg.learners.base.sparse_one_hot import SparseOneHot
from thalweg.learners.bayes._native.multinomial_naive_bayes import MultinomialKernel

NEVER = 1e-300  # the weight of a class that was not seen, where its logarithm is asked for


class MultinomialNaiveBayes(SparseOneHot):
    """Multinomial naive Bayes: a row is a bag of counts, each drawn by its class with chances of its own.

    For text, where it is good from the first rows on and a row costs as much as it has values that are not 0.
    Takes SciPy's sparse rows too, and answers as for the same rows in full. It forgets at a fixed rate,
    without any cost. It counts, and knows nothing of sizes: numbers that are no counts are for `NaiveBayes`.

    Which class is the likeliest is what scikit-learn's `MultinomialNB` says. Its probabilities would be far
    too sure of themselves, because words go together. They are taken at eight scales of the scores, from 1
    to 1/128, and averaged by what each was worth of late; with `calibrate=False` they are those of the scale
    1.

    Values below 0 count as 0, as missing ones do, and none counts as more than 1e9. A row of weight 2 adds to
    the counts what the row twice would. Three or more categories are an input each, 0 or 1. A class that was
    not seen, or not for so long that all of it is forgotten, has the probability 0. Memory: a number for each
    class and input.

    Parameters
    ----------
    alpha : float, default=0.3
        Count that each input has in each class from the start.
    decay : float, default=0.999
        Share of all counts that is kept when a row is learned; 1 forgets nothing.
    complement : bool, default=False
        Whether to score a class by how badly the inputs of all other classes explain the row, whatever the
        class's share of the rows (complement naive Bayes), for many classes of very different sizes.
    calibrate : bool, default=True
        Whether to learn how far the probabilities can be trusted.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        Logarithms of the chances of the inputs and of the classes; one row for two classes, the second one's
        less the first one's, else one for each class.
    input_names_ : list of str
        What the columns of `coef_` belong to: the inputs' names, and for three or more categories one each.
    trust_ : ndarray
        Weights of the probabilities at the scales 1, 1/2, 1/4, …, 1/128 of the scores; sums to 1.

    Notes
    -----
    Differs from the papers in the decay and in the scales. The defaults were chosen on `usenet1`,
    `email_list` and simulated messages.

    References
    ----------
    McCallum, Nigam: A comparison of event models for naive Bayes text classification. AAAI workshop, 1998.
    Rennie, Shih, Teevan, Karger: Tackling the poor assumptions of naive Bayes text classifiers. ICML, 2003.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import HashingVectorizer
    >>> from thalweg.learners import MultinomialNaiveBayes
    >>> words = HashingVectorizer(n_features=2**16, norm=None, alternate_sign=False)
    >>> learner = MultinomialNaiveBayes().begin(2**16, ["ham", "spam"])
    >>> X = words.transform(["see you at lunch", "win a prize now", "lunch at noon?", "claim your prize"])
    >>> p = learner.test_then_train(X, ["ham", "spam", "ham", "spam"])
    >>> learner.predict(words.transform(["your lunch prize: win it now"])).tolist()
    ['spam']
    """

    _kernel: MultinomialKernel

    def __init__(
        self,
        alpha: float = 0.3,
        decay: float = 0.999,
        *,
        complement: bool = False,
        calibrate: bool = True,
    ) -> None:
        self.alpha = alpha
        self.decay = decay
        self.complement = complement
        self.calibrate = calibrate

    def _make_kernel(self, n_features: int, n_classes: int) -> MultinomialKernel:
        return MultinomialKernel(
            self._who,
            n_features,
            n_classes,
            alpha=real_number(self, "alpha", self.alpha, least=1e-10, most=1e10),
            decay=real_number(self, "decay", self.decay, above=0, most=1),
            complement=yes_or_no(self, "complement", self.complement),
            calibrate=yes_or_no(self, "calibrate", self.calibrate),
        )

    @property
    def trust_(self) -> Floats:
        """Weights of the probabilities at the scales 1, 1/2, 1/4, …, 1/128 of the scores."""
        with self._reading:
            return self._kernel.arrays["trust"].copy()

    def _coefficients(self) -> tuple[Floats, Floats]:
        arrays = self._kernel.arrays
        count, weight = arrays["count"].T, np.maximum(arrays["weight"], NEVER)
        prior = np.log(weight) - np.log(weight.sum())
        if self.complement:
            count, prior = np.maximum(count.sum(axis=0) - count, 0.0), np.zeros(len(weight))
        count = count + self.alpha * arrays["growth"]
        chances = np.log(count) - np.log(count.sum(axis=1, keepdims=True))
        if self.complement:
            chances = -chances
        if len(weight) == 2:
            return chances[1:] - chances[:1], prior[1:] - prior[:1]
        return chances, prior
