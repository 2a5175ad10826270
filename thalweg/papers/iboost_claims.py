"""Claims of the paper on incremental boosting, with its numbers and ours."""

from collections.abc import Iterator, Sequence

from thalweg.papers.iboost_numbers import PAPER_BAYES, PAPER_PERIODS, PAPER_STEPS, in_table_2
from thalweg.papers.iboost_results import Runs, values_of
from thalweg.papers.iboost_runs import Stumps
from thalweg.papers.reports import Claim, Verdict, is_positive
from thalweg.papers.running import Result

RIVALS = tuple(name for name in PAPER_BAYES if name != "IBoost")
PLACES = {"SEA": 0, "Santa Fe": 1, "Santa Fe, held out": 1}


def claims(runs: dict[str, Runs]) -> list[Claim]:
    """Return the paper's claims beside what was measured."""
    found = [*_of_methods(runs["stumps"]), *_of_sizes(runs["stumps"]), *_of_steps(runs["stumps"])]
    for stream in ("SEA", "Santa Fe", "Santa Fe, held out", "LED", "RBF"):
        if stream in runs:
            found += _of_rivals(stream, runs[stream])
    return [*found, *_of_long_streams(runs)]


def better(one: Sequence[Result], other: Sequence[Result], what: str = "accuracy") -> Verdict:
    """Return both means as text, and whether the first is higher by the differences within seeds."""
    n = min(len(one), len(other))
    first, second = values_of(one[:n], what), values_of(other[:n], what)
    return f"{first.mean():.2f}, {second.mean():.2f}", is_positive(first - second)


def _of_methods(runs: Runs) -> Iterator[Claim]:
    comparisons = [
        ("batch is more accurate than stochastic", "batch", "stochastic", "accuracy"),
        ("stochastic is more accurate than AdaBoost", "stochastic", "AdaBoost", "accuracy"),
        ("stochastic is more accurate than OCB", "stochastic", "OCB", "accuracy"),
        ("stochastic is more accurate than FLB", "stochastic", "FLB", "accuracy"),
        ("stochastic recovers faster than batch", "stochastic", "batch", "recovery"),
        ("stochastic recovers faster than AdaBoost", "stochastic", "AdaBoost", "recovery"),
        ("batch takes longer than stochastic", "batch", "stochastic", "seconds"),
        ("AdaBoost takes longer than stochastic", "AdaBoost", "stochastic", "seconds"),
    ]
    for text, one, other, what in comparisons:
        said = f"{in_table_2(one, 200, 200, what):g}, {in_table_2(other, 200, 200, what):g}"
        yield Claim(text, *better(runs[Stumps(one)], runs[Stumps(other)], what), said)


def _of_sizes(runs: Runs) -> Iterator[Claim]:
    for method in ("stochastic", "batch", "AdaBoost", "implicit"):
        paper, mark = ("stochastic", "(ours) ") if method == "implicit" else (method, "")
        more, long = Stumps(method, 20), Stumps(method, 200, 2000)
        usual = runs[Stumps(method)]
        if more in runs:
            said = f"{in_table_2(paper, 200, 200):g}, {in_table_2(paper, 20, 200):g}"
            yield Claim(f"{mark}{method}: more members help (200, 20)", *better(usual, runs[more]), said)
        if long in runs:
            said = f"{in_table_2(paper, 200, 2000):g}, {in_table_2(paper, 200, 200):g}"
            yield Claim(f"{mark}{method}: longer windows help (2000, 200)", *better(runs[long], usual), said)
            said = ", ".join(f"{in_table_2(paper, 200, n, 'recovery'):g}" for n in (200, 2000))
            verdict = better(usual, runs[long], "recovery")
            yield Claim(f"{mark}{method}: longer windows recover slower (200, 2000)", *verdict, said)


def _of_steps(runs: Runs) -> Iterator[Claim]:
    for method in ("stochastic", "batch"):
        few, many = Stumps(method, n_updates=1), Stumps(method, n_updates=10)
        rarely = Stumps(method, n_updates=1, period=100)
        if few in runs:
            said = [PAPER_STEPS["accuracy"][method][i] for i in (2, 0)]
            numbers = f"{said[0]:g}, {said[1]:g}"
            yield Claim(f"{method}: more steps help (b = 10, 1)", *better(runs[many], runs[few]), numbers)
            numbers = f"{said[1]:g}, {PAPER_PERIODS['accuracy'][method][2]:g}"
            verdict = better(runs[few], runs[rarely])
            yield Claim(f"{method}: adding members rarely is worse (p = 1, 100)", *verdict, numbers)


def _of_rivals(stream: str, runs: Runs) -> Iterator[Claim]:
    for method, mark in (("IBoost", ""), ("IBoost, cap auto", "(ours) ")):
        for name in RIVALS:
            said = ""
            if stream in PLACES:
                ours, theirs = (PAPER_BAYES[each][PLACES[stream]] for each in ("IBoost", name))
                said = f"{ours:g}, {theirs:g}"
            yield Claim(f"{mark}{stream}: {method} beats {name}", *better(runs[method], runs[name]), said)


def _of_long_streams(runs: dict[str, Runs]) -> Iterator[Claim]:
    led, rbf = runs["LED"], runs["RBF"]
    for name in ("OnlineBoost", "FLC", "DWM"):
        verdict = better(led["AdWin Bagging"], led[name])
        yield Claim(f"LED: AdWin Bagging beats {name}", *verdict)
    for name in RIVALS:
        if name not in ("AdWin Bagging", "DWM"):
            yield Claim(f"RBF: AdWin Bagging beats {name}", *better(rbf["AdWin Bagging"], rbf[name]))
            verdict = better(rbf[name], rbf["IBoost"], "seconds")
            yield Claim(f"RBF: {name} takes longer than IBoost", *verdict)
