"""Late positions, made by hand."""

import numpy as np

from shengji_env.engine.actions import DONE
from shengji_env.engine.cards import CARD_POINTS, CARD_TEXTS, card_id
from shengji_env.engine.masks import write_mask
from shengji_env.engine.slots import NUM_SLOTS, card_of_slot, slot_of_card
from shengji_env.engine.state import Phase
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.tables.queries import observe_seat
from shengji_env.vector import BatchEnv

SPADES, TWO = 3, 0
NO_KEY = np.zeros(1, np.uint64)
HEURISTIC = HeuristicPlayer()


def counts_of(text):
    """Counts in slots, with spades as trumps and level 2."""
    slots = [slot_of_card(card_id(card), SPADES, TWO) for card in text.split()]
    return np.bincount(np.array(slots, np.int64), minlength=NUM_SLOTS).astype(np.int8)


def text_of(counts):
    return " ".join(CARD_TEXTS[card_of_slot(slot, SPADES, TWO)] for slot in np.repeat(np.arange(NUM_SLOTS), counts))


class Position:
    """A late position of two decks: spades are trumps, level 2, seat 0 declares; what nobody holds has been played."""

    def __init__(self, hands, leader=0, rules="two_deck"):
        self.env = BatchEnv(1, rules, seed=0)
        while self.env.phase[0] != Phase.LEAD:
            self.env.step(self.env.action_mask.argmax(axis=1))
        tables = self.env.tables
        s = tables.states[0]
        s["trump"], s["level_rank"], s["declarer"], s["seat"], s["leader"] = SPADES, TWO, 0, leader, leader
        s["levels"][:] = TWO
        for field in ("played", "known", "voids", "buried", "turned", "taken"):
            s[field] = 0
        s["slot_points"] = [CARD_POINTS[card_of_slot(slot, SPADES, TWO)] for slot in range(NUM_SLOTS)]
        s["hands"] = [counts_of(hand) for hand in hands]
        s["played"][1] = 2 - s["hands"].sum(axis=0)
        write_mask(s, tables.shared[0]["rules"], tables.works[0], tables.masks[0])
        observe_seat(tables.states, tables.shared, 0, leader, tables.observations)
        tables.seats[0], tables.phases[0] = leader, Phase.LEAD

    def play(self, text):
        """The seat to move plays these cards."""
        for slot in np.repeat(np.arange(NUM_SLOTS), counts_of(text)):
            self.env.step([slot])
        if self.env.phase[0] == Phase.LEAD:
            self.env.step([DONE])
        return self

    def decide(self):
        """What the heuristic player plays for the seat to move."""
        taken = np.zeros(NUM_SLOTS, np.int64)
        s = self.env.states[0]
        seat, trick = s["seat"], s["tricks"]
        while (s["seat"], s["tricks"]) == (seat, trick):
            action = HEURISTIC.act(self.env.observation, self.env.action_mask, NO_KEY)
            if action[0] != DONE:
                taken[action[0]] += 1
            self.env.step(action)
        return text_of(taken)
