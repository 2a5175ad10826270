"""Draw images/sea.svg, the picture of the home page: what `thalweg run sea --report report.html` shows."""

from pathlib import Path

from thalweg.evaluation import prequential, report
from thalweg.learners import AdaptiveStacking

run = prequential("sea", AdaptiveStacking(n_jobs=-1, random_state=0))
Path(__file__).with_name("images").joinpath("sea.svg").write_text(report.picture(run), "utf-8")
print(run)
