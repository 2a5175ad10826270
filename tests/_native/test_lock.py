"""The lock of a learner: neither readers nor writers keep the others out for long."""

import threading
import time

from thalweg._native.lock import Lock

MANY = 2000  # turns of those who loop; the others need some five of them where the lock is fair


def test_a_writer_in_a_loop_lets_readers_in():
    lock, stop, turns = Lock(), threading.Event(), []

    def write():
        while not stop.is_set() and len(turns) < MANY:
            with lock.write:
                turns.append(1)
                time.sleep(0.001)

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(5):
        with lock.read:
            pass
    stop.set()
    writer.join()
    assert len(turns) < MANY


def test_readers_in_a_loop_let_a_writer_in():
    lock, stop, turns = Lock(), threading.Event(), []

    def read():
        while not stop.is_set() and len(turns) < MANY:
            with lock.read:
                turns.append(1)
                time.sleep(0.001)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(5):
        with lock.write:
            pass
    stop.set()
    for reader in readers:
        reader.join()
    assert len(turns) < MANY
