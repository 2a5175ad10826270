from thalweg.learners.base._native.one_member import OneMemberKernel

class CalibratedKernel(OneMemberKernel):
    def __init__(
        self, who: str, n_features: int, n_classes: int, keeps_answers: bool, most_kept: int
    ) -> None: ...
