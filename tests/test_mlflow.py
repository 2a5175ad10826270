"""MLflow models answer bit for bit as the model that was logged, from Python and from MLflow's command."""

import json
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
import yaml
from sklearn.exceptions import NotFittedError

import thalweg
import thalweg.mlflow
from thalweg.errors import StreamError
from thalweg.learners import NaiveBayes
from thalweg.trust import Calibrated

# MLflow compares the columns of an example with a range, which pandas 3 will change.
EXAMPLE = pytest.mark.filterwarnings("ignore:Operation with range is deprecated")


@pytest.fixture(scope="module")
def mlflow(tmp_path_factory):
    """Return the package, which keeps runs and models in a new folder."""
    with pytest.MonkeyPatch.context() as patch:
        new = tmp_path_factory.mktemp("mlflow") / "tracking"
        patch.setenv("MLFLOW_TRACKING_URI", new.as_uri())
        patch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        patch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its own type hints
            import mlflow.pyfunc
        yield mlflow


def orders(n_rows=200):
    """Return a frame as it comes: decimal commas, dates, text, missing values, and labels."""
    rng = np.random.default_rng(3)
    prices = rng.uniform(1, 90, n_rows)
    notes = ["please ring twice at the door", "leave it with the neighbour", "no need to call me before"]
    frame = pd.DataFrame({
        "price": [f"{price:.2f}".replace(".", ",") for price in prices],
        "when": [f"{day:02d}.03.2024 {day % 24:02d}:30" for day in rng.integers(1, 31, n_rows)],
        "shop": rng.choice(["north", "south", "west"], n_rows),
        "note": rng.choice(notes, n_rows),
        "items": rng.integers(1, 9, n_rows),
        "weight": rng.normal(size=n_rows),
    })  # fmt: skip
    for start, name in enumerate(["price", "when", "shop", "note", "weight"]):
        frame.loc[start::11, name] = None
    return frame, np.where(prices + 5 * frame["items"] > 65, "late", "paid")


FRAME, LABELS = orders()
KINDS = dict(zip(FRAME, ["number", "date", "category", "text", "number", "number"], strict=True))


@pytest.fixture(scope="module")
def model():
    return thalweg.Model("state", "NaiveBayes", columns={"note": "text"}).learn(FRAME.assign(state=LABELS))


@pytest.fixture(scope="module")
def logged(mlflow, model):
    with mlflow.start_run():
        return thalweg.mlflow.log_model(model, "orders", registered_model_name="orders")


@pytest.fixture(scope="module")
def loaded(mlflow, logged):
    return mlflow.pyfunc.load_model(logged.model_uri)


def assert_same(table, wanted):
    pd.testing.assert_frame_equal(table, wanted, check_exact=True)


def test_the_model_itself_comes_back_and_learns_on(logged, model):
    uris = [logged.model_uri, "models:/orders/1"]
    for found in map(thalweg.mlflow.load_model, uris):
        assert type(found) is thalweg.Model
        assert found.digest() == model.digest()
    twin = thalweg.from_bytes(thalweg.to_bytes(model))
    more = FRAME.assign(state=LABELS[::-1])
    assert found.learn(more).digest() == twin.learn(more).digest() != model.digest()


def test_the_function_answers_as_the_model(loaded, model):
    wanted = model.predict_table(FRAME)
    assert [*wanted] == ["prediction", "probability", "p_late", "p_paid"]
    assert wanted["prediction"].nunique() == 2
    assert_same(loaded.predict(FRAME), wanted)


def test_cells_may_be_of_any_type_that_the_model_takes(loaded, model):
    other = FRAME.assign(
        price=[float(text.replace(",", ".")) if isinstance(text, str) else None for text in FRAME["price"]],
        when=pd.to_datetime(FRAME["when"], format="%d.%m.%Y %H:%M"),
        shop=FRAME["shop"].astype("category"),
        items=FRAME["items"].astype(float),
    )
    assert_same(loaded.predict(other), model.predict_table(FRAME))


def test_rows_keep_their_index_and_columns_any_order(loaded, model):
    turned = FRAME.iloc[::-1, ::-1].assign(state="?")
    assert turned.index[0] != 0
    assert_same(loaded.predict(turned), model.predict_table(FRAME).iloc[::-1])


def test_an_absent_column_has_missing_values(loaded, model):
    given = FRAME[["items", "price"]]
    wanted = model.predict_table(FRAME.assign(when=None, shop=None, note=None, weight=np.nan))
    assert_same(loaded.predict(given), wanted)
    records = given.head(5).to_dict("records")
    assert_same(loaded.predict(records), wanted.head(5))


def test_rows_without_any_of_the_columns_are_an_error(loaded):
    with pytest.raises(StreamError, match="none of the columns price, when, shop, note, items, weight"):
        loaded.predict(FRAME.rename(columns=str.upper))


def predicted_by_command(uri, path):
    command = [sys.executable, "-m", "mlflow", "models", "predict", "--env-manager", "local",
               "--model-uri", uri, "--content-type", path.suffix[1:], "--input-path", path,
               "--output-path", path.with_name("answers.json")]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(path.with_name("answers.json").read_text())["predictions"]


def test_command_with_json(logged, model, tmp_path):
    records = [
        {name: value for name, value in record.items() if not pd.isna(value)}  # as clients leave them out
        for record in FRAME.to_dict("records")
    ]
    path = tmp_path / "orders.json"
    path.write_text(json.dumps({"dataframe_records": records}))
    assert predicted_by_command(logged.model_uri, path) == model.predict_table(FRAME).to_dict("records")


def test_command_with_csv(logged, model, tmp_path):
    path = tmp_path / "orders.csv"
    frame = FRAME.round({"weight": 3})  # pandas 2 changes the last bit of some longer numbers
    frame.to_csv(path, index=False)
    assert predicted_by_command(logged.model_uri, path) == model.predict_table(frame).to_dict("records")


def test_what_mlflow_knows_of_a_model(mlflow, model, tmp_path):
    thalweg.mlflow.save_model(model, tmp_path / "m", metadata={"team": "tills"})
    about = mlflow.models.Model.load(tmp_path / "m")
    assert about.flavors["thalweg"] == {
        "data": "data/model.tw",
        "thalweg_version": thalweg.__version__,
        "model_class": "Model",
        "learner": "NaiveBayes",
        "digest": model.digest(),
        "columns": KINDS,
    }
    assert about.flavors["python_function"]["loader_module"] == "thalweg.mlflow"
    assert about.metadata == {"team": "tills"}
    assert [(each.name, repr(each.type), each.required) for each in about.signature.inputs] == [
        (name, "Any", False) for name in KINDS
    ]
    assert [(each.name, each.type.name) for each in about.signature.outputs] == [
        ("prediction", "string"), ("probability", "double"), ("p_late", "double"), ("p_paid", "double"),
    ]  # fmt: skip
    assert thalweg.load(tmp_path / "m" / "data" / "model.tw").digest() == model.digest()


def test_versions_are_pinned(mlflow, model, tmp_path):
    thalweg.mlflow.save_model(model, tmp_path / "m", extra_pip_requirements=["cachetools"])
    pinned = [f"mlflow=={mlflow.__version__}", f"thalweg=={thalweg.__version__}", f"pandas=={pd.__version__}"]
    lines = (tmp_path / "m" / "requirements.txt").read_text().split()
    assert lines == [*pinned, "cachetools"]
    conda = yaml.safe_load((tmp_path / "m" / "conda.yaml").read_text())
    assert conda["dependencies"][-1] == {"pip": lines}


def test_requirements_may_be_given_instead(model, mlflow, tmp_path):
    more = tmp_path / "more.txt"
    more.write_text("zipp\n")
    thalweg.mlflow.save_model(model, tmp_path / "file", extra_pip_requirements=str(more))
    assert (tmp_path / "file" / "requirements.txt").read_text().split()[-1] == "zipp"
    thalweg.mlflow.save_model(model, tmp_path / "own", pip_requirements=["thalweg", "mlflow-skinny"])
    assert (tmp_path / "own" / "requirements.txt").read_text().split() == ["thalweg", "mlflow-skinny"]
    with pytest.raises(ValueError, match="Only one of"):
        thalweg.mlflow.save_model(
            model, tmp_path / "both", pip_requirements=["thalweg"], extra_pip_requirements=["zipp"]
        )


@EXAMPLE
def test_an_example_is_stored_and_works(mlflow, model, caplog):
    info = thalweg.mlflow.log_model(model, input_example=FRAME.head(3))
    assert "Failed" not in caplog.text
    loaded = mlflow.pyfunc.load_model(info.model_uri)
    assert_same(loaded.predict(loaded.input_example), model.predict_table(FRAME.head(3)))
    assert info.signature.inputs.input_names() == [*KINDS]


@EXAMPLE
def test_a_signature_may_be_given(mlflow, model, tmp_path):
    given = mlflow.models.infer_signature(FRAME[["shop", "weight"]].dropna())
    thalweg.mlflow.save_model(model, tmp_path / "own", signature=given)
    assert mlflow.models.Model.load(tmp_path / "own").signature == given
    with pytest.raises(mlflow.MlflowException, match="example does not match the model signature"):
        thalweg.mlflow.save_model(model, tmp_path / "bad", signature=given, input_example=FRAME[["items"]])
    for name, example in (("none", None), ("example", FRAME.head(2))):
        thalweg.mlflow.save_model(model, tmp_path / name, signature=False, input_example=example)
        assert mlflow.models.Model.load(tmp_path / name).signature is None
    loaded = mlflow.pyfunc.load_model(str(tmp_path / "none"))
    assert_same(loaded.predict(FRAME), model.predict_table(FRAME))


@pytest.mark.parametrize(
    ("labels", "kind"),
    [([False, True], "boolean"), ([3, 7], "long"), ([0.0, 2.0], "double"), (["a", "b"], "string")],
)
def test_a_learner_without_columns(mlflow, tmp_path, labels, kind):
    X = np.random.default_rng(0).normal(size=(60, 3))
    learner = NaiveBayes().begin(n_features=3, classes=labels)
    learner.partial_fit(X, np.array(labels)[(X[:, 0] > 0).astype(int)])
    thalweg.mlflow.save_model(learner, tmp_path / "m")
    found = thalweg.mlflow.load_model(tmp_path / "m")
    assert np.array_equal(found.predict_proba(X), learner.predict_proba(X))

    loaded = mlflow.pyfunc.load_model(str(tmp_path / "m"))
    assert loaded.metadata.signature.outputs.inputs[0].type.name == kind
    assert isinstance(loaded.get_raw_model(), NaiveBayes)
    p = learner.predict_proba(X)
    wanted = {"prediction": learner.predict(X), "probability": p.max(axis=1)}
    wanted = pd.DataFrame(wanted | {f"p_{label}": p[:, k] for k, label in enumerate(labels)})
    for rows in (X, pd.DataFrame(X, columns=["a", "b", "c"]), X.tolist()):
        assert_same(loaded.predict(rows), wanted)
    assert_same(loaded.predict((X > 0).astype(int)), loaded.predict((X > 0).astype(float)))


def test_a_learner_with_names(mlflow, tmp_path):
    frame = FRAME[["items", "weight"]]
    learner = NaiveBayes().fit(frame, LABELS)
    thalweg.mlflow.save_model(learner, tmp_path / "m")
    loaded = mlflow.pyfunc.load_model(str(tmp_path / "m"))
    table = loaded.predict(FRAME.iloc[::-1, ::-1])
    assert np.array_equal(table[["p_late", "p_paid"]].iloc[::-1], learner.predict_proba(frame))
    assert table.index[0] == len(FRAME) - 1


def test_a_learner_with_costs_answers_as_it_does_itself(mlflow, tmp_path):
    frame = FRAME[["items", "weight"]]
    learner = Calibrated(NaiveBayes(), costs={"late": 20}).fit(frame, LABELS)
    thalweg.mlflow.save_model(learner, tmp_path / "m")
    found = mlflow.pyfunc.load_model(str(tmp_path / "m")).predict(frame)
    likeliest = learner.classes_[learner.predict_proba(frame).argmax(axis=1)]
    assert found["prediction"].tolist() == learner.predict(frame).tolist() != likeliest.tolist()


def test_models_that_have_learned_nothing_are_refused(mlflow, tmp_path):
    n_models = len(mlflow.search_logged_models(output_format="list"))
    for model in (thalweg.Model(), NaiveBayes()):
        with pytest.raises(NotFittedError):
            thalweg.mlflow.save_model(model, tmp_path / "m")
        with pytest.raises(NotFittedError):
            thalweg.mlflow.log_model(model)
    assert not (tmp_path / "m").exists()
    assert len(mlflow.search_logged_models(output_format="list")) == n_models


def test_other_models_are_refused(mlflow, model, tmp_path):
    with pytest.raises(TypeError, match="only learners and models of thalweg"):
        thalweg.mlflow.save_model("model", tmp_path / "m")
    thalweg.mlflow.save_model(model, tmp_path / "m")
    about = mlflow.models.Model.load(tmp_path / "m")
    del about.flavors["thalweg"]
    about.save(tmp_path / "m" / "MLmodel")
    with pytest.raises(ValueError, match="is no model of thalweg; MLflow can load it as python_function"):
        thalweg.mlflow.load_model(tmp_path / "m")


def test_the_module_needs_no_mlflow_until_it_is_used(tmp_path):
    code = (
        "import sys, thalweg; sys.modules['mlflow'] = None; load = thalweg.mlflow.load_model\n"
        "try: load('m')\n"
        "except ImportError as error: print(error)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert said.stdout == "thalweg.mlflow needs MLflow and pandas: pip install thalweg[mlflow]\n", said.stderr
