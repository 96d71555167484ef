"""A bot in one file, with nothing but Python: shengji arena 'exec:python3 docs/bots/club_player.py' greedy

It bids when it holds many trumps, leads high cards, gives points to its partner and keeps them from the others.
Whatever takes more thought is left to the legal answer that comes with every question. docs/protocol.md explains the
messages.
"""

import json
import sys

RANKS = "23456789TJQKA"
JOKERS = ("LJ", "BJ")


class Round:
    """What the bot remembers of a round."""

    def __init__(self, start):
        self.seat, self.hand, self.trick = start["seat"], [], []
        self.trump = self.level = ""

    def hear(self, message):
        kind = message["type"]
        if kind in ("draw", "kitty"):
            self.hand += message["cards"].split()
        elif kind == "trumps":
            self.trump, self.level = message["trump"], message["level_rank"]
        elif kind == "bury" and message["bury"]:
            self.drop(message["bury"])
        elif kind in ("lead", "follow"):
            self.trick.append((message["seat"], message[kind]))
        elif kind == "led":  # a throw has failed: the leader takes the other cards back
            self.trick[0] = (message["seat"], message["led"])
        elif kind == "trick":
            self.drop(dict(self.trick)[self.seat])
            self.trick = []

    def drop(self, cards):
        for card in cards.split():
            self.hand.remove(card)

    def decide(self, question):
        kind, size = question["kind"], question["size"]
        if kind == "bid":
            return self.bid(question["options"])
        if kind == "bury":
            return " ".join(sorted(self.hand, key=self.worth)[:size])
        if kind == "lead":
            plain = [card for card in self.hand if self.suit(card) != "trump"]
            return max(plain or self.hand, key=self.strength)
        if kind == "follow" and size == 1:
            return self.follow()
        return question["legal"]

    def bid(self, options):
        """Bid the suit of which at least a third of the hand is."""
        suits = {cards[0]: cards for cards in options if cards.split()[0] not in JOKERS}
        number = {suit: sum(card[0] == suit for card in self.hand) for suit in suits}
        best = max(suits, key=number.get, default=None)
        return suits[best] if best and 3 * number[best] >= len(self.hand) else ""

    def follow(self):
        led = self.suit(self.trick[0][1])
        cards = [card for card in self.hand if self.suit(card) == led] or self.hand
        winner, best = max(self.trick, key=lambda play: self.rank(play[1], led))
        if winner == (self.seat + 2) % 4:
            return max(cards, key=points)  # the partner's trick
        winning = [card for card in cards if self.rank(card, led) > self.rank(best, led)]
        return max(winning, key=self.strength) if winning else min(cards, key=self.worth)

    def suit(self, card):
        return "trump" if card in JOKERS or card[0] == self.trump or card[1] == self.level else card[0]

    def strength(self, card):
        if card in JOKERS:
            return 200 + JOKERS.index(card)
        return RANKS.index(card[1]) + 100 * (card[1] == self.level) + 50 * (card[0] == self.trump)

    def rank(self, card, led):
        """How high a card is in a trick: only the led suit and trumps count."""
        return self.strength(card) + 50 * (self.suit(card) == "trump") if self.suit(card) in (led, "trump") else -1

    def worth(self, card):
        """What it costs to give a card away."""
        return self.suit(card) == "trump", points(card), self.strength(card)


def points(card):
    return 0 if card in JOKERS else {"5": 5, "T": 10, "K": 10}.get(card[1], 0)


def say(**message):
    print(json.dumps(message), flush=True)


def main():
    current = None
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say(type="ready", protocol=2)
        elif message["type"] == "round":
            current = Round(message)
        elif message["type"] == "decide":
            say(type="play", move=message["move"], cards=current.decide(message))
        elif message["type"] == "end":
            break
        else:
            current.hear(message)


main()
