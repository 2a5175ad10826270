"""Every exported detector keeps its contract; broken ones are caught; alarms are MOA's."""

import copy
import inspect

import numpy as np
import pytest
from scipy.stats import ks_2samp
from sklearn.base import clone
from support.excuses import passes_unless_excused
from support.places import TESTS
from twins.drift.page_hinkley import PageHinkleyTwin

from thalweg import drift
from thalweg.checks.detector import CHECKS, check_detector
from thalweg.drift import ADWIN, DDM, EDDM, HDDM_A, HDDM_W, KSWIN, PageHinkley
from thalweg.drift._native import kswin

GOLDEN = dict(np.load(TESTS / "golden" / "detectors.npz"))
MOA = {
    "ADWINChangeDetector": ADWIN(),
    "ADWINChangeDetector -a 0.05": ADWIN(delta=0.05),
    "DDM": DDM(),
    "EDDM": EDDM(),
    "HDDM_A_Test": HDDM_A(),
    "HDDM_A_Test -t One-sided": HDDM_A(two_sided=False),
    "HDDM_W_Test": HDDM_W(),
    "HDDM_W_Test -t Two-sided": HDDM_W(two_sided=True),
    "PageHinkleyDM": PageHinkley(decay=0.9999, from_lowest=False),
    "PageHinkleyDM -l 3 -d 0.01": PageHinkley(0.01, 3.0, decay=0.9999, from_lowest=False),
    "PageHinkleyDM -l 20 -d 0.1": PageHinkley(0.1, 20.0, decay=0.9999, from_lowest=False),
}
NAMES = list(drift.registry)
EXCUSED = {"EDDM": {"is_quiet_while_nothing_changes": "fires often by its nature, where MOA's does"}}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_detector_passes(name, check):
    passes_unless_excused(drift.registry.load(name)(), check, EXCUSED.get(name, {}))


def test_a_right_detector_in_plain_python_passes():
    check_detector(PageHinkleyTwin())


class Deaf(PageHinkleyTwin):
    def update(self, loss):
        super().update(loss)
        return False


class Jumpy(PageHinkleyTwin):
    def update(self, loss):
        super().update(loss)
        return loss > 0


class Hoarder(PageHinkleyTwin):
    def reset(self):
        super().reset()
        self.losses = []

    def update(self, loss):
        self.losses.append(float(loss))
        return super().update(loss)


class Stubborn(PageHinkleyTwin):
    def reset(self):
        if not hasattr(self, "_n"):
            super().reset()


class SlowInOneGo(PageHinkley):
    def update_many(self, losses):
        return super().update_many(losses)[:1]


@pytest.mark.parametrize(
    ("broken", "caught_by"),
    [
        (Deaf, "sees_a_rise"),
        (Jumpy, "is_quiet_while_nothing_changes"),
        (Hoarder, "memory_is_bounded"),
        (Stubborn, "reset_is_a_fresh_start"),
        (SlowInOneGo, "many_are_one_after_another"),
    ],
)
def test_a_broken_detector_is_caught(broken, caught_by):
    with pytest.raises(AssertionError, match=caught_by):
        check_detector(broken())


@pytest.mark.parametrize("case", [key[: -len(": warnings")] for key in GOLDEN if key.endswith(": warnings")])
def test_alarms_and_warnings_are_those_of_moa(case):
    kind, cli = case.split(": ")
    detector, losses = copy.deepcopy(MOA[cli]), GOLDEN[kind] / (1 if kind == "errors" else 64)
    alarms, warnings = [], []
    for i, loss in enumerate(losses):
        if detector.update(loss):
            alarms.append(i)
        elif detector.warning:
            warnings.append(i)
    assert alarms == GOLDEN[f"{case}: alarms"].tolist()
    assert warnings == GOLDEN[f"{case}: warnings"].tolist()


def test_adwin_repeats_the_overflow_of_moa_if_asked():
    rates = np.where(np.arange(1_000_000) < 500_000, 0.2, 0.4)
    losses = (np.random.default_rng(1).random(len(rates)) < rates).astype(float)
    expected = GOLDEN["million: ADWINChangeDetector: alarms"]
    np.testing.assert_array_equal(ADWIN(as_moa=True).update_many(losses), expected)
    assert ADWIN().update_many(losses).tolist() == [500191, 500223, 500255, 500415, 501279]


def test_adwin_keeps_the_mean_and_variance_of_its_window():
    losses = np.random.default_rng(3).normal(size=5000)
    losses[3000:] += 2
    detector = ADWIN()
    detector.update_many(losses)
    window = losses[-detector.width :]
    assert 1900 < detector.width <= 2000
    assert detector.mean == pytest.approx(window.mean(), rel=1e-9)
    assert detector.variance == pytest.approx(window.var(), rel=1e-9)


def test_one_change_gives_adwin_several_alarms_unless_it_is_reset():
    rng = np.random.default_rng(2)
    losses = np.concatenate([rng.random(2000) < 0.1, rng.random(2000) < 0.5]).astype(float)
    kept, forgetful, found = ADWIN(), ADWIN(), []
    alarms = [(i, kept.width) for i, loss in enumerate(losses) if kept.update(loss)]
    assert alarms == [(2079, 288), (2111, 224), (2207, 256)]
    for i, loss in enumerate(losses):
        if forgetful.update(loss):
            forgetful.reset()
            found.append(i)
    assert found == [2079]  # as River 0.26.1, which forgets its window after an alarm


def test_an_improvement_shortens_the_window_of_adwin_but_is_no_alarm():
    detector = ADWIN()
    losses = np.r_[np.ones(1000), np.zeros(1000)]
    assert len(detector.update_many(losses)) == 0
    assert detector.width <= 1100 and detector.mean < 0.1


def test_page_hinkley_fires_where_its_sum_passes_the_threshold():
    # After k ones behind 100 zeros the sum is 100/101 + 100/102 + …: 2.94 for k = 3, 3.90 for k = 4.
    detector = PageHinkley(tolerance=0.0, threshold=3.0, min_values=1)
    losses = [0.0] * 100 + [1.0] * 10
    assert [i for i, loss in enumerate(losses) if detector.update(loss)] == [103]


def test_page_hinkley_is_its_twin():
    rng = np.random.default_rng(4)
    losses = np.repeat(rng.normal(size=20), 300) + rng.normal(size=6000)
    expected = PageHinkleyTwin(threshold=30).update_many(losses)
    assert len(expected) > 5
    np.testing.assert_array_equal(PageHinkley(threshold=30).update_many(losses), expected)


@pytest.mark.parametrize(("n", "alpha"), [(10, 0.05), (30, 0.005), (30, 0.0001), (100, 0.01)])
def test_kswin_tests_exactly(n, alpha):
    k = kswin.critical_count(n, alpha)
    p = [ks_2samp(np.arange(n), shift + np.arange(n), method="exact").pvalue for shift in (k, k - 1)]
    assert p[0] <= alpha < p[1]


def test_kswin_fires_when_enough_of_the_latest_losses_are_new():
    # All older losses are 0, so k ones among the latest 30 are a distance of k/30.
    alarms = KSWIN().update_many(np.r_[np.zeros(200), np.ones(50)])
    assert alarms[0] == 200 + kswin.critical_count(30, 0.005) - 1


def test_kswin_draws_by_its_seed():
    losses = np.random.default_rng(6).random(3000)
    first, again, other = (KSWIN(random_state=seed).update_many(losses).tolist() for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("name", NAMES)
def test_a_clone_is_fresh_and_new_parameters_count(name):
    detector = drift.registry.load(name)()
    losses = np.r_[np.zeros(150), np.ones(150)]
    first = detector.update_many(losses)
    np.testing.assert_array_equal(clone(detector).update_many(losses), first)
    parameter = next(iter(inspect.signature(type(detector)).parameters))
    with pytest.raises(ValueError, match=f"{name}: .* must be"):
        detector.set_params(**{parameter: -1}).update(0.5)


@pytest.mark.parametrize("name", ["DDM", "EDDM", "HDDM_A", "HDDM_W"])
def test_losses_beyond_what_the_method_is_for_are_refused(name):
    detector = drift.registry.load(name)()
    with pytest.raises(ValueError, match=r"between 0 and 1, got 1\.5"):
        detector.update(1.5)
    with pytest.raises(ValueError, match=r"between 0 and 1, got -1\.0 at position 1"):
        detector.update_many([0.0, -1.0])


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_number_is_refused_and_named(name):
    detector = drift.registry.load(name)()
    with pytest.raises(ValueError, match=f"{name}: .*, got nan at position 2"):
        detector.update_many([0.0, 1.0, np.nan, np.nan])
    with pytest.raises(TypeError, match=f"{name}: a loss must be a number, got None"):
        detector.update(None)
    with pytest.raises(ValueError, match=f"{name}: losses must be numbers"):
        detector.update_many(["a"])
    assert len(detector.update_many([0.0] * 50)) == 0


def test_the_state_of_another_detector_is_refused():
    with pytest.raises(ValueError, match="DDM: this is the state of ADWIN"):
        DDM().restore(ADWIN().state())
