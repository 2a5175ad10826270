"""Several runs on one stream: a table, a page, figures, and a run that keeps totals only."""

import tempfile
from pathlib import Path

from thalweg.evaluation import paired, plots, prequential, report
from thalweg.learners import HoeffdingTree, LogisticMixture, NaiveBayes
from thalweg.streams import SEA


def main():
    learners = (LogisticMixture(), NaiveBayes(), HoeffdingTree())
    runs = [prequential(SEA(10_000, period=2500, noise=0.1), learner) for learner in learners]
    for run in runs:
        print(run)
    first, second = (run.codes == run.predicted for run in runs[:2])
    found = paired(first, second)
    print(f"{100 * found.mean:.2f} points between the first two, p = {found.p_value:.2g}")
    with tempfile.TemporaryDirectory() as folder:
        page = report.write(runs, Path(folder) / "runs.html")
        plots.accuracy_over_time(runs).figure.savefig(Path(folder) / "accuracy.pdf")
        print(f"page of {page.stat().st_size // 1000:,} kB")
    totals = prequential(SEA(50_000), NaiveBayes(), keep="totals")
    print(totals, totals.confusion().tolist())


if __name__ == "__main__":
    main()
