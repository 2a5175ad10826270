"""`make quick`: the tests of the main promises, and a word on what is left out."""

from pathlib import Path

PROMISES = {
    "accuracy is measured on unseen rows": ["evaluation/test_learning.py", "evaluation/test_metrics.py"],
    "row by row, in blocks, saved and loaded: the same": ["learners/test_contract.py::test_learner_passes"],
    "the learners learn": ["learners/test_accuracies.py"],
    "dicts, frames and files: the same": ["model/test_forms.py"],
    "bad input changes nothing": ["model/test_refused.py", "streams/files/test_messy_files.py"],
    "a model file does no harm": ["saving/test_hostile_files.py"],
    "calibration, estimates": ["trust/test_calibrated.py", "trust/test_accuracy_estimate.py"],
    "what a live model acknowledges is kept": ["live/test_requests.py", "live/test_damage.py"],
    "the service answers, and only those it should": ["service/test_endpoint.py", "service/test_routes.py"],
    "a model for every key": ["keyed/test_bank.py", "keyed/test_bit_equal.py"],
    "the command": ["commands/test_model_files.py"],
    "names and layers": ["test_surface.py", "test_layers.py"],
}
LEARNERS = 3  # in each test of all of them


def add_option(parser):
    """Let the command line ask for it."""
    parser.getgroup("thalweg").addoption(
        "--quick", action="store_true", help="only the tests of the main promises, for few learners"
    )


def choose(config):
    """Let pytest collect the tests of the main promises, if they are asked for."""
    if config.option.quick:  # also in a worker, which parses the same command line
        root = Path(config.rootpath, "tests")
        config.args[:] = [str(root / test) for tests in PROMISES.values() for test in tests]
        config.option.learners = config.option.learners or str(LEARNERS)


def tell(terminalreporter, config):
    """Say what was tested, and what was not."""
    if not config.option.quick:
        return
    chosen = {test.partition("::")[0] for tests in PROMISES.values() for test in tests}
    root = Path(config.rootpath, "tests")
    files = sorted(path.relative_to(root) for path in root.rglob("test_*.py"))
    left_out = [path for path in files if path.as_posix() not in chosen]
    folders = sorted({path.parts[0] for path in left_out if len(path.parts) > 1})
    terminalreporter.section("quick")
    terminalreporter.line(f"tested, for {config.option.learners} learners: {'; '.join(PROMISES)}")
    terminalreporter.line(
        f"left out: {len(left_out)} of {len(files)} test files, of {', '.join(folders)} and of the docs, "
        "and all other learners; `make test` runs them"
    )
