"""What Botzone's judge takes as a legal play, written from its rules alone: tried on 6,400 of its verdicts.

Source: docs/botzone.md, the table of rules.
"""

from collections import Counter, defaultdict

RANKS = "23456789TJQKA"


def suit_of(card, trump, level):
    is_trump = card in ("LJ", "BJ") or card[1] == level or card[0] == trump
    return "trump" if is_trump else card[0]


def runs_of(pairs, level):
    """The places of pairs, by suit; level cards and jokers have none."""
    places, ranks = defaultdict(set), RANKS.replace(level, "")
    for card in pairs:
        if card not in ("LJ", "BJ") and card[1] != level:
            places[card[0]].add(ranks.index(card[1]))
    return places


def kind_of(cards, level):
    """The number of pairs of a play: 0 for a single card, 1, a tractor's; None: it is a throw."""
    counts, size = Counter(cards), len(cards)
    if size == 1:
        return 0
    if set(counts.values()) != {2} or (size == 4 and counts["LJ"] + counts["BJ"] in (1, 2, 3)):
        return None
    if size == 2 or counts["LJ"] + counts["BJ"] == 4 == size:
        return size // 2
    places = list(runs_of(counts, level).values())
    is_run = len(places) == 1 and 2 * len(places[0]) == size and max(places[0]) - min(places[0]) < len(places[0])
    return size // 2 if is_run else None


def holds(kind, cards, level):
    pairs = [card for card, count in Counter(cards).items() if count == 2]
    if kind < 2:
        return bool(pairs) if kind else bool(cards)
    runs = [
        places >= set(range(first, first + kind)) for places in runs_of(pairs, level).values() for first in range(13)
    ]
    return any(runs) or (kind == 2 and {"LJ", "BJ"} <= set(pairs))


def is_legal(play, led, hand, trump, level):
    """Whether a play of a hand is legal; `led` is empty for a lead. All are lists of cards."""
    suits = [suit_of(card, trump, level) for card in play]
    if not led:
        return len(set(suits)) == 1
    suit, size = suit_of(led[0], trump, level), len(led)
    mine = [card for card in hand if suit_of(card, trump, level) == suit]
    num_served, kind = suits.count(suit), kind_of(led, level)
    if len(play) != size:
        return False
    if kind is None:
        return num_served == min(len(mine), size)
    is_alike = kind_of(play, level) == kind
    if holds(kind, mine, level):
        return is_alike and num_served == size
    if is_alike or num_served < size:
        return is_alike or num_served == len(mine) < size
    pairs = [sum(count == 2 for count in Counter(cards).values()) for cards in (play, mine)]
    return kind == 0 or pairs[0] >= min(size // 2, pairs[1])
