"""`Position`: one point of a round, which never changes.

| what it holds | as |
|---|---|
| the table now, and as it was when the deal began | a record each, `engine.state.STATE_DTYPE` |
| the actions from there to here | bytes |
| where the next deals come from if nobody bids | seed and table number (`engine.deal.Deals`) |

All positions of a deal share the record of its beginning. What a seat knows follows from the actions, which are made
again when it is asked for.

Source: docs/environments/positions.md.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.cards import NUM_CARDS
from shengji_env.engine.deal import Deals
from shengji_env.engine.play import ILLEGAL
from shengji_env.engine.rule_sets import DEFAULT_RULES, NUM_SEATS, RuleSet, RulesLike, as_rules, rule_set
from shengji_env.engine.state import NOBODY, STATE_DTYPE, Phase
from shengji_env.envs.positions import play_texts, texts
from shengji_env.envs.positions.histories import Game, History, copy_states, game_of
from shengji_env.envs.positions.information import information_text
from shengji_env.envs.positions.position_kernels import PHASE_SHIFT, REDEALT, SEAT_BITS, make_action, write_returns
from shengji_env.envs.positions.resampling import resample
from shengji_env.envs.positions.starts import begin_at, history_of_record, history_of_start, history_of_table, start_of
from shengji_env.envs.positions.texts import POSITION_FORMAT
from shengji_env.errors import ShengjiError
from shengji_env.records.writing import Recorded
from shengji_env.render.round_record import Round
from shengji_env.support.announcing import part
from shengji_env.support.arguments import check_choice, check_seat, check_seed, read_action
from shengji_env.tables.history import seen_from
from shengji_env.tables.illegal import illegal_action
from shengji_env.tables.infos import result_info
from shengji_env.tables.rewards import REWARDS, RewardScheme
from shengji_env.tables.settings import Start

__all__ = ["POSITION_FORMAT", "Position"]

_PHASE_BITS = 7


class Position:
    """One point of a round, hidden cards included. Make one with `new`, `of`, `from_record` or `from_text`.

    Positions are equal if their rules, deals and decisions are. `str` is text that `from_text` reads. Pickles are
    exact, but unchecked: unpickle only what you trust.
    """

    __slots__ = ("_actions", "_deal_state", "_deals", "_game", "_states", "_status")

    _game: Game
    _deals: Deals
    _deal_state: NDArray[Any]
    _states: NDArray[Any]
    _actions: bytes
    _status: int

    def __init__(self, history: History) -> None:
        self._game, self._deals, self._deal_state, self._actions = history
        self._states = history.seen_by().states
        seat = int(self._states["seat"][0])
        self._status = (NUM_SEATS if seat == NOBODY else seat) | int(self._states["phase"][0]) << PHASE_SHIFT

    @staticmethod
    def new(
        rules: RulesLike = DEFAULT_RULES,
        *,
        seed: int | None = None,
        start: Start = "first",
        options: Mapping[str, Any] | None = None,
    ) -> "Position":
        """Begin a round as the AEC environment does: its table 0, round 0 of the seed (None draws one).

        Raises:
            DealError: no round could start with these options (`tables/reset_options.py`).
            ShengjiError: the seed or `start` is invalid.
        """
        _compile()
        return Position(history_of_start(as_rules(rules), seed, start, options))

    @staticmethod
    def of(env: Recorded, table: int = 0) -> "Position":
        """Return the position at a table of an environment: AEC, wrapped or not, or batch.

        The environment must be made with ``record=True``, unless nothing has been decided in the round yet.

        Raises:
            ShengjiError: there is no such table, no round has begun, or its actions are not kept.
        """
        _compile()
        return Position(history_of_table(env.tables, table))

    @staticmethod
    def from_record(record: Round, rules: RulesLike, ply: int | None = None) -> "Position":
        """Return the position before a decision of a record's round; `ply` counts from 0, None is the end.

        Raises:
            RecordError: the record is wrong up to there, or has no such ply.
        """
        _compile()
        return Position(history_of_record(record, as_rules(rules), ply))

    @staticmethod
    def from_text(text: str) -> "Position":
        """Read a position (`texts.py`).

        Raises:
            NotationError: the text is not a position, or one that the rules do not allow.
        """
        _compile()
        return Position(texts.read(text))

    @property
    def rules(self) -> RuleSet:
        """The rules."""
        return self._game.rules

    @property
    def phase(self) -> Phase:
        """What the seat to move decides."""
        return Phase(self._status >> PHASE_SHIFT & _PHASE_BITS)

    @property
    def seat(self) -> int:
        """The seat to move, 0..3; -1 once the round is over."""
        seat = self._status & SEAT_BITS
        return NOBODY if seat == NUM_SEATS else seat

    @property
    def states(self) -> NDArray[Any]:
        """A copy of the state, shape (1,), `engine.state.STATE_DTYPE`."""
        return copy_states(self._states)

    @property
    def actions(self) -> tuple[int, ...]:
        """The actions made since the cards were dealt."""
        return tuple(self._actions)

    @property
    def result(self) -> dict[str, Any] | None:
        """The round's result (docs/environments/positions.md), None before its end."""
        return result_info(self._states["result"][0]) if self.is_terminal() else None

    def clone(self) -> "Position":
        """Return an equal position with memory of its own; not needed to play on, since `apply` changes nothing."""
        twin = object.__new__(Position)
        twin._game, twin._deals, twin._actions, twin._status = self._game, self._deals, self._actions, self._status
        twin._deal_state, twin._states = copy_states(self._deal_state), copy_states(self._states)
        return twin

    def is_terminal(self) -> bool:
        """Return whether the round is over."""
        return self._status & SEAT_BITS == NUM_SEATS

    def legal_actions(self) -> list[int]:
        """Return the legal actions, ascending; none once the round is over."""
        return self._game.legal_actions(self._states)

    def action_mask(self) -> NDArray[np.int8]:
        """Return the legal actions as a mask, shape (83,)."""
        mask = np.zeros(NUM_ACTIONS, np.int8)
        mask[self.legal_actions()] = 1
        return mask

    def action_text(self, action: int) -> str:
        """Return the text of an action here: a card, ``done``, ``pass``, ``bid S2 S2``, ``name NT`` or ``rebel``.

        Raises:
            NotationError: it is not an action.
        """
        return play_texts.text_of(self._states, read_action(action))

    def apply(self, action: int) -> "Position":
        """Return the position after an action.

        Raises:
            IllegalActionError: the action is not legal.
            ShengjiError: the round is over.
        """
        chosen = action if type(action) is int else read_action(action)
        game, (seed, table) = self._game, self._deals
        after = copy_states(self._states)
        status = ILLEGAL
        if 0 <= chosen < NUM_ACTIONS:
            status = make_action(after, game.scratch.memory, seed, table, chosen)
        if status == ILLEGAL:
            self._refuse(action)
        later = object.__new__(Position)
        later._game, later._deals, later._states, later._status = game, self._deals, after, status
        if status & REDEALT:
            if after["rebellions"][0]:  # the deal before has left traces that mean nothing
                begun = begin_at(game.rules, start_of(after[0], game.rules), after[0])
                after = later._states = after if begun is None else begun
            later._deal_state, later._actions = after, b""
        else:
            later._deal_state, later._actions = self._deal_state, self._actions + chosen.to_bytes()
        return later

    def _refuse(self, action: Any) -> NoReturn:
        if self.is_terminal():
            raise ShengjiError("the round is over: there is nothing to decide")
        raise illegal_action(self._states[0], self.action_mask(), action)

    def legal_plays(self) -> Iterator[str]:
        """Iterate over everything that the seat to move may decide, as text (`play_texts.py`), each play once.

        There can be many thousands.
        """
        return play_texts.legal_plays(self._game, self._states)

    def apply_play(self, play: str) -> "Position":
        """Return the position after a whole play, ``H3 H3``, ``bid S2`` or ``pass`` (`play_texts.py`).

        Raises:
            NotationError: the text is not a play.
            IllegalActionError: the play is not legal; the message says why.
        """
        later = self
        for action in play_texts.actions_of(self._game, self._states, play):
            later = later.apply(action)
        return later

    def returns(self, reward: RewardScheme = "levels") -> list[float]:
        """Return what the round is worth to each seat (`tables/rewards.py`): zero before its end.

        Raises:
            ShengjiError: there is no such reward.
        """
        scheme = REWARDS.index(check_choice("reward", reward, REWARDS))
        worth = np.zeros(NUM_SEATS, np.float32)
        if self.is_terminal():
            write_returns(self._states, self._game.scratch.memory, scheme, worth)
        worths: list[float] = worth.tolist()
        return worths

    def observation(self, seat: int) -> NDArray[np.int8]:
        """Return what an environment shows a seat here, shape (OBSERVATION_SIZE,)."""
        return self._game.observe(self._states, check_seat("seat", seat))

    def information_state(self, seat: int) -> NDArray[np.int8]:
        """Return what a seat knows as numbers: its observation, then all plays of the round (`tables/history.py`).

        Shape (OBSERVATION_SIZE + 55 · most plays of a round,). Unlike the text, it does not have the order of bids and
        the throws that failed, only what followed from them.
        """
        seen = self.observation(seat)
        return np.concatenate([seen, seen_from(self._history.seen_by().recent_plays(), seat).reshape(-1)])

    def information_state_text(self, seat: int) -> str:
        """Return everything that a seat has seen, as text (`information.py`)."""
        return information_text(self._history, check_seat("seat", seat))

    def resample(self, seed: int) -> "Position":
        """Return another position that the seat to move cannot tell from this one (`resampling.py`).

        The hidden cards are uniform among all deals that the rules allow: nothing is concluded from how well seats
        play, so drawn kitties hold trumps that no good declarer buries (docs/environments/positions.md).

        Raises:
            ShengjiError: the seed is invalid, the round is over, or no such position was found.
        """
        if self.is_terminal():
            raise ShengjiError("the round is over: all cards are known")
        return Position(resample(self._history, check_seed(seed)))

    @property
    def _history(self) -> History:
        return History(self._game, self._deals, self._deal_state, self._actions)

    def _key(self) -> tuple[Any, ...]:
        return self.rules, self._deals, self._deal_state.tobytes(), self._actions

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Position) else NotImplemented

    def __hash__(self) -> int:
        return hash((self._deal_state["deal"].tobytes(), self._actions))

    def __str__(self) -> str:
        return texts.write(self._history)

    def __repr__(self) -> str:
        return f"Position.from_text({str(self)!r})"

    def __copy__(self) -> "Position":
        return self

    def __deepcopy__(self, memo: Any) -> "Position":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.rules, self._deals, self._deal_state.tobytes(), self._actions)


def _restore(rules: RuleSet, deals: Deals, deal_state: bytes, actions: bytes) -> Position:
    """Return a position that was pickled."""
    return Position(History(game_of(rules), deals, np.frombuffer(bytearray(deal_state), STATE_DTYPE), actions))


@part("positions", "positions: the game of OpenSpiel")
def _compile() -> None:
    position = Position(history_of_start(rule_set(), 0, "first", None))
    position = position.apply(position.legal_actions()[0])
    position.observation(0)
    position.resample(0)
    game = game_of(position.rules)
    play_texts.take(game, position.states, np.zeros(NUM_CARDS, np.int8), is_whole=False)
    write_returns(position.states, game.scratch.memory, 0, np.zeros(NUM_SEATS, np.float32))
    game.scratch.sampler.num_contradicted(position.states)
