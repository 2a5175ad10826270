"""Named public datasets: found in a folder, fetched into a cache, or one line that says what to do."""

from urllib.error import URLError

import numpy as np
import pytest
import sklearn.datasets
from sklearn.utils import Bunch
from support.places import DATA

from thalweg.errors import StreamError
from thalweg.streams import datasets, from_file
from thalweg.streams.openml import cache_folder

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="not beside the checkout (../shared/data)")

# name: rows, inputs, classes, inputs with categories, missing values
SHAPES = {
    "elec2": (45_312, 8, 2, 1, 0),
    "elec2_raw": (45_312, 8, 2, 0, 35_187),
    "usenet1": (1500, 99, 2, 99, 0),
    "email_list": (1500, 913, 2, 913, 0),
    "weather": (18_159, 8, 2, 0, 0),
    "covertype": (100_000, 54, 7, 44, 0),
    "luxembourg": (1901, 31, 2, 16, 0),
    "keystroke": (1600, 10, 4, 0, 0),
    "powersupply": (29_928, 2, 24, 0, 0),
    "insects_gradual": (24_150, 33, 6, 0, 0),
    "gmsc": (150_000, 10, 2, 0, 33_654),
    "santa_fe": (9990, 9, 2, 0, 0),
}
USERS_OWN = {"usenet2", "spam"}  # files that are not beside the checkout
WORDS = """@relation made
@attribute offer {0,1}
@attribute 'baseball game' {0,1}
@attribute class {%s}
@data
"""


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("THALWEG_DATA", raising=False)
    return tmp_path / "cache"


def test_every_dataset_has_a_shape_or_a_file_of_the_users():
    assert set(datasets.names()) == set(SHAPES) | USERS_OWN


@needs_data
@pytest.mark.parametrize("name", SHAPES)
def test_every_dataset_streams_through(name, monkeypatch):
    monkeypatch.setenv("THALWEG_DATA", str(DATA))
    stream = getattr(datasets, name)()
    n_rows, n_missing, counts = 0, 0, np.zeros(len(stream.classes), dtype=int)
    for X, codes in stream.coded_blocks(1013):
        n_rows += len(X)
        n_missing += np.isnan(X).sum()
        counts += np.bincount(codes, minlength=len(counts))
    shape = n_rows, stream.n_features, len(stream.classes), np.count_nonzero(stream.n_categories), n_missing
    assert shape == SHAPES[name]
    assert counts.min() > 0 and counts.sum() == n_rows
    assert stream.n_rows in (None, n_rows)
    assert f"{n_rows:,} rows" in datasets.summary(name) or name == "covertype"


@needs_data
def test_every_file_of_the_folder_has_a_name():
    known = {file for files, _, _ in datasets.FILES.values() for file in files}
    assert {path.name for path in DATA.iterdir()} - known == {"README.md"}


@needs_data
def test_labels_and_drifts():
    assert datasets.elec2(DATA).classes.tolist() == ["UP", "DOWN"]
    assert datasets.insects_gradual(DATA).classes.tolist() == [2, 3, 4, 5, 11, 12]
    assert datasets.usenet1(DATA).drifts.tolist() == [300, 600, 900, 1200]
    assert datasets.email_list(DATA, numeric=["w0"]).n_categories[:2].tolist() == [0, 2]
    assert datasets.email_list(DATA).drifts.tolist() == [300, 600, 900, 1200]
    assert len(datasets.weather(DATA).drifts) == 0


@needs_data
def test_repeating_the_last_label_of_elec2_scores_what_is_published():
    codes = np.concatenate([codes for _, codes in datasets.elec2(DATA).coded_blocks()])
    assert np.mean(codes[1:] == codes[:-1]) == pytest.approx(0.8533, abs=5e-5)


@needs_data
def test_raw_elec2_has_the_published_number_of_complete_rows():
    X = np.concatenate([X for X, _ in datasets.elec2_raw(DATA).coded_blocks()])
    assert np.count_nonzero(~np.isnan(X).any(axis=1)) == 27_549


def electricity(**asked):
    assert asked["data_id"] == 151
    return Bunch(
        data=np.array([[0.5, 2.0], [np.nan, 0.0], [0.25, np.nan]]),
        feature_names=["price", "day"],
        categories={"day": ["1", "2", "3"]},
        target=np.array(["UP", "DOWN", "UP"], dtype=object),
        target_names=["class"],
    )


def no_network(**asked):
    raise URLError("no route\nto host")


def test_a_missing_dataset_is_fetched_once_and_verified(empty_cache, monkeypatch):
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", electricity)
    stream = datasets.elec2()
    X, codes = next(stream.coded_blocks())
    np.testing.assert_array_equal(X, [[0.5, 2], [np.nan, 0], [0.25, np.nan]])
    assert stream.classes[codes].tolist() == ["UP", "DOWN", "UP"]
    assert stream.n_categories.tolist() == [0, 3] and stream.names == ("price", "day")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", no_network)
    np.testing.assert_array_equal(next(datasets.elec2().coded_blocks())[0], X)
    assert sorted(path.name for path in empty_cache.iterdir()) == ["elec2.arrow", "elec2.sha256"]

    (empty_cache / "elec2.arrow").write_bytes(b"ARROW1 something else")
    with pytest.raises(StreamError, match="was changed since its download; delete it"):
        datasets.elec2()


def test_without_network_one_line_says_what_to_do(empty_cache, monkeypatch, tmp_path):
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", no_network)
    with pytest.raises(StreamError) as caught:
        datasets.elec2()
    text = str(caught.value)
    assert "\n" not in text and "put elec2.arff into a folder and set THALWEG_DATA" in text
    with pytest.raises(StreamError, match=f"put weather.arff into {tmp_path}"):
        datasets.weather(data=tmp_path)
    with pytest.raises(StreamError, match="there is no dataset 'wether'"):
        datasets.load("wether")


def test_a_file_in_the_folder_comes_before_the_network(empty_cache, monkeypatch, tmp_path):
    (tmp_path / "elec2.arff").write_text("@relation r\n@attribute a real\n@attribute c {x}\n@data\n1,x\n")
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", no_network)
    monkeypatch.setenv("THALWEG_DATA", str(tmp_path))
    assert datasets.elec2().n_features == 1
    (tmp_path / "santa-fe-laser.txt").write_text("86\nlaser\n")
    with pytest.raises(StreamError, match="is not a list of numbers"):
        datasets.santa_fe()


@pytest.mark.parametrize(
    ("name", "file", "labels", "rows"),
    [
        ("usenet2", "usenet2.arff", "yes,no", ["0,1,yes", "1,0,no", "1,1,yes"]),
        ("spam", "spam_data.arff", "spam,legitimate", ["0,1,spam", "1,0,legitimate", "1,1,spam"]),
        ("spam", "spam_corpus.arff", "spam,legitimate", ["{1 1}", "{0 1,2 legitimate}", "{0 1,1 1}"]),
    ],
)
def test_newsgroups_and_spam_are_read_from_a_file_of_the_users(tmp_path, name, file, labels, rows):
    (tmp_path / file).write_text(WORDS % labels + "\n".join(rows) + "\n")
    stream = getattr(datasets, name)(tmp_path)
    X, codes = next(stream.coded_blocks())
    np.testing.assert_array_equal(X, [[0, 1], [1, 0], [1, 1]])
    assert stream.classes[codes].tolist() == [labels.split(",")[i] for i in (0, 1, 0)]
    assert stream.names == ("offer", "baseball game") and stream.n_categories.tolist() == [2, 2]
    assert stream.drifts.tolist() == ([300, 600, 900, 1200] if name == "usenet2" else [])


@pytest.mark.parametrize(("name", "file"), [("usenet2", "usenet2.arff"), ("spam", "spam_data.arff")])
def test_a_file_that_is_not_there_says_where_to_get_it(empty_cache, tmp_path, name, file):
    with pytest.raises(StreamError) as caught:
        datasets.load(name, tmp_path)
    text = str(caught.value)
    assert "http://mlkd.csd.auth.gr/concept_drift.html" in text and f"put {file} into {tmp_path}" in text
    assert "\n" not in text


def test_cache_folder_is_the_systems_unless_told(monkeypatch, tmp_path):
    monkeypatch.delenv("THALWEG_CACHE", raising=False)
    assert cache_folder().name == "thalweg"
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path


@needs_data
def test_a_dataset_is_its_file():
    ours, file = datasets.keystroke(DATA), from_file(DATA / "keystroke.arff")
    np.testing.assert_array_equal(next(ours.coded_blocks(50))[0], next(file.coded_blocks(50))[0])
