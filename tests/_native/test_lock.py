"""The lock of a learner: neither readers nor writers keep the others out for long."""

import threading
import time

from thalweg._native.lock import Lock


def test_a_writer_in_a_loop_lets_readers_in():
    lock, stop = Lock(), threading.Event()
    start = time.perf_counter()

    def write():
        while not stop.is_set() and time.perf_counter() < start + 2.0:
            with lock.write:
                time.sleep(0.001)

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(5):
        with lock.read:
            pass
    waited = time.perf_counter() - start
    stop.set()
    writer.join()
    assert waited < 1.0


def test_readers_in_a_loop_let_a_writer_in():
    lock, stop = Lock(), threading.Event()
    start = time.perf_counter()

    def read():
        while not stop.is_set() and time.perf_counter() < start + 2.0:
            with lock.read:
                time.sleep(0.001)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(5):
        with lock.write:
            pass
    waited = time.perf_counter() - start
    stop.set()
    for reader in readers:
        reader.join()
    assert waited < 1.0
