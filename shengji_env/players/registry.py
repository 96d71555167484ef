"""The texts that name players, and how players are described to people.

`KINDS` is the only list: the commands' help, the charts and docs/arena.md take names, descriptions and colours from it.
"""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from shengji_env.errors import PlayerError, show
from shengji_env.players.asking import decide_once
from shengji_env.players.callables import check_takes, find_callable, read_arguments, refuse_file, reported
from shengji_env.players.candidate_player import CandidatePlayer
from shengji_env.players.exec.exec_player import ExecPlayer
from shengji_env.players.greedy import GreedyPlayer
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.human import HumanPlayer
from shengji_env.players.identity import code_files, paths_in
from shengji_env.players.networks.policy import PolicyPlayer
from shengji_env.players.networks.selfplay import CHAMPION, SelfplayPlayer
from shengji_env.players.partners import PartnersPlayer
from shengji_env.players.player import OBSERVED, Adapter, ObservationPlayer, Player, PlayerLike
from shengji_env.players.playing import HEURISTIC
from shengji_env.players.random import RandomPlayer
from shengji_env.players.search import DEFAULT_WORLDS, SearchPlayer
from shengji_env.players.search.correcting import CorrectingPlayer
from shengji_env.support.announcing import part


@dataclass(frozen=True)
class Kind:
    """A kind of player, as it is described to people."""

    form: str
    """The form of the text that names it."""
    help: str
    """A description of half a line."""
    color: str
    """Its colour in charts."""
    make: Callable[..., Player] | None = None
    """What makes it; None: the rest of the text decides."""

    @property
    def name(self) -> str:
        """The word that the text begins with."""
        return re.split("[:?]", self.form)[0]


KINDS = (
    Kind("random", "any legal action", "#1f77b4", RandomPlayer),
    Kind("greedy", "a dozen lines of common sense", "#ff7f0e", GreedyPlayer),
    Kind("heuristic", "hand-written rules after what club players do", "#2ca02c", HeuristicPlayer),
    Kind(
        "search:WORLDS:SECONDS",
        f"Monte Carlo on top of it; sampled deals ({DEFAULT_WORLDS}) and seconds a play (no limit) may be left out",
        "#9467bd",
        SearchPlayer,
    ),
    Kind(
        CHAMPION,
        "a network that learned all rules by playing with itself, from nothing; champion?part=playouts: a smaller one",
        "#e377c2",
        SelfplayPlayer.champion,
    ),
    Kind(
        "champion:WORLDS:SECONDS",
        "the same, corrected by playouts in so many sampled deals; seconds a play (no limit) may be left out",
        "#f7b6d2",
    ),
    Kind(
        "partners?first=A&second=B",
        "two players as partners of each other, in place of two copies of one",
        "#9edae5",
    ),
    Kind("human", "you, on this terminal", "#d62728", HumanPlayer),
    Kind("policy:PATH", "a trained network: policy.npz, or the folder of a training run", "#8c564b"),
    Kind("selfplay:PATH", "a policy learned by self-play: selfplay.npz, or the folder of a training run", "#aec7e8"),
    Kind("exec:COMMAND", "another program, in any language; exec-shell:COMMAND has a shell start it", "#7f7f7f"),
    Kind("module:callable", "your own: what the callable returns, such as my_players:Careful?depth=2", "#17becf"),
)
"""All kinds, from the weakest to the strongest, then those that depend on you."""
BUILT_IN = {kind.name: kind.make for kind in KINDS if kind.make is not None}
"""What makes each player that needs no path, by name."""
GRAMMAR = f"{', '.join(kind.form for kind in KINDS)}, with ?name=value&… for arguments"

_FROM_PATH: dict[str, Callable[..., Player]] = {
    "policy": PolicyPlayer.load,
    "selfplay": SelfplayPlayer.load,
}
_GONE = {
    "values": "value networks have gone; selfplay:PATH plays what train.py learns",
    "distilled": "it has gone with the champion that taught it; champion?part=playouts is a small network, too",
    "selfplay": "the network that learned by self-play is called champion; selfplay:PATH plays another one",
}
"""Kinds that were played once, and what is played in their place."""
_SEARCH = "search"
compile_correcting = part("searching-champion", "the searching champion player: champion:N")(
    lambda: decide_once(make_player(f"{CHAMPION}:2?threads=1"))
)
_CORRECTED = CHAMPION, "selfplay"
"""Kinds that playouts correct if their arguments say in how many worlds; the first one also by a number."""
_OF_SEARCH = inspect.signature(CorrectingPlayer).parameters.keys() - {"player"}
_PROGRAMS = ("exec:", "exec-shell:")
_PARTNERS = "partners"
_LONGEST_NAME = 1000
_ASKED: tuple[tuple[type[Player], str, tuple[str, ...]], ...] = (
    (Player, "decide", ("decisions",)),
    (ObservationPlayer, "act", OBSERVED),
    (CandidatePlayer, "choose", ("choices",)),
)
"""What is called of the players of each class."""


def players_help(**said: str) -> str:
    """Return the kinds as lines of a command's help; where a kind means something else there, `said` says what."""
    width = max(len(kind.form) for kind in KINDS)
    return "\n".join(f"  {kind.form:<{width}} {said.get(kind.name, kind.help)}" for kind in KINDS)


def make_player(text: str) -> Player:
    """Make the player that a text names.

    Raises:
        PlayerError: the text does not name a player, the player cannot be made, or it is code that a file names.
    """
    if text.strip().startswith(_PROGRAMS):
        return _make_program(text)
    head, _, query = text.strip().partition("?")
    arguments: dict[str, Any] = dict(read_arguments(text, query))
    kind, colon, rest = head.partition(":")
    if kind in (_SEARCH, *_CORRECTED) and isinstance(playouts := arguments.get("playouts"), str):
        arguments["playouts"] = playouts if playouts == HEURISTIC else make_player(playouts)
    if head == _PARTNERS:
        return _call(text, _make_partners, arguments)
    make = BUILT_IN.get(kind)
    if colon and kind in (_SEARCH, CHAMPION):
        arguments = _joined(text, _search_arguments(text, kind, rest), arguments)
    elif colon and kind in _FROM_PATH:
        make, arguments = _FROM_PATH[kind], _joined(text, {"path": _path(text, kind, rest)}, arguments)
    elif kind in _GONE:
        raise PlayerError(f"{show(text)} names no player: {_GONE[kind]}")
    elif colon:
        return _call_own(text, kind, rest, arguments)
    if make is None:
        raise PlayerError(f"no player is called {head!r}; write {GRAMMAR}")
    if kind in _CORRECTED and "worlds" in arguments:
        make = partial(_make_corrected, make)
    return _call(text, make, arguments)


def _call_own(text: str, module: str, name: str, arguments: dict[str, Any]) -> Player:
    """Make the player that ``module:callable?name=value`` names."""
    made = find_callable(text, module, name, grammar=GRAMMAR)
    player = _call(text, made, arguments)
    object.__setattr__(player, "made_of", (*code_files(made), *paths_in(arguments.values())))  # it may be frozen
    return player


def _make_corrected(make: Callable[..., Any], **arguments: Any) -> Player:
    """Make a player, and let playouts correct it."""
    of_search = {name: arguments.pop(name) for name in _OF_SEARCH & arguments.keys()}
    player = CorrectingPlayer(make(**arguments), **of_search)
    compile_correcting()
    return player


def _make_partners(first: str = "", second: str = "") -> Player:
    """Make two players, and let them play as partners."""
    if not first or not second:
        raise PlayerError(f"two players are needed: {_PARTNERS}?first=A&second=B")
    return PartnersPlayer(make_player(first), make_player(second))


def as_player(player: PlayerLike) -> Player:
    """Make a player of a player, a text, or an object with ``act(observation, action_mask, key)``.

    Raises:
        PlayerError: it is none of these, or its method takes other arguments.
    """
    if isinstance(player, str):
        return make_player(player)
    if not isinstance(player, Player):
        return Adapter(player)
    if isinstance(player, ObservationPlayer) and hasattr(player, "history"):
        return Adapter(player)
    for kind, method, arguments in _ASKED:
        if isinstance(player, kind):
            check_takes(player, method, arguments)
    return player


def _make_program(text: str) -> Player:
    """Make the player that ``exec:COMMAND?name=value`` names; the arguments begin after the last ``?``."""
    refuse_file(text, "names a program to start")
    kind, _, rest = text.strip().partition(":")
    command, _, query = rest.rpartition("?") if "?" in rest else (rest, "", "")
    named = _joined(text, {"command": command, "shell": kind == "exec-shell"}, read_arguments(text, query))
    return _call(text, ExecPlayer, named)


def _joined(text: str, before: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what stands before a text's ``?`` and its arguments, none of which says the same again."""
    for name in before:
        if name in arguments:
            raise PlayerError(f"{text!r} says {name!r} before its ? and after it; say it once")
    return before | arguments


def _path(text: str, kind: str, rest: str) -> Path:
    if not rest:
        raise PlayerError(f"{text!r} names no file or folder; write {kind}:PATH, {kind}:. for the working folder")
    return Path(rest)


def _search_arguments(text: str, kind: str, rest: str) -> dict[str, int | float]:
    """Read the numbers of ``search:WORLDS:SECONDS`` and the like: sampled deals, and seconds."""
    worlds, colon, seconds = rest.partition(":")
    try:
        return {"worlds": int(worlds), **({"seconds": float(seconds)} if colon else {})}
    except ValueError:
        raise PlayerError(
            f"{text!r} is not a player that searches; write {kind}:200 or {kind}:200:0.5, worlds and seconds for a"
            " decision"
        ) from None


def _call(text: str, make: Callable[..., Any], arguments: dict[str, Any]) -> Player:
    """Call a callable, and check that it makes a player."""
    with reported(f"player {text!r} cannot be made"):
        player = make(**arguments)
        name = getattr(player, "name", None)
        is_player = isinstance(player, Player) or callable(getattr(player, "act", None))
    if not is_player:
        raise PlayerError(f"{text!r} made something of type {type(player).__name__}, which has no method `act`")
    if not isinstance(name, str):
        raise PlayerError(f"{text!r} made something of type {type(player).__name__}, which has no `name`")
    if not 0 < len(name) <= _LONGEST_NAME or any("\ud800" <= letter <= "\udfff" for letter in name):
        raise PlayerError(
            f"{text!r} made a player named {name[:_LONGEST_NAME]!r}; a name is text of 1 to {_LONGEST_NAME} letters"
        )
    return as_player(player)
