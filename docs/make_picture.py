"""Draw images/sea.svg, the picture of the home page, and images/report.svg, that of docs/reports.md."""

from pathlib import Path

from thalweg.evaluation import prequential, report
from thalweg.learners import AdaptiveStacking, HoeffdingTree, LogisticMixture, NaiveBayes
from thalweg.streams import SEA

IMAGES = Path(__file__).with_name("images")

run = prequential("sea", AdaptiveStacking(n_jobs=-1, random_state=0))
(IMAGES / "sea.svg").write_text(report.picture(run), "utf-8")
print(run)

runs = [prequential(SEA(20_000, period=5000, noise=0.1), learner)
        for learner in (LogisticMixture(), NaiveBayes(), HoeffdingTree())]  # fmt: skip
(IMAGES / "report.svg").write_text(report.picture(runs), "utf-8")
