"""A learner with a compiled kernel, which gives the probabilities of its Python form, many times faster."""

import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

import thalweg
from thalweg.checks import check_learner
from thalweg.learners.base import NativeClassifier

HERE = Path(__file__).parent


def compiled(folder):
    """Compile the kernel into a folder. In the library, a line in `meson.build` does it."""
    source = f"{folder}/nearest_mean.c"
    module = f"{folder}/nearest_mean{sysconfig.get_config_var('EXT_SUFFIX')}"
    root, kernel = Path(thalweg.__file__).parents[1], HERE / "native" / "nearest_mean.pyx"
    subprocess.run([sys.executable, "-m", "cython", "-3", "-I", root, kernel, "-o", source], check=True)
    flags = ["-O2", "-shared", "-fPIC", f"-I{sysconfig.get_path('include')}", f"-I{np.get_include()}"]
    subprocess.run(["cc", *flags, source, "-o", module], check=True)
    sys.path.insert(0, str(folder))


class NearestMean(NativeClassifier):
    """Nearest class mean, forgetting exponentially."""

    uses_weights = False

    def __init__(self, rate=0.05):
        self.rate = rate

    def _make_kernel(self, n_features, n_classes):
        from nearest_mean import MeansKernel

        return MeansKernel("NearestMean", n_features, n_classes, self.rate)


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    from my_learner import EXCUSED
    from my_learner import NearestMean as Twin

    with tempfile.TemporaryDirectory() as folder:
        compiled(folder)
        check_learner(NearestMean(), excused=EXCUSED)
        X = np.random.default_rng(1).normal(size=(20_000, 5))
        y, answers, seconds = X[:, 0] > 0, [], []
        for learner in (Twin(), NearestMean()):
            start = perf_counter()
            answers.append(learner.begin(5, [False, True]).test_then_train(X, y))
            seconds.append(perf_counter() - start)
    np.testing.assert_allclose(*answers, rtol=1e-9)
    print(f"the same probabilities, {seconds[0] / seconds[1]:.0f} times faster")
