"""Positions as text: one line of JSON, much like a record's round that breaks off.

| key | what |
|---|---|
| `format` | `POSITION_FORMAT` |
| `rules` | preset, options and fingerprint, as in a record's header |
| `deals` | ``{"seed": 7, "table": 0}``: where the next deal comes from if nobody bids; null: the same cards again |
| `round`, `match_round`, `levels`, `declarer`, `first_drawer`, `redeals`, `deal` | as in a record |
| `rebellions` | how many of the `redeals` a rebellion brought about, if any; the start is then that of this deal |
| `trump` | the given trumps with fixed bidding, otherwise null |
| `decisions` | as in a record, passes included |
| `taken` | cards that the seat to move has already taken for its decision |

A text is read by making all of its decisions: whatever the rules do not allow is refused.

Source: docs/environments/positions.md; docs/records.md.
"""

import json
from typing import Any

import numpy as np

from shengji_env.engine.actions import TRUMP_TEXTS
from shengji_env.engine.cards import CARD_TEXTS, RANKS
from shengji_env.engine.deal import Deals
from shengji_env.engine.referee.values import read_cards
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Phase
from shengji_env.envs.positions.histories import History
from shengji_env.envs.positions.play_texts import CARD_PHASES, take
from shengji_env.envs.positions.starts import play_decisions, start_of
from shengji_env.errors import NotationError, RecordError, RuleSetError, ShengjiError, show
from shengji_env.records.reading import check_round
from shengji_env.records.reading import start_of as start_of_record
from shengji_env.records.transcript import Transcript
from shengji_env.support.arguments import MAX_INT64, check_index, check_seed
from shengji_env.support.text_files import parse_json

POSITION_FORMAT = "shengji-position/1"
MAX_CHARACTERS = 1 << 17
"""Most characters of a text: several times as many as the longest round of four decks has."""
_OF_RECORD = ("round", "match_round", "levels", "declarer", "first_drawer", "redeals", "deal", "decisions")
_REBELLIONS = "rebellions"
_KEYS = ("format", "rules", "deals", *_OF_RECORD[:-1], "trump", "decisions", "taken")


def write(history: History) -> str:
    """Return a history as text; `read` returns it again."""
    start = history.deal_state[0]
    transcript = _transcript_of(history)
    is_given = bool(start["deal_given"])
    deals = None if is_given else {"seed": int(history.deals.seed), "table": history.deals.table}
    taken = transcript.states["taken"][0]
    text: dict[str, Any] = {
        "format": POSITION_FORMAT,
        "rules": history.game.rules.to_json(),
        "deals": deals,
        "round": int(start["round_index"]),
        "match_round": int(start["match_round"]),
        "levels": [RANKS[level] for level in start["levels"].tolist()],
        "declarer": int(start["declarer"]) if start["had_declarer"] else None,
        "first_drawer": int(start["first_drawer"]),
        "redeals": int(start["redeals"]),
        "rebellions": int(start["rebellions"]),
        "deal": " ".join(CARD_TEXTS[card] for card in start["deal"][: history.game.rules.total]),
        "trump": TRUMP_TEXTS[int(start["trump"])] if _has_fixed_trump(history.game.rules) else None,
        "decisions": transcript.decisions,
        "taken": transcript.text(taken) if taken.any() else "",
    }
    if not text["rebellions"]:
        del text["rebellions"]
    return json.dumps(text)


def _transcript_of(history: History) -> Transcript:
    start, rules = history.deal_state[0], history.game.rules
    redeals, rebellions, match_round = (int(start[name]) for name in ("redeals", "rebellions", "match_round"))
    transcript = Transcript(
        rules, start_of(start, rules), redeals=redeals, rebellions=rebellions, match_round=match_round
    )
    for action in history.actions:
        transcript.make(action)
    return transcript


def _has_fixed_trump(rules: RuleSet) -> bool:
    return rules.bidding == "fixed"


def read(text: str) -> History:
    """Return the history that a text describes.

    Raises:
        NotationError: it is not a text of this format, or describes what the rules do not allow.
    """
    if not isinstance(text, str):
        raise NotationError(f"{show(text)} is not a position: a position is written as text")
    if len(text) > MAX_CHARACTERS:
        raise NotationError(
            f"a text of {len(text):,} characters is not a position; none has more than {MAX_CHARACTERS:,}"
        )
    given = parse_json(text, NotationError)
    try:
        return _read(_check_keys(given))
    except (RecordError, RuleSetError) as error:
        raise NotationError(f"the position cannot be read: {error}") from error


def _check_keys(given: Any) -> dict[str, Any]:
    if not isinstance(given, dict) or given.get("format") != POSITION_FORMAT:
        found = given.get("format") if isinstance(given, dict) else given
        raise NotationError(f"{show(found)} is not a position; this reads a JSON object of format {POSITION_FORMAT!r}")
    wrong = [
        *(name for name in _KEYS if name not in given),
        *(name for name in given if name not in (*_KEYS, _REBELLIONS)),
    ]
    if wrong:
        raise NotationError(f"the position lacks {show(wrong[0])}, or should not have it; keys are {', '.join(_KEYS)}")
    return given


def _read(given: dict[str, Any]) -> History:
    if not isinstance(given["rules"], dict):
        raise NotationError(f"rules={show(given['rules'])} must be preset, options and fingerprint")
    rules = RuleSet.from_json(given["rules"])
    trump = given["trump"]
    if _has_fixed_trump(rules) != isinstance(trump, str):
        raise NotationError(f"trump={show(trump)} must be {'a text' if _has_fixed_trump(rules) else 'null'} here")
    rebellions = check_index(_REBELLIONS, given.get(_REBELLIONS, 0), 0, _most_rebellions(rules), error=NotationError)
    record = {**{name: given[name] for name in _OF_RECORD}, "trump": trump or ""}
    if rebellions and type(record["redeals"]) is int:
        record["redeals"] -= rebellions
    check_round(record, rules)
    match_round = record["match_round"] or None
    if match_round is None:
        del record["match_round"]
    start, redeals = start_of_record(record, rules), record["redeals"] + rebellions
    transcript = Transcript(rules, start, redeals=redeals, rebellions=rebellions, match_round=match_round)
    history = play_decisions(transcript, given["decisions"])
    history = history._replace(actions=history.actions + _read_taken(history, given["taken"]))
    deals = _read_deals(given["deals"])
    if deals is not None:
        history.deal_state["deal_given"] = 0
        history = history._replace(deals=deals)
    return history


def _most_rebellions(rules: RuleSet) -> int:
    return 0 if rules.rebellion == "none" or _has_fixed_trump(rules) else rules.max_rebellions


def _read_deals(given: Any) -> Deals | None:
    if given is None:
        return None
    if not isinstance(given, dict) or set(given) != {"seed", "table"}:
        raise NotationError(f"deals={show(given)} must be null, or a seed and a table")
    try:
        return Deals(np.uint64(check_seed(given["seed"])), check_index("table", given["table"], 0, MAX_INT64))
    except ShengjiError as error:
        raise NotationError(f"deals: {error}") from error


def _read_taken(history: History, given: Any) -> bytes:
    """Return the actions that take these cards for the decision under way."""
    if not isinstance(given, str):
        raise NotationError(f"taken={show(given)} is not a text")
    if not given:
        return b""
    states = history.seen_by().states
    if Phase(int(states["phase"][0])) not in CARD_PHASES:
        raise NotationError(f"taken={show(given)}: no cards are taken in {Phase(int(states['phase'][0])).name}")
    actions = take(history.game, states, read_cards(given, decks=history.game.rules.decks), is_whole=False)
    if actions is None or states["taken_size"][0] != len(actions):
        raise NotationError(f"taken={show(given)}: the seat to move cannot have taken these for a decision under way")
    return actions
