"""Who has played: what results say of players besides their texts, since a file may change, but not its name.

`policies` in headers is a digest of each player's identity (`Player.identity`), by text. Where what is kept was played
by another player of the same text, it is refused, unless it is to go on (``--keep``); results then say so.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from shengji_env.arena.chunks import known_player
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import PlayerError, show
from shengji_env.players.callables import reported
from shengji_env.players.identity import FILES, UNKNOWN

Before = Mapping[str, Sequence[str]]
"""By text, earlier digests of a player whose deals are kept."""
KEEP_ADVICE = (
    "Choose another folder, or delete it; --keep goes on all the same, since only a comment was edited, say; results"
    " then name both"
)
"""What to do where a player has changed since."""
MARK = " †"
"""Stands in tables after the name of a player of whom it is not sure that it has played as it is now."""
_SHOWN = 12
"""Digits of a digest."""
_DIGEST = re.compile("[0-9a-f]{12,}")


def player_digests(players: Iterable[str], rules: RuleSet) -> dict[str, str]:
    """Return digests of what players are, by text; none of those whose texts say all.

    Raises:
        PlayerError: a player says of itself what is no text.
    """
    return digests_of({text: _identity(text, rules) for text in players})


def digests_of(identities: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return a digest of each identity, by text; of an empty one none."""
    return {text: _digest(identity) for text, identity in identities.items() if identity}


def not_compared(players: Iterable[str], rules: RuleSet) -> str:
    """Return what these digests do not see of some players, for a note; "" if they see all that decides."""
    by_files = known_by_files(players, rules)
    if not by_files:
        return ""
    return (
        f"; of {', '.join(by_files)} only files are compared with those of then that the text, and code in Python,"
        " names or imports: if anything else has changed, choose another folder"
    )


def known_by_files(players: Iterable[str], rules: RuleSet) -> list[str]:
    """Return those players of which files are all that is known."""
    return [text for text in dict.fromkeys(players) if any(part.startswith(FILES) for part in _identity(text, rules))]


@dataclass(frozen=True)
class WhoPlayed:
    """What results say of who has played, where it is not sure."""

    digests: Mapping[str, str]
    """By text, who plays now."""
    before: Before
    """By text, who was somebody else."""
    by_files: Sequence[str] = ()
    """Who is known by files alone, if somebody has played before."""

    @property
    def lines(self) -> list[str]:
        """What is to be said beside results."""
        unknown = [text for text, digest in self.digests.items() if UNKNOWN in digest]
        changed = [
            f"{text} was {', '.join(were)}, now {self.digests.get(text, 'none')}" for text, were in self.before.items()
        ]
        said = {
            "identity unknown: ": ", ".join(unknown),
            "played in part by others (--keep): ": "; ".join(changed),
            "played in part before, and compared by files alone: ": ", ".join(self.by_files),
        }
        return [what + who for what, who in said.items() if who]

    def mark(self, text: str) -> str:
        """Return MARK for a player of whom something is to be said, otherwise ""."""
        is_sure = text not in self.before and text not in self.by_files and UNKNOWN not in self.digests.get(text, "")
        return "" if is_sure else MARK


def changed_since(found: Iterable[Mapping[str, str]], digests: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the earlier digests of players that are no longer the same, by text, out of what was kept of them."""
    before: dict[str, list[str]] = {}
    for text, digest in (item for each in found for item in each.items()):
        if digest != digests.get(text) and digest not in before.setdefault(text, []):
            before[text].append(digest)
    return {text: were for text, were in before.items() if were}


def _identity(text: str, rules: RuleSet) -> tuple[str, ...]:
    player = known_player(text)
    with reported(f"the identity of {player.name} cannot be read"):
        try:
            said: object = player.identity(rules)
        except PlayerError:  # it refuses to play under these rules
            return ()
    parts = (said,) if isinstance(said, str) else said
    if not isinstance(parts, tuple | list) or not all(isinstance(part, str) for part in parts):
        raise PlayerError(f"the identity of {player.name} is {show(said)}; it must be a text, or a tuple of texts")
    return tuple(parts)


def _digest(identity: Sequence[str]) -> str:
    """Return one digest for all that a player is; one that is a digest stays as it is."""
    known = [part.removeprefix(FILES) for part in identity if part != UNKNOWN]
    if len(known) == 1 and _DIGEST.fullmatch(known[0]):
        digest = known[0][:_SHOWN]
    else:
        digest = hashlib.sha256("".join(known).encode()).hexdigest()[:_SHOWN] if known else ""
    return " and ".join(filter(None, (digest, UNKNOWN if UNKNOWN in identity else "")))
