"""Every exported detector keeps its contract; broken ones are caught."""

import pytest

from thalweg import drift
from thalweg.checks.detector import CHECKS, check_detector
from thalweg.drift import PageHinkley


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", list(drift.registry))
def test_detector_passes(name, check):
    check(drift.registry.load(name)())


class Deaf(PageHinkley):
    def update(self, loss):
        super().update(loss)
        return False


class Jumpy(PageHinkley):
    def update(self, loss):
        super().update(loss)
        return loss > 0


class Hoarder(PageHinkley):
    def reset(self):
        super().reset()
        self.losses = []

    def update(self, loss):
        self.losses.append(float(loss))
        return super().update(loss)


class Stubborn(PageHinkley):
    def reset(self):
        if not hasattr(self, "_n"):
            super().reset()


@pytest.mark.parametrize(
    ("broken", "caught_by"),
    [
        (Deaf, "sees_a_rise"),
        (Jumpy, "is_quiet_while_nothing_changes"),
        (Hoarder, "memory_is_bounded"),
        (Stubborn, "reset_is_a_fresh_start"),
    ],
)
def test_a_broken_detector_is_caught(broken, caught_by):
    with pytest.raises(AssertionError, match=caught_by):
        check_detector(broken())


def test_page_hinkley_fires_where_its_sum_passes_the_threshold():
    # After k ones behind 100 zeros the sum is 100/101 + 100/102 + …: 2.94 for k = 3, 3.90 for k = 4.
    detector = PageHinkley(delta=0.0, threshold=3.0, min_values=1)
    losses = [0.0] * 100 + [1.0] * 10
    assert [i for i, loss in enumerate(losses) if detector.update(loss)] == [103]
