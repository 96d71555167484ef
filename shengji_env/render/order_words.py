"""Trumps and the order of cards in words, of the cards that are dealt.

Each function takes a rule set and returns paragraphs or a sentence.

Source: docs/rules.md §6, §7.
"""

from itertools import pairwise

from shengji_env.engine.cards import JOKERS, NUM_RANKS, NUM_SUITS, RANKS
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.render.text import SYMBOLS

_JOKER_WORDS = ("little joker", "big joker")
_EXAMPLE = RANKS.index("5")
"""The level of the example of neighbours, if it is dealt with the ranks beside it."""
_OF_EXAMPLE = [RANKS.index(rank) for rank in "456A"]


def rank_name(rank: int) -> str:
    """Return a rank as people call it."""
    return RANKS[rank].replace("T", "10")


def can_be_no_trump(rules: RuleSet) -> bool:
    """Return whether a round can be played without a trump suit."""
    is_bid_for = rules.bidding != "fixed"
    return rules.no_trump_bids or (is_bid_for and (rules.no_bid == "no_trump" or may_turn_up_jokers_only(rules)))


def may_turn_up_jokers_only(rules: RuleSet) -> bool:
    """Return whether a kitty can be all jokers."""
    return rules.bidding != "fixed" and rules.no_bid != "random" and rules.kitty <= sum(rules.copies[-len(JOKERS) :])


def jokers_dealt(rules: RuleSet) -> list[str]:
    """Return the jokers that are dealt, from low to high."""
    return [word for word, copies in zip(_JOKER_WORDS, rules.copies[-len(JOKERS) :], strict=True) if copies]


def suits_dealt(rules: RuleSet) -> list[int]:
    """Return the suits that are dealt."""
    return [suit for suit in range(NUM_SUITS) if any(rules.copies[NUM_RANKS * suit : NUM_RANKS * (suit + 1)])]


def _ranks_dealt(rules: RuleSet) -> list[int]:
    return [rank for rank in range(NUM_RANKS) if any(rules.copies[rank : NUM_RANKS * NUM_SUITS : NUM_RANKS])]


def order(rules: RuleSet) -> list[str]:
    """Explain what is trumps, and which card is higher (§6)."""
    ranks = _ranks_dealt(rules)
    span = f"from {rank_name(ranks[-1])} down to {rank_name(ranks[0])}"
    jokers = [f"the {word}" for word in reversed(jokers_dealt(rules))]
    others = ["the other level cards (equal to one another)"] if len(suits_dealt(rules)) > 1 else []
    listed = [*jokers, "the level card of the trump suit", *others, f"the rest of the trump suit {span}"]
    text = f"Trumps, from high to low: {', '.join(listed)}."
    if can_be_no_trump(rules):
        text += f" At no trump (无主): {', '.join([*jokers, 'the level cards (all equal)'])}, and nothing else."
    if len(ranks) < NUM_RANKS:
        text += " At a level whose rank is not dealt there are no level cards."
    return [f"{text} All other cards are plain (副), each suit {span}. Of equal cards the one played first is higher."]


def neighbours(rules: RuleSet) -> str:
    """Explain which cards can be neighbours in a tractor (§7), by examples of cards that are dealt."""
    suits, ranks = suits_dealt(rules), _ranks_dealt(rules)
    is_usual = set(_OF_EXAMPLE) <= set(ranks)
    level = _EXAMPLE if is_usual else min(set(range(NUM_RANKS)) - set(ranks))
    text = "Neighbours stand next to each other in the order of a suit or of trumps."
    if len(ranks) < NUM_RANKS:
        text += " Ranks that are not dealt keep their places in it."
    examples = [*_plain_examples(ranks, level, suits), *_trump_examples(rules, suits, is_usual)]
    if examples:
        text += f" With level {rank_name(level)} and {SYMBOLS[suits[-1]]} trumps, say: {', '.join(examples)}"
        text += f"; but not {SYMBOLS[suits[-2]]}5 and {SYMBOLS[suits[-3]]}5." if is_usual and len(suits) > 2 else "."
    if can_be_no_trump(rules) and _JOKER_WORDS[0] in jokers_dealt(rules):
        text += " At no trump every level card is a neighbour of the little joker."
    return text


def _plain_examples(ranks: list[int], level: int, suits: list[int]) -> list[str]:
    """Return two cards of a plain suit that are neighbours, if there are any: those beside the level, if possible."""
    places = pairwise(rank for rank in range(NUM_RANKS) if rank != level)
    found = [(low, high) for low, high in places if low in ranks and high in ranks]
    low, high = max(found, key=lambda pair: pair[1] - pair[0], default=(0, 0))
    symbol = SYMBOLS[suits[-2:][0]]
    return [f"{symbol}{rank_name(low)} and {symbol}{rank_name(high)}"] if found else []


def _trump_examples(rules: RuleSet, suits: list[int], has_level_cards: bool) -> list[str]:
    """Return neighbours among trumps of the last suit, at level 5 if there are level cards."""
    jokers, trump, other = jokers_dealt(rules), SYMBOLS[suits[-1]], SYMBOLS[suits[-2:][0]]
    examples = [f"{trump}A and {other}5", f"{other}5 and {trump}5"] if has_level_cards and len(suits) > 1 else []
    if has_level_cards and _JOKER_WORDS[0] in jokers:
        examples.append(f"{trump}5 and the little joker")
    return [*examples, "the two jokers"] if len(jokers) > 1 else examples
