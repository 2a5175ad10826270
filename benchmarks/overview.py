"""The first table of `docs/benchmarks.md`: a line for each method, over all streams, beside the best peer."""

from statistics import mean, median

from benchmarks.methods import METHODS
from benchmarks.peers import short

PEERS = {"moa": "MOA", "river": "River", "vw": "Vowpal Wabbit"}
LEAST_ROWS = 5000
KINDS = {
    "baselines": ("MajorityClass", "NoChange"),
    "naive Bayes": ("NaiveBayes",),
    "logistic regression": ("AdaptiveLogistic", "LogisticMixture", "LinearLogistic"),
    "trees": ("HoeffdingTree", "HoeffdingAdaptiveTree", "HoeffdingOptionTree", "AdaptiveHoeffdingOptionTree"),
    "ensembles": ("OnlineBagging", "AdwinBagging", "LeveragingBagging", "OnlineBoost", "BOLE", "BOLE(DDM)",
                  "DynamicWeightedMajority", "AdaptiveRandomForest", "StreamingRandomPatches"),
    "chunk ensembles": ("AccuracyWeightedEnsemble", "AccuracyWeightedEnsemble(tree)", "LearnPPNSE"),
    "neighbours": ("NearestNeighbours", "NearestNeighbours(5)"),
    "the default": ("AdaptiveStacking",),
}


def times(ours, theirs):
    """Return how many times faster ours is: the median of the turns paired."""
    return median(a / b for a, b in zip(ours["rates"], theirs["rates"], strict=True))


def ahead(result, side):
    """Return how many points ours is ahead on the rows that the peer has seen; None if these are too few."""
    found = result.get(side)
    if found is None or found["rows"] < min(LEAST_ROWS, result["ours"]["rows"]):
        return None
    ours = result["ours"]["accuracy"] if found["rows"] == result["ours"]["rows"] else found.get("ours_then")
    return None if ours is None else 100 * (ours - found["accuracy"])


def by_method(results):
    """Return the results of each method, in the order of `methods.py`."""
    found = {name: [result for result in results if result["learner"] == name] for name in METHODS}
    return {name: lines for name, lines in found.items() if lines}


def table(results):
    """Yield the lines of the table."""
    yield "| method | rows/s | times the fastest peer | accuracy % | points ahead of the most accurate peer |"
    yield "|---|---:|---|---:|---|"
    for name, lines in by_method(results).items():
        rate = short(median(max(line["ours"]["rates"]) for line in lines))
        accuracy = f"{100 * mean(line['ours']['accuracy'] for line in lines):.1f}"
        yield f"| {name} | {rate} | {speed(lines)} | {accuracy} | {lead(lines)} |"


def speed(lines):
    """Return the ratios to the fastest peer of each stream, median [least, most], and these peers."""
    fastest = [min((times(line["ours"], line[side]), side) for side in PEERS if side in line)
               for line in lines if set(PEERS) & set(line)]  # fmt: skip
    if not fastest:
        return "–"
    ratios = [ratio for ratio, _ in fastest]
    spread = f"{number(median(ratios))} [{number(min(ratios))}, {number(max(ratios))}]"
    return f"{spread} {names(side for _, side in fastest)}"


def lead(lines):
    """Return the lead over the most accurate peer of each stream, mean [least, most], and these peers."""
    best = [min((ahead(line, side), side) for side in PEERS if ahead(line, side) is not None)
            for line in lines if any(ahead(line, side) is not None for side in PEERS)]  # fmt: skip
    if not best:
        return "–"
    points = [point for point, _ in best]
    spread = f"{signed(mean(points))} [{signed(min(points))}, {signed(max(points))}]"
    return f"{spread} {names(side for _, side in best)}"


def kinds(results):
    """Yield the lines of the table of ratios by kind of method: least to most over methods and streams."""
    yield f"| kind | {' | '.join(f'times {name}' for name in PEERS.values())} |"
    yield "|---|" + "---:|" * len(PEERS)
    for kind, methods in KINDS.items():
        lines = [result for result in results if result["learner"] in methods]
        if lines:
            yield f"| {kind} | {' | '.join(span(lines, side) for side in PEERS)} |"


def span(lines, side):
    """Return the least and the greatest ratio to one peer."""
    ratios = [times(line["ours"], line[side]) for line in lines if side in line]
    return f"{number(min(ratios))} to {number(max(ratios))}" if ratios else "–"


def number(ratio):
    """Return a ratio with about two digits."""
    return f"{ratio:.0f}" if ratio >= 9.95 else f"{ratio:.1f}" if ratio >= 0.95 else f"{ratio:.2f}"


def signed(points):
    """Return a difference of percentages with its sign."""
    return f"{points:+.1f}".replace("-", "−").replace("+0.0", "0.0").replace("−0.0", "0.0")


def names(sides):
    """Return the names of peers, each once, in their usual order."""
    found = set(sides)
    return ", ".join(name for side, name in PEERS.items() if side in found)
