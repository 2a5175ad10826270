"""What happens to a row before it is learned: steps, and pipelines of them, which are learners."""

from typing import TYPE_CHECKING

from thalweg._registry import Registry

registry = Registry(__name__)
__all__ = registry.public()

if TYPE_CHECKING:
    from thalweg.preprocessing.dates import Dates as Dates
    from thalweg.preprocessing.encoders import OneHotEncoder as OneHotEncoder
    from thalweg.preprocessing.encoders import OrdinalEncoder as OrdinalEncoder
    from thalweg.preprocessing.feature_hasher import FeatureHasher as FeatureHasher
    from thalweg.preprocessing.imputer import Imputer as Imputer
    from thalweg.preprocessing.pipeline import Pipeline as Pipeline
    from thalweg.preprocessing.pipeline import make_pipeline as make_pipeline
    from thalweg.preprocessing.standard_scaler import StandardScaler as StandardScaler
else:
    __getattr__ = registry.load
__dir__ = registry.public
