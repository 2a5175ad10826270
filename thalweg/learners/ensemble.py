"""What ensembles share: members built from one template, saved with them, and shown over time."""

import numpy as np
from sklearn.base import clone

from thalweg._parameters import instance_of, is_seed
from thalweg.errors import StateError
from thalweg.learners.base import StreamClassifier
from thalweg.learners.growth import grown_member
from thalweg.learners.hoeffding_tree import HoeffdingTree
from thalweg.learners.members import restored_member
from thalweg.learners.native import NativeClassifier
from thalweg.learners.seeded import SeededClassifier


class Ensemble(SeededClassifier):
    """A learner made of members, called through their handles by an ensemble's kernel.

    A subclass has the parameters `member` and `random_state`, and makes its kernel with `self._build`, which
    returns a fresh member. The kernel keeps the members. Each has a seed of its own wherever the template has
    a `random_state`.
    """

    _events: tuple[str, ...] = ("replaced",)  # kinds of them; the last is the end of a member

    @property
    def takes_missing(self):
        """Whether the members cope with missing values; if not, they get the running mean instead."""
        return as_member(self, self._template()).takes_missing

    @property
    def uses_weights(self):
        """Whether weights of rows make a difference to the members."""
        return as_member(self, self._template()).uses_weights

    @property
    def observes(self):
        """Whether rows without a label mean anything to the members."""
        return as_member(self, self._template()).observes

    @property
    def members_(self):
        """The members as they are now."""
        self._check_begun()
        with self._lock.read:
            return list(self._kernel.members)

    @property
    def n_replaced_(self):
        """Members that have been replaced or dropped so far."""
        self._check_begun()
        with self._lock.read:
            return int(self._kernel.arrays["n_events"][-1])

    @property
    def history_(self):
        """What became of the members, in bounded memory: a dict of arrays.

        "row" are the numbers of learned rows at which a note was made, at most 128 spread over the whole run;
        "weight" (or "error") and "size" hold a number for each of them and each member, NaN where there was
        no such member; "event_row", "event_member" and "event" are the latest 1000 events.
        """
        self._check_begun()
        with self._lock.read:
            rows, numbers, sizes = self._kernel.history()
            event_rows, members, kinds = self._kernel.events()
        return {
            "row": rows,
            self._noted: numbers,
            "size": sizes,
            "event_row": event_rows,
            "event_member": members,
            "event": np.array(self._events, dtype=object)[kinds],
        }

    _noted = "weight"

    def plot_history(self, axes=None):
        """Draw the members' weights (or errors) and sizes over time with matplotlib; return the two axes."""
        from thalweg.learners.ensemble_plot import plot_history

        return plot_history(self.history_, self._noted, axes)

    def _template(self):
        return HoeffdingTree() if self.member is None else self.member

    def _begin(self, n_features, n_classes, seed=None):
        self._seeded = list(filter(is_seed, as_member(self, self._template()).get_params()))
        self._pristine = None
        super()._begin(n_features, n_classes, seed)
        first = self._first_member()
        if self._starts_members_again(first):
            self._pristine = first._kernel.state()
        else:
            self._kernel.most_spares = 0

    def _first_member(self):
        """Return a member as it begins."""
        return self._kernel.members[0]

    def _build(self, slot, n_built, spare):
        """Return a fresh member for a slot, its kernel and the inputs it sees (None if that is all).

        `n_built` members were in that slot before. Changes nothing but `spare`: a member that is no longer in
        use, or None. So it can be interrupted anywhere, and called again.
        """
        seeds = np.random.SeedSequence([self._seed, slot, n_built]).generate_state(len(self._seeded))
        seeds = dict(zip(self._seeded, seeds.tolist(), strict=True))
        columns = self._columns(slot, n_built)
        member = self._begun_member(seeds, columns) if spare is None or self._pristine is None else spare
        if self._pristine is not None:
            member._start_again(self._pristine, **seeds)
        return member, member._handle(), columns

    def _begun_member(self, seeds, columns):
        member = clone(self._template()).set_params(**seeds)
        member._lock = self._lock
        categories = self.n_categories_ if columns is None else self.n_categories_[columns]
        return member._begin_unlocked(len(categories), self._labels, n_categories=categories)

    def _columns(self, slot, n_built):
        """Return the inputs that a fresh member in this slot sees, or None if it sees all."""
        return None

    def _starts_members_again(self, member):
        """Whether a member can go back to the beginning of this one, the first."""
        seeds = dict.fromkeys(self._seeded)
        return isinstance(member, NativeClassifier) and member._starts_again(seeds)

    def _starts_again(self, seeds):
        return False

    def _grow_from(self, n_features, n_classes):
        old = self._kernel
        members = [self._grown_member(member) for member in old.members]
        self._begin_again()
        self._kernel.inherit(old)
        self._kernel.set_members(members, [member._handle() for member in members])

    def _grown_member(self, member):
        """Return a member that goes on from this one with the present inputs and classes."""
        return grown_member(self, member)

    def _keys(self, n):
        return np.random.SeedSequence(self._seed).generate_state(n, np.uint64)

    def _observe(self, X):
        for member in self._kernel.members:
            member._observe(X)

    def _state(self):
        members = [member._state_unlocked() for member in self._kernel.members]
        return super()._state() | {"members": members}

    def _check_size(self, memory):
        n, wanted = len(memory["n_built"]), self._n_slots()
        if n != wanted:
            raise StateError(f"{self._who}: the state has room for {n} members, the parameters for {wanted}")

    def _n_slots(self):
        """Return how many members there can be, the next trees of a forest included."""
        return self.n_members

    def _restore_kernel(self, memory):
        memory = dict(memory)
        given = memory.pop("members")
        super()._restore_kernel(memory)
        self._kernel.check_number(len(given))
        members = [self._restored_member(slot, state) for slot, state in enumerate(given)]
        self._kernel.set_members(members, [member._handle() for member in members])

    def _restored_member(self, slot, state):
        return restored_member(self, self._template(), state, self.n_categories_)


def as_member(owner, model):
    """Return `model`, the member of `owner`; raise ParameterError unless it is a StreamClassifier."""
    wanted = "a learner such as HoeffdingTree() (docs/add_a_learner.md shows how to wrap another model)"
    return instance_of(owner, "member", model, StreamClassifier, wanted)
