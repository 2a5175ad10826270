from thalweg._types import Floats, Ints, Mask

class Weighing:
    weights: Floats
    outliers: Mask
    likelihoods: Floats
    score: float
    scores: list[float]
    def __init__(
        self, P: Floats, y: Ints, v: Floats | None = None, ridge: float = 1.0, penalty: float = 1.5
    ) -> None: ...
    def probabilities(self, P: Floats) -> Floats: ...
