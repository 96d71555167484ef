"""Hidden cards dealt again: tables that a seat cannot tell apart, and what it sees at them."""

import numpy as np

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.cards import NUM_CARDS
from shengji_env.engine.kitty import last_taker
from shengji_env.engine.masks import write_mask
from shengji_env.engine.slots import NO_TRUMP, slot_of_card
from shengji_env.engine.state import UNNAMED
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.tables.queries import observe_seat
from shengji_env.tables.settings import TableSettings
from shengji_env.tables.tables import Tables


def deal_again(state, seat, rules, rng):
    """A copy of a state, shape (1,), with everything that `seat` cannot know dealt again."""
    other = state.copy()
    s = other[0]
    if s["trump"] == UNNAMED:
        deal_order_again(s, seat, rules, rng)
    else:
        deal_hands_again(s, seat, rng)
    if s["seat"] != seat:
        scramble_decision(s, rng)
    return other


def deal_order_again(s, seat, rules, rng):
    """While bids are made: all cards but those the seat drew and those that were shown."""
    dealt, total = 4 * rules.hand, rules.decks * NUM_CARDS
    drawer = np.where(np.arange(total) < dealt, (s["first_drawer"] + np.arange(total)) % 4, 4)
    drawn = np.arange(total) < s["drawn"]
    hidden = ~(drawn & (drawer == seat))
    for other in set(range(4)) - {seat}:
        for card in range(NUM_CARDS):
            places = np.flatnonzero(drawn & (drawer == other) & (s["deal"][:total] == card))
            hidden[places[: s["known"][other][card]]] = False
    places = np.flatnonzero(hidden)
    s["deal"][places] = rng.permutation(s["deal"][places])
    for other in range(4):
        level = s["levels"][(s["declarer"] if s["had_declarer"] else other) % 2]
        hand = np.zeros(54, np.int8)
        for card in s["deal"][:total][drawn & (drawer == other)].tolist():
            hand[slot_of_card(card, NO_TRUMP, level)] += 1
        assert other != seat or (hand == s["hands"][other]).all()
        s["hands"][other] = hand


def deal_hands_again(s, seat, rng):
    """Afterwards: the other hands but for what was shown, the kitty unless the seat buried it, others' burials."""
    places = [s["hands"][other] for other in range(4) if other != seat]
    shown = [s["known"][other].copy() for other in range(4) if other != seat]
    if last_taker(s) != seat:
        places.append(s["buried"])
        shown.append(np.zeros(54, np.int8))
    hidden = [np.repeat(np.arange(54), place - kept) for place, kept in zip(places, shown, strict=True)]
    pool = rng.permutation(np.concatenate(hidden))
    for place, kept in zip(places, shown, strict=True):
        size = int((place - kept).sum())
        place[:] = kept + np.bincount(pool[:size], minlength=54)
        pool = pool[size:]
    rng.shuffle(s["deal"])
    for other in set(range(4)) - {seat}:
        rng.shuffle(s["passed_on"][other])


def scramble_decision(s, rng):
    """The decision under way belongs to another seat: so do the cards taken for it, and what it owes."""
    hand = np.repeat(np.arange(54), s["hands"][s["seat"]])
    taken = rng.permutation(hand)[: rng.integers(0, len(hand) + 1)]
    s["taken"] = np.bincount(taken, minlength=54)
    s["taken_size"] = len(taken)
    s["last_slot"] = rng.integers(54)
    s["must_match"] = rng.integers(2)
    s["num_owed"] = rng.integers(3)
    s["owed_width"][:3] = rng.integers(2, 4, 3)
    s["owed_length"][:3] = 1


class Eyes:
    """What a seat sees of any state."""

    def __init__(self, env):
        self.tables = Tables(TableSettings(rules=env.rules), np.zeros(1, np.int64))

    def see(self, state, seat):
        mask = np.zeros(NUM_ACTIONS, np.int8)
        if state["seat"][0] == seat:
            write_mask(state[0], self.tables.shared[0]["rules"], self.tables.works[0], mask)
        observe_seat(state, self.tables.shared, 0, seat, self.tables.observations)
        assert self.tables.observations.nbytes == OBSERVATION_SIZE
        return self.tables.observations.tobytes() + mask.tobytes()
