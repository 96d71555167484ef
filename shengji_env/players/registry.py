"""Players: the protocol, and the texts that name them.

| text | player |
|---|---|
| `random` | uniform over the legal actions |
| `greedy` | a dozen lines of common sense |
| `heuristic` | what a good club player does |
| `search`, `search:WORLDS`, `search:WORLDS:SECONDS` | tries plays out in worlds that may be the real one |
| `human` | you: asked on this terminal; ``?name=Ann`` |
| `policy:PATH` | the network in a ``policy.npz``, or in the one of a run folder; ``?sample=true`` draws its actions |
| `module:callable` | what ``callable`` of a module returns; ``?depth=2&style=bold`` are its keyword arguments |
"""

import contextlib
import importlib
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import parse_qsl

import numpy as np
from numpy.typing import NDArray

from shengji_env.errors import PlayerError
from shengji_env.players.greedy import GreedyPlayer
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.human import HumanPlayer
from shengji_env.players.policy import PolicyPlayer
from shengji_env.players.random import RandomPlayer
from shengji_env.players.search import SearchPlayer

GRAMMAR = (
    "random, greedy, heuristic, search[:worlds[:seconds]], human, policy:PATH or module:callable, "
    "with ?name=value&… for arguments"
)

_LONGEST_NAME = 1000
_MOST_NAMES = 12
"""Callables of a module that an error names."""


class Player(Protocol):
    """What sits at a table: it decides for a batch of decisions at once.

    A player that uses randomness derives it from `key` alone. Then its games depend neither on the batch nor on
    the order of calls, and it plays identical games against itself.

    A player that needs more than an observation, all plays of the round or a state that it can go on from, has a
    method ``act_at(tables)`` besides, which takes `veil.VeiledTables` and answers as `act` does; then `act` is not
    called.

    A player that asks a person has an attribute ``is_person = True`` besides. It is asked in this process, at one table
    after another, without a time limit, and told what all have heard of the round (`VeiledTables.told`); if it has a
    method ``show_result(state, record, rules)``, it is called at the end of each round that the person has played.
    """

    name: str
    """How reports call it."""

    def act(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], key: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """One legal action for each decision.

        Args:
            observation: (B, OBSERVATION_SIZE), what the seats to move see.
            action_mask: (B, 82), their legal actions: never none.
            key: (B,), a random word a decision: a function of (seed, deal, ply) only.

        Returns:
            Actions, shape (B,).
        """
        ...


BUILT_IN: dict[str, Callable[..., Player]] = {
    "random": RandomPlayer,
    "greedy": GreedyPlayer,
    "heuristic": HeuristicPlayer,
    "search": SearchPlayer,
    "human": HumanPlayer,
}
"""Players that need no path."""


def make_player(text: str) -> Player:
    """The player that a text names.

    Raises:
        PlayerError: the text names no player, or the player cannot be made.
    """
    head, _, query = text.strip().partition("?")
    arguments = {name: _value(value) for name, value in _pairs(text, query)}
    kind, colon, rest = head.partition(":")
    if not colon:
        if kind not in BUILT_IN:
            raise PlayerError(f"no player is called {head!r}; write {GRAMMAR}")
        return _call(text, BUILT_IN[kind], arguments)
    if kind == "search":
        return _call(text, SearchPlayer, {**_search_arguments(text, rest), **arguments})
    if kind == "policy":
        return _call(text, PolicyPlayer.load, {"path": Path(rest), **arguments})
    return _call(text, _find(text, kind, rest), arguments)


def _search_arguments(text: str, rest: str) -> dict[str, int | float]:
    """Worlds and seconds of ``search:WORLDS:SECONDS``."""
    worlds, colon, seconds = rest.partition(":")
    try:
        return {"worlds": int(worlds), **({"seconds": float(seconds)} if colon else {})}
    except ValueError:
        raise PlayerError(
            f"{text!r} is no search player; write search:200 or search:200:0.5, worlds and seconds for a decision"
        ) from None


def _pairs(text: str, query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query, strict_parsing=True) if query else []
    except ValueError:
        raise PlayerError(f"the arguments of {text!r} cannot be read; write ?name=value&name=value") from None


def _value(text: str) -> bool | int | float | str:
    """A value as its text looks: true or false, a whole number, a number, else the text."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _find(text: str, module: str, name: str) -> Callable[..., Any]:
    """The callable of a module; modules of the working directory are found too."""
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    with _told(f"no player {text!r}: module {module!r} cannot be imported", module, f"; write {GRAMMAR}"):
        found = importlib.import_module(module)
    made: Any = getattr(found, name, None)
    if not callable(made):
        public = [key for key, value in vars(found).items() if callable(value) and not key.startswith("_")]
        has = ", ".join([*public[:_MOST_NAMES], *["…"] * (len(public) > _MOST_NAMES)]) or "none"
        raise PlayerError(f"no player {text!r}: {module} has no callable {name!r}; it has {has}")
    return made  # type: ignore[no-any-return]  # a user's module; `_call` checks what it makes


def _call(text: str, make: Callable[..., Any], arguments: dict[str, Any]) -> Player:
    """What a callable makes, if it is a player."""
    with _told(f"player {text!r} cannot be made"):
        player = make(**arguments)
        name, has_act = getattr(player, "name", None), callable(getattr(player, "act", None))
    if not has_act:
        raise PlayerError(f"{text!r} made something of type {type(player).__name__}, which has no method `act`")
    if not isinstance(name, str):
        raise PlayerError(f"{text!r} made something of type {type(player).__name__}, which has no `name`")
    if not 0 < len(name) <= _LONGEST_NAME or any("\ud800" <= letter <= "\udfff" for letter in name):
        raise PlayerError(
            f"{text!r} made a player named {name[:_LONGEST_NAME]!r}; a name is text of 1 to {_LONGEST_NAME} letters"
        )
    return player  # type: ignore[no-any-return]  # as in `_find`


@contextlib.contextmanager
def _told(what: str, module: str = "", advice: str = "") -> Iterator[None]:
    """Say what somebody's code raises meanwhile, and where; `advice` for one who has named a module that is none."""
    try:
        yield
    except PlayerError:
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            raise PlayerError(f"{what}: {error}{advice}") from error
        raise PlayerError(f"{what}: {_message(error)}{_place(error)}") from error


def _message(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return "it would end the process"
    return f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}"


def _place(error: BaseException) -> str:
    """Where an error is from, if it is from a file of somebody else's."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        return f" ({error.filename}, line {error.lineno})"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<")]
    ours = Path(__file__).parent, Path(importlib.__file__).parent
    if not frames or any(Path(frames[-1].filename).is_relative_to(folder) for folder in ours):
        return ""
    return f" ({frames[-1].filename}, line {frames[-1].lineno})"
