"""Sampled deals: other tables at which the seat to move may just as well be sitting.

The search player's sampler deals the hidden cards again (`players/search/sampled_deals.py`). A position also has a
past, so the whole round is then made up: who was dealt what, what the declarer took up and buried, who passed. It is
played again from the first card, and kept only if the seat sees exactly the same at the end of it. So a sampled deal
agrees with everything that the seat has seen, failed throws and shown cards included; among the sampler's deals, all
that agree are equally likely.

Source: docs/environments/positions.md.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import PASS
from shengji_env.engine.bids import bid_level, count_of_action, kind_of_action
from shengji_env.engine.cards import LITTLE_JOKER, NUM_CARDS, NUM_RANKS, NUM_SUITS
from shengji_env.engine.deal import SAME_CARDS, Deals, kitty_lot
from shengji_env.engine.referee import Trump
from shengji_env.engine.referee.values import to_cards, to_slots
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import NOBODY, UNNAMED, Phase
from shengji_env.envs.positions.histories import History, Replayed, copy_states, new_states
from shengji_env.envs.positions.play_texts import trump_of
from shengji_env.envs.positions.position_kernels import CONTRADICTED, decide_again
from shengji_env.envs.positions.retaken import Dealt, Knowledge, Taking
from shengji_env.envs.positions.starts import begin_at, start_of
from shengji_env.errors import ShengjiError
from shengji_env.players.hiding import hide_all_unknown
from shengji_env.players.whole_plays import begin_decisions
from shengji_env.support.arguments import NUM_SEEDS

MAX_DRAWS = 1000
"""Most deals that are sampled for one that agrees."""
_CARDS = np.arange(NUM_CARDS)


def resample(history: History, seed: int) -> History:
    """Return the history of a sampled deal, for the seat to move.

    Raises:
        ShengjiError: none of `MAX_DRAWS` sampled deals agrees with what the seat has seen.
    """
    return _Past(history, seed).sample()


class _Past:
    """What the seat to move has seen, and the means to make up the rest.

    Attributes:
        seat: the seat to move.
        replayed: the history as it has seen it.
        shown: for each seat the cards that it has shown in bids, as ids in their order.
        deals: where its next deals come from.
    """

    def __init__(self, history: History, seed: int) -> None:
        self.history = history
        self.game = history.game
        self.seed = seed
        self.random = np.random.default_rng(seed)
        self.seat = int(history.seen_by().states["seat"][0])
        self.replayed = history.seen_by(self.seat)
        self.state = self.replayed.states[0]
        self.seen = self.game.observe(self.replayed.states, self.seat).tobytes()
        self.shown = self._list_shown()
        is_given = bool(self.state["deal_given"])
        self.deals = SAME_CARDS if is_given else Deals(self.random.integers(NUM_SEEDS - 1, dtype=np.uint64), 0)

    def _list_shown(self) -> list[list[int]]:
        shown: list[list[int]] = [[] for _ in range(NUM_SEATS)]
        for decision in self.replayed.decisions:
            if decision["phase"] == Phase.BID and decision["action"] != PASS:
                if decision["trump"] != UNNAMED:
                    continue  # an overbid, made when all cards were drawn
                seat = int(decision["seat"])
                card, count = self._shown_by(decision)
                shown[seat] += [card] * (count - shown[seat].count(card))
        return shown

    def _shown_by(self, decision: Any) -> tuple[int, int]:
        """Return the card id that a bid shows, and how often."""
        action, seat = int(decision["action"]), int(decision["seat"])
        is_overbid = decision["trump"] != UNNAMED
        level = int(self.state["level_rank"] if is_overbid else bid_level(self.history.deal_state[0], seat))
        kind = int(kind_of_action(action))
        card = kind * NUM_RANKS + level if kind < NUM_SUITS else LITTLE_JOKER + kind - NUM_SUITS
        return card, int(count_of_action(action))

    def _check_throws(self) -> None:
        """Refuse rounds in which others have paid for throws that this seat has not seen: no deal brings them about.

        Without a penalty, such a throw is a lead of one card to this seat (§8), and is played as one.
        """
        if not self.game.rules.throw_penalty:
            return
        tried, seen = self.history.seen_by().decisions, self.replayed.decisions
        leads = [[each["cards"].tobytes() for each in part if each["phase"] == Phase.LEAD] for part in (tried, seen)]
        if leads[0] != leads[1]:
            raise ShengjiError(
                f"a throw has failed that seat {self.seat} has not seen (failed_throw=lowest_card), so no deal can be "
                "sampled that agrees with all that it has seen"
            )

    def sample(self) -> History:
        """Sample deals until one agrees."""
        if self.state["num_takers"] > 1 or (self.state["phase"] == Phase.BID and self.state["trump"] != UNNAMED):
            return self._sample_retaken()
        self._check_throws()
        sampler = self.game.scratch.sampler
        start = copy_states(self.replayed.states)
        begin_decisions(start)
        hide_all_unknown(start, self.game.record)
        if self.state["trump"] != UNNAMED:
            # Like a card turned up from the kitty, one that the declarer has shown is still its own, or buried.
            shown = np.bincount(self.shown[int(self.state["declarer"])], minlength=NUM_CARDS)
            start["turned"][0] += to_slots(shown.astype(np.int8), trump_of(start))
        sampler.prepare(start, self.replayed.recent_plays())
        drawn = new_states()
        for draw in range(MAX_DRAWS):
            if not sampler.draw(start, self.seed, draw, drawn).any():
                made = self._make_up(drawn)
                if made is not None:
                    return made
        raise ShengjiError(f"none of {MAX_DRAWS} sampled deals agrees with all that seat {self.seat} has seen")

    def _sample_retaken(self) -> History:
        """Sample deals in which others can have taken up the kitty as they have."""
        knowledge, trumps = self._knowledge()
        for _ in range(MAX_DRAWS):
            made = knowledge.draw(self.random)
            dealt = None if made is None else self._order_deal(made)
            if made is not None and dealt is not None:
                slots = [
                    to_slots(cards.astype(np.int8), trump) for cards, trump in zip(made.burials, trumps, strict=True)
                ]
                history = self._play_again(dealt, np.array(slots, np.int8).reshape(-1, NUM_CARDS))
                if history is not None:
                    return history
        raise ShengjiError(f"none of {MAX_DRAWS} sampled deals agrees with all that seat {self.seat} has seen")

    def _knowledge(self) -> tuple[Knowledge, list[Trump]]:
        """Return what the seat knows of the cards, and what was trumps at each burial."""
        state, rules, trump = self.state, self.game.rules, trump_of(self.replayed.states)
        taken = np.bincount(state["deal"][NUM_SEATS * rules.hand : rules.total], minlength=NUM_CARDS)
        shown = [np.zeros(NUM_CARDS, np.int64) for _ in range(NUM_SEATS)]
        takings: list[Taking] = []
        trumps: list[Trump] = []
        takers = iter(state["takers"][: state["num_takers"]].tolist())
        for decision in self.history.seen_by().decisions:
            if decision["phase"] == Phase.BID and decision["action"] != PASS:
                card, count = self._shown_by(decision)
                shown[decision["seat"]][card] = max(shown[decision["seat"]][card], count)
            elif decision["phase"] == Phase.BURY:
                trumps.append(Trump.of(int(decision["trump"]), int(state["level_rank"])))
                buried = to_cards(decision["cards"], trumps[-1]).astype(np.int64)
                takings.append(Taking(next(takers), shown[decision["seat"]].copy(), taken, buried))
                taken = buried
        takings += [Taking(seat, shown[seat].copy(), taken, None) for seat in takers]
        hands = [to_cards(state["hands" if seat == self.seat else "known"][seat], trump) for seat in range(NUM_SEATS)]
        played = [to_cards(state["played"][seat], trump).astype(np.int64) for seat in range(NUM_SEATS)]
        return Knowledge(
            rules, self.seat, takings, [hand.astype(np.int64) for hand in hands], played, state["voids"], trump.slots,
            trump.suit_index, self._contradictions(trump),
        ), trumps  # fmt: skip

    def _contradictions(self, trump: Trump) -> Callable[[NDArray[np.int64]], int]:
        """Return what counts the earlier plays that hands (4, 54), by card id, contradict."""
        sampler, state = self.game.scratch.sampler, copy_states(self.replayed.states)
        begin_decisions(state)
        hide_all_unknown(state, self.game.record)
        sampler.prepare(state, self.replayed.recent_plays())

        def count(hands: NDArray[np.int64]) -> int:
            state["hands"][0][:, trump.slots] = hands
            return sampler.num_contradicted(state)

        return count

    def _order_deal(self, made: Dealt) -> NDArray[np.int8] | None:
        """Return the deal in an order in which it can have been drawn."""
        deal: NDArray[np.int8] = self.state["deal"].copy()
        for seat in self._others():
            order = self._in_order(made.hands[seat], seat)
            if order is None:
                return None
            deal[self._positions(seat)] = order
        if self.state["takers"][0] != self.seat:
            kitty = self.random.permutation(np.repeat(_CARDS, made.kitty))
            deal[NUM_SEATS * self.game.rules.hand : self.game.rules.total] = kitty
        return deal

    def _make_up(self, drawn: NDArray[Any]) -> History | None:
        """Play a round in which the sampler's cards are dealt; None if the seat would see something else."""
        deal = self._deal_opening(drawn[0]) if self.state["trump"] == UNNAMED else self._deal_round(drawn[0])
        return None if deal is None else self._play_again(deal, drawn["buried"])

    def _play_again(self, deal: NDArray[np.int8], buried: NDArray[np.int8]) -> History | None:
        """Play the round with other cards; `buried` (B, 54) are those that the others bury, as in `decide_again`."""
        game, replay, before = self.game, self.game.scratch.replay, self.history.deal_state
        deal = self._keep_lot(deal)
        start = {**start_of(before[0], game.rules), "deal": deal}
        deal_state = begin_at(game.rules, start, before[0])
        number = len(self.replayed.decisions)
        replay.decisions[:number] = self.replayed.decisions
        size = CONTRADICTED
        if deal_state is not None:
            size = decide_again(deal_state, replay, number, self.seat, buried)
        if deal_state is None or size == CONTRADICTED:
            return None
        history = History(game, self.deals, deal_state, replay.actions[:size].tobytes() + self.replayed.under_way)
        return history if self._agrees(history.seen_by(self.seat)) else None

    def _keep_lot(self, deal: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return a deal with its kitty in an order that draws the lot that was drawn, if one was and there is such."""
        rules = self.game.rules
        is_drawn = rules.no_bid == "random" and self.state["trump"] != UNNAMED and self.state["bid_count"] == 0
        if not is_drawn or self.state["takers"][0] == self.seat:
            return deal
        first = rules.total - rules.kitty
        record, given = self.game.record[0], kitty_lot(self.history.deal_state[0]["deal"], self.game.record[0])
        for _ in range(MAX_DRAWS):
            if kitty_lot(deal, record) == given:
                break
            deal[first : rules.total] = self.random.permutation(deal[first : rules.total])
        return deal

    def _agrees(self, replayed: Replayed) -> bool:
        """Return whether a sampled deal has come to where the seat sees the same as it does."""
        states, plays = replayed.states, replayed.plays
        if states["seat"][0] != self.seat or plays.tobytes() != self.replayed.plays.tobytes():
            return False
        is_seen = self.game.observe(states, self.seat).tobytes() == self.seen
        return is_seen and self.game.legal_actions(states) == self.game.legal_actions(self.replayed.states)

    def _deal_opening(self, sampled: Any) -> NDArray[np.int8] | None:
        """Return the deal while bids are made: the sampler's, but with cards in the order in which they were shown."""
        deal: NDArray[np.int8] = sampled["deal"].copy()
        for seat in self._others():
            positions = self._positions(seat)
            positions = positions[positions < sampled["drawn"]]
            order = self._in_order(np.bincount(deal[positions], minlength=NUM_CARDS), seat)
            if order is None:
                return None
            deal[positions] = order
        return deal

    def _deal_round(self, sampled: Any) -> NDArray[np.int8] | None:
        """Return a deal and a kitty from which seats can have come to their cards."""
        trump, rules = trump_of(self.replayed.states), self.game.rules
        deal: NDArray[np.int8] = self.state["deal"].copy()
        for seat in self._others():
            cards = to_cards(sampled["hands"][seat] + sampled["played"][seat], trump).astype(np.int64)
            if seat == sampled["declarer"] and self.state["phase"] != Phase.REBEL:
                cards += to_cards(sampled["buried"], trump)
                kitty = self._draw_kitty(cards, to_cards(self.state["turned"], trump), seat)
                if kitty is None:
                    return None
                deal[NUM_SEATS * rules.hand : rules.total] = kitty
                cards -= np.bincount(kitty, minlength=NUM_CARDS)
            order = self._in_order(cards, seat)
            if order is None:
                return None
            deal[self._positions(seat)] = order
        if self.state["phase"] == Phase.REBEL:
            lying = np.bincount(sampled["deal"][NUM_SEATS * rules.hand : rules.total], minlength=NUM_CARDS)
            kitty = self._draw_kitty(lying, to_cards(self.state["turned"], trump), NOBODY)
            if kitty is None:
                return None
            deal[NUM_SEATS * rules.hand : rules.total] = kitty
        return deal

    def _others(self) -> list[int]:
        return [seat for seat in range(NUM_SEATS) if seat != self.seat]

    def _positions(self, seat: int) -> NDArray[np.int64]:
        """Return the positions of the deal that a seat draws."""
        first = (seat - int(self.state["first_drawer"])) % NUM_SEATS
        return np.arange(first, NUM_SEATS * self.game.rules.hand, NUM_SEATS)

    def _draw_kitty(self, cards: NDArray[Any], turned: NDArray[Any], seat: int) -> NDArray[np.int64] | None:
        """Draw what was the kitty out of these cards: not what `seat` had shown, and first what was turned up."""
        free = cards - turned
        if seat != NOBODY:
            free = free - np.bincount(self.shown[seat], minlength=NUM_CARDS)
        if (free < 0).any():
            return None
        jokers_first = np.repeat(_CARDS, turned)[::-1]
        rest = self.random.permutation(np.repeat(_CARDS, free))[: self.game.rules.kitty - len(jokers_first)]
        return np.concatenate([jokers_first, rest])

    def _in_order(self, cards: NDArray[Any], seat: int) -> NDArray[np.int64] | None:
        """Return an order in which a seat can have drawn its cards: first those that it has shown."""
        shown = np.array(self.shown[seat], np.int64)
        left = cards - np.bincount(shown, minlength=NUM_CARDS)
        if (left < 0).any():
            return None
        return np.concatenate([shown, self.random.permutation(np.repeat(_CARDS, left))])
