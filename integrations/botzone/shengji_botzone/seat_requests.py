"""What a seat hears in our protocol, as the requests that Botzone would have sent to it.

| Botzone asks at | our protocol | so a request is |
|---|---|---|
| each own draw | asks a seat that can bid | made for each card of `draw`, with no call as response until it is asked |
| the kitty | asks | made by `kitty` |
| each own play | does not ask where there is no choice | made when the play is told, with the play as response |

Seats are turned so that the first drawer is 0. A card drawn gets the first of its ids that is free; a card that another
seat plays gets what is left.
"""

from collections.abc import Callable, Mapping
from typing import Any

from shengji_botzone.wire import MAJORS, NOBODY, NUM_IDS, level_text, pick
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.players.exec import bot_messages as messages


class SeatRequests:
    """The requests to a seat in a deal, and its responses.

    Args:
        begun: how the deal begins.
        rules: the rules.

    Attributes:
        begun: how the deal began.
        requests: those made so far, as JSON.
        responses: ids, one list for each request but perhaps the last.
        hand: the ids that the seat holds.
    """

    def __init__(self, begun: messages.BotRound, rules: RuleSet) -> None:
        self.begun = begun
        self.requests: list[dict[str, Any]] = []
        self.responses: list[list[int]] = []
        self.hand: list[int] = []
        self._free = list(range(NUM_IDS))
        self._rules, self._first_drawer = rules, begun.first_drawer
        self._seat = self._turned(begun.seat)
        is_first, banker = begun.declarer is None, NOBODY
        if begun.declarer is not None:
            banker = self._turned(begun.declarer)
        level = begun.levels[(begun.seat if begun.declarer is None else begun.declarer) % 2]
        self._banking: dict[str, Any] = {"called": NOBODY, "snatched": NOBODY, "major": "", "banker": banker}
        self._global: dict[str, Any] = {"level": level_text(level), "first_round": is_first}
        self._tricks: list[list[list[int]]] = [[], []]
        self._leaders = [0, 0]
        self._is_asked = False
        self._handlers: Mapping[str, Callable[[Any], None]] = {
            "draw": self._draw, "bid": self._bid, "trumps": self._name_trumps, "kitty": self._take_kitty,
            "bury": self._bury, "lead": self._lead, "led": self._fail, "follow": self._follow, "trick": self._end_trick,
        }  # fmt: skip

    def handle(self, message: messages.ToBot) -> None:
        """Follow a message."""
        handler = self._handlers.get(message.type)
        if handler is not None:
            handler(message)

    def ask(self, kind: str) -> None:
        """Let the last request be one that has no response yet, since the seat is asked."""
        if kind == "bid":
            self.responses.pop()
        elif kind != "bury":
            self._request_play()
            self._is_asked = True

    def _turned(self, seat: int) -> int:
        return (seat - self._first_drawer) % NUM_SEATS

    def _request(self, stage: str, **fields: Any) -> None:
        first = {} if self.requests else {"playerpos": self._seat}
        known = {**self._global, "banking": dict(self._banking)}
        self.requests.append({"stage": stage, **fields, **first, "global": known})

    def _request_play(self) -> None:
        tricks = [[list(play) for play in trick] for trick in self._tricks]
        self._request("play", history=[*tricks, *self._leaders])

    def _take(self, cards: str) -> list[int]:
        """Return free ids of cards, which are free no longer."""
        ids = pick(cards, self._free)
        self._free = [each for each in self._free if each not in ids]
        return ids

    def _draw(self, message: messages.Draw) -> None:
        for card in message.cards.split():
            ids = self._take(card)
            self.hand += ids
            self._request("deal", deliver=ids)
            self.responses.append([])

    def _bid(self, message: messages.BotBid) -> None:
        banking, seat = self._banking, self._turned(message.seat)
        banking["called" if banking["called"] == NOBODY else "snatched"] = seat
        banking["major"] = MAJORS.get(message.bid[0], MAJORS["NT"])
        if self._global["first_round"]:
            banking["banker"] = seat

    def _name_trumps(self, message: messages.Trumps) -> None:
        banker = self._turned(message.declarer)
        self._banking |= {"major": MAJORS[message.trump], "banker": banker}
        self._global |= {"level": level_text(message.level_rank)}
        self._leaders = [banker, banker]

    def _take_kitty(self, message: messages.Kitty) -> None:
        ids = self._take(message.cards)
        self.hand += ids
        self._request("cover", deliver=ids)

    def _bury(self, message: messages.Bury) -> None:
        self._global["total_score"] = 0
        if message.bury is not None:
            self._drop(self.responses[-1])

    def _drop(self, ids: list[int]) -> None:
        self.hand = [each for each in self.hand if each not in ids]

    def _lead(self, message: messages.BotLead) -> None:
        self._play(message.seat, message.lead)

    def _follow(self, message: messages.Follow) -> None:
        self._play(message.seat, message.follow)

    def _play(self, seat: int, cards: str) -> None:
        """Follow a play; one of the own seat that was not asked is requested and answered here."""
        if self._turned(seat) != self._seat:
            self._tricks[1].append(self._take(cards))
            return
        if not self._is_asked:
            self._request_play()
            self.responses.append(pick(cards, self.hand))
        self._is_asked = False
        self._tricks[1].append(self.responses[-1])
        self._drop(self.responses[-1])

    def _fail(self, message: messages.BotLed) -> None:
        """Follow a throw that has failed: its other cards go back."""
        thrown, seat = self._tricks[1][0], self._turned(message.seat)
        led = pick(message.led, thrown)
        back = [each for each in thrown if each not in led]
        self._tricks[1][0] = led
        if seat == self._seat:
            self.hand += back
        else:
            self._free = sorted(self._free + back)
        self._count(-message.penalty, seat)

    def _end_trick(self, message: messages.BotTrick) -> None:
        winner = self._turned(message.winner)
        self._count(message.points, winner)
        self._tricks, self._leaders = [self._tricks[1], []], [self._turned(message.leader), winner]

    def _count(self, points: int, seat: int) -> None:
        """Count points for a seat: its side's gain, if they are attackers; of declarers only penalties count."""
        is_attacker = (seat - self._banking["banker"]) % 2 == 1
        if is_attacker or points < 0:
            self._global["total_score"] += points if is_attacker else -points
