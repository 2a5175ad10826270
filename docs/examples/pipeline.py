"""A table as people have it, learned raw and through a pipeline."""

import numpy as np

import thalweg
from thalweg.evaluation import metrics, prequential
from thalweg.learners import LogisticMixture, MajorityClass
from thalweg.preprocessing import Dates, Imputer, OneHotEncoder, StandardScaler, make_pipeline
from thalweg.streams import from_arrays


def orders(n, seed):
    """Return a stream of orders; those of some postcodes, at weekends or without a price come late."""
    rng = np.random.default_rng(seed)
    when = 1_750_000_000 + np.cumsum(rng.exponential(600, n))
    postcode = rng.choice([1010, 1020, 2500, 4001, 4051, 6020, 8001, 8004, 9000], n)
    price = np.where(rng.random(n) < 0.2, np.nan, rng.lognormal(3, 1, n))
    weekend = (when // 86_400 + 3) % 7 >= 5
    late = np.isin(postcode, [1020, 4051, 8004]) | weekend | np.isnan(price)
    y = np.where(late ^ (rng.random(n) < 0.05), "late", "in time")
    return from_arrays(np.column_stack([when, postcode, price]), y, names=["when", "postcode", "price"])


pipeline = make_pipeline(
    OneHotEncoder(columns=["postcode"], max_categories=12),
    Dates(columns=["when"]),
    Imputer("flag", columns=["price"]),
    StandardScaler(),
    LogisticMixture(),
)

if __name__ == "__main__":
    for learner in (MajorityClass(), LogisticMixture(), pipeline):
        accuracies = [metrics.accuracy(prequential(orders(10_000, seed), learner)) for seed in range(5)]
        print(f"{type(learner).__name__}: accuracy {np.mean(accuracies):.3f} ± {np.std(accuracies):.3f}")
    print("inputs:", ", ".join(pipeline.get_feature_names_out()))
    again = thalweg.from_bytes(thalweg.to_bytes(pipeline))
    print("loaded again, it knows the postcodes", again.steps_[0].categories_[1])
