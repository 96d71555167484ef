"""The rules of the end in words: the last trick and the kitty, the result of a round, the match.

Each function takes a rule set and returns paragraphs; those that begin with `BULLET` are points of a list. Numbers come
from the engine.

Source: docs/rules.md §11–§13.
"""

import numpy as np

from shengji_env.engine.cards import NUM_RANKS, RANKS
from shengji_env.engine.components import component_code
from shengji_env.engine.result_tables import DRAW_MARGIN
from shengji_env.engine.results import kitty_multiplier
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.render.order_words import rank_name
from shengji_env.render.play_words import KINDS
from shengji_env.render.shown_values import has_effect
from shengji_env.render.text import BULLET, plural

HALF_OF_JACK = RANKS.index("6")
"""The level to which a jack of another suit brings declarers down from J (§13)."""
_LONGEST = 12
_TRIPLE = 3


def kitty(rules: RuleSet) -> list[str]:
    """Explain what the last trick and the kitty are worth (§11)."""
    last = "like those in all others" if rules.last_trick_points else "for nobody"
    text = f"The points in the last trick count {last}."
    if rules.kitty_multiplier == "none":
        return [f"{text} The points that were buried count for nobody."]
    text += " If the attackers win it, they also get the points that were buried (抠底)"
    if rules.kitty_multiplier == "cards" and (rules.throws or rules.decks > 1):
        return [f"{text}, times twice the number of cards that each player put into it: {_figures_of_cards(rules)}."]
    if rules.decks == 1 or rules.kitty_multiplier == "double":
        return [f"{text}, times {multiplier(rules, 1, 1)}."]
    return [f"{text}, times {_figures(rules)}.{_what_counts(rules)}"]


def multiplier(rules: RuleSet, width: int, length: int) -> int:
    """Return the engine's factor for one component."""
    codes = np.array([component_code(width, length, length - 1, 0)], dtype=np.int32)
    return int(kitty_multiplier(rules.record()[0], codes, 1))


def _figures_of_cards(rules: RuleSet) -> str:
    """Return the factors of the smallest numbers of cards."""
    one, two, three = (multiplier(rules, 1, length) for length in (1, 2, 3))
    return f"{one} for one card, {two} for two, {three} for three, and so on"


def _figures(rules: RuleSet) -> str:
    """Return the factors of all kinds of components."""
    factors = []
    for width, (kind, run, sized_run) in enumerate(KINDS[: rules.decks], start=1):
        factors.append(f"{multiplier(rules, width, 1)} for a {kind}")
        if run:
            two, three = (multiplier(rules, width, length) for length in (2, 3))
            sized = f"{two} for a {sized_run.format('two')} and {three} for one of three"
            factors.append(f"{two} for a {run}" if two == three else sized)
    if rules.kitty_multiplier == "exponential":
        return f"{', '.join(factors)}, never more than {multiplier(rules, rules.decks, _LONGEST)}"
    return f"{', '.join(factors)}, and so on"


def _what_counts(rules: RuleSet) -> str:
    """Return which play counts, and which of its components."""
    if not has_effect(rules, "kitty_shape"):
        return " What counts is what was led to the trick."
    part = "the part with the most cards"
    if rules.kitty_multiplier == "pattern":
        kinds = [kind for names in KINDS[min(rules.decks, _TRIPLE) - 1 :: -1] for kind in names[1::-1] if kind]
        quads = " (quads being triples)" if rules.decks > _TRIPLE else ""
        part = f"the first of {', '.join(kinds)}{quads}"
    play = "the play that won the trick" if rules.kitty_shape == "winner" else "what was led to the trick"
    return f" What counts is {part} in {play}."


def result(rules: RuleSet) -> list[str]:
    """Explain how the attackers' points become levels, and who declares next (§12)."""
    table = rules.table
    penalties = ", and what failed throws cost" if _has_penalty(rules) else ""
    captured = "what they captured" if rules.kitty_multiplier == "none" else "what they captured, the kitty's included"
    paragraphs = [f"The attackers' points (得分) decide: {captured}{penalties}."]
    rows = _rows_with_last_trick(rules) if table.last_trick_wins else _rows(rules)
    return [*paragraphs, *(BULLET + row for row in rows), _next_declarer(rules)]


def _has_penalty(rules: RuleSet) -> bool:
    return rules.throws and rules.throw_penalty > 0


def _next_declarer(rules: RuleSet) -> str:
    text = (
        "The next declarer is the declarer's partner if the declarers have won, the player after the declarer if the "
        "attackers have."
    )
    if rules.table.last_trick_wins:
        text += f" After a draw it is {'chosen by lot' if rules.bidding == 'fixed' else 'bid for'}."
    return text


def _rows(rules: RuleSet) -> list[str]:
    table = rules.table
    rows = []
    for bound, levels in table.declarers:
        points = f"Below {bound} points" if bound > 1 else "0 points or less" if _has_penalty(rules) else "No points"
        rows.append(f"{points}: the declarers rise {plural(levels, 'level')}.")
    for threshold, levels in table.attackers:
        rise = f"win and rise {plural(levels, 'level')}" if levels else "win (上台), and nobody rises"
        rows.append(f"From {threshold} points on: the attackers {rise}.")
    if table.step:
        rows.append(f"For every further {table.step} points: one level more.")
    return rows


def _rows_with_last_trick(rules: RuleSet) -> list[str]:
    """Return the rows of a table in which the attackers also win by the last trick."""
    threshold, levels = rules.table.threshold, rules.table.declarers[0][1]
    return [
        f"From {threshold} points on, or with the last trick: the attackers win and rise one level; with both, two.",
        f"With exactly {threshold - DRAW_MARGIN} points, but not the last trick: a draw, and nobody rises.",
        f"Else the declarers rise {plural(levels, 'level')}.",
    ]


def match(rules: RuleSet) -> list[str]:
    """Explain when the match is over, and who wins it (§13)."""
    return [*_match_end(rules), *_must_defend(rules), *_demotion(rules)]


def _demotion(rules: RuleSet) -> list[str]:
    """Explain which cards cost the declarers levels if the last trick is won with them (§13)."""
    option = rules.last_trick_demotion
    if option == "none":
        return []
    low, ace, jack = rank_name(0), rank_name(NUM_RANKS - 1), "J"
    cards, fall = f"At level {jack}, one {jack}", f"makes the declarers fall to {low}"
    if option == "jack_ace":
        cards = f"At levels {jack} and {ace}, one level card or a pair of it"
    if option == "jack_suit":
        fall = (
            f"makes declarers who have lost the round fall: to {low} if it is of the trump suit, otherwise to half "
            f"their level, {rank_name(HALF_OF_JACK)}"
        )
    return [f"{cards} with which the attackers win the last trick (勾到底) {fall}.{_after_fall(rules)}"]


def _after_fall(rules: RuleSet) -> str:
    """Return what becomes of declarers who fall to the lowest level though they have held theirs."""
    if rules.last_trick_demotion == "jack_suit":
        return ""
    low, ace = RANKS[0], rank_name(NUM_RANKS - 1)
    goes_on = "stay there, since it must be defended" if low in rules.must_defend else "rise from there"
    text = f" Declarers who have held their level all the same {goes_on}"
    if rules.last_trick_demotion == "jack_ace" and rules.match_end == "pass_ace":
        text += f", and have not won the match if it was {ace}"
    return f"{text}."


def _must_defend(rules: RuleSet) -> list[str]:
    """Explain which levels must be defended (§13)."""
    if not rules.must_defend:
        return []
    *others, last = (rank_name(RANKS.index(rank)) for rank in rules.must_defend)
    levels = f"Level {last}" if not others else f"Levels {', '.join(others)} and {last}"
    return [
        f"{levels} must be defended (必打): a team that would pass such a level stops there, whatever it has won, and "
        "rises on only after a round that it wins as declarers at this level. If it wins there as attackers, it "
        "declares next, but does not rise."
    ]


def _match_end(rules: RuleSet) -> list[str]:
    ace = rank_name(NUM_RANKS - 1)
    if rules.match_end == "reach_ace":
        return [f"The team whose level is first to reach {ace} wins the match."]
    if rules.match_end == "beyond_ace":
        return [
            f"The team that is first to rise beyond {ace} wins the match, as declarers or as attackers, from {ace} or "
            "from a lower level."
        ]
    stops = f"Levels stop at {ace}."
    if rules.match_end == "pass_ace":
        return [f"{stops} The match is won by the team that wins a round as declarers at level {ace} (A必打)."]
    rounds = plural(rules.match_rounds, "round")
    return [f"{stops} After {rounds} the team with the higher level wins the match; with equal levels it is a tie."]
