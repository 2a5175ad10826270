"""A sample of what `make hunt` does: random use of the library, along paths that must agree."""

import os

import pytest
from random_use.hunt import DRIVERS, hunt, reason

SECONDS = 20  # of processor time, for each driver


@pytest.mark.parametrize("driver", DRIVERS)
def test_random_use_finds_nothing(driver, request):
    # CI repeats the same cases, whatever the change; here, and in `make hunt`, they are drawn.
    seed = 0 if "THALWEG_CI" in os.environ else request.config.option.learner_seed
    found = []
    counts = hunt([driver], 1000 * seed, 1, SECONDS, found.append)
    assert not found, "\n".join(["try again: PYTHONPATH=tests python -m random_use …", *found])
    assert counts[driver, "agreed"] > 0


def test_what_is_known_is_told_from_what_is_new(monkeypatch):
    monkeypatch.setattr("random_use.hunt.KNOWN", [("figures", "kappa of totals", "why")])
    assert reason("figures", "AssertionError: kappa of totals: 1 is not 2") == "why"
    assert reason("tables", "AssertionError: kappa of totals: 1 is not 2") is None
