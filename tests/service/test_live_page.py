"""The live page: complete without a script, renewed by events, at any width, in a real browser."""

import asyncio
import html
import json
import re
import subprocess
from html.parser import HTMLParser

import httpx
import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from support.browser import CHROMIUM, ask, needs_chromium
from support.live_events import feed_blocks, late_events
from support.live_server import served

from thalweg.learners import LogisticMixture
from thalweg.live.pages.page import model_page, overview_page
from thalweg.live.watch.live_watch import LiveWatch
from thalweg.service import Application
from thalweg.service.live_page import routes
from thalweg.trust import PredictionSets

LABELS = ["no", "yes", "<b>perhaps</b>"]


class Learned:
    """What the page reads of a model."""

    def __init__(self, learner):
        self.learner_, self.classes_ = learner, np.array(LABELS)

    def __sklearn_is_fitted__(self):
        return False


class Watched:
    """A live model that has a watch and nothing else."""

    is_recovering, failure, event, is_follower = False, None, 0, False

    def __init__(self, watch, learner):
        self.watch, self.model, self.n_waiting = watch, Learned(learner), 17


@pytest.fixture(scope="module")
def live():
    events = late_events(9000, n_features=4, delay=200, share=0.8, seed=6)
    events.X[5000:, 1] += 1.5
    watch = LiveWatch(4, names=["price", "a & b", "x" * 60, "shop"])
    feed_blocks(watch, events)
    watch.counted(1e9, dropped=3)
    learner = PredictionSets(LogisticMixture()).begin(4, LABELS)
    learner.test_then_train_coded(events.X[:500], events.codes[:500])
    return Watched(watch, learner)


def snapshot(live):
    return live.watch.snapshot(live.model.learner_, now=1e9 + 4500, waiting=17, classes=LABELS)


class Tags(HTMLParser):
    """Checks that tags are closed in order, and collects addresses."""

    def __init__(self):
        super().__init__()
        self.open, self.addresses, self.text = [], [], []

    def handle_starttag(self, tag, attributes):
        self.addresses += [value for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.addresses += [value for name, value in attributes if name in ("src", "href")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def parsed(page):
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    return tags


def test_the_page_says_what_is_known(live):
    page = model_page("orders", snapshot(live))
    tags = parsed(page)
    text = " ".join(tags.text)
    for words in (
        "orders", "Accuracy over time", "Markov chain of labels", "estimate, latest 1,000 rows",
        "a & b", "rows dropped to make room", "Members of the learner", "Prediction sets", "Last ten minutes",
        "Labels to look at", "<b>perhaps</b>", "rows that wait for labels", "17",
    ):  # fmt: skip
        assert words in text, words
    assert tags.addresses == []
    assert "://" not in page.replace("http://www.w3.org/2000/svg", "")


def test_the_page_of_a_model_that_knows_nothing_yet():
    text = " ".join(parsed(model_page("new", LiveWatch(2).snapshot(now=1e9))).text)
    assert "No row has been predicted with an id yet." in text
    assert "2,000 are still to come" in text
    assert "The model is recovering." in " ".join(parsed(model_page("m", None, state="recovering")).text)


def test_the_page_of_all_models(live):
    tags = parsed(overview_page({"a b": snapshot(live), "<c>": None}))
    text = " ".join(tags.text)
    assert "a b" in text and "<c>" in text and "not ready" in text
    assert tags.addresses == ["models/a%20b/page", "models/%3Cc%3E/page"]


def test_routes_and_events(live):
    with served(Application({"one": live, "two": live})) as address, httpx.Client(base_url=address) as client:
        assert "Live models" in client.get("/").text
        page = client.get("/models/one/page")
        assert page.status_code == 200 and 'data-events="events"' in page.text
        assert "script-src" in page.headers["content-security-policy"]
        assert client.get("/models/none/page").status_code == 404
        for path, part in (("/events", "models"), ("/models/one/events", "accuracy")):
            with client.stream("GET", path) as answer:
                assert answer.headers["content-type"].startswith("text/event-stream")
                lines = answer.iter_lines()
                assert next(lines) == "event: parts"
                parts = json.loads(next(lines).removeprefix("data: "))
                assert part in parts
        metrics = client.get("/metrics").text
        assert 'thalweg_model_accuracy_known{model="one",answerer="learner"}' in metrics
        about = client.get("/models/one").json()
        assert about["watch"]["rows"] == 9000
    with served(Application({"one": live})) as address:
        assert 'data-events="models/one/events"' in httpx.get(address).text


@needs_chromium
@pytest.mark.parametrize("width", [420, 1200])
def test_the_page_fits(live, width, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(model_page("orders", snapshot(live)), encoding="utf-8")
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    charts = "[...document.querySelectorAll('svg.chart')].filter(s => s.getBoundingClientRect().width > 0)"
    inside = f"{charts}.every(s => s.getBoundingClientRect().right <= window.innerWidth)"
    wide = "getComputedStyle(document.querySelector('.wide')).display"
    found = ask(page, width, f"[{overflow}, {inside}, {charts}.length, {wide}]", tmp_path)
    assert found == [0, True, 5, "block" if width > 760 else "none"]


OUTER = """<!DOCTYPE html><body><iframe id="frame" {kind} src="/" style="width: 420px"></iframe>
<img src="/hold" alt=""/><pre id="answer"></pre><script>
function look() {{
  var page = document.getElementById("frame").contentDocument;
  var words = page && page.body && page.body.innerText;
  if (!words || !words.includes({wanted})) {{ setTimeout(look, 50); return; }}
  document.getElementById("answer").textContent = page.documentElement.outerHTML; fetch("/found");
}}
look();</script></body>"""  # the browser shows what it has when the image has come, and that waits for /found


def seen(live, wanted, folder, kind=""):
    """Return the HTML of the page of a live model in a browser, as soon as it says what is wanted."""
    found = asyncio.Event()

    async def outer(_):
        return HTMLResponse(OUTER.format(kind=kind, wanted=json.dumps(wanted)))

    async def hold(_):
        await asyncio.wait_for(found.wait(), 90)
        return Response(status_code=204)

    async def release(_):
        found.set()
        return Response(status_code=204)

    others = [Route("/outer", outer), Route("/hold", hold), Route("/found", release)]
    application = Starlette(routes=[*routes({"orders": live}, period=0.05), *others])
    with served(application) as address:
        command = [
            CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
            "--disable-background-networking", "--disable-component-update", f"--user-data-dir={folder}",
            "--timeout=90000", "--dump-dom", f"{address}/outer",
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    answer = re.search(r'<pre id="answer">([^<]*)</pre>', done.stdout)
    assert answer and answer[1], done.stdout[-2000:] + done.stderr[-2000:]
    return html.unescape(answer[1])


@needs_chromium
def test_a_browser_gets_what_changes_without_a_reload(tmp_path):
    watch = LiveWatch(3)
    live = Watched(watch, LogisticMixture().begin(3, LABELS))
    real, n_looks = watch.snapshot, []

    def later(*arguments, **keywords):  # the third look at the model finds rows
        n_looks.append(1)
        if len(n_looks) == 3:
            feed_blocks(watch, late_events(1000, delay=5))
        return real(*arguments, **keywords)

    watch.snapshot = later
    page = seen(live, "over the latest", tmp_path)
    assert "No row has been predicted" not in page
    assert re.search(r'class="state on"[^>]*>live', page)
    assert len(n_looks) < 1000


@needs_chromium
def test_without_a_script_the_page_shows_the_current_state(live, tmp_path):
    page = seen(live, "over the latest 1,000 labels", tmp_path, kind='sandbox="allow-same-origin"')
    assert "as of when the page was loaded" in page
    assert 'http-equiv="refresh"' in page
