"""A program of Botzone's as one that speaks our protocol.

| its answer | what comes of it |
|---|---|
| late, none, no response, empty, of another size, of cards that it does not hold | an error, which ends this process |
| a call that is no bid under our rules | no bid, not its own decision; said once |
| cards that it holds | they are played; whether that is legal, the arena says |
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shengji_botzone.bot_program import BotProgram
from shengji_botzone.seat_requests import SeatRequests
from shengji_botzone.wire import DECK, NUM_IDS, BotzoneError, cards_of
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import show
from shengji_env.players.exec import bot_messages as messages
from shengji_env.players.exec.bot_messages import PROTOCOL, ProtocolError

_NEEDED: Mapping[str, Any] = {
    "decks": 2, "kitty": 8, "cards": "", "throws": True, "rebellion": "none", "kitty_retake": "none",
}  # fmt: skip
_UNTOLD: Mapping[str, tuple[str, ...]] = {
    "bidding": ("sequential", "fixed"), "no_bid": ("partner_names",), "failed_throw": ("next_seat_chooses",),
}  # fmt: skip
"""Values for which Botzone has no request, or of which its requests say nothing."""


def check_told(rules: RuleSet) -> None:
    """Refuse rules of which Botzone's requests cannot tell a program.

    Raises:
        BotzoneError: an option has such a value.
    """
    wrong = [f"{name}={value}, not {rules.options[name]}" for name, value in _NEEDED.items()
             if rules.options[name] != value]  # fmt: skip
    wrong += [f"another {name} than {rules.options[name]}" for name, values in _UNTOLD.items()
              if rules.options[name] in values]  # fmt: skip
    if wrong:
        raise BotzoneError(f"a program of Botzone's cannot be told of these rules; it needs {', and '.join(wrong)}")


class BotzoneBot:
    """A program of Botzone's at a seat.

    Args:
        words: what starts it (`bot_program.command_of`).
        note: shown what its author should know, though the game goes on.
        seconds: seconds for an answer; None: those of Botzone.
        preload: modules that are imported once, as for `bot_program.BotProgram`.
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        note: Callable[[str], None],
        seconds: float | None = None,
        preload: Sequence[str] = (),
    ) -> None:
        self._program = BotProgram(words, seconds=seconds, preload=preload)
        self._rules: RuleSet | None = None
        self._deal: SeatRequests | None = None
        self._note, self._has_noted = note, False

    def handle(self, given: Mapping[str, Any]) -> messages.FromBot | None:
        """Handle a message, as `Speaker.handle` does.

        Raises:
            BotzoneError: the program cannot play under the rules, or answers wrongly.
            ProtocolError: the message cannot be understood.
        """
        message = messages.as_message(given)
        if isinstance(message, messages.BotHello):
            self._rules = RuleSet.from_json(message.rules)
            check_told(self._rules)
            return messages.Ready(PROTOCOL)
        if isinstance(message, messages.BotRound):
            self._program.begin()
            if self._rules is None:
                raise ProtocolError("the first message must be hello")
            self._deal = SeatRequests(message, self._rules)
        elif message is not None and self._deal is not None:
            self._deal.handle(message)
            if isinstance(message, messages.Decide):
                return self._decide(self._deal, message)
        return None

    def end(self) -> None:
        """End the program."""
        self._program.end()

    def _decide(self, deal: SeatRequests, question: messages.Decide) -> messages.BotPlay:
        if question.kind == "bid" and question.last_call:  # Botzone has no last bids
            return messages.BotPlay(question.move, "")
        deal.ask(question.kind)
        ids = _held(self._program.respond(deal.requests, deal.responses), deal.hand)
        cards, is_own = cards_of(ids), True
        if question.kind == "bid":
            if ids and cards not in question.options and not self._is_botzone:
                self._note_call(cards, question.options)
                ids, cards, is_own = [], "", False
        else:
            _check_size(ids, question.size)
        deal.responses.append(ids)
        return messages.BotPlay(question.move, cards, is_own)

    @property
    def _is_botzone(self) -> bool:
        """Whether bids are Botzone's own: then a call that is no bid is a fault there, and here."""
        rules = self._rules
        return rules is not None and (rules.bidding, rules.bid_ladder) == ("drawing", "call_snatch")

    def _note_call(self, cards: str, options: Sequence[str]) -> None:
        if not self._has_noted:
            self._has_noted = True
            self._note(f"it calls {cards}, which counts as no bid under these rules; bids: {', '.join(options)}")


def _held(ids: list[int], hand: list[int]) -> list[int]:
    """Return the ids with which a program has answered; for one that it has played, the same card's other copy."""
    held = [each if each in hand else (each + DECK) % NUM_IDS for each in ids]
    for asked, each in zip(ids, held, strict=True):
        if each not in hand or held.count(each) > 1:
            raise BotzoneError(
                f"it answers {ids}, {show(cards_of(ids))}: it does not hold {asked}, {cards_of([asked])}"
            )
    return held


def _check_size(ids: list[int], size: int | None) -> None:
    if not ids or (size is not None and len(ids) != size):
        raise BotzoneError(f"it answers {ids}: {'one card or more' if size is None else f'{size} cards'} are asked for")
