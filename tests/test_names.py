"""A misspelt name is an error that suggests the right one, in Python and in the command."""

import inspect

import numpy as np
import pytest

from thalweg import drift, learners, papers
from thalweg.drift import ADWIN, HellingerMonitor
from thalweg.evaluation import PermutationImportance, compare, tune
from thalweg.learners import HoeffdingTree, MajorityClass, NaiveBayes, OnlineBagging
from thalweg.preprocessing import Pipeline, StandardScaler
from thalweg.streams import SEA, datasets, from_file
from thalweg.streams.named import open_stream


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: HoeffdingTree(grace_perod=5), "grace_period"),
        (lambda: HoeffdingTree(gracePeriod=5), "grace_period"),
        (lambda: HoeffdingTree().set_params(grace_perod=5), "grace_period"),
        (lambda: OnlineBagging(HoeffdingTree()).set_params(member__grace_perod=5), "grace_period"),
        (lambda: Pipeline([StandardScaler()], NaiveBayes()).set_params(lerner=1), "learner"),
        (lambda: StandardScaler(colums=[0]), "columns"),
        (lambda: ADWIN(detla=0.1), "delta"),
        (lambda: HellingerMonitor(windw=3), "window"),
        (lambda: HellingerMonitor().set_params(windw=3), "window"),
        (lambda: SEA(sead=3), "seed"),
        (lambda: learners.NaiveBays, "NaiveBayes"),
        (lambda: drift.ADVIN, "ADWIN"),
        (lambda: open_stream("se-a2"), "sea"),
        (lambda: datasets.load("elec"), "elec2"),
        (lambda: papers.reproduce("hurws"), "huwrs"),
        (lambda: HoeffdingTree(criterion="ginni").begin(2, [0, 1]), "'gini'"),
        (lambda: PermutationImportance(metric="acuracy"), "'accuracy'"),
        (lambda: compare([NaiveBayes()], ["sea"], rows=50, n_jobs=1).table("acuracy"), "'accuracy'"),
        (lambda: tune(HoeffdingTree(), "sea", grid={"grace_perod": [1]}, rows=50), "grace_period"),
    ],
)
def test_the_right_name_is_suggested(call, meant, tmp_path, monkeypatch):
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path))
    with pytest.raises((ValueError, AttributeError)) as caught:
        call()
    assert f"did you mean {meant}?" in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["run", "sea", "--learner", "HoefdingTree"], "HoeffdingTree"),
        (["run", "sea", "--learner", "HoeffdingTree(grace_perod=5)"], "grace_period"),
        (["run", "sea", "--learner", "OnlineBagging(HoeffdingTree(grace_perod=5))"], "grace_period"),
        (["run", "sea", "--learner", "HoeffdingTree", "--set", "grace_perod=5"], "grace_period"),
        (["run", "hyper-plain"], "hyperplane"),
        (["drift", "sea", "--method", "helinger"], "hellinger"),
        (["run", "sea", "--learner", "sklearn.linear_model.Perceptrn()"], "Perceptron"),
        (["list", "learner"], "learners"),
        (["reproduce", "hurws"], "huwrs"),
        (["tune", "sea", "--learner", "HoeffdingTree", "--try", "grace_perod=5"], "grace_period"),
    ],
)
def test_the_command_suggests_the_right_name(arguments, meant, thalweg):
    code, _, said = thalweg(*arguments)
    assert code == 2 and f"did you mean {meant}?" in said


def test_the_right_column_is_suggested(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("price,shop,ok\n1.5,a,no\n2.5,b,yes\n")
    with pytest.raises(ValueError, match=r"there is no column 'pirce'; did you mean 'price'\?"):
        from_file(path, ignore=["pirce"])
    with pytest.raises(ValueError, match="there is no column 'xyz'; it has price, shop, ok"):
        from_file(path, target="xyz")


def test_without_a_near_name_all_are_listed():
    with pytest.raises(ValueError, match="NaiveBayes has no parameter 'xyz'; the parameters are "):
        NaiveBayes(xyz=3)


def test_a_learner_without_parameters_takes_none():
    with pytest.raises(ValueError, match="MajorityClass has no parameter 'window'"):
        MajorityClass(window=3)
    with pytest.raises(TypeError, match="takes no parameters"):
        MajorityClass(3)


def test_the_signature_of_a_class_is_that_of_its_init():
    assert set(inspect.signature(ADWIN).parameters) == set(ADWIN().get_params())
    assert not inspect.signature(MajorityClass).parameters


def test_a_class_that_takes_any_keyword_is_left_alone():
    class Own(SEA):
        def __init__(self, **given):
            super().__init__(10)
            self.given = given

    assert Own(anything=3).given == {"anything": 3}
    assert np.array_equal(Own().classes, SEA().classes)
