"""Models and learners in MLflow: `log_model`, `save_model` and `load_model`.

An MLflow model of this library holds one file, which `thalweg.save` writes. MLflow can call it as a function:
`mlflow.pyfunc.load_model`, `mlflow models predict` and `mlflow models serve` take raw records, and return the
table of `Model.predict_table`. MLflow, the extra `mlflow` of this package, is imported on first use.
"""

import sys
import tempfile
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

import thalweg
from thalweg import saving
from thalweg.errors import StreamError, first_of
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.model import Model
from thalweg.model.predictions import prediction_columns

__all__ = ["load_model", "log_model", "save_model"]
FLAVOUR, FILE = "thalweg", "model.tw"
TYPES = {bool: "boolean", int: "long", float: "double", str: "string"}  # of labels, as MLflow calls them


def save_model(
    model: Model | StreamClassifier,
    path: str | PathLike[str],
    *,
    signature: Any = None,
    input_example: Any = None,
    extra_pip_requirements: Sequence[str] | str | None = None,
    mlflow_model: Any = None,
    **options: Any,
) -> None:
    """Write a model to a new folder as an MLflow model.

    Parameters
    ----------
    model : Model or learner
        It must have learned something.
    path : path
        The folder, which must be empty or not exist.
    signature : mlflow.models.ModelSignature, False or None, default=None
        Columns that go in and come out. By default those of the model: each is optional and of any type, as a
        model takes 12.5 as well as "12,50" for a number, and a timestamp as well as "01.03.2024" for a date.
        False stores none.
    input_example : frame or None, default=None
        Some rows to store as an example.
    extra_pip_requirements : sequence of str, str or None, default=None
        Packages beside thalweg, pandas and MLflow, whose present versions are always required; or the path of
        a file that lists them.
    mlflow_model : mlflow.models.Model or None, default=None
        What the description of the model is added to; `log_model` passes it.
    **options
        Those of `mlflow.pyfunc.save_model`, such as `conda_env`, `code_paths` and `metadata`.
    """
    mlflow = _imported()
    _check(model)
    about = mlflow.models.Model() if mlflow_model is None else mlflow_model
    if signature is None:
        signature = _signature(model, mlflow)
    # MLflow compares an example with a signature, and otherwise warns that there is none.
    if input_example is None:
        about.signature, signature = signature or None, None
    about.add_flavor(FLAVOUR, data=f"data/{FILE}", **_about(model))
    if not options.keys() & {"conda_env", "pip_requirements"}:
        options["pip_requirements"] = _requirements(extra_pip_requirements)
    elif extra_pip_requirements is not None:
        options["extra_pip_requirements"] = extra_pip_requirements  # MLflow says that both cannot be
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / FILE
        saving.save(model, file)
        mlflow.pyfunc.save_model(
            fspath(path), loader_module=__name__, data_path=str(file), mlflow_model=about,
            signature=signature or None, input_example=input_example, **options,
        )  # fmt: skip


def log_model(
    model: Model | StreamClassifier,
    name: str = "model",
    *,
    registered_model_name: str | None = None,
    signature: Any = None,
    input_example: Any = None,
    **options: Any,
) -> Any:
    """Store a model in MLflow, in the active run if there is one; return MLflow's `ModelInfo`.

    Parameters
    ----------
    model : Model or learner
        It must have learned something.
    name : str, default="model"
        What MLflow calls it.
    registered_model_name : str or None, default=None
        Also register it as a new version of the model of that name.
    signature, input_example
        As in `save_model`.
    **options
        Those of `mlflow.models.Model.log`, such as `params` and `tags`, and those of `save_model`.
    """
    mlflow = _imported()
    _check(model)
    return mlflow.models.Model.log(
        artifact_path=None, name=name, flavor=sys.modules[__name__], model=model, signature=signature,
        registered_model_name=registered_model_name, input_example=input_example, **options,
    )  # fmt: skip


def load_model(model_uri: str | PathLike[str], *, allow: Sequence[type[StreamClassifier]] = ()) -> Any:
    """Return the Model or learner that was saved or logged; it can go on learning.

    Parameters
    ----------
    model_uri : str or path
        A folder, or what MLflow takes: "models:/name/1", "models:/m-…", "runs:/…/model".
    allow : sequence of classes, default=()
        Learners of your own that may be in there; see `thalweg.load`.
    """
    mlflow, uri = _imported(), fspath(model_uri)
    with tempfile.TemporaryDirectory() as folder:
        path = mlflow.artifacts.download_artifacts(artifact_uri=uri, dst_path=folder)
        flavours = mlflow.models.Model.load(path).flavors
        if FLAVOUR not in flavours:
            raise ValueError(f"{uri} is no model of thalweg; MLflow can load it as {', '.join(flavours)}")
        return saving.load(Path(path) / flavours[FLAVOUR]["data"], allow=allow)


def _load_pyfunc(path: str) -> "PythonFunction":
    """Return the model in a file as MLflow's `pyfunc.load_model` wants it."""
    return PythonFunction(saving.load(path))


class PythonFunction:
    """A model as MLflow calls it, whatever the library: frames in, frames out."""

    def __init__(self, model: Model | StreamClassifier) -> None:
        self.model = model

    def get_raw_model(self) -> Model | StreamClassifier:
        """Return the model itself."""
        return self.model

    def predict(self, rows: Any, params: dict[str, Any] | None = None) -> Any:
        """Return a frame with the label and the probabilities of each row; see `Model.predict_table`.

        A column that is absent is one of missing values, as clients leave out what they do not know.
        """
        import pandas as pd

        frame = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(rows)
        names = _names(self.model)
        if names:
            frame = _with_columns(frame, names)
        if isinstance(self.model, Model):
            return self.model.predict_table(frame)
        p = self.model.predict_proba(frame if names else frame.to_numpy())
        columns = prediction_columns(p, self.model.classes_, answers=self.model._answers(p))
        return pd.DataFrame(columns, index=frame.index)


def _with_columns(frame: Any, names: list[str]) -> Any:
    if not frame.columns.isin(names).any():
        raise StreamError(f"the rows have none of the columns {first_of(names, 10)}")
    return frame if set(names) <= {*frame.columns} else frame.reindex(columns=names)


def _names(model: Model | StreamClassifier) -> list[str]:
    """Return the names of the columns; none if a learner knows its inputs by position."""
    return [str(name) for name in getattr(model, "feature_names_in_", ())]


def _check(model: Any) -> None:
    """Raise an error unless a model of this library is given that has learned something."""
    if not isinstance(model, Model | StreamClassifier):
        raise TypeError(f"only learners and models of thalweg can be saved, got {type(model).__name__}")
    check_is_fitted(model)


def _about(model: Model | StreamClassifier) -> dict[str, Any]:
    """Return what MLflow shows of a model, as plain data."""
    found = {"thalweg_version": thalweg.__version__, "model_class": type(model).__name__}
    if not isinstance(model, Model):
        return found
    kinds = {column["name"]: str(column["kind"]) for column in model.schema()["columns"]}
    return found | {"learner": type(model.learner_).__name__, "digest": model.digest(), "columns": kinds}


def _signature(model: Model | StreamClassifier, mlflow: Any) -> Any:
    """Return the columns of a model and of its predictions."""
    from mlflow.types.schema import AnyType, ColSpec, Schema

    names = _names(model)
    inputs = [ColSpec(AnyType(), name, required=False) for name in names]
    if not names:
        inputs = [ColSpec(AnyType()) for _ in range(model.n_features_in_)]
    labels = model.classes_.tolist()
    kinds = {TYPES.get(type(label)) for label in labels}
    kind = kinds.pop() if len(kinds) == 1 else None
    outputs = [ColSpec(kind or AnyType(), "prediction"), ColSpec("double", "probability")]
    outputs += [ColSpec("double", f"p_{label}") for label in labels]
    return mlflow.models.ModelSignature(Schema(inputs), Schema(outputs))


def _requirements(extra: Sequence[str] | str | None) -> list[str]:
    import pandas as pd

    listed = [f"-r {extra}"] if isinstance(extra, str) else [*(extra or ())]
    return [f"thalweg=={thalweg.__version__}", f"pandas=={pd.__version__}", *listed]


def _imported() -> Any:
    try:
        import mlflow.pyfunc
    except ImportError as error:
        raise ImportError("thalweg.mlflow needs MLflow and pandas: pip install thalweg[mlflow]") from error
    return mlflow


def __dir__() -> list[str]:
    return __all__
