"""Players of a user, good and bad, that texts name: ``tests.fuzz.players:made``."""

from typing import Any

from shengji_env.players.random import RandomPlayer


class Answering:
    """A player whose answers are given."""

    def __init__(self, *answers: Any) -> None:
        self.name, self.answers, self.number = "answering", answers, 0

    def act(self, observation: Any, action_mask: Any, key: Any) -> Any:
        """The next answer; `Ellipsis` is a legal one, an error is raised."""
        answer = self.answers[self.number % len(self.answers)]
        self.number += 1
        if answer is ...:
            return RandomPlayer().act(observation, action_mask, key)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def made(answer: Any = ..., **_: Any) -> Answering:
    """A player."""
    return Answering(answer)


def fails() -> None:
    """No player: an error of its own."""
    raise KeyError("tests")


def leaves() -> None:
    """No player: it leaves the process."""
    raise SystemExit


def interrupts() -> None:
    """No player: a timeout."""
    raise TimeoutError


def wants(more: int) -> Answering:
    """A player that needs an argument."""
    return Answering(more)
