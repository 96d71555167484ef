"""A state of the game: cards that chance has dealt, and from the first decision on a position."""

from typing import Any

import numpy as np
import pyspiel

from shengji_env.engine.actions import DONE, TRUMP_TEXTS
from shengji_env.engine.cards import CARD_TEXTS, MAX_TOTAL, NUM_RANKS, NUM_SUITS
from shengji_env.engine.deal import SAME_CARDS
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NO_TRUMP
from shengji_env.engine.state import NOBODY, NUM_TEAMS, UNNAMED, Phase
from shengji_env.envs.positions import Position
from shengji_env.envs.positions.histories import History, game_of
from shengji_env.envs.positions.starts import begin_at
from shengji_env.envs.positions.whole_deals import small_start
from shengji_env.errors import ShengjiError

_VERBS = {Phase.BURY: "bury", Phase.LEAD: "lead", Phase.FORCED: "lead", Phase.FOLLOW: "play"}


class ShengjiState(pyspiel.State):  # type: ignore[misc]  # OpenSpiel has no types
    """A state of a game, which is a `ShengjiGame`.

    Attributes:
        position: the round as it stands; None while chance deals.
    """

    # A clone gets copies of all attributes, so these are values that are not copied.
    def __init__(self, game: pyspiel.Game) -> None:
        super().__init__(game)
        self.position: Position | None = None
        self._first_drawer = int(game.start.get("first_drawer", NOBODY))
        if game.start.get("declarer", NOBODY) != NOBODY:
            self._first_drawer = int(game.start["declarer"])
        self._trump = UNNAMED
        self._dealt = b""
        self._counts = {"redeals": 0, "rebellions": 0}
        self._declarer = int(game.start.get("declarer", NOBODY))
        if game.seed >= 0:
            self.position = Position.new(game.rules, seed=game.seed, options=game.options)

    def current_player(self) -> int:
        """Return the seat to move, or that chance moves, or that the round is over."""
        if self.position is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.position.is_terminal() else self.position.seat

    def is_terminal(self) -> bool:
        """Return whether the round is over."""
        return self.position is not None and self.position.is_terminal()

    def returns(self) -> list[float]:
        """Return what the round is worth to each seat; zero before its end."""
        return [0.0] * NUM_SEATS if self.position is None else self.position.returns(self.get_game().reward)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return what chance may do, with probabilities: a seat, then trumps, then one card after another.

        In a small game it deals all cards at once.
        """
        game = self.get_game()
        if game.deals:
            ways = sum(deal.ways for deal in game.deals)
            return [(number, deal.ways / ways) for number, deal in enumerate(game.deals)]
        rules = game.rules
        if self._first_drawer == NOBODY:
            return [(seat, 1 / NUM_SEATS) for seat in range(NUM_SEATS)]
        if self._draws_trump():
            names = [
                trump for trump in range(NUM_SUITS) if any(rules.copies[NUM_RANKS * trump : NUM_RANKS * (trump + 1)])
            ]
            names += [NO_TRUMP] * rules.no_trump_bids
            return [(trump, 1 / len(names)) for trump in names]
        left = rules.total - len(self._dealt)
        counts = ((card, copies - self._dealt.count(card)) for card, copies in enumerate(rules.copies))
        return [(card, count / left) for card, count in counts if count]

    def _draws_trump(self) -> bool:
        return self._trump == UNNAMED and self.get_game().rules.bidding == "fixed"

    def _legal_actions(self, player: int) -> list[int]:
        """Return the legal actions of the seat to move, ascending."""
        return [] if self.position is None else self.position.legal_actions()

    def _apply_action(self, action: int) -> None:
        if self.position is not None:
            self.position = self.position.apply(action)
            if not self.position.actions and self.get_game().seed < 0:
                self._note_rebellion()
                self._deal_again()
        elif self.get_game().deals:
            game = self.get_game()
            start = small_start(game.rules, game.deals[action])
            self.position = Position.new(game.rules, seed=0, options=start)
        elif self._first_drawer == NOBODY:
            self._first_drawer = action
        elif self._draws_trump():
            self._trump = action
        else:
            self._dealt += action.to_bytes()
            if len(self._dealt) == self.get_game().rules.total:
                self._begin()

    def _note_rebellion(self) -> None:
        """Note how the next deal begins if a seat has rebelled."""
        assert self.position is not None
        state = self.position.states[0]
        if state["rebellions"] > self._counts["rebellions"]:
            self._counts["rebellions"] += 1
            self._declarer = int(state["declarer"]) if state["had_declarer"] else NOBODY
            self._first_drawer = int(state["first_drawer"])

    def _begin(self) -> None:
        """Begin the round with the cards dealt; if nobody can bid, they are dealt again."""
        game = self.get_game()
        deal = np.zeros(MAX_TOTAL, np.int8)
        deal[: len(self._dealt)] = list(self._dealt)
        given = {"deal": deal, "deal_given": 1, "first_drawer": self._first_drawer, "trump": self._trump}
        deal_state = begin_at(game.rules, {**game.start, **given, "declarer": self._declarer}, self._counts)
        if deal_state is None:
            self._deal_again()
        else:
            self.position = Position(History(game_of(game.rules), SAME_CARDS, deal_state, b""))

    def _deal_again(self) -> None:
        self.position = None
        self._dealt = b""
        self._counts["redeals"] += 1

    def _action_to_string(self, player: int, action: int) -> str:
        if self.position is not None:
            return _in_words(self.position, action)
        if deals := self.get_game().deals:
            return str(deals[action].text)
        if self._first_drawer == NOBODY:
            return f"seat {action} draws first"
        return f"trump {TRUMP_TEXTS[action]}" if self._draws_trump() else CARD_TEXTS[action]

    def team_of(self, player: int) -> int:
        """Return a seat's team; Kaggle's arena charges a forfeit to both of its seats."""
        return player % NUM_TEAMS

    def hides_state_from_agents(self) -> bool:
        """Return True: Kaggle's arena keeps the serialized state, in which all hands are, from its agents."""
        return True

    def resample_from_infostate(self, player_id: int, probability_sampler: Any) -> "ShengjiState":
        """Return a state that the seat to move cannot tell from this one; `probability_sampler()` gives 0..1.

        All that the rules allow are equally likely (`Position.resample`).

        Raises:
            ShengjiError: another seat is to move, or the cards are given by a seed.
        """
        game = self.get_game()
        if self.position is None or player_id != self.current_player():
            raise ShengjiError(f"player {player_id} is not to move: only the seat to move can be given other cards")
        if game.seed >= 0:
            raise ShengjiError("seed gives all cards, so no others can be dealt; leave it at -1")
        other = self.position.resample(int(probability_sampler() * 2**53))
        cards = other.states["deal"][0, : game.rules.total].tolist()
        earlier = self.history()[: -len(cards) - len(self.position.actions)]
        if game.deals:
            hands = tuple(tuple(sorted(cards[seat::NUM_SEATS])) for seat in range(NUM_SEATS))
            earlier, cards = [], [game.deal_numbers[hands]]
        state = ShengjiState(game)
        for action in (*earlier, *cards, *other.actions):
            state.apply_action(action)
        return state

    def __str__(self) -> str:
        """Return the position's text; before it, the cards dealt."""
        return " ".join(CARD_TEXTS[card] for card in self._dealt) if self.position is None else str(self.position)


def _in_words(position: Position, action: int) -> str:
    """Return an action's text with what it does: ``bury H5``, ``lead S3``, ``play DT``; ``bid S2 S2``, ``pass``."""
    phase = Phase(int(position.states["phase"][0]))
    if phase not in _VERBS:
        return position.action_text(action)
    if action == DONE:
        return "lead these cards"
    text = position.action_text(action)
    if phase == Phase.FORCED:
        text = dict(zip(position.legal_actions(), position.legal_plays(), strict=True)).get(action, text)
    return f"{_VERBS[phase]} {text}"
