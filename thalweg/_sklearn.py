"""The base classes of scikit-learn, with types for mypy: scikit-learn has none.

If they were untyped, a type checker would accept any misspelt method of a learner or detector.
"""

from typing import TYPE_CHECKING, Any, Self

from thalweg._misspelt import CheckedKeywords, unknown_parameter

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from thalweg._types import RowsLike

    class BaseEstimator:
        """Parameters by name."""

        @classmethod
        def _get_param_names(cls) -> list[str]: ...

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...

        def set_params(self, **params: Any) -> Self: ...

        def __sklearn_tags__(self) -> Any: ...

    class ClassifierMixin:
        """The accuracy of a classifier."""

        def score(self, X: RowsLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float: ...

    class TransformerMixin:
        """Fitting and transforming at once."""

        def fit_transform(self, X: ArrayLike, y: object = None) -> Any: ...

else:
    from sklearn.base import BaseEstimator as SklearnBase
    from sklearn.base import ClassifierMixin, TransformerMixin

    class BaseEstimator(CheckedKeywords, SklearnBase):
        """Parameters by name; a misspelt one is an error that suggests the right name."""

        def set_params(self, **params):
            """Set parameters by name, `member__name` for those of a member; return self."""
            known = self.get_params() if params else ()
            for name in params:
                if name.partition("__")[0] not in known:
                    raise unknown_parameter(type(self).__name__, name, known)
            return super().set_params(**params)

__all__ = ["BaseEstimator", "ClassifierMixin", "TransformerMixin"]
