"""Accuracy of filters with the logit and the probit link on generators, beside trivial learners."""

import argparse

import numpy as np

from thalweg.learners import AdaptiveLogistic, LogisticMixture, MajorityClass, NoChange
from thalweg.streams import SEA, DriftingGaussians, Hyperplane

STREAMS = {
    "SEA": lambda n, noise, seed: SEA(n, period=n // 4, noise=noise, seed=seed),
    "rotating hyperplane": lambda n, noise, seed: Hyperplane(n, rotating=True, noise=noise, seed=seed),
    "drifting Gaussians": lambda n, _, seed: DriftingGaussians(n, "drift", seed=seed),
}
PAPERS_STREAMS = {
    "static": lambda n, _, seed: DriftingGaussians(n, "static", seed=seed),
    "drift": lambda n, _, seed: DriftingGaussians(n, "drift", seed=seed),
    "abrupt": lambda n, _, seed: DriftingGaussians(n, "abrupt", seed=seed),
}
AS_PUBLISHED = {"step": "single", "standardise": False, "guard": None, "prior": 10.0}


def learners(**settings):
    """Return the trivial learners and both links with each way of forgetting."""
    links = {
        f"{forgetting}, {link}": AdaptiveLogistic(forgetting, link=link, **settings)
        for forgetting in ("tuned", "adaptive", "fixed")
        for link in ("logit", "probit")
    }
    # On the boundary the curvature is 0.25 with logit and 0.64 with probit: 4 is there what 10 is to logit.
    same_news = {"tuned, probit, bandwidth=4": AdaptiveLogistic(link="probit", bandwidth=4.0, **settings)}
    if not settings:  # the mixture is none of the paper's
        links |= {f"mixture, {link}": LogisticMixture(link=link) for link in ("logit", "probit")}
    return {"MajorityClass": MajorityClass(), "NoChange": NoChange()} | links | same_news


def measures(learner, X, y):
    """Return the accuracy in percent and the log-loss of predictions made before each row is learned."""
    p = learner.copy().begin(X.shape[1], [0, 1]).test_then_train(X, y)
    own = np.maximum(p[np.arange(len(y)), y], 1e-4)
    return 100 * (p.argmax(axis=1) == y).mean(), -np.log(own).mean()


def main():
    """Print a Markdown table: mean ± standard deviation of the accuracy over the seeds · mean log-loss."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.links", description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    parser.add_argument("--noise", type=float, default=0.1, help="share of labels flipped, but for Gaussians")
    parser.add_argument("--published", action="store_true", help="the paper's filters and streams")
    asked = parser.parse_args()
    streams = PAPERS_STREAMS if asked.published else STREAMS
    print(f"| learner | {' | '.join(streams)} |\n|---{'|---' * len(streams)}|")
    drawn = [
        [next(make(asked.rows, asked.noise, seed).blocks(asked.rows)) for seed in asked.seeds]
        for make in streams.values()
    ]
    for name, learner in learners(**(AS_PUBLISHED if asked.published else {})).items():
        cells = []
        for rows in drawn:
            hits, losses = zip(*(measures(learner, X, y) for X, y in rows), strict=True)
            cells.append(f"{np.mean(hits):.2f} ± {np.std(hits, ddof=1):.2f} · {np.mean(losses):.3f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
