"""What a player does in each information set of a small game.

A player is asked once in every information set that it can come to while it sits there itself, at a table where one of
the histories of that set has been played. Its answer depends on nothing else, so one of them is enough. `random` is
uniform, exactly; any other player that uses its random words is taken with dice that are thrown once for each
information set, or, with more draws, as often as it has chosen each action then. Of two partners each is asked in its
own seats.

Where it does not come it is taken to choose uniformly, which changes no value.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.small_games.game_tree import GameTree
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.errors import PlayerError
from shengji_env.players.asking import check_answers
from shengji_env.players.decisions import Decisions
from shengji_env.players.partners import player_in
from shengji_env.players.player import Needs, Player, kept_for
from shengji_env.players.random import RandomPlayer
from shengji_env.tables.arrays import STAND_STILL
from shengji_env.tables.reset_options import read_options, write_start
from shengji_env.tables.settings import TableSettings
from shengji_env.tables.tables import Tables

Strategy = NDArray[np.float64]
"""(C,) the probability of each choice in its information set."""

_MOST_TABLES = 1024
"""Tables at which a player is asked at once."""
_WORDS = 20250101
"""Seed of the players' random words."""


def uniform(tree: GameTree) -> Strategy:
    """Return the strategy that takes all legal actions alike."""
    sets = tree.single
    return 1 / np.diff(sets.first)[sets.of_choice]


def check_askable(player: Player) -> None:
    """Refuse a person, and a program with a process for each seat at each table.

    Raises:
        PlayerError: the player is one.
    """
    if player.needs & (Needs.PERSON | Needs.PROCESSES):
        raise PlayerError(
            f"{player.name} is a person or a program with a process for each seat at each table; in a small game, "
            "hundreds of tables are asked at once: name a player in Python"
        )


def play_of(tree: GameTree, player: Player, draws: int = 1) -> Strategy:
    """Return what a player does; one that uses randomness is asked `draws` times in each information set.

    Raises:
        PlayerError: it answers wrongly, or it is a person or a program, which are not asked so often.
    """
    check_askable(player)
    strategy = uniform(tree)
    sitting = [player_in(player, seat) for seat in range(NUM_SEATS)]
    for own in {id(each): each for each in sitting}.values():
        if type(own) is not RandomPlayer:
            _ask(tree, own, [seat for seat in range(NUM_SEATS) if sitting[seat] is own], draws, strategy)
    return strategy


def _ask(tree: GameTree, player: Player, seats: Sequence[int], draws: int, strategy: Strategy) -> None:
    """Ask a player in the information sets of its seats, and write what it does into a strategy that is uniform."""
    sets = tree.single
    comes = np.ones((NUM_SEATS, len(tree.parent)), np.bool_)  # whether each seat, playing so, can come to each node
    for layer in tree.layers[1:]:
        above = tree.parent[layer]
        nodes = np.unique(above)
        nodes = nodes[comes[tree.seat[nodes], nodes] & np.isin(tree.seat[nodes], seats)]
        numbers, index = np.unique(sets.of_node[nodes], return_index=True)
        strategy[np.isin(sets.of_choice, numbers)] = 0
        for draw in range(draws):
            strategy[_answers(tree, player, nodes[index], draw)] += 1 / draws
        comes[:, layer] = comes[:, above]
        comes[tree.seat[above], np.arange(layer.start, layer.stop)] &= strategy[sets.choice[layer]] > 0


def _answers(tree: GameTree, player: Player, nodes: NDArray[np.int32], draw: int) -> NDArray[np.int64]:
    """Return the choices of a player at some nodes, (B,)."""
    words = np.random.default_rng([_WORDS, draw]).integers(2**64, size=len(tree.single), dtype=np.uint64)
    chosen = [np.zeros(0, np.int64)]
    for start in range(0, len(nodes), _MOST_TABLES):
        some = nodes[start : start + _MOST_TABLES]
        numbers, rows = tree.single.of_node[some], np.arange(len(some))
        tables = tables_at(tree, some.tolist(), player.needs)
        asked = Decisions.at(tables, rows)
        asked = Decisions(asked.observation, asked.action_mask, words[numbers], tables=tables, rows=rows)
        actions = check_answers(player.decide(asked), tables, rows, lambda row: f"{player.name} in a small game")
        before = np.arange(tables.masks.shape[1]) < actions[:, None]
        chosen.append(tree.single.first[numbers] + (tables.masks * before).sum(axis=1))
    return np.concatenate(chosen)


def tables_at(tree: GameTree, nodes: Sequence[int], needs: Needs = Needs.NOTHING) -> Tables:
    """Return tables, at each of which a history has been played up to a node."""
    settings = TableSettings(rules=tree.rules, skip_forced=True, **kept_for(needs, tree.rules))
    tables = Tables(settings, np.zeros(len(nodes), np.int64))
    tables.begin()
    starts = [read_options(tree.options(int(tree.deal[node])), tree.rules, is_match=False) for node in nodes]
    for row, start in enumerate(starts):
        write_start(tables.states, np.array([row]), start)
    tables.begin(given=True)
    paths = [tree.path_to(node) for node in nodes]
    for step in range(max(map(len, paths), default=0)):
        tables.step(np.array([path[step] if step < len(path) else STAND_STILL for path in paths]))
    return tables
