"""The engine's side of a table: rounds of a match, dealt as the arena deals match 0 of the same seed.

No play is skipped, not even a forced one, so that each can be shown in its turn. Players are asked only where they have
a choice, as in the arena; their random words depend on the ply alone. So the same players make the same record here.
"""

import copy
from collections.abc import Sequence

import numpy as np

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.cards import format_cards
from shengji_env.engine.kitty import last_taker
from shengji_env.engine.masks import write_mask
from shengji_env.engine.opening import DRAWING
from shengji_env.engine.play import as_play
from shengji_env.engine.referee.values import Trump, to_cards
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.state import NOBODY, NUM_TEAMS, UNNAMED, Phase
from shengji_env.envs.batch import BatchEnv
from shengji_env.errors import PlayerError, RecordError
from shengji_env.players.answers import Answer, Decision
from shengji_env.players.asking import check_answers
from shengji_env.players.decisions import Decisions, num_plays
from shengji_env.players.player import Player
from shengji_env.players.whole_plays import make_decision, next_action
from shengji_env.records.replays import view_transcript
from shengji_env.records.transcript import Transcript
from shengji_env.records.writing import finished_round, round_begun
from shengji_env.render.round_record import Round
from shengji_env.render.view import ShownBid, View
from shengji_env.tables.queries import observe_seat
from shengji_env.tables.tables import Tables
from shengji_table.web.messages import ScoreLine
from shengji_table.web.shown_offers import offer_view
from shengji_table.web.shown_opening import Opening


class Board:
    """One table.

    Args:
        rules: the rules.
        seed: seed of the deals and random words.
        names: who sits in the four seats.
        is_match: whether rounds are those of a match; otherwise each begins anywhere, whatever was played before.

    Attributes:
        env: the environment, with one table; only players read it.
        transcript: the round so far, from which everything is shown.
        opening: the deal, while it is shown being drawn.
        finished: the record of the last round, until the next one is shown.
        has_offered_rebellion: whether weak hands could rebel in this deal.
        redealt: why the cards of this round were dealt again last: no_bid or rebellion; no text: they were not.
    """

    def __init__(self, rules: RuleSet, seed: int, names: Sequence[str], *, is_match: bool = True) -> None:
        self.rules, self.names, self.is_match = rules, tuple(names), is_match
        self.env = BatchEnv(
            1, rules, seed=seed, episode="match" if is_match else "round", start="first" if is_match else "any",
            record=True, history=num_plays(rules),
        )  # fmt: skip
        self.finished: Round | None = None
        self._begin_round()

    def _begin_round(self) -> None:
        """Begin a round that the engine has dealt."""
        self.redealt = ""
        self._abandoned: list[dict[int, str]] = []
        self._begin_deal()

    def _begin_deal(self) -> None:
        """Begin with what the engine has just dealt."""
        state = self.env.states[0]
        self.opening = Opening(state, self.rules)
        if self.rules.bidding == "fixed":
            self.opening.shown = self.opening.total
        self.transcript: Transcript = round_begun(self.env.tables, 0)
        self.has_offered_rebellion = False
        self._makers: dict[int, str] = {}

    @property
    def phase(self) -> Phase:
        """The phase of the next decision."""
        return self.transcript.phase

    @property
    def seat(self) -> int:
        """The seat that decides next."""
        return self.transcript.seat

    @property
    def asked_at(self) -> int | None:
        """How many cards are drawn when the next seat is asked for a bid; None if none is asked while drawing."""
        state = self.transcript.states[0]
        is_drawing = self.is_bidding and int(state["circle_left"]) == DRAWING
        return int(state["drawn"]) if is_drawing else None

    @property
    def is_bidding(self) -> bool:
        """Whether trumps are bid for; an overbid is another thing."""
        return self.phase == Phase.BID and int(self.transcript.states["trump"][0]) == UNNAMED

    @property
    def is_circle(self) -> bool:
        """Whether a seat is asked for a last bid, all cards being drawn."""
        return self.is_bidding and int(self.transcript.states["circle_left"][0]) != DRAWING

    def unseen(self, seat: int) -> str:
        """Return the cards that a seat has not seen, while cards are played: in other hands, or buried by others."""
        state = self.transcript.states[0]
        if self.phase not in (Phase.LEAD, Phase.FORCED, Phase.FOLLOW):
            return ""
        hidden = state["hands"].sum(axis=0) - state["hands"][seat] + (last_taker(state) != seat) * state["buried"]
        return format_cards(to_cards(hidden, Trump.of(int(state["trump"]), int(state["level_rank"]))))

    def forced(self) -> int | None:
        """Return the only legal action; None if there are several."""
        legal = np.flatnonzero(self.env.action_mask[0])
        return int(legal[0]) if len(legal) == 1 else None

    def copied(self) -> Tables:
        """Return a copy of the table, for the adviser to play on; what it holds besides is hidden from players."""
        return copy.deepcopy(self.env.tables)

    def copied_for_bid(self, seat: int) -> Tables:
        """Return a copy of the table at which a seat is asked for a bid, with the cards that are shown as drawn."""
        tables = self.copied()
        tables.states[0] = self.opening.asked(seat)
        tables.seats[0], tables.phases[0] = seat, Phase.BID
        write_mask(tables.states[0], tables.shared[0]["rules"], tables.works[0], tables.masks[0])
        observe_seat(tables.states, tables.shared, 0, seat, tables.observations)
        return tables

    def decision(self) -> Decision:
        """Return the next decision, as a person is asked for it."""
        return Decision(Decisions.at(self.env.tables), 0)

    def actions_of(self, answer: Answer) -> list[int]:
        """Step the environment by an answer, an action or the cards of a play by slot; return its actions."""
        tables, play = self.env.tables, as_play(answer)
        return make_decision(tables, lambda: int(next_action(tables.states, tables.masks[0], play)))

    def ask(self, player: Player) -> list[int]:
        """Ask a player for the next decision, and step the environment by it; return its actions.

        Raises:
            PlayerError: the player raises an error, or answers illegally.
        """
        return make_decision(self.env.tables, lambda: self._asked(player))

    def _asked(self, player: Player) -> int:
        forced = self.forced()
        if forced is not None:
            return forced
        try:
            answer = player.decide(Decisions.at(self.env.tables))
        except (Exception, SystemExit) as error:
            raise PlayerError(f"player {player.name!r}: {type(error).__name__}: {error}") from error
        return int(
            check_answers(answer, self.env.tables, np.zeros(1, np.int64), lambda _: f"player {player.name!r}")[0]
        )

    def show(self, actions: Sequence[int], by: str = "") -> None:
        """Let the actions of a decision be seen, once the environment has made them.

        Args:
            actions: the actions.
            by: the substitute that has decided; no text: whoever sits there.
        """
        state = self.env.states[0]
        if by:
            self._makers[len(self.transcript.decisions)] = by
        is_same_deal = (int(state["round_index"]), int(state["redeals"])) == (
            int(self.transcript.states["round_index"][0]), self.transcript.redeals
        )  # fmt: skip
        is_same_round = int(state["round_index"]) == int(self.transcript.states["round_index"][0])
        if is_same_round and not is_same_deal:
            self._deal_again()
            return
        for action in actions:
            self.transcript.make(action)
        last = self.transcript.decisions[-1]
        bid = last.get("bid")
        if bid and not state["num_takers"]:
            self.opening.bids.append(ShownBid(last["seat"], bid))
        if not is_same_deal:
            self.finished = self._finished_round()

    def _deal_again(self) -> None:
        """Turn to the next deal of the same round."""
        is_rebellion = int(self.env.states["rebellions"][0]) > int(self.transcript.states["rebellions"][0])
        self.redealt = "rebellion" if is_rebellion else "no_bid"
        if is_rebellion:
            self._abandoned.append(self._makers)
        self._begin_deal()

    def _finished_round(self) -> Round:
        """Return the record of the round that has just ended, with those who decided for others."""
        record = finished_round(self.env)
        deals = [deal["decisions"] for deal in record.get("abandoned", ())]
        for decisions, makers in zip([*deals, record["decisions"]], [*self._abandoned, self._makers], strict=True):
            for ply, by in makers.items():
                decisions[ply]["by"] = by
        return record

    def restore(self, actions: Sequence[int], by: str = "") -> None:
        """Make the actions of a decision that was made before the server was killed.

        Raises:
            RecordError: they are not a decision that can be made here.
        """
        for action in actions:
            if not (action in range(NUM_ACTIONS) and self.env.action_mask[0][action]):
                raise RecordError(
                    f"the kept action {action} is not legal: the file is of other rules or another version"
                )
            self.env.tables.step(np.array([action]))
        if self.env.states["taken_size"][0]:
            raise RecordError(f"the kept actions {actions} are not a whole decision")
        self.show(actions, by)
        self.opening.shown = self.opening.total if self.asked_at is None else self.asked_at
        self.has_offered_rebellion = bool(self.transcript.decisions) and self.phase not in (Phase.REBEL, Phase.BURY)

    def next_round(self) -> None:
        """Turn to the round that the environment has dealt."""
        self.finished = None
        self._begin_round()

    def view(self, viewer: int, *, is_opening: bool, offered: Phase | None = None) -> View:
        """Return what a viewer sees, while cards are drawn, while something is offered to all, or else."""
        if is_opening:
            return self.opening.view(viewer, self.names)
        if offered is not None:
            return offer_view(offered, self.transcript, self.rules, viewer, self.names)
        return view_transcript(self.transcript, viewer=viewer, names=self.names)

    def score(self) -> ScoreLine:
        """Return the line of the score sheet for the round that has ended."""
        assert self.finished is not None
        record, result = self.finished, self.finished["result"]
        declarer = next((step["seat"] for step in record["decisions"] if "bury" in step), NOBODY)
        last = self.transcript.states["result"][0]
        taken = [0] * NUM_SEATS
        for trick in record["tricks"]:
            taken[trick["winner"]] += trick["points"]
        has_winner = self.is_match and last["match_winner"] >= 0
        return {
            "round": record.get("match_round", record["round"]) + 1,
            "levels": record["levels"],
            "trump": record["trump"],
            "level_rank": record["level_rank"],
            "declarer": declarer,
            "points": result["attackers_points"],
            "taken": taken,
            "winner": result["winner"],
            "rise": result["levels"],
            "new_levels": result["new_levels"],
            "match_winner": int(last["match_winner"]) % NUM_TEAMS if has_winner else None,
            "match_over": self.is_match and bool(last["match_over"]),
        }
