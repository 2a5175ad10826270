"""A service in this process for tests: a stand-in for a live model, and requests to the application."""

import asyncio
import json
import threading

import httpx
import numpy as np

from thalweg.live.errors import RowError
from thalweg.live.requests import LabelRequest, Outcomes, Predictions, PredictRequest
from thalweg.service import Application, Settings

CLASSES = ["no", "yes"]


class Columns:
    """What the service reads of a model: its inputs, target and classes."""

    target = "paid"
    kinds = {"price": "number", "shop": "number"}


class FakeModel:
    """A model of two inputs."""

    columns = Columns()
    classes_ = np.array(CLASSES)
    feature_names_in_ = np.array(["price", "shop"], dtype=object)
    learner_ = "Fake()"

    def __sklearn_is_fitted__(self):
        return True


class FakeLive:
    """A live model in memory that answers from a thread of its own; a price above 10 is a yes."""

    def __init__(self):
        self.model, self.watch, self.failure = FakeModel(), None, None
        self.is_recovering, self.event, self.is_closed = False, 0, False
        self.waiting, self.learned, self.requests, self.erased = {}, {}, [], []
        self.hold = None  # an Event: answers wait for it
        self.reads_now = False  # whether reads are answered in the thread of the service

    @property
    def n_waiting(self):
        return len(self.waiting)

    def read_now(self, request):
        if not self.reads_now or request.ids is not None:
            return None
        try:
            return self._predict(request)
        except RowError:
            return None

    def submit(self, request, done):
        self.requests.append(request)
        threading.Thread(target=self._answer, args=(request, done)).start()

    def _answer(self, request, done):
        if self.hold is not None:
            self.hold.wait()
        try:
            result = self._result(request)
        except Exception as error:
            result = error
        done(result)

    def _result(self, request):
        if isinstance(request, PredictRequest):
            return self._predict(request)
        if isinstance(request, LabelRequest):
            return self._outcomes(request.ids, request.labels, must_wait=True)
        prices(request.rows)
        return self._outcomes(request.ids, request.labels, must_wait=False)

    def _predict(self, request):
        found = np.array(prices(request.rows), dtype=float)
        p = np.clip(found / 20, 0, 1)
        events, statuses = [None] * len(p), ["predicted"] * len(p)
        for i, each in enumerate(request.ids or []):
            self.event += 1
            events[i], statuses[i] = self.event, "already" if each in self.waiting else "predicted"
            self.waiting[each] = found[i]
        codes = (p > 0.5).astype(np.intp)
        sets = [[CLASSES[code]] for code in codes] if request.sets else None
        probabilities = np.ascontiguousarray(np.stack([1 - p, p], axis=1))
        return Predictions(request.ids, codes, probabilities, CLASSES, events, statuses, sets)

    def _outcomes(self, ids, labels, must_wait):
        statuses, events, messages = [], [], []
        for each, label in zip(ids or [None] * len(labels), labels, strict=True):
            status = "learned"
            if each is not None and each in self.learned:
                status = "already" if self.learned[each] == label else "other_label"
            elif must_wait and each not in self.waiting:
                status = "unknown_id"
            else:
                self.event += 1
                self.waiting.pop(each, None)
                self.learned[each] = label
            is_good = status in ("learned", "already")
            statuses.append(status)
            events.append(self.event if is_good else None)
            messages.append(None if is_good else f"about {each}: {status}")
        return Outcomes(ids, statuses, events, messages)

    def erase(self, each):
        self.erased.append(each)

    def compact(self):
        pass

    def close(self):
        self.is_closed = True


def prices(rows):
    """Return the first input of each row; raise RowError if a record has no price that is a number."""
    if hasattr(rows, "column"):
        return rows.column("price").to_pylist()
    if isinstance(rows, np.ndarray):
        return np.nan_to_num(rows[:, 0]).tolist()
    for i, row in enumerate(rows):
        if not isinstance(row.get("price"), int | float):
            raise RowError(f"{row.get('price')!r} is not a number", i, "price")
    return [row["price"] for row in rows]


class Service:
    """An application with a stand-in `live`, and requests to it."""

    def __init__(self, settings=None, live=None):
        self.live = live or FakeLive()
        self.application = Application({"m": self.live}, settings or Settings())

    def request(self, method, path, body=None, headers=None, **options):
        """Send one request; `body` is bytes, or data to be sent as JSON."""
        return self.together((method, path, body, headers or {}), **options)[0]

    def post(self, path, body, content_type="application/json", **headers):
        return self.request("POST", path, body, {"content-type": content_type} | headers)

    def together(self, *requests):
        """Send requests at once; return their answers in order."""

        async def send():
            transport = httpx.ASGITransport(self.application)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:

                async def one(method, path, body, headers):
                    content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
                    return await client.request(method, path, content=content, headers=headers)

                return await asyncio.gather(*(one(*each) for each in requests))

        for served in self.application.models:
            served._groups = None  # those of the event loop before
        return asyncio.run(send())
