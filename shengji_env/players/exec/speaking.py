"""A player that speaks the protocol: messages from standard input, answers to standard output.

It knows what its seat is told, and nothing else: neither the seed nor the number of the deal. So a player that draws on
the random words of a decision (`Decisions.key`) draws other ones here.
"""

from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from shengji_env.engine.actions import PASS
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import PlayerError, show
from shengji_env.players.answers import Decision
from shengji_env.players.asking import decide_whole
from shengji_env.players.decisions import Decisions
from shengji_env.players.exec import bot_messages as messages
from shengji_env.players.exec.bot_messages import PROTOCOL, ProtocolError
from shengji_env.players.exec.seat_table import SeatTable
from shengji_env.players.player import Needs, Player, check_learned
from shengji_env.support.text_files import parse_json

_CANNOT = Needs.PERSON | Needs.RECORDS | Needs.PROCESSES


class Speaker:
    """A player, and its table as the messages describe it.

    Args:
        player: the player.
        seed: seed of its random words.

    Attributes:
        table: its table; None before ``hello``.

    Raises:
        PlayerError: the player needs more than a process can give it.
    """

    def __init__(self, player: Player, *, seed: int) -> None:
        if player.needs & _CANNOT:
            raise PlayerError(f"{player.name} cannot be a bot: it is asked at the arena's own tables")
        self._player, self._seed = player, seed
        self.table: SeatTable | None = None

    def handle(self, given: Mapping[str, Any]) -> messages.FromBot | None:
        """Handle a message, a JSON object with a ``type``; return the answer, if it is one that is answered.

        Raises:
            ProtocolError: the message cannot be understood.
        """
        if given["type"] == "hello":
            return self._greet(given)
        if self.table is None:
            raise ProtocolError("the first message must be hello")
        message = messages.as_message(given)
        if message is not None:
            self.table.handle(message)
        if isinstance(message, messages.Decide):
            return messages.BotPlay(message.move, self._decide(self.table, message))
        return None

    def _greet(self, given: Mapping[str, Any]) -> messages.Ready:
        if given["protocol"] != PROTOCOL:  # another version may have other fields
            raise ProtocolError(f"protocol {show(given['protocol'])} is spoken here; this is protocol {PROTOCOL}")
        rules = RuleSet.from_json(given["rules"])
        check_learned([self._player], rules)
        self.table = SeatTable(rules)
        self.table.tables.shared["seed"] = self._seed
        return messages.Ready(PROTOCOL)

    def _decide(self, table: SeatTable, question: messages.Decide) -> str:
        """Return the player's play; it is made on the table only when it is announced."""
        tables = table.tables
        with table.asked(question):
            decision = Decision(Decisions.at(tables), 0)
            answer = decide_whole(self._player, tables)
        tables.progress["ply"] += 1
        return "" if isinstance(answer, int) and answer == PASS else decision.text(answer)


def speak(handle: Callable[[Mapping[str, Any]], messages.FromBot | None], source: BinaryIO, target: BinaryIO) -> None:
    """Answer messages until ``end``, or until there are no more.

    Args:
        handle: handles a message, as `Speaker.handle` does.
        source: lines with messages.
        target: where the answers go.

    Raises:
        ProtocolError: a message cannot be understood.
        PlayerError: the player refuses to play under the rules.
    """
    for line in source:
        message = _read(line)
        if message["type"] == "end":
            return
        answer = handle(message)
        if answer is not None:
            target.write(messages.line_of(answer))
            target.flush()


def _read(line: bytes) -> dict[str, Any]:
    message = parse_json(line, ProtocolError)
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise ProtocolError(f"{show(line)} is not a JSON object with a type")
    return message
