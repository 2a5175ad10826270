"""A saved learner continues bit for bit; a damaged, foreign or dangerous file is refused."""

import datetime
import hashlib
import os
import signal
import stat
import subprocess
import sys
import threading

import fuzz.models
import fuzz.saved_models
import numpy as np
import pytest
from support import every_learner
from support.counting import Counting
from support.numbered_inputs import check_sample
from support.places import TESTS

import thalweg
from thalweg import learners
from thalweg.errors import ModelFileError, StateError, ThalwegError
from thalweg.saving import container, describe

GOLDEN = TESTS / "golden" / "models"
X = np.random.default_rng(3).normal(size=(200, 3))
Y = (X[:, 0] > 0).astype(int)


def taught(learner=None, classes=(0, 1)):
    learner = (learner or learners.NaiveBayes()).begin(3, list(classes))
    learner.test_then_train_coded(X[:100], Y[:100])
    return learner


LABELS = {
    "text": ["no", "yes"],
    "negative": [-1, 1],
    "bool": [False, True],
    "float": [0.5, 1.5],
    "tuples": [("a", 1), ("b", 2)],
    "bytes": [b"a", b"b"],
    "dates": [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)],
    "datetime64": np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_keep_their_type(kind):
    learner = taught(classes=LABELS[kind])
    loaded = thalweg.from_bytes(thalweg.to_bytes(learner))
    assert loaded.classes_.dtype == learner.classes_.dtype
    assert loaded.predict_one(X[0]) == learner.predict_one(X[0])
    assert type(loaded.predict_one(X[0])) is type(learner.predict_one(X[0]))


def test_names_means_and_random_state_go_on(tmp_path):
    learner = learners.OnlineBagging(random_state=np.random.default_rng(5))
    for x, y in zip(X[:60], Y[:60], strict=True):
        learner.learn_one({"a": x[0], "b": x[1]}, int(y))
    thalweg.save(learner, tmp_path / "model.tw")
    loaded = thalweg.load(tmp_path / "model.tw")
    for x, y in zip(X[60:], Y[60:], strict=True):
        row = {"b": x[1], "c": x[2], "a": x[0]}
        assert loaded.predict_proba_one(row) == learner.predict_proba_one(row)
        loaded.learn_one(row, int(y))
        learner.learn_one(row, int(y))


def test_a_learner_that_has_not_begun_can_be_saved():
    loaded = thalweg.from_bytes(thalweg.to_bytes(learners.HoeffdingTree(grace_period=77)))
    assert loaded.grace_period == 77 and not hasattr(loaded, "classes_")


NOTES = {
    "numbers": [1, -2.5, float("inf"), True, None, 10**30],
    "when": datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC),
    "table": np.arange(6.0).reshape(2, 3)[:, ::2],
    "empty": np.zeros((0, 3), dtype=np.int16),
    "big-endian": np.arange(3, dtype=">i4"),
    "scalar": np.float32(1.5),
    ("a", 1): {"deep": ({"x": b"\0\xff"}, [])},
}


def test_notes_come_back_as_they_were(tmp_path):
    thalweg.save(taught(), tmp_path / "model.tw", notes=NOTES)
    found = describe(tmp_path / "model.tw")
    assert found["about"]["version"] == thalweg.__version__
    assert list(found["notes"]) == list(NOTES)
    for name, value in NOTES.items():
        np.testing.assert_equal(found["notes"][name], value)
    assert type(found["notes"]["scalar"]) is np.float32


def test_what_cannot_be_saved_is_named():
    with pytest.raises(TypeError, match="cannot save a value of type function"):
        thalweg.to_bytes(taught(learners.ParticleFilter(boundary=lambda X: X)))
    with pytest.raises(TypeError, match="only learners, models and banks of thalweg can be saved, got dict"):
        thalweg.to_bytes({})


def test_every_cut_file_is_refused():
    data = thalweg.to_bytes(taught())
    for n in range(len(data)):
        with pytest.raises(ModelFileError, match=r"not a model file|it should have"):
            thalweg.from_bytes(data[:n])
    with pytest.raises(ModelFileError, match="it should have"):
        thalweg.from_bytes(data + b"\0")


def test_every_flipped_bit_is_noticed():
    data = bytearray(thalweg.to_bytes(taught()))
    for i in range(len(data)):
        data[i] ^= 1 << i % 8
        with pytest.raises(ModelFileError):
            thalweg.from_bytes(bytes(data))
        data[i] ^= 1 << i % 8
    thalweg.from_bytes(bytes(data))


def signed(data):
    """Return the bytes with a checksum that fits."""
    body = bytes(data[: -container.DIGEST])
    return body + hashlib.sha256(body).digest()


def test_damage_under_a_valid_checksum_is_refused_or_harmless():
    data, rng = thalweg.to_bytes(taught(learners.OnlineBagging(n_members=2))), np.random.default_rng(1)
    for _ in range(500):
        damaged = bytearray(data)
        for place in rng.integers(container.HEADER.size, len(data) - container.DIGEST, rng.integers(1, 4)):
            damaged[place] = rng.integers(256)
        try:
            loaded = thalweg.from_bytes(signed(damaged))
        except ModelFileError:
            continue
        p = loaded.predict_proba_block(np.zeros((2, loaded.n_features_in_)))
        assert np.isfinite(p).all()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a model file"),
        (b"PAR1" * 100, "not a model file"),
        (b"\x80\x04pickle", "not a model file"),
        (signed(container.HEADER.pack(container.MAGIC, 9, 0, 64, 0) + b"\0" * 32), "has layout 9"),
        (signed(container.HEADER.pack(container.MAGIC, 1, 0, 64, 99) + b"\0" * 32), "contradict each other"),
        (container.pack({"content": {"dict": []}}, []), "holds no model"),
        (container.pack({"content": {"code": "x"}}, []), "no kind of value called 'code'"),
        (container.pack({"content": {"array": 3}}, []), "there is no array 3"),
    ],
)
def test_a_foreign_file_gets_one_clear_error(tmp_path, content, message):
    path = tmp_path / "other.tw"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=message) as caught:
        thalweg.load(path)
    assert str(path) in str(caught.value) and isinstance(caught.value, ThalwegError | ValueError)


def test_a_class_from_elsewhere_must_be_allowed():
    data = thalweg.to_bytes(taught(Counting()))
    with pytest.raises(ModelFileError, match=r"'support.counting:Counting', which is not one of thalweg's"):
        thalweg.from_bytes(data)
    loaded = thalweg.from_bytes(data, allow=[Counting])
    assert type(loaded) is Counting
    ensemble = thalweg.to_bytes(taught(learners.OnlineBagging(Counting())))
    with pytest.raises(ModelFileError, match="allow="):
        thalweg.from_bytes(ensemble)
    assert type(thalweg.from_bytes(ensemble, allow=[Counting]).member) is Counting


def test_a_file_keeps_its_mode_and_links(tmp_path):
    path, link = tmp_path / "model.tw", tmp_path / "link.tw"
    thalweg.save(taught(), path)
    assert stat.S_IMODE(path.stat().st_mode) & 0o400
    path.chmod(0o640)
    link.symlink_to(path)
    thalweg.save(taught(learners.MajorityClass()), link)
    assert link.is_symlink() and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert type(thalweg.load(path)) is learners.MajorityClass
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.tw", "model.tw"]


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model.tw"
    thalweg.save(taught(), path)
    before = path.read_bytes()
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space left"):
        thalweg.save(taught(learners.MajorityClass()), path)
    assert path.read_bytes() == before and len(list(tmp_path.iterdir())) == 1


class CannotBeRestored(Counting):
    """Its state is written, but rejected when it is read."""

    def _restore(self, memory):
        raise ValueError("the counts are not mine")


class FailsToRestore(Counting):
    """Raises what no state should raise."""

    def _restore(self, memory):
        raise RuntimeError("out of order")


@pytest.mark.parametrize(
    ("learner", "message"),
    [(CannotBeRestored(), "the counts are not mine"), (FailsToRestore(), "RuntimeError: out of order")],
)
def test_a_model_that_cannot_be_loaded_again_does_not_replace_a_file(tmp_path, learner, message):
    path = tmp_path / "model.tw"
    kind = type(learner).__name__
    with pytest.raises(ModelFileError, match=f"the {kind} was not saved.*{message}.*no such file now"):
        thalweg.save(taught(learner), path)
    thalweg.save(taught(), path)
    before = path.read_bytes()
    unchanged = f"{kind} was not saved.*{message}.*the file is unchanged"
    with pytest.raises(ModelFileError, match=unchanged) as caught:
        thalweg.save(taught(learner), path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before and len(list(tmp_path.iterdir())) == 1


def test_what_the_disk_lost_does_not_replace_a_file(tmp_path, monkeypatch):
    path = tmp_path / "model.tw"
    thalweg.save(taught(), path)
    before = path.read_bytes()
    monkeypatch.setattr(os, "fsync", lambda file: os.ftruncate(file, 1000))
    with pytest.raises(ModelFileError, match="has 1,000 bytes, it should have"):
        thalweg.save(taught(learners.HoeffdingTree()), path)
    assert path.read_bytes() == before


def test_a_class_of_ones_own_is_saved_alone_and_as_a_member(tmp_path):
    path = tmp_path / "model.tw"
    for learner in (Counting(), learners.OnlineBagging(Counting())):
        thalweg.save(taught(learner), path)
        assert type(thalweg.load(path, allow=[Counting])) is type(learner)


WRITER = """
import sys, numpy as np, thalweg
from thalweg import learners
models = [learners.NaiveBayes().begin(3, [0, 1]), learners.OnlineBagging().begin(30, range(9))]
for i in range(10**9):
    thalweg.save(models[i % 2], sys.argv[1])
    print("saved", flush=True)
"""


def test_a_killed_process_leaves_a_whole_file(tmp_path):
    path, rng = tmp_path / "model.tw", np.random.default_rng(1)
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE)
        for _ in range(rng.integers(1, 30)):
            process.stdout.readline()  # it saves on while this is read
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        thalweg.load(path)


def test_text_of_characters_that_do_not_exist_is_refused():
    learner = learners.NaiveBayes().begin(1, ["a", "b"])
    good, wrong = np.array(["a", "b"]).tobytes(), b"\xff\xff\xff\x7fb\0\0\0"
    data = thalweg.to_bytes(learner)
    assert data.count(good) == 1
    body = data.replace(good, wrong)[:-32]
    with pytest.raises(ModelFileError, match="do not exist"):
        thalweg.from_bytes(body + hashlib.sha256(body).digest())


def test_damaged_models_are_loaded_or_refused(tmp_path):
    answers, problems = fuzz.models.run(seed=0, n_cases=600, kept=tmp_path)
    assert not problems
    assert {answer for _, answer in answers} == {"read", "refused"}


def test_models_with_damaged_values_are_loaded_or_refused(tmp_path):
    check_sample(fuzz.saved_models.run, tmp_path, 400)


@pytest.mark.parametrize("path", sorted(GOLDEN.rglob("*.tw")), ids=lambda path: path.stem)
def test_files_of_all_layouts_load(path):
    notes = describe(path)["notes"]
    learner = thalweg.load(path)
    np.testing.assert_allclose(learner.predict_proba_block(notes["X"]), notes["before"], rtol=1e-9)
    np.testing.assert_allclose(learner.test_then_train(notes["X"], notes["y"]), notes["while"], rtol=1e-9)


def test_every_learner_has_a_file_of_the_present_layout():
    folder = GOLDEN / str(container.VERSION)
    missing = {*every_learner.registry, "Pipeline"} - {path.stem for path in folder.glob("*.tw")}
    assert not missing, "run: make goldens"


class Renamed(Counting):
    """Version 2 has a parameter under another name."""

    _state_version = 2

    def __init__(self, width=1):
        self.width = width

    def _migrate(self, state, version):
        assert version == 1
        return {**state, "parameters": {"width": state["parameters"]["size"]}}


def test_an_older_version_is_migrated_and_a_newer_one_refused():
    learner = taught(Renamed(width=4))
    state = learner.state()
    old = {**state, "version": 1, "parameters": {"size": 4}}
    assert Renamed().restore(old).width == 4
    for version in (0, 3, "1", None):
        with pytest.raises(StateError, match="this release reads up to 2"):
            Renamed().restore({**state, "version": version})


def test_a_missing_folder_is_named(tmp_path):
    path = tmp_path / "absent" / "model.tw"
    with pytest.raises(FileNotFoundError, match=r"model\.tw: there is no folder .*absent$"):
        thalweg.save(learners.NaiveBayes(), path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
def test_a_model_is_written_into_a_pipe_which_stays_one(tmp_path):
    path, read = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()), daemon=True)
    reader.start()
    thalweg.save(learners.NaiveBayes().begin(1, ["no", "yes"]), path)
    reader.join(10)
    assert thalweg.from_bytes(read[0]).classes_.tolist() == ["no", "yes"] and path.is_fifo()
