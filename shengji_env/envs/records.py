"""Records: rounds as text, JSON lines, one header and one line a round.

A round's record is made by replaying the actions of its log (`tables.logs`) through the engine: card by card actions
become whole plays again. It holds the deal that was played; of the deals of the same round that found no bidder it says
only how many there were (``redeals``).

| phase | in ``decisions`` |
|---|---|
| BID | ``{"seat": 1, "drawn": 7, "bid": "S2"}``: after 7 cards were dealt; null for a pass |
| NAME | ``{"seat": 0, "name": "S"}``, ``"NT"`` for no trump |
| BURY, LEAD, FORCED, FOLLOW | ``{"seat": 1, "lead": "HA HK HK"}``: as attempted; forced if someone had to choose |

Source: docs/environment.md.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE, NAME, PASS, TRUMP_TEXTS, action_text
from shengji_env.engine.bids import bid_level
from shengji_env.engine.cards import CARD_TEXTS, NUM_CARDS, RANKS
from shengji_env.engine.game import apply_action, begin_round
from shengji_env.engine.rules import NUM_SEATS, RuleSet
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS, card_of_slot
from shengji_env.engine.state import NOBODY, NUM_TEAMS, STATE_DTYPE, UNNAMED, WORKSPACE_DTYPE, Phase, Winner
from shengji_env.envs.batch import ShengjiVectorEnv
from shengji_env.envs.infos import result_info
from shengji_env.errors import RecordError

RECORD_FORMAT = "shengji-record/1"
_SAID_ELSEWHERE = ("declarer", "match_over", "match_winner")
"""What a result says and a record leaves out."""
_KEYS = {Phase.BURY: "bury", Phase.LEAD: "lead", Phase.FORCED: "forced", Phase.FOLLOW: "follow"}

Round = dict[str, Any]


def record_header(rules: RuleSet, players: Sequence[str], seed: int | None) -> dict[str, Any]:
    """The first line of a record: rules, players by seat, and the seed as provenance."""
    return {"format": RECORD_FORMAT, "rules": rules.to_json(), "players": list(players), "seed": seed}


def record_line(record: Mapping[str, Any]) -> str:
    """A header or a round as one line of text."""
    return json.dumps(record, ensure_ascii=False) + "\n"


def finished_round(env: ShengjiVectorEnv, table: int) -> Round:
    """The record of the last round that a table of an environment made with ``record=True`` finished.

    Raises:
        RecordError: the environment keeps no logs, or the table has finished no round.
    """
    tables = env.tables
    if not tables.shared["record"][0]:
        raise RecordError("this environment keeps no logs; make it with record=True")
    log = tables.logs[table]
    size = int(log["finished_size"])
    if size == 0:
        raise RecordError(f"table {table} has finished no round yet")
    number = int(tables.progress["number"][table])
    actions = log["finished_actions"][:size].tolist()
    return replay_round(env.rules, log["finished_state"], actions, seed=env.seed, table=number)


def replay_round(rules: RuleSet, finished: np.record, actions: Sequence[int], *, seed: int, table: int) -> Round:
    """The record of a round.

    Args:
        rules: its rules.
        finished: the state in which it ended, a STATE_DTYPE record.
        actions: all its actions since it was last dealt, forced ones included.
        seed: the environment's seed; with `table` it gives the deals, unless the state says that its deal was given.
        table: the table's number.

    Raises:
        RecordError: the actions do not lead to `finished`.
    """
    replay = _Replay(rules, finished, np.uint64(seed % 2**64), table)
    for ply, action in enumerate(actions):
        replay.make(ply, action)
    if any((replay.states[name][0] != finished[name]).any() for name in ("result", "played", "buried")):
        raise RecordError(f"ply {len(actions)}: the actions do not lead to the state in which the round ended")
    return replay.record()


def start_levels(finished: np.record) -> list[int]:
    """Both teams' levels when a finished round began."""
    result = finished["result"]
    levels = [int(level) for level in result["new_levels"]]
    declarers = int(result["declarer"]) % NUM_TEAMS
    levels[declarers] = int(finished["level_rank"])
    if result["winner"] == Winner.ATTACKERS:
        levels[1 - declarers] -= int(result["levels"])
    return levels


class _Replay:
    """A round played again, noting what a record says."""

    def __init__(self, rules: RuleSet, finished: np.record, seed: np.uint64, table: int) -> None:
        self.seed, self.table = seed, table
        self.states: NDArray[Any] = np.zeros(1, STATE_DTYPE)
        self.rules = rules.record()
        self.work = np.zeros(1, WORKSPACE_DTYPE)
        self.levels = start_levels(finished)
        self.declarer = int(finished["result"]["declarer"]) if finished["had_declarer"] else NOBODY
        self.decisions: list[dict[str, Any]] = []
        self.tricks: list[dict[str, Any]] = []
        self.buried = ""
        for name in ("round_index", "first_drawer", "deal_given", "deal"):
            self.states[name] = finished[name]
        self.states["match_round"] = finished["match_round"] - 1
        self.states["levels"] = self.levels
        self.states["declarer"] = self.declarer
        self.states["trump"] = finished["trump"] if rules.bidding == "fixed" else UNNAMED
        begin_round(self.states[0], self.rules[0], self.work[0], seed, table)
        while self.states["redeals"][0] < finished["redeals"]:
            apply_action(self.states[0], self.rules[0], self.work[0], seed, table, PASS)

    def make(self, ply: int, action: int) -> None:
        """Make an action, and note the decision that it ends."""
        state = self.states[0]
        before = self.states.copy()[0]
        phase = Phase(int(before["phase"]))
        if phase == Phase.OVER:
            raise RecordError(f"ply {ply}: action {action} after the end of the round")
        apply_action(state, self.rules[0], self.work[0], self.seed, self.table, action)
        if phase in (Phase.BID, Phase.NAME):
            self.decisions.append(_choice(before, phase, action))
        elif (state["phase"], state["seat"]) != (before["phase"], before["seat"]):
            self._note_play(before, phase, action)

    def _note_play(self, before: np.record, phase: Phase, action: int) -> None:
        """Note the cards of a decision that has ended, and the trick if it has begun or ended."""
        state = self.states[0]
        cards = state["trick"][before["leader"]] if phase == Phase.FORCED else before["taken"].copy()
        if phase != Phase.FORCED and action != DONE:
            cards[action] += 1
        self.decisions.append({"seat": int(before["seat"]), _KEYS[phase]: self._text(cards)})
        if phase == Phase.BURY:
            self.buried = self._text(cards)
        elif phase == Phase.FOLLOW and state["phase"] != Phase.FOLLOW:
            winner = state["winning"] if state["phase"] == Phase.OVER else state["leader"]
            points = int(before["trick_points"]) + int(cards @ before["slot_points"])
            self.tricks[-1] |= {"winner": int(winner), "points": points}
        elif phase != Phase.FOLLOW and state["phase"] == Phase.FOLLOW:
            leader = int(state["leader"])
            self.tricks.append({"leader": leader, "led": self._text(state["trick"][leader])})

    def _text(self, counts: NDArray[np.int8]) -> str:
        """Text of cards counted by slot, card ids ascending."""
        trump, level = int(self.states["trump"][0]), int(self.states["level_rank"][0])
        cards = sorted(int(card_of_slot(slot, trump, level)) for slot in range(NUM_SLOTS) for _ in range(counts[slot]))
        return " ".join(CARD_TEXTS[card] for card in cards)

    def record(self) -> Round:
        """The round's line, once it is over."""
        state = self.states[0]
        result = result_info(state["result"])
        deal = [CARD_TEXTS[card] for card in state["deal"][: self.rules["decks"][0] * NUM_CARDS]]
        return {
            "round": int(state["round_index"]),
            "levels": [RANKS[level] for level in self.levels],
            "declarer": None if self.declarer == NOBODY else self.declarer,
            "first_drawer": int(state["first_drawer"]),
            "redeals": int(state["redeals"]),
            "deal": " ".join(deal),
            "decisions": self.decisions,
            "trump": TRUMP_TEXTS[int(state["trump"])],
            "level_rank": RANKS[int(state["level_rank"])],
            "kitty": " ".join(deal[NUM_SEATS * int(self.rules["hand"][0]) :]),
            "buried": self.buried,
            "tricks": self.tricks,
            "result": {name: value for name, value in result.items() if name not in _SAID_ELSEWHERE},
        }


def _choice(before: np.record, phase: Phase, action: int) -> dict[str, Any]:
    """The decision of a bid or a name."""
    seat = int(before["seat"])
    if phase == Phase.NAME:
        return {"seat": seat, "name": TRUMP_TEXTS[action - NAME]}
    bid = None
    if action != PASS:
        bid = action_text(action, trump=NO_TRUMP, level=int(bid_level(before, seat))).removeprefix("bid ")
    return {"seat": seat, "drawn": int(before["drawn"]), "bid": bid}
