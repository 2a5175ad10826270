"""How often the paired test calls equal learners different, and how often it finds a difference.

The errors of each run come from a difficulty of the rows that is correlated from one row to the next. The
difference to be found is 2.8 standard deviations of the mean difference, which a test that knew these would
find in 80 %. `python -m benchmarks.paired_test` prints the table of docs/reports.md.
"""

import math

import numpy as np
import scipy.signal
import scipy.stats

from thalweg.evaluation import paired

CASES = [
    (300, 0.0, 4000), (300, 0.8, 4000), (1000, 0.9, 4000), (3000, 0.98, 3000), (30_000, 0.98, 1500),
    (30_000, 0.998, 1500), (1000, 0.98, 4000), (3000, 0.995, 3000), (3000, 0.998, 3000),
]


def errors(random: np.random.Generator, n: int, memory: float) -> np.ndarray:
    """Return a row of 0 and 1 whose underlying difficulty is correlated by `memory`."""
    noise = random.standard_normal(n)
    noise[1:] *= math.sqrt(1 - memory * memory)
    return (scipy.signal.lfilter([1.0], [1.0, -memory], noise) > 0.8).astype(float)


def case(n: int, memory: float, times: int, level: float = 0.05) -> list[float]:
    """Return the shares of pairs rejected by the test and by one over rows, found, and called dependent."""
    random = np.random.default_rng(1)
    found, over_rows = [], 0
    for _ in range(times):
        a, b = errors(random, n, memory), errors(random, n, memory)
        found.append(paired(a, b))
        over_rows += scipy.stats.ttest_rel(a, b).pvalue < level
    mean, error = np.array([f.mean for f in found]), np.array([f.standard_error for f in found])
    reach = scipy.stats.t.isf(level / 2, [f.degrees for f in found]) * error
    power = np.mean(abs(mean + 2.8 * mean.std()) > reach)
    dependent = np.mean([f.dependent for f in found])
    return [100 * float(share) for share in (np.mean(abs(mean) > reach), over_rows / times, power, dependent)]


def main() -> None:
    """Print the table."""
    print("| rows | correlation | pairs | rejected | … over rows | found | called too dependent |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for n, memory, times in CASES:
        wrong, over_rows, found, dependent = case(n, memory, times)
        error = 100 * math.sqrt(wrong / 100 * (1 - wrong / 100) / times)
        shares = " | ".join(f"{share:.0f} %" for share in (over_rows, found, dependent))
        print(f"| {n:,} | {memory:g} | {times:,} | {wrong:.1f} ± {error:.1f} % | {shares} |", flush=True)


if __name__ == "__main__":
    main()
