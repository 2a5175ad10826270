"""Many inputs as few."""

from thalweg._parameters import whole_number, yes_or_no
from thalweg.preprocessing._native.feature_hasher import HasherKernel
from thalweg.preprocessing.base import Columns, Outputs, Step

MOST_FEATURES = 1 << 16


class FeatureHasher(Step):
    """FeatureHasher: many inputs as `n_features`, whose places a hash chooses; nothing is learned.

    A number is added to the place of its input; a category, whatever it is, adds 1 to a place of its own.
    Inputs and categories that share a place add up, half of them with the other sign, so that sums are right
    on average [1]_. New categories and inputs need no more memory.

    Parameters
    ----------
    n_features : int, default=64
        Number of hashed inputs. They come before the inputs that are passed on.
    columns : sequence of int or str, default=None
        Positions or names of the inputs; all if None.
    alternate_sign : bool, default=True
        Whether half of the inputs and categories are subtracted instead of added.

    References
    ----------
    .. [1] Weinberger, Dasgupta, Langford, Smola, Attenberg, "Feature Hashing for Large Scale Multitask
       Learning", ICML 2009.

    Examples
    --------
    >>> from thalweg.preprocessing import FeatureHasher
    >>> FeatureHasher(4).fit([[1.0] * 100]).transform([[1.0] * 100]).shape
    (1, 4)
    """

    def __init__(self, n_features: int = 64, columns: Columns = None, *, alternate_sign: bool = True) -> None:
        self.n_features = n_features
        self.columns = columns
        self.alternate_sign = alternate_sign

    @property
    def _n_shared(self) -> int:  # type: ignore[override]
        return whole_number(self, "n_features", self.n_features, 1, MOST_FEATURES)

    def _is_default(self, n_categories: int) -> bool:
        return True

    def _outputs(self, n_categories: int) -> Outputs:
        return []

    def _make_kernel(self, sizes: list[int], n_categories: list[int]) -> HasherKernel:
        is_signed = yes_or_no(self, "alternate_sign", self.alternate_sign)
        are_categories = [n > 0 for n in n_categories]
        return HasherKernel(
            self._who, self.n_features_in_, self._columns, self._n_shared, are_categories, is_signed
        )
