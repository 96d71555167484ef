"""Players of rollouts, named so that a network is the same wherever its file lies.

| text of a player | its name |
|---|---|
| `greedy`, `heuristic`, `random` | the same |
| `champion`, ``selfplay:PATH``; ``policy:PATH`` | ``selfplay:DIGEST``, of the weights; ``policy network:DIGEST`` |
| ``module:callable`` | text and digest of the files that it names |

Names are read from shards, and say who played; nobody is made of them.
"""

import hashlib
import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlencode

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import PlayerError, ShengjiError, show
from shengji_env.players.greedy import GreedyPlayer
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.identity import FILES
from shengji_env.players.player import Player
from shengji_env.players.playing import HEURISTIC, player_with_policy, policy_under
from shengji_env.players.random import RandomPlayer
from shengji_env.players.registry import make_player
from shengji_env.support.arguments import check_number

USUAL: Mapping[str, Callable[[], Player]] = {
    "greedy": partial(GreedyPlayer, is_asked=False),
    HEURISTIC: partial(HeuristicPlayer, is_asked=False),
    "random": RandomPlayer,
}
"""Players that need no digest."""
MAX_OPPONENTS = 16
"""Most players that sit in the opponents' seats of some settings."""
_DIGITS = 32
_NAME = re.compile(rf"(?!values:|policy:).+:[0-9a-f]{{{_DIGITS}}}")
_KINDS = {"champion": "selfplay", "policy": "policy network"}


def is_name(text: Any) -> bool:
    """Return whether a value is the name of a player, which need not be at hand."""
    return isinstance(text, str) and (text in USUAL or _NAME.fullmatch(text) is not None)


def named_player(what: str, text: Any, rules: Iterable[RuleSet]) -> tuple[str, Player]:
    """Return the name and the player of a text, which is said to be ``what`` in errors.

    Raises:
        PlayerError: there is no such player, or it has no policy in compiled code under the rules.
    """
    if not isinstance(text, str):
        raise PlayerError(f"{what}={show(text)} must be the text of a player, such as greedy or selfplay:PATH")
    try:
        player = player_with_policy(make_player(text))
        names = [_name_of(text, player, each) for each in rules if policy_under(player, each)]
    except PlayerError as error:
        raise PlayerError(f"{what}={show(text)}: {error}") from error
    return names[0], player


def checked_shares(opponents: Any) -> dict[Any, float]:
    """Return shares of opponents, after checking that they are such.

    Raises:
        ShengjiError: they are not.
    """
    if not isinstance(opponents, Mapping):
        raise ShengjiError(f"opponents={show(opponents)} must map players to shares, such as {{'greedy': 0.25}}")
    if len(opponents) > MAX_OPPONENTS:
        raise ShengjiError(f"opponents names {len(opponents)} players; there can be {MAX_OPPONENTS}")
    shares = {text: check_number(f"share of opponents {text!s:.60}", value, 0, 1) for text, value in opponents.items()}
    if 0 in shares.values():
        raise ShengjiError(f"opponents={show(shares)}: shares must be above 0; leave out who has none")
    if (total := math.fsum(shares.values())) > 1:
        raise ShengjiError(f"the shares of opponents add up to {total:g}, more than 1")
    return shares


def _name_of(text: str, player: Player, rules: RuleSet) -> str:
    if text.strip() in USUAL:
        return text.strip()
    digests = [digest.removeprefix(FILES) for digest in player.identity(rules)]
    one = digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()
    return f"{text.strip() if player.made_of else _without_path(text)}:{one[:_DIGITS]}"


def _without_path(text: str) -> str:
    """Return the kind of a player of the package, with its arguments other than a path."""
    head, _, query = text.strip().partition("?")
    kind = head.partition(":")[0]
    arguments = urlencode([(name, value) for name, value in parse_qsl(query) if name != "path"])
    return _KINDS.get(kind, kind) + (f"?{arguments}" if arguments else "")
