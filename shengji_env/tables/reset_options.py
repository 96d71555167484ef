"""Options of `reset`: the start of a round that a user asks for, and its checks.

| option | value | meaning |
|---|---|---|
| `deal` | ``"S2 HT …"``, or card ids or texts in a sequence | all cards in the order drawn, the kitty last |
| `levels` | ``["2", "A"]``, or ``{0: "2", 1: "A"}`` | levels of team 0 (seats 0, 2) and team 1 |
| `declarer` | a seat, or None | who declares; None: it is bid for |
| `first_drawer` | a seat | who draws first where there is no declarer; a declarer draws first itself |
| `trump` | ``"C" "D" "H" "S" "NT"`` | what is trumps, with fixed bidding |

What is not given is drawn from the seed as always. A given deal is used for every redeal of its round too; where a
rebellion may end a deal, a user can give none. A record holds all deals of a round, so that its deals are always read.

Source: docs/environments/arguments.md; docs/rules.md §2–§4.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import TRUMP_TEXTS
from shengji_env.engine.cards import (
    ACE,
    MAX_TOTAL,
    NUM_CARDS,
    NUM_RANKS,
    RANKS,
    card_id,
    card_text,
    count_cards,
    parse_card_list,
)
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.slots import NO_TRUMP
from shengji_env.engine.state import NOBODY, NUM_TEAMS, UNNAMED
from shengji_env.errors import DealError, NotationError, show
from shengji_env.support.arguments import as_index, check_seat

OPTIONS = ("deal", "levels", "declarer", "first_drawer", "trump")
# PettingZoo's api_test resets with {"options": 1} and expects that to be ignored.
_IGNORED = "options"


def read_options(
    options: Mapping[str, Any] | None, rules: RuleSet, *, is_match: bool, is_recorded: bool = False
) -> dict[str, Any]:
    """Return the fields of a state (`engine/state.py`) that a user's options set, or a record's start if `is_recorded`.

    Raises:
        DealError: an option is unknown, or no round of these rules could start like this.
    """
    wishes = _read_names(options)
    fields: dict[str, Any] = {}
    if wishes.get("deal") is not None:
        if not is_recorded:
            _check_has_no_rebellion(rules)
        fields["deal"] = _read_deal(wishes["deal"], rules)
        fields["deal_given"] = 1
    if wishes.get("levels") is not None:
        fields["levels"] = _read_levels(wishes["levels"], rules, is_match)
    fields.update(_read_drawer(wishes))
    if wishes.get("trump") is not None:
        fields["trump"] = _read_trump(wishes["trump"], rules)
    return fields


def write_start(states: NDArray[Any], rows: NDArray[np.int64] | slice, given: Mapping[str, Any]) -> None:
    """Write fields that `read_options` has returned into some states, whose rounds have begun as drawn."""
    # Bidding may have ended already, and made somebody declarer.
    states["declarer"][rows] = np.where(states["had_declarer"], states["first_drawer"], NOBODY)[rows]
    states["trump"][rows] = UNNAMED
    for name, value in given.items():
        states[name][rows] = value


def _read_names(options: Mapping[str, Any] | None) -> dict[str, Any]:
    if options is not None and not isinstance(options, Mapping):
        raise DealError(f"options={show(options)} must be a mapping of {', '.join(OPTIONS)}, or None")
    wishes = {name: value for name, value in (options or {}).items() if name != _IGNORED}
    unknown = [name for name in wishes if name not in OPTIONS]
    if unknown:
        raise DealError(f"no option is called {show(unknown[0])}; there are {', '.join(OPTIONS)}")
    return wishes


def _check_has_no_rebellion(rules: RuleSet) -> None:
    if rules.rebellion != "none" and rules.bidding != "fixed":
        raise DealError(
            f"deal=… cannot be given under rebellion={rules.rebellion!r}, which may ask for another deal; a record of "
            "a round holds all its deals"
        )


def _read_deal(deal: Any, rules: RuleSet) -> Any:
    try:
        words = parse_card_list(deal) if isinstance(deal, str) else [_read_card(card) for card in _few(deal)]
    except (NotationError, TypeError) as error:
        raise DealError(f"the deal cannot be read: {error}") from error
    if len(words) > MAX_TOTAL:
        raise DealError(f"the deal has more than {MAX_TOTAL} cards; {rules} is played with {rules.total}")
    counts = count_cards(words)
    for card, copies in enumerate(rules.copies):
        if counts[card] != copies:
            held = f"the deal of {len(words)} cards holds {counts[card]} × {card_text(card)}"
            dealt = f"{copies} of it" if rules.cards else f"{copies} of each"
            raise DealError(f"{held}; {rules} is played with {dealt}")
    padded = np.zeros(MAX_TOTAL, np.int8)
    padded[: len(words)] = words
    return padded


def _few(deal: Any) -> Any:
    """Return no more cards than are needed to see that there are too many."""
    return itertools.islice(deal, MAX_TOTAL + 1)


def _read_card(card: Any) -> int:
    if isinstance(card, str):
        return card_id(card)
    index = as_index(card)
    if index is None or not 0 <= index < NUM_CARDS:
        raise NotationError(f"{show(card)} is not a card id; ids are 0..{NUM_CARDS - 1}")
    return index


def _read_levels(levels: Any, rules: RuleSet, is_match: bool) -> list[int]:
    teams = levels if isinstance(levels, Mapping) else dict(enumerate(levels if isinstance(levels, Sequence) else ()))
    if set(teams) != set(range(NUM_TEAMS)):
        raise DealError(f"levels={show(levels)} must name a rank for each team, as ['2', 'A'] or {{0: '2', 1: 'A'}}")
    ranks = []
    for team in range(NUM_TEAMS):
        level = teams[team]
        text = level if isinstance(level, str) else show(as_index(level))
        text = "T" if text == "10" else text
        if len(text) != 1 or text not in RANKS:
            raise DealError(f"level {show(level)} of team {team} is not a rank; ranks are {' '.join(RANKS)}")
        if is_match and rules.match_end == "reach_ace" and RANKS.index(text) == ACE:
            raise DealError(f"team {team} cannot begin at A: the match ends when a level reaches it")
        ranks.append(RANKS.index(text))
    return ranks


def _read_drawer(wishes: Mapping[str, Any]) -> dict[str, Any]:
    """Read declarer and first drawer; a declarer draws first."""
    fields: dict[str, Any] = {}
    if "declarer" in wishes:
        declarer = wishes["declarer"]
        fields["declarer"] = NOBODY if declarer is None else check_seat("declarer", declarer, error=DealError)
    if wishes.get("first_drawer") is not None:
        drawer = fields["first_drawer"] = check_seat("first_drawer", wishes["first_drawer"], error=DealError)
        declarer = fields.setdefault("declarer", NOBODY)
        if declarer not in (NOBODY, drawer):
            raise DealError(f"first_drawer={drawer}: the declarer, seat {declarer}, draws first")
    return fields


def _read_trump(trump: Any, rules: RuleSet) -> int:
    allowed = [TRUMP_TEXTS[suit] for suit in range(NO_TRUMP) if any(rules.copies[suit * NUM_RANKS :][:NUM_RANKS])]
    allowed += ["NT"] * rules.no_trump_bids
    if rules.bidding != "fixed":
        asked = f"trump={show(trump)}: trumps are bid for under bidding={rules.bidding!r}"
        raise DealError(f"{asked}; only 'fixed' takes them as given")
    if not isinstance(trump, str) or trump not in allowed:
        raise DealError(f"trump={show(trump)} is unknown; it is one of {', '.join(allowed)}")
    return TRUMP_TEXTS.index(trump)
