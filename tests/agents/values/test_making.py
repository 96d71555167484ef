"""Shards are made while others are learned from: in the order needed, not too far ahead, ended at once."""

import threading

import pytest

from agents.values import making
from agents.values.making import Making
from shengji_env.errors import ShengjiError
from shengji_env.support.workers.pools import InProcess


class Labels:
    """Stands for labels of 100 rounds, of which every call makes 10."""

    executor = None

    def __init__(self):
        self.made, self.gate, self.error = 0, threading.Semaphore(0), None

    @property
    def are_missing(self):
        return self.made < 100

    def make_some(self, check):
        while not self.gate.acquire(timeout=0.01):
            check()
        if self.error:
            raise self.error
        self.made += 10

    def allow(self, calls):
        for _ in range(calls):
            self.gate.release()


@pytest.fixture
def labels():
    return Labels()


@pytest.fixture
def maker(labels):
    made = Making(labels)
    yield made
    made.close()


def nothing():
    pass


def test_it_waits_until_as_much_is_made(labels, maker):
    looks = []

    def look():
        looks.append(labels.made)
        labels.allow(1)

    maker.wait_for(25, look)
    assert labels.made >= 25
    assert looks[:2] == [0, 10]


def test_what_is_there_is_not_waited_for(labels, maker):
    maker.wait_for(0, pytest.fail)
    assert labels.made == 0


def test_it_goes_on_by_itself_but_not_too_far(labels, maker, monkeypatch):
    monkeypatch.setattr(making, "_ROUNDS_AHEAD", 30)
    labels.allow(10)
    maker.wait_for(10, nothing)
    for _ in range(200):
        if labels.made == 40:
            break
        threading.Event().wait(0.01)
    threading.Event().wait(0.05)
    assert labels.made == 40
    maker.wait_for(80, nothing)
    assert labels.made >= 80


def test_an_error_reaches_whoever_waits(labels, maker):
    labels.error = ShengjiError("the workers died")
    labels.allow(1)
    with pytest.raises(ShengjiError, match="the workers died"):
        maker.wait_for(10, nothing)


def test_whoever_waits_can_be_stopped_and_the_making_ends(labels, maker):
    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        maker.wait_for(10, stop)
    before = threading.active_count()
    maker.close()
    assert threading.active_count() < before
    assert labels.made == 0


def test_in_one_process_whoever_waits_makes_them(labels, maker):
    labels.executor = InProcess()
    labels.allow(3)
    threads = threading.active_count()
    maker.wait_for(30, nothing)
    assert labels.made == 30
    assert threading.active_count() == threads
