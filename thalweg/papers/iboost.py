"""Incremental boosting (IBoost, 2011): weights moved by the exponential loss of a sliding window.

Accuracy is that on fresh rows of the current concept, 2500 for SEA and 825 for Santa Fe, as in the paper,
but tested every 250 rows instead of after every row; recovery is the mean over the first 600 rows of a new
concept, tested every 50. Naive Bayes is the member from table 4 on. Times are seconds of our processor, while
as many runs as it has cores go on side by side.
"""

from collections.abc import Iterable
from typing import Any

from thalweg.papers.iboost_rivals import BASELINES, run_baseline, run_exact_weights, run_flb
from thalweg.papers.iboost_runs import (
    STREAMS,
    Stumps,
    bayes_methods,
    long_window_methods,
    run_long,
    run_santa_fe,
    run_sea,
    run_stumps,
)
from thalweg.papers.running import Task, has_dataset

TITLE = "Tracking concept change with incremental boosting by minimization of the evolving exponential loss"
REFERENCE = "Grbovic, Vucetic. ECML PKDD 2011."

METHODS = ("stochastic", "batch", "AdaBoost", "OCB", "FLB")
MEMBERS, ROWS = (20, 50, 100, 200), (100, 200, 2000)
SIZES = [*((n_members, 200) for n_members in MEMBERS), *((200, n) for n in ROWS if n != 200)]
STEPS, PERIODS, ORDERS = (1, 5, 10), (10, 50, 100), (1, 5)
LONG = {"quick": 20_000, "full": 100_000}
HELD_OUT = {"Santa Fe": 0, "Santa Fe, held out": 825}
SEEDS, MORE_SEEDS = range(5), range(10)
FLB_BY_DISTANCE, EXACT_OCB = "FLB, by distance", "OCB, exact weights"


def stump_settings() -> list[Stumps]:
    """Return the settings of tables 2 and 3; those left out would take a third more time."""
    made = []
    for size in SIZES:
        made += [Stumps(method, *size) for method in ("stochastic", "batch", "AdaBoost")]
        made += [Stumps("OCB", *size, order=order) for order in ORDERS]
        made.append(Stumps("FLB", *size))
    for update in ("stochastic", "batch"):
        made += [Stumps(update, n_updates=b) for b in STEPS if b != 5]
        made += [Stumps(update, n_updates=1, period=p) for p in PERIODS]
    return made


def window_settings() -> list[Stumps]:
    """Return the settings with stumps that the paper does not have: other updates, and windows by ADWIN."""
    made = [Stumps("implicit", window=n) for n in (100, 200, 500, 1000, 2000)]
    made += [Stumps("coordinate", window=n) for n in (200, 500)]
    return made + [Stumps(update, window="adwin") for update in ("stochastic", "implicit")]


def tasks(quick: bool, data: str | None) -> list[Task]:
    """Return the runs: five seeds, ten of what the paper does not have; or two on a few settings if quick."""
    seeds, more = (range(2), range(2)) if quick else (SEEDS, MORE_SEEDS)
    names, extra = bayes_methods(50, 50), long_window_methods()
    made = _stumps(_quick_settings() if quick else window_settings(), more)
    made += _named("SEA", run_sea, [*names], seeds) + _named("SEA", run_sea, [] if quick else [*extra], more)
    n_rows = LONG["quick" if quick else "full"]
    streams = dict.fromkeys(["SEA", *STREAMS], 0)
    if has_dataset("santa_fe", data):
        streams |= HELD_OUT
        for stream, n in HELD_OUT.items():
            made += _named(stream, run_santa_fe, [*names], seeds, held_out=n, data=data)
    made += _rivals([(200, 200)] if quick else SIZES, seeds)
    for stream in STREAMS:
        made += _named(stream, run_long, [*bayes_methods(20, 500)], seeds, stream=stream, n_rows=n_rows)
    for stream, n in streams.items():
        settings = {"stream": stream, "n_rows": n_rows, "held_out": n, "data": data}
        made += _named(stream, run_baseline, BASELINES, seeds, **settings)
    return made + ([] if quick else _stumps(stump_settings(), seeds))


def _stumps(settings: Iterable[Stumps], seeds: Iterable[int]) -> list[Task]:
    return [
        Task((("stumps", each), seed), run_stumps, {**each._asdict(), "seed": seed})
        for each in settings
        for seed in seeds
    ]


def _named(group: str, run: Any, names: Iterable[str], seeds: Iterable[int], **settings: Any) -> list[Task]:
    return [
        Task(((group, name), seed), run, {"name": name, "seed": seed, **settings})
        for name in names
        for seed in seeds
    ]


def _rivals(sizes: Iterable[tuple[int, int]], seeds: Iterable[int]) -> list[Task]:
    made = [Task((("SEA", EXACT_OCB), seed), run_exact_weights, {"seed": seed}) for seed in seeds]
    for n_members, n in sizes:
        key = "stumps", Stumps(FLB_BY_DISTANCE, n_members, n)
        settings = {"n_members": n_members, "window": n}
        made += [Task((key, seed), run_flb, {**settings, "seed": seed}) for seed in seeds]
    return made


def _quick_settings() -> list[Stumps]:
    made = [*map(Stumps, METHODS[:3]), *(Stumps("OCB", order=order) for order in ORDERS), Stumps("FLB")]
    made += [Stumps(update, n_updates=1, period=10) for update in ("stochastic", "batch")]
    return [*made, Stumps("implicit"), Stumps("implicit", window=2000)]
