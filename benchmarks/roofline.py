"""What a row must cost the hot kernels, what it costs, and the share of the processor's peak reached.

    python -m benchmarks.roofline

Ten inputs, two classes, one thread, processor time, least of five. "Must" counts the multiply-adds of the
formula (a subtraction, comparison or addition alone is one) and the bytes of row and model that it reads or
writes once. The bound is the longer of the two at the rates measured here. Divisions, logarithms,
exponentials and steps that wait for each other are left out, so that the bound itself cannot be reached.
"""

import time

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.particle_scaling import peak_rate
from benchmarks.quick import learning
from thalweg import learners

P, C, WINDOW = 10, 2, 1000
WEIGHTS = P + 1
PARTICLES, MEMBERS, DEPTH = 100, 10, 5
# Inputs that a leaf of a forest looks at; mean number of rows in the longest window of neighbours.
SAMPLED, LONGEST = 4, 3750
STACKERS = 6
# By learner: multiply-adds a row, bytes a row.
MUST = {
    "NaiveBayes": (P * (2 * C + 4), 8 * P * (1 + 3 * C)),  # densities; mean and spread
    "HoeffdingTree": (DEPTH + P * (2 * C + 4), 8 * P * (1 + 3 * C)),  # the same in a leaf
    "LinearLogistic": (16 * WEIGHTS, 8 * P + 72 * WEIGHTS),  # three models; mean, spread
    "AdaptiveLogistic": (2 * WEIGHTS**2 + 4 * WEIGHTS, 8 * P + 8 * WEIGHTS**2),  # gain and rank-one update
    "NearestNeighbours": (2 * P * WINDOW, 8 * P * WINDOW),  # all distances
    "ParticleFilter": (PARTICLES * WEIGHTS, 8 * P + 8 * PARTICLES),  # scores; a batch shares the coefficients
    "OnlineBagging": (MEMBERS * P * (2 * C + 4), 8 * P + MEMBERS * 24 * P * C),  # ten trees' leaves
    "AdaptiveRandomForest": (  # the same with few inputs
        MEMBERS * (DEPTH + SAMPLED * (2 * C + 4)), 8 * P + MEMBERS * 24 * SAMPLED * C,
    ),
    "NeighbourMixture": (2 * P * LONGEST, 8 * P * LONGEST),  # all distances, once for its three windows
    "stackers": (STACKERS * (2 * MEMBERS**2 + 2 * MEMBERS), STACKERS * 16 * MEMBERS**2),  # a Newton step each
}  # fmt: skip


def bandwidth(n=1 << 12, rounds=5000):
    """Return the bytes a second that a product of two vectors reads, 64 kB in all, out of the caches."""
    one, other, least = np.ones(n), np.ones(n), np.inf
    with threadpool_limits(1):
        for _ in range(5):
            start = time.process_time()
            for _ in range(rounds):
                np.dot(one, other)
            least = min(least, time.process_time() - start)
    return 16 * n * rounds / least


def least(make):
    """Return the seconds a row of a learner, the least of five."""
    turn = learning(make, 10_000)
    return min(turn() for _ in range(5))


def beyond_members():
    """Return the seconds a row that a stack of ten members takes beyond these."""
    member = learners.NaiveBayes
    return least(lambda: learners.AdaptiveStacking([member()] * MEMBERS)) - MEMBERS * least(member)


def lines():
    """Yield the markdown table."""
    flops, rate = peak_rate(), bandwidth()
    yield f"Peak: {flops / 1e9:.1f} multiply-adds a nanosecond, {rate / 1e9:.0f} bytes out of the caches.\n"
    yield "| learner | multiply-adds | bytes | bound, ns | taken, ns | share of the bound |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, (work, touched) in MUST.items():
        bound = 1e9 * max(work / flops, touched / rate)
        taken = 1e9 * (beyond_members() if name == "stackers" else least(learners.registry.load(name)))
        yield f"| {name} | {work:,} | {touched:,} | {bound:.1f} | {taken:.0f} | {100 * bound / taken:.1f} % |"


if __name__ == "__main__":
    print("\n".join(lines()))
