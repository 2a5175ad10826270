"""Every kernel keeps what it learns in its arrays: two states can take turns in one kernel."""

import numpy as np
import pytest
from support import every_learner
from support.separate_states import PARAMETERS, rows

from thalweg.keyed._native.slab import Slab
from thalweg.keyed._native.slots import SlotKernel, obstacle
from thalweg.learners import HoeffdingTree, LinearLogistic, NaiveBayes, NeighbourMixture
from thalweg.learners.base.native import NativeClassifier

IN_SLOTS = {
    "AdaptiveLogistic", "LinearLogistic", "LogisticMixture", "MajorityClass", "MultinomialNaiveBayes",
    "NaiveBayes", "NearestNeighbours", "NoChange",
}  # fmt: skip

ALONE = [
    *IN_SLOTS, "AdaptiveHoeffdingOptionTree", "DecisionStump", "DecisionTree", "HoeffdingAdaptiveTree",
    "HoeffdingOptionTree", "HoeffdingTree", "LabelChain", "LikelihoodParticleFilter", "NeighbourMixture",
    "ParticleFilter", "RefittingParticleFilter", "RegularisedParticleFilter",
]  # no members


def made(name, n_classes=2):
    return every_learner.registry.load(name)(**PARAMETERS.get(name, {})).begin(4, list(range(n_classes)))


def kernel_of(learner):
    return learner._kernel if isinstance(learner, NativeClassifier) else None


@pytest.mark.parametrize("name", [*every_learner.registry])
def test_a_kernel_can_be_bound_to_a_slot_or_says_why_not(name):
    kernel = kernel_of(made(name))
    if name in IN_SLOTS:
        assert obstacle(kernel) is None
    elif kernel is not None:
        assert obstacle(kernel)
        with pytest.raises(TypeError, match="cannot be moved to a slot: it"):
            SlotKernel(kernel)


@pytest.mark.parametrize("name", sorted(IN_SLOTS))
@pytest.mark.parametrize("n_classes", [2, 3])
def test_states_in_slots_do_not_touch_each_other(name, n_classes):
    slab = Slab([SlotKernel(made(name, n_classes)._kernel)])
    slab.extend(50)
    X, y = rows(2000, n_classes)
    slots = np.random.default_rng(3).integers(50, size=len(X))
    w, p, expected = np.ones(len(X)), np.empty((len(X), n_classes)), np.empty((len(X), n_classes))
    slab.learn(slots, X, y, w, p)
    for slot in range(50):
        mine = slots == slot
        answers = np.empty((mine.sum(), n_classes))
        made(name, n_classes)._kernel.learn(X[mine], y[mine], w[mine], answers)
        expected[mine] = answers
    np.testing.assert_array_equal(p, expected)


@pytest.mark.parametrize("name", [*every_learner.registry])
def test_nothing_that_is_learned_hides_outside_the_arrays(name):
    shared, alone = made(name), [made(name), made(name)]
    X, y = rows(240, 2)
    states = [each.state() for each in alone]
    for turn, start in enumerate(range(0, len(X), 40)):
        part, key = slice(start, start + 40), turn % 2
        shared.restore(states[key])
        found = shared.test_then_train(X[part], y[part])
        states[key] = shared.state()
        np.testing.assert_array_equal(found, alone[key].test_then_train(X[part], y[part]))


@pytest.mark.parametrize("name", sorted(ALONE))
def test_a_kernel_goes_on_from_arrays_put_into_it(name):
    shared, alone = kernel_of(made(name)), [kernel_of(made(name)) for _ in range(2)]
    X, y = rows(240, 2)
    X = np.nan_to_num(X)  # some learners fill in missing values before the kernel
    w, p, expected = np.ones(40), np.empty((40, 2)), np.empty((40, 2))
    states = [each.beginning() for each in alone]
    for turn, start in enumerate(range(0, len(X), 40)):
        part, key = slice(start, start + 40), turn % 2
        shared.reset(states[key])
        shared.learn(X[part], y[part], w, p)
        states[key] = shared.beginning()
        alone[key].learn(X[part], y[part], w, expected)
        np.testing.assert_array_equal(p, expected)


@pytest.mark.parametrize("learner, reason", [
    (HoeffdingTree(), "grows"), (NeighbourMixture(), "members|rows that wait"),
])  # fmt: skip
def test_the_reason_is_said(learner, reason):
    with pytest.raises(TypeError, match=f"{type(learner).__name__} cannot be moved to a slot.*({reason})"):
        SlotKernel(learner.begin(3, [0, 1])._kernel)


def test_categories_make_naive_bayes_grow():
    assert obstacle(NaiveBayes().begin(2, [0, 1], n_categories=[0, 3])._kernel) == "grows with what it learns"


def test_a_slot_holds_the_arrays_of_the_kernel_and_little_more():
    kernel = LinearLogistic().begin(10, [0, 1])._kernel
    n_bytes = sum(array.nbytes for array in kernel.arrays.values())
    assert n_bytes <= SlotKernel(kernel).size < n_bytes + 200
