"""All histories of a small game, as arrays.

Rounds begin as `envs.positions.whole_deals` says, and one chance node deals all cards. Actions are those of the
environments, card by card; where only one is legal it is made without being asked for, as environments do with
``skip_forced``. So every node but the last one of a history is a choice.

Two nodes are in one **information set** of a seat exactly if the seat has seen the same: its hand as dealt, all plays,
throws as they were tried and what was led instead, and the cards that it has taken for this play. The test compares
this with `Position.information_state_text`. In a **joint** one, two partners have seen the same together: both hands.
A seat never forgets, and neither do two partners together, so a best reply is found from the last choices backwards.

The nodes stand in the order of their parents' stage: how many plays are complete, and how many cards have been taken
for the next one. All nodes of an information set are of one stage.

Source: research/small_games.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE, NUM_ACTIONS
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.state import NOBODY, NUM_TEAMS, Phase
from shengji_env.envs.positions import Position
from shengji_env.envs.positions.whole_deals import DECLARER, WholeDeal, small_start, whole_deals
from shengji_env.errors import RuleSetError
from shengji_env.support.announcing import no_collection

MAX_NODES = 5_000_000
"""Most nodes of a tree: it takes some minutes and some gigabytes to build."""
ROOT = -1


@dataclass(frozen=True, eq=False)
class InformationSets:
    """What can be told apart, and the choices there: those of one set stand side by side, in the order of actions."""

    of_node: NDArray[np.int32]
    """(N,) the set of each node; -1 where a round is over."""
    first: NDArray[np.int64]
    """(S + 1,) the first choice of each set, and the number of all choices."""
    choice: NDArray[np.int64]
    """(N,) the choice by which each node is reached; -1 after the deal."""

    def __len__(self) -> int:
        return len(self.first) - 1

    @property
    def num_choices(self) -> int:
        """The number of choices in all sets together."""
        return int(self.first[-1])

    @cached_property
    def of_choice(self) -> NDArray[np.int64]:
        """(C,) the set of each choice."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))


@dataclass(frozen=True, eq=False)
class GameTree:
    """All N nodes of a game: choices, and ends of rounds."""

    rules: RuleSet
    """The rules."""
    deals: list[WholeDeal]
    """All deals."""
    parent: NDArray[np.int32]
    """(N,) -1 after the deal."""
    action: NDArray[np.int8]
    """(N,) the action by which each node is reached; -1 after the deal."""
    seat: NDArray[np.int8]
    """(N,) who chooses; -1 where the round is over."""
    deal: NDArray[np.int32]
    """(N,) the deal."""
    worth: NDArray[np.float64]
    """(N,) levels that the declarers win, below 0 those that they lose; 0 where the round is not over."""
    layers: list[slice]
    """The nodes by their parents' stage, the first stage first; those after the deal come before all others."""
    single: InformationSets
    """What each seat can tell apart."""
    joint: InformationSets
    """What two partners can tell apart together."""

    @cached_property
    def odds(self) -> NDArray[np.float64]:
        """(N,) how likely the deal is, for nodes after the deal; 1 for the others."""
        ways = np.array([deal.ways for deal in self.deals], np.float64)
        return np.where(self.parent == ROOT, (ways / ways.sum())[self.deal], 1.0)

    @cached_property
    def mover(self) -> NDArray[np.int8]:
        """(N,) whose choice each node comes from; -1 after the deal."""
        return np.where(self.parent == ROOT, np.int8(NOBODY), self.seat[self.parent])

    @property
    def num_histories(self) -> int:
        """Rounds from the deal to the end that can be played."""
        return int((self.seat == NOBODY).sum())

    def part(self, kept: NDArray[np.bool_]) -> "GameTree":
        """Return the tree of some nodes, given by (N,); of each of them, all nodes before it must be among them."""
        rank = np.append(np.cumsum(kept) - 1, ROOT)
        bounds = np.cumsum([0, *(np.count_nonzero(kept[layer]) for layer in self.layers)]).tolist()
        single, joint = (
            InformationSets(sets.of_node[kept], sets.first, sets.choice[kept]) for sets in (self.single, self.joint)
        )
        return GameTree(
            self.rules, self.deals, rank[self.parent[kept]].astype(np.int32), self.action[kept], self.seat[kept],
            self.deal[kept], self.worth[kept], [slice(*each) for each in pairwise(bounds)], single, joint,
        )  # fmt: skip

    def options(self, deal: int) -> dict[str, object]:
        """Return the options of `reset` with which a deal begins."""
        return small_start(self.rules, self.deals[deal])

    def path_to(self, node: int) -> list[int]:
        """Return the actions from the deal to a node, those left out that were not chosen."""
        actions: list[int] = []
        while self.parent[node] != ROOT:
            actions.append(int(self.action[node]))
            node = int(self.parent[node])
        return actions[::-1]

    def position(self, node: int) -> Position:
        """Return the position at a node."""
        position = Position.new(self.rules, seed=0, options=self.options(int(self.deal[node])))
        path = self.path_to(node)
        while (legal := position.legal_actions()) and (path or len(legal) == 1):
            position = position.apply(legal[0] if len(legal) == 1 else path.pop(0))
        return position


def build_tree(rules: RuleSet, watch: Callable[[float, int], object] | None = None) -> GameTree:
    """List all histories of a rule set; `watch` is told how many of the deals are done.

    Raises:
        RuleSetError: they are too many, or nobody has a choice, or the rules have bids, a kitty or cards of all ranks.
    """
    deals = whole_deals(rules)
    nodes = _Nodes(rules)
    with no_collection():
        for index, deal in enumerate(deals):
            nodes.add_deal(index, deal)
            if watch is not None:
                watch(index + 1, len(deals))
        if not nodes.single.numbers:
            raise RuleSetError(f"in {rules} there is nothing to choose: all plays are forced in every deal")
        return nodes.tree(deals)


class _Public(NamedTuple):
    """What the table has seen."""

    seen: int = 0
    """All complete plays, as a number: see `_Nodes.seen`."""
    taken: tuple[int, ...] = ()
    """Cards taken for the play under way, which only their seat knows."""
    plays: int = 0
    """Number of complete plays."""


class _Sets:
    """Information sets found so far, the legal actions of each, and which one each node is in."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.legal: list[list[int]] = []
        self.of_node: list[int] = []

    def add(self, key: Any, legal: list[int]) -> None:
        """Add a node that looks like this."""
        number = self.numbers.setdefault(key, len(self.numbers))
        if number == len(self.legal):
            self.legal.append(legal)
        assert self.legal[number] == legal, "what is legal follows from what a seat has seen"
        self.of_node.append(number)


class _Nodes:
    """The nodes found so far, deal by deal.

    Attributes:
        seen: a number for all that the table can have seen: for what it had seen before, with one more play.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.rows: list[tuple[int, int, int, int, float, int]] = []
        self.single, self.joint = _Sets(), _Sets()
        self.seen: dict[Any, int] = {}

    def add_deal(self, index: int, deal: WholeDeal) -> None:
        """Add all histories of a deal."""
        self.index, self.hands = index, deal.hands
        start = Position.new(self.rules, seed=0, options=small_start(self.rules, deal))
        self._add(start, _Public(), ROOT, -1)

    def _add(self, position: Position, public: _Public, parent: int, action: int) -> None:
        """Add a node, and all that can follow it."""
        while len(legal := position.legal_actions()) == 1:
            position, public = self._step(position, public, legal[0])
        node, seat = len(self.rows), position.seat
        if node >= MAX_NODES:
            raise RuleSetError(f"{self.rules} has more than {MAX_NODES:,} choices and ends, too many to be solved")
        worth = position.returns("levels")[DECLARER] if seat == NOBODY else 0.0
        stage = public.plays * (self.rules.hand + 1) + len(public.taken)
        self.rows.append((parent, action, seat, self.index, worth, stage))
        if seat == NOBODY:
            self.single.of_node.append(-1)
            self.joint.of_node.append(-1)
            return
        partner = (seat + NUM_TEAMS) % NUM_SEATS
        own = seat, public.seen, public.taken, self.hands[seat]
        self.single.add(own, legal)
        self.joint.add((*own, self.hands[partner]), legal)
        for chosen in legal:
            self._add(*self._step(position, public, chosen), node, chosen)

    def _step(self, position: Position, public: _Public, action: int) -> tuple[Position, _Public]:
        """Make an action; return the position after it, and what the table has seen by then."""
        later = position.apply(action)
        taken = public.taken if action == DONE else (*public.taken, action)
        phase = position.phase
        if later.seat == position.seat and later.phase == phase:
            return later, _Public(public.seen, taken, public.plays)
        led: bytes = b""
        if phase != Phase.FOLLOW:
            state = later.states[0]
            led = state["trick"][state["leader"]].tobytes()
        play = public.seen, position.seat, taken, led
        return later, _Public(self.seen.setdefault(play, len(self.seen) + 1), (), public.plays + 1)

    def tree(self, deals: list[WholeDeal]) -> GameTree:
        """Return all nodes in the order of their parents' stage."""
        parent, action, seat, deal, worth, stage = (np.array(column) for column in zip(*self.rows, strict=True))
        before = np.where(parent == ROOT, -1, stage[parent])
        order = np.lexsort((parent, before))
        rank = _inverse(order)
        parent = np.where(parent == ROOT, ROOT, rank[parent])[order].astype(np.int32)
        action, stage, before = action[order].astype(np.int8), stage[order], before[order]
        single, joint = (
            _information_sets(sets.legal, np.array(sets.of_node)[order], parent, action, stage)
            for sets in (self.single, self.joint)
        )
        bounds = [*np.flatnonzero(np.diff(before, prepend=-2)).tolist(), len(before)]
        return GameTree(
            self.rules, deals, parent, action, seat[order].astype(np.int8), deal[order].astype(np.int32),
            worth[order], [slice(*each) for each in pairwise(bounds)], single, joint,
        )  # fmt: skip


def _inverse(order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each of the things put in order has come to stand."""
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank


def _information_sets(
    legal: list[list[int]],
    number: NDArray[np.int64],
    parent: NDArray[np.int32],
    action: NDArray[np.int8],
    stage: NDArray[np.int64],
) -> InformationSets:
    """Number the sets in the order of their stage, and their choices after them.

    Args:
        legal: the legal actions of each set, as they were numbered when they were found.
        number: (N,) the set of each node by that number; -1 where the round is over.
        parent, action: (N,) as in `GameTree`.
        stage: (N,) the stage of each node.
    """
    stages = np.zeros(len(legal), np.int64)
    stages[number[number >= 0]] = stage[number >= 0]
    order = np.argsort(stages, kind="stable")
    of_node = np.append(_inverse(order), -1)[number].astype(np.int32)
    first = np.cumsum([0, *(len(legal[old]) for old in order.tolist())])
    place = np.zeros((len(legal), NUM_ACTIONS), np.int8)
    for new, old in enumerate(order.tolist()):
        place[new, legal[old]] = range(len(legal[old]))
    above = of_node[parent]
    return InformationSets(of_node, first, np.where(parent == ROOT, -1, first[above] + place[above, action]))
