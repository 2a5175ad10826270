"""What ensembles share: members built from one template, saved with them, and shown over time."""

import numpy as np
from sklearn.base import clone

from thalweg._parameters import instance_of, is_seed
from thalweg.learners.base import StreamClassifier
from thalweg.learners.hoeffding_tree import HoeffdingTree
from thalweg.learners.native import NativeClassifier
from thalweg.learners.seeded import SeededClassifier
from thalweg.learners.state import from_plain


class Ensemble(SeededClassifier):
    """A learner made of members, called through their handles by an ensemble's kernel.

    A subclass has the parameters `member` and `random_state`, and makes its kernel with `self._build`, which
    begins a fresh member. Each member has a seed of its own wherever the template has a `random_state`.
    """

    _events: tuple[str, ...] = ("replaced",)

    @property
    def takes_missing(self):
        """Whether the members cope with missing values; if not, they get the running mean instead."""
        return as_member(self, self._template()).takes_missing

    @property
    def members_(self):
        """The members as they are now."""
        self._check_begun()
        return list(self._members)

    @property
    def n_replaced_(self):
        """Number of events so far: see `history_`."""
        self._check_begun()
        return int(self._kernel.arrays["progress"][1])

    @property
    def history_(self):
        """What became of the members, in bounded memory: a dict of arrays.

        "row" are the numbers of learned rows at which a note was made, at most 128 spread over the whole run;
        "weight" (or "error") and "size" hold a number for each of them and each member, NaN where there was
        no such member; "event_row", "event_member" and "event" say what befell members, the latest 1000.
        """
        self._check_begun()
        rows, numbers, sizes = self._kernel.history()
        events = self._kernel.events()
        return {
            "row": rows,
            self._noted: numbers,
            "size": sizes,
            "event_row": events[:, 0],
            "event_member": events[:, 1],
            "event": np.array(self._events, dtype=object)[events[:, 2]],
        }

    _noted = "weight"

    def plot_history(self, axes=None):
        """Draw the members' weights (or errors) and sizes over time with matplotlib; return the two axes."""
        from thalweg.learners.ensemble_plot import plot_history

        return plot_history(self.history_, self._noted, axes)

    def _template(self):
        return HoeffdingTree() if self.member is None else self.member

    def _begin(self, n_features, n_classes, seed=None):
        self._members, self._spare = [], []
        self._n_built = []  # of each slot
        self._pristine = None
        self._seeded = list(filter(is_seed, as_member(self, self._template()).get_params()))
        super()._begin(n_features, n_classes, seed)

    def _grow(self, kernel, n_members):
        for m in range(n_members):
            kernel.put(m, self._build(m))
        return kernel

    def _build(self, m):
        """Begin a fresh member m, in the place of another one or as the last; return its kernel."""
        self._n_built += [0] * (m + 1 - len(self._n_built))
        seeds = np.random.SeedSequence([self._seed, m, self._n_built[m]]).generate_state(len(self._seeded))
        seeds = dict(zip(self._seeded, seeds.tolist(), strict=True))
        self._n_built[m] += 1
        old = self._members[m] if m < len(self._members) else self._spare.pop() if self._spare else None
        if old is not None and self._pristine is not None:
            member = old
            self._renew_member(member, m, seeds)
        else:
            member = clone(self._template()).set_params(**seeds)
            self._begin_member(member, m)
        if not self._members and self._renews(member, seeds):
            self._pristine = member._state()
        self._members[m : m + 1] = [member]
        return member._handle()

    def _begin_member(self, member, m):
        member._lock = self._lock
        member._begin_unlocked(self.n_features_in_, self._labels, n_categories=self.n_categories_)

    def _renews(self, member, seeds):
        """Whether members can be brought back to the beginning of the first one."""
        return isinstance(member, NativeClassifier) and member._starts_again(seeds)

    def _renew_member(self, member, m, seeds):
        member._start_again(self._pristine, **seeds)

    def _drop(self, m):
        """Let go of member m, which may serve as a fresh one later."""
        self._spare.append(self._members.pop(m))

    def _keys(self, n):
        return np.random.SeedSequence(self._seed).generate_state(n, np.uint64)

    def _observe(self, X):
        for member in self._members:
            member._observe(X)

    def _state(self):
        members = [member.state() for member in self._members]
        return super()._state() | {"members": members, "n_built": list(self._n_built)}

    def _restore(self, memory):
        super()._restore(memory)
        self._members = [from_plain(member) for member in memory["members"]]
        self._n_built = list(memory["n_built"])
        self._kernel.call([member._handle() for member in self._members])


def as_member(owner, model):
    """Return `model`, the member of `owner`; raise ParameterError unless it is a StreamClassifier."""
    wanted = "a learner such as HoeffdingTree() (docs/add_a_learner.md shows how to wrap another model)"
    return instance_of(owner, "member", model, StreamClassifier, wanted)
