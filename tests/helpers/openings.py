"""Openings: rounds with chosen hands, whose bids, passes and burials are made by their texts."""

import numpy as np

from shengji_env.engine.actions import NUM_ACTIONS, action_text, parse_action
from shengji_env.engine.bids import reading_of
from shengji_env.engine.cards import CARD_POINTS, RANKS, card_id
from shengji_env.engine.deal import SAME_CARDS
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import write_mask
from shengji_env.engine.opening import begin_round
from shengji_env.engine.rule_sets import as_rules
from shengji_env.engine.slots import card_of_slot
from shengji_env.engine.state import NOBODY, STATE_DTYPE, UNNAMED, WORKSPACE_DTYPE, Phase


def deal_of(rules, hands, kitty="", first_drawer=0):
    """Return a deal in which seats hold the cards of these texts; twos and jokers that are left lie in the kitty.

    What else is missing are the lowest cards that are left, in seat order.
    """
    left = [card for card, copies in enumerate(rules.copies) for _ in range(copies)]
    rows = [[card_id(word) for word in hands.get(seat, "").split()] for seat in range(4)]
    rows.append([card_id(word) for word in kitty.split()])
    for row in rows:
        for card in row:
            left.remove(card)
    left.sort(key=lambda card: card >= 52 or card % 13 == 0)
    for row, size in zip(rows, [rules.hand] * 4 + [rules.kitty], strict=True):
        missing = size - len(row)
        row += left[:missing]
        del left[:missing]
    deal = [rows[(first_drawer + index) % 4][index // 4] for index in range(4 * rules.hand)] + rows[4]
    padded = np.zeros(216, np.int8)
    padded[: len(deal)] = deal
    return padded


class Opening:
    """A round from its deal on."""

    def __init__(self, text, hands=None, *, kitty="", declarer=NOBODY, levels="22", first_drawer=0):
        self.rules = as_rules(text)
        self.record, self.work = self.rules.record()[0], np.zeros(1, WORKSPACE_DTYPE)[0]
        self.states = np.zeros(1, STATE_DTYPE)
        self.s = s = self.states[0]
        drawer = first_drawer if declarer == NOBODY else declarer
        s["trump"], s["declarer"], s["first_drawer"], s["deal_given"] = UNNAMED, declarer, drawer, 1
        s["levels"] = [RANKS.index(level) for level in levels]
        s["deal"] = deal_of(self.rules, hands or {}, kitty, drawer)
        begin_round(s, self.record, self.work, SAME_CARDS)

    @property
    def at(self):
        """Phase and seat of the next decision."""
        return Phase(int(self.s["phase"])).name, int(self.s["seat"])

    def legal(self):
        """The texts of the legal actions."""
        mask = np.zeros(NUM_ACTIONS, np.int8)
        write_mask(self.s, self.record, self.work, mask)
        trump, level = reading_of(self.s, self.s["seat"])
        is_bid = self.s["phase"] in (Phase.BID, Phase.REBEL)
        return [action_text(int(action), trump=trump, level=level, is_bid=is_bid) for action in np.flatnonzero(mask)]

    def make(self, *texts):
        """Make legal actions."""
        for text in texts:
            assert text in self.legal(), f"{text} at {self.at}: {self.legal()}"
            trump, level = reading_of(self.s, self.s["seat"])
            apply_action(
                self.s, self.record, self.work, SAME_CARDS, parse_action(text, trump=int(trump), level=int(level))
            )
            if self.at[0] != "OVER":
                self.check()
        return self

    def named_by(self, bid):
        """Let all pass until a bid can be made, make it, and let all pass until trumps are named."""
        while bid not in self.legal():
            self.make("pass")
        self.make(bid)
        while self.at[0] == "BID" and self.s["trump"] == UNNAMED:
            self.make("pass")
        return self

    def bury(self, texts):
        """Take cards of a text, in ascending slot order, as many as the kitty."""
        wanted = texts.split()
        while wanted:
            text = next(legal for legal in self.legal() if legal in wanted)
            wanted.remove(text)
            self.make(text)
        return self

    def bury_lowest(self):
        """Bury the lowest cards."""
        for _ in range(self.rules.kitty):
            self.make(self.legal()[0])
        return self

    def cards(self, row):
        """The cards of a row of counts, by text, once trumps are named."""
        trump, level = int(self.s["trump"]), int(self.s["level_rank"])
        counts = np.zeros(54, np.int64)
        for slot in range(54):
            counts[card_of_slot(slot, trump, level)] = row[slot]
        return counts

    def check(self):
        """Nothing is taken for a bid; once the kitty is taken up, no card is lost, and slots are worth their cards."""
        s = self.s
        assert s["phase"] not in (Phase.BID, Phase.REBEL) or not s["taken"].any()
        if s["num_takers"] > 0:
            held = s["hands"].sum(axis=0) + s["played"].sum(axis=0) + s["buried"]
            for row, expected in ((held, self.rules.copies), (s["slot_copies"], self.rules.copies),
                                  (s["slot_points"], CARD_POINTS)):  # fmt: skip
                assert (self.cards(row) == expected).all()


def counts_of(text):
    """Counts by card id of the cards of a text."""
    return np.bincount([card_id(word) for word in text.split()], minlength=54)
