"""Ensembles are used by several threads and forked processes at once, with as many threads as there are."""

import multiprocessing
import os
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.base import clone
from support.ensemble_rows import (
    ALL,
    BAGS,
    FORESTS,
    RESTLESS,
    TREE,
    begun,
    drifting_rows,
    name_of,
    on_threads,
)

from thalweg._native import workers
from thalweg.checks import faults, safety
from thalweg.learners import DriftReset, LeveragingBagging, NaiveBayes, OnlineBagging

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("learner", [*RESTLESS, OnlineBagging(OnlineBagging(TREE, 2), 2)], ids=name_of)
def test_threads_that_predict_while_one_learns_get_what_one_gets(learner, n_jobs):
    safety.threads_get_what_one_gets(on_threads(learner, n_jobs))


@pytest.mark.parametrize("kind", [*ALL, DriftReset])
def test_predictions_side_by_side_are_those_of_one_thread(kind):
    X, y = drifting_rows(2000)
    learner = begun(on_threads(kind(NaiveBayes()), 2))
    learner.test_then_train(X, y)
    expected = learner.predict_proba_block(X)
    wrong = []

    def ask():
        for _ in range(15):
            if not np.array_equal(learner.predict_proba_block(X), expected):
                wrong.append("block")
            some = range(0, 200, 7)
            if not all(np.array_equal(learner.predict_proba_one(X[i]), expected[i]) for i in some):
                wrong.append("row")

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("n_started", [0, 1, 2])
@pytest.mark.parametrize("kind", BAGS + FORESTS)
def test_fewer_threads_than_wanted_do_the_same(kind, n_started, monkeypatch):
    X, y = drifting_rows(1500)
    one = begun(kind(NaiveBayes(), n_jobs=1))
    p, answers = one.test_then_train(X, y), one.predict_proba_block(X)
    monkeypatch.setattr(workers, "_start_fails_after", n_started)
    four = begun(kind(NaiveBayes(), n_jobs=4))
    np.testing.assert_array_equal(four.test_then_train(X, y), p)
    np.testing.assert_array_equal(four.predict_proba_block(X), answers)


@forks
@pytest.mark.parametrize("learner", RESTLESS[:7], ids=name_of)
def test_forks_go_on(learner):
    safety.forks_go_on(on_threads(learner, 2))


def use(learner, X, y):
    """Predict, learn, and begin again, on threads; return the predictions."""
    p = learner.predict_proba_block(X)
    learner.test_then_train(X, y)
    begun(clone(learner)).test_then_train(X, y)
    return p


def put(queue, *arguments):
    queue.put(use(*arguments))


@forks
@pytest.mark.parametrize("kind", BAGS + FORESTS)
def test_processes_forked_while_threads_are_at_work_do_not_hang(kind):
    X, y = drifting_rows(1500)
    learner, busy = begun(kind(TREE, 4, n_jobs=2)), begun(kind(TREE, 4, n_jobs=2))
    learner.test_then_train(X, y)
    expected = learner.predict_proba_block(X)
    with faults.repeated(lambda: busy.test_then_train(X, y)), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.12 warns of forks beside threads
        context = multiprocessing.get_context("fork")
        for _ in range(3):
            queue = context.SimpleQueue()
            child = context.Process(target=put, args=(queue, learner, X, y))
            child.start()
            child.join(30)
            hung = child.is_alive()
            child.kill()
            assert not hung and child.exitcode == 0
            np.testing.assert_array_equal(queue.get(), expected)


def test_ensembles_at_work_in_several_threads_share_the_pool():
    X, y = drifting_rows()
    alone = begun(LeveragingBagging(n_jobs=1)).test_then_train(X, y)
    with ThreadPoolExecutor(4) as pool:
        learners = [begun(LeveragingBagging(n_jobs=2)) for _ in range(4)]
        jobs = [pool.submit(learner.test_then_train, X, y) for learner in learners]
    for job in jobs:
        assert np.array_equal(job.result(timeout=60), alone)


@forks
def test_joblib_runs_ensembles_in_processes():
    X, y = drifting_rows(800)
    learners = [begun(LeveragingBagging(TREE, 4, n_jobs=2, random_state=seed)) for seed in range(3)]
    for learner in learners:
        learner.test_then_train(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = Parallel(n_jobs=2, backend="multiprocessing")(
            delayed(use)(learner, X, y) for learner in learners
        )
    for learner, p in zip(learners, answers, strict=True):
        np.testing.assert_array_equal(p, learner.predict_proba_block(X))
