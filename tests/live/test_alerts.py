"""Alerts: each once per episode, by web address or log line, and never in the way of a model."""

import json
import logging
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest
from support.live_events import feed_blocks, late_events

from thalweg.live.alerts import ACCURACY, DRIFT, DROPPED, SILENCE, AlertRules, Alerts, Episodes
from thalweg.live.watch.live_watch import LiveWatch
from thalweg.live.webhook import Webhook

T = 1e9


def watched(n=3000, **settings):
    watch = LiveWatch(3, max_waiting=settings.pop("max_waiting", 10_000))
    feed_blocks(watch, late_events(n, **settings), 10)
    return watch


def kinds(alerts):
    return [each.kind for each in alerts]


@pytest.fixture(scope="module")
def fallen():
    watch = LiveWatch(3)
    events = late_events(8000, n_classes=2, delay=10, right=np.where(np.arange(8000) < 5000, 0.95, 0.5))
    events.X[5000:, 1] += 2
    feed_blocks(watch, events, 20)
    return watch


def test_a_fall_and_a_drift_are_told_once(fallen):
    alerts = Alerts(lambda: {"orders": fallen.snapshot(now=T + 4100)}, log=False)
    first = alerts.look(now=T + 4100)
    assert kinds(first) == [ACCURACY, DRIFT]
    fall, drift = first
    assert fall.model == "orders" and abs(fall.began - (T + 2500)) < 150
    assert fall.seen["accuracy"] < 0.7 < 0.9 < fall.seen["reference"]
    assert "Accuracy fell to" in fall.message
    assert drift.seen["row"] == 5000 and "x1" in drift.message
    assert alerts.look(now=T + 4200) == []
    plain = json.loads(json.dumps(fall.to_plain()))
    assert plain["source"] == "thalweg" and plain["kind"] == "accuracy_fell"


def test_a_restart_does_not_tell_it_again(fallen, tmp_path):
    def look():
        snapshots = {"a": fallen.snapshot(now=T + 4100)}
        return Alerts(lambda: snapshots, log=False, path=tmp_path / "alerts.json").look(now=T + 4100)

    assert len(look()) == 2
    assert look() == []
    (tmp_path / "alerts.json").write_text("no JSON")
    assert len(look()) == 2


def test_labels_that_stop():
    watch = watched(delay=5)
    end = watch.snapshot(now=T)["traffic"]["last_label"]
    rules = AlertRules(kinds=(SILENCE,))
    at = {"now": end + 500}
    alerts = Alerts(lambda: {"m": watch.snapshot(now=at["now"])}, log=False, rules=rules)
    assert alerts.look(at["now"]) == []
    at["now"] = end + 700
    [alert] = alerts.look(at["now"])
    assert alert.kind == SILENCE and alert.began == end and alert.seen["silence"] == 700
    assert alert.seen["waiting"] == watch.snapshot()["waiting"] > 0
    assert alerts.look(end + 800) == []
    watch.learned(end + 900, [-1], [0], [0], [0.0], np.zeros((1, 3)))
    at["now"] = end + 901
    assert alerts.look(at["now"]) == []
    at["now"] = end + 900 + 3 * 900 + 1  # a silence of 900 s is known by now
    [again] = alerts.look(at["now"])
    assert again.began == end + 900


def test_no_alert_about_silence_where_no_row_waits_or_the_limit_is_given():
    watch = watched(delay=0)
    end = watch.snapshot(now=T)["traffic"]["last_label"]
    rules = AlertRules(kinds=(SILENCE,))
    assert not rules.conditions(watch.snapshot(now=end + 9e6), end + 9e6)
    waiting = watch.snapshot(now=end + 60, waiting=3)
    assert not rules.conditions(waiting, end + 60)
    assert AlertRules(silence=50).conditions(waiting, end + 60)


def test_dropped_rows_are_one_episode_until_it_is_quiet():
    watch = watched(delay=5)
    alerts = Alerts(lambda: {"m": watch.snapshot(now=T)}, log=False, rules=AlertRules(kinds=(DROPPED,)))
    assert alerts.look(T) == []
    watch.counted(T, dropped=5)
    [alert] = alerts.look(T + 1)
    assert alert.seen["dropped"] == 5 and alert.began == T
    watch.counted(T + 300, dropped=2)
    assert alerts.look(T + 700) == []
    assert alerts.look(T + 1000) == []  # over
    watch.counted(T + 2000, dropped=1)
    assert kinds(alerts.look(T + 2001)) == [DROPPED]


def test_a_line_with_data_in_the_log(fallen, caplog):
    with caplog.at_level(logging.WARNING, "thalweg.alerts"):
        Alerts(lambda: {"m": fallen.snapshot(now=T)}, log=True).look(T)
    assert [record.data["kind"] for record in caplog.records] == [ACCURACY, DRIFT]
    assert caplog.records[0].getMessage().startswith("m: Accuracy fell to")


def test_episodes_of_several_models_are_apart(fallen):
    conditions = AlertRules().conditions(fallen.snapshot(now=T), T)
    episodes = Episodes()
    assert len(episodes.new_alerts("a", conditions, T)) == 2
    assert len(episodes.new_alerts("b", conditions, T)) == 2
    assert episodes.new_alerts("a", conditions, T) == []
    assert episodes.new_alerts("a", {}, T) == []
    assert len(episodes.new_alerts("a", conditions, T)) == 2


@contextmanager
def server(statuses):
    """A web server that answers with these statuses in turn, the last one for ever."""
    got, left = [], list(statuses)
    arrived = threading.Condition()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with arrived:
                got.append(json.loads(body))
                status = left.pop(0) if len(left) > 1 else left[0]
                arrived.notify_all()
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    httpd = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, args=(0.01,))
    thread.start()

    def wait_for(n):
        with arrived:
            assert arrived.wait_for(lambda: len(got) >= n, timeout=60)
        return list(got)

    try:
        yield f"http://127.0.0.1:{httpd.server_port}/hook", wait_for
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()


def test_a_webhook_tries_again_and_then_goes_on():
    with server([500, 503, 200]) as (url, wait_for):
        hook = Webhook(url, pauses=(0.0, 0.0, 0.0))
        hook.send({"n": 1})
        assert wait_for(3) == [{"n": 1}] * 3
        hook.send({"n": 2})
        assert wait_for(4)[-1] == {"n": 2}
        hook.close(30)


def test_a_webhook_gives_up_on_what_will_not_do(caplog):
    with server([400]) as (url, wait_for):
        hook = Webhook(url, pauses=(0.0, 0.0))
        hook.send({"n": 1})
        hook.send({"n": 2})
        assert [each["n"] for each in wait_for(2)] == [1, 2]
        hook.close(30)
    assert "status 400" in caplog.text and "127.0.0.1" in caplog.text and "/hook" not in caplog.text


def test_a_webhook_that_cannot_be_reached_is_said_in_the_log(caplog):
    hook = Webhook("http://127.0.0.1:9/", timeout=5, pauses=(0.0,))
    hook.send({"n": 1})
    hook.close(60)
    assert "was not sent" in caplog.text


@pytest.mark.parametrize("url", ["file:///etc/passwd", "orders", "http://", "ftp://a/b"])
def test_only_web_addresses(url):
    with pytest.raises(ValueError, match="http"):
        Webhook(url)


def test_the_thread_looks_by_itself_and_survives_errors():
    looked, done = [], threading.Event()

    def snapshots():
        looked.append(1)
        if len(looked) == 1:
            raise RuntimeError("not yet")
        done.set()
        return {}

    alerts = Alerts(snapshots, log=False, period=0.001)
    alerts.start()
    assert done.wait(60)
    alerts.close(30)
