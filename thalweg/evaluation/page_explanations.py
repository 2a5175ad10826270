"""Which inputs count over time, drawn for the page of a run."""

from thalweg.evaluation.chart import Line, both, plain_scale
from thalweg.evaluation.history import History
from thalweg.evaluation.page_pictures import MOST_LINES, style_of
from thalweg.evaluation.run import Run

NOTES = {
    "importance in splits": "Each input's share in what the splits of the trees gained.",
    "coefficient": "By how much the score of a class rises with the input, in the units of the input.",
    "accuracy lost by shuffling": "How much less accurate the learner is on rows it has not learned if the "
    "values of an input are shuffled.",
    "log-loss gained by shuffling": "How much its log-loss on rows it has not learned rises if the values of "
    "an input are shuffled.",
}


def explanations(run: Run) -> str:
    """Return the HTML of the charts of inputs over time, one for each watcher that found something."""
    return "".join(_chart(run, history) for history in run.explanations)


def _chart(run: Run, history: History) -> str:
    kept = history.most_important(MOST_LINES)
    lines = [Line(name, style_of(i), kept.rows, kept.values[:, i]) for i, name in enumerate(kept.names)]
    n_rows = max(run.n_rows, int(kept.rows.max()))
    picture = both(lines, n_rows, [], kept.title, plain_scale(kept.values))
    n_all = len(history.names)
    largest = f" The {len(lines)} largest of {n_all}." if len(lines) < n_all else ""
    return f'<figure>{picture}</figure><p class="note">{NOTES.get(kept.title, "")}{largest}</p>'
