"""A seat of a match on Botzone: its requests become messages of our protocol, a player's answers become ids.

So a player is asked at a `SeatTable`, which is set from what happened, whatever our rules would have said about it:

| Botzone | is told as |
|---|---|
| `banking` has changed | the bid that changed it; of two between two requests the latter, which stands |
| the first request after the draws | `trumps`, `takes`, and `kitty` or a bury |
| what a throw that has failed leads | a lead, since there nobody sees what was tried |
| `leaders` | who leads: the leader of the next trick has won the last |
| `total_score` | the attackers' points, in place of those counted here |
"""

from typing import Any

from shengji_botzone.wire import NOBODY, TRUMPS, BotzoneError, Request, cards_of, pick
from shengji_env import __version__
from shengji_env.engine.cards import JOKERS
from shengji_env.engine.referee import check_lead
from shengji_env.engine.referee.values import Trump
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet, parse_rules
from shengji_env.players.exec import bot_messages as messages
from shengji_env.players.exec.bot_messages import PROTOCOL
from shengji_env.players.exec.speaking import Speaker
from shengji_env.players.player import Player

NEAREST = "botzone"
"""The rules that are nearest to Botzone's; they are what players are told."""
_HAND = 25
_MOST_POINTS = 1000


class MatchSeat:
    """A player at a seat of a match on Botzone.

    Args:
        player: the player.
        seed: seed of its random words.
        rules: the rules that it is told.

    Raises:
        PlayerError: it needs more than a program can be given, or refuses to play under the rules.
    """

    def __init__(self, player: Player, *, seed: int, rules: RuleSet | None = None) -> None:
        self.rules = parse_rules(NEAREST) if rules is None else rules
        self._speaker = Speaker(player, seed=seed)
        self._tell(messages.BotHello(PROTOCOL, __version__, self.rules.to_json(), 1.0, None))
        self._hand: list[int] = []
        self._gone: set[int] = set()
        self._seat = self._first_drawer = NOBODY
        self._calls = NOBODY, NOBODY
        self._own_call = self._level = ""
        self._num_drawn = self._move = 0
        self._heard: tuple[tuple[int, ...], ...] = ()
        self._trump: Trump | None = None

    def respond(self, request: Request) -> list[int]:
        """Return the ids with which the player answers the next request.

        Raises:
            BotzoneError: the request does not follow those before it.
            ShengjiError: what has been played cannot be.
        """
        if self._seat == NOBODY:
            self._begin(request)
        if request.level != self._level:
            raise BotzoneError(f"the level was {self._level}, and is now {request.level}")
        if request.stage == "deal":
            return self._draw(request)
        if self._trump is None:
            self._name_trumps(request)
        if request.stage == "cover":
            return self._bury(request)
        return self._play(request)

    def _tell(self, message: messages.ToBot) -> messages.FromBot | None:
        return self._speaker.handle({"type": message.type, **vars(message)})

    def _ask(self, kind: Any, size: int | None = None) -> str:
        self._move += 1
        answer = self._tell(messages.Decide(self._move, kind, size, [], "", last_call=False))
        assert isinstance(answer, messages.BotPlay)
        return answer.cards

    @property
    def _state(self) -> Any:
        assert self._speaker.table is not None
        return self._speaker.table.tables.states[0]

    def _begin(self, request: Request) -> None:
        if request.seat is None:
            raise BotzoneError("its first request names no seat: this match was begun by somebody else")
        self._seat, self._level = request.seat, request.level
        has_declarer = request.banker != NOBODY and not request.is_first_round
        self._first_drawer = request.banker if has_declarer else 0
        self._tell(
            messages.BotRound(
                seat=self._seat, round=0, match_round=0, redeals=0, rebellions=0, rebel=None,
                levels=[request.level] * 2, declarer=request.banker if has_declarer else None,
                first_drawer=self._first_drawer,
            )
        )  # fmt: skip

    def _draw(self, request: Request) -> list[int]:
        if self._trump is not None or self._num_drawn == _HAND:
            raise BotzoneError("a card is drawn after all have been")
        drawn = 1 + (self._seat - self._first_drawer) % NUM_SEATS + NUM_SEATS * self._num_drawn
        self._num_drawn += 1
        self._hear_calls(request, drawn - 1)
        self._receive(request.deliver)
        self._tell(messages.Draw(drawn, cards_of(request.deliver)))
        bid = self._ask("bid") if request.snatched == NOBODY else ""
        self._own_call = bid or self._own_call
        return pick(bid, self._hand)

    def _receive(self, ids: tuple[int, ...]) -> None:
        if self._gone & set(ids):
            raise BotzoneError(f"{cards_of(ids)}: ids {ids} have been seen before")
        self._gone |= set(ids)
        self._hand += ids

    def _hear_calls(self, request: Request, drawn: int) -> None:
        """Tell the standing bid, if it is new."""
        calls = request.called, request.snatched
        if calls == self._calls or request.major == "":
            return
        self._calls = calls
        is_pair = request.snatched != NOBODY
        seat = request.snatched if is_pair else request.called
        trump = TRUMPS[request.major]
        card = trump + request.level
        if seat == NOBODY or (trump == "NT" and not is_pair):
            raise BotzoneError(f"seats {calls} call {request.major}")
        jokers = self._jokers_of(seat) if trump == "NT" else []
        self._tell(messages.BotBid(seat, drawn, " ".join([jokers[0] if jokers else card] * (1 + is_pair))))
        if len(jokers) > 1 and seat != self._seat:
            self._state["known"][seat] = 0  # it is not known which

    def _jokers_of(self, seat: int) -> list[str]:
        """Return with which jokers a seat may have snatched; the own call comes first."""
        held, wanted = cards_of(self._hand).split(), 2 if seat == self._seat else 0
        jokers = [joker for joker in JOKERS if held.count(joker) == wanted]
        if not jokers:
            raise BotzoneError(f"seat {seat} holds no pair of jokers")
        return sorted(jokers, key=lambda joker: joker != self._own_call[:2])

    def _name_trumps(self, request: Request) -> None:
        if self._num_drawn < _HAND or NOBODY in (request.banker, self._seat) or not request.major:
            raise BotzoneError("the draws have not ended, or nobody declares")
        self._hear_calls(request, NUM_SEATS * _HAND)
        trump = TRUMPS[request.major]
        self._trump = Trump.parse(trump + request.level)
        self._tell(messages.Trumps(trump, request.level, request.banker, ""))
        self._tell(messages.Takes(request.banker))
        if request.banker != self._seat:
            self._tell(messages.Bury(request.banker, None))

    def _bury(self, request: Request) -> list[int]:
        if request.banker != self._seat or len(self._hand) != _HAND:
            raise BotzoneError("the kitty comes to another seat than the declarer's, or twice")
        self._receive(request.deliver)
        self._tell(messages.Kitty(cards_of(request.deliver)))
        cards = self._ask("bury", len(request.deliver))
        buried = pick(cards, self._hand)
        self._drop(buried)
        self._tell(messages.Bury(self._seat, cards))
        return buried

    def _drop(self, ids: list[int]) -> None:
        self._hand = [each for each in self._hand if each not in ids]

    def _play(self, request: Request) -> list[int]:
        last, current = request.tricks
        turn = (self._seat - request.leaders[1]) % NUM_SEATS
        if turn != len(current) or len(last) not in (0, NUM_SEATS):
            raise BotzoneError("it is not the turn of this seat")
        if last[: len(self._heard)] != self._heard:
            raise BotzoneError(f"the last trick {last} is not that of the request before, {self._heard}")
        self._hear_plays(last, request.leaders[0], len(self._heard))
        self._hear_plays(current, request.leaders[1], 0)
        self._heard = current
        if not self._hand:
            raise BotzoneError("all cards have been played")
        self._state["attackers_points"] = max(-_MOST_POINTS, min(request.total_score, _MOST_POINTS))
        kind, size = ("follow", len(current[0])) if current else ("lead", None)
        return pick(self._ask(kind, size), self._hand)

    def _hear_plays(self, trick: tuple[tuple[int, ...], ...], leader: int, first: int) -> None:
        """Tell the plays of a trick from the one numbered `first` on."""
        assert self._trump is not None
        for turn, play in enumerate(trick[first:], start=first):
            seat, cards = (leader + turn) % NUM_SEATS, cards_of(play)
            if not 0 < len(play) == len(trick[0]) <= len(self._hand) + len(play) * (turn > 0):
                raise BotzoneError(f"the plays {trick} do not make a trick")
            if turn == 0:
                check_lead(cards, self._trump, self.rules)
            if seat != self._seat:
                self._see(play)
            elif set(play) <= set(self._hand):
                self._drop(list(play))
            else:
                raise BotzoneError(f"this seat plays {cards}, which it does not hold")
            kind = messages.Follow if turn else messages.BotLead
            self._tell(kind(seat, cards))

    def _see(self, play: tuple[int, ...]) -> None:
        if self._gone & set(play):
            raise BotzoneError(f"{cards_of(play)}: ids {play} have been seen before")
        self._gone |= set(play)
