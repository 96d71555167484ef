"""Small value networks, and what players make of states."""

import numpy as np

from shengji_env.engine.actions import PASS
from shengji_env.engine.masks import write_mask
from shengji_env.engine.rule_sets import as_rules
from shengji_env.engine.state import Phase
from shengji_env.players.candidates import DEFAULT_CANDIDATES, NUM_FEATURES
from shengji_env.players.decisions import Decisions
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.networks.champion import ValuePlayer
from shengji_env.players.networks.champion.compiled_network import best_candidates, values_of, weight_shapes
from shengji_env.players.networks.champion.inputs import make_inputs
from shengji_env.players.networks.champion.value_file import ValueFile, write_values
from shengji_env.tables.settings import TableSettings
from shengji_env.tables.tables import Tables
from shengji_env.vector import BatchEnv
from tests.players.test_candidates import Finder

HEURISTIC = HeuristicPlayer()
WIDTHS = (8, 12, 16, 8)


def random_weights(seed=0, widths=WIDTHS):
    """Weights of a network that prefers any candidate to any other; half precision holds them exactly."""
    words = np.random.default_rng(seed)
    return {
        name: (words.normal(size=shape) / shape[0] ** 0.5).astype(np.float16).astype(np.float32)
        for name, shape in weight_shapes(*widths).items()
    }


def player_of(weights, rules, **arguments):
    """A player of one network."""
    return ValuePlayer(ValueFile(weights, as_rules(rules), {}), name="mine", **arguments)


def decision_states(rules, steps=150, tables=48, seed=1):
    """States at which decisions with a choice begin, of random and heuristic play; at some tables nobody bids."""
    env, found, rows = BatchEnv(tables, rules, seed=seed, start="any"), [], np.arange(tables)
    for step in range(steps):
        begins = (env.states["taken_size"] == 0) & (env.action_mask.sum(axis=1) > 1)
        found.append(env.states[begins & ((rows + step) % 5 == 0)].copy())
        chosen = HEURISTIC.act(env.observation, env.action_mask, np.zeros(tables, np.uint64))
        chosen = np.where(rows % 3 == step % 3, env.sample_actions(), chosen)
        env.step(np.where((env.phase == Phase.BID) & (rows % 4 == 0), PASS, chosen))
    return np.concatenate(found)


def at(states, rules):
    """The decisions to be made at some states."""
    tables = Tables(TableSettings(rules=as_rules(rules)), np.arange(len(states)))
    tables.states[:] = states
    for row in range(len(states)):
        write_mask(tables.states[row], tables.shared[0]["rules"], tables.works[0], tables.masks[row])
    return Decisions.at(tables, np.arange(len(states)))


def read(states, rules):
    """What a network is given at the starts of some decisions: observations, offsets, cards, features, actions."""
    find = Finder(rules, DEFAULT_CANDIDATES)
    actions, cards, features, seen = zip(*(find(states[row : row + 1]) for row in range(len(states))), strict=True)
    observations = np.array([np.frombuffer(each, np.int8) for each in seen])
    offsets = np.cumsum([0, *map(len, actions)])
    rows = np.concatenate(features).view(np.int8).reshape(-1, NUM_FEATURES)
    return observations, offsets, np.concatenate(cards), rows, np.concatenate(actions)


def plays(weights, states, rules):
    """The action (-1: cards) and the cards of the candidate that a network chooses at each beginning of a decision."""
    rows, offsets, cards, features, actions = read(states, rules)
    values = values_of(weights, make_inputs(rows, offsets, cards, features))
    best = offsets[:-1] + best_candidates(values.mean(axis=1), offsets)
    return actions[best], cards[best]


def write_network(path, rules="two_deck", seed=0, scale=1):
    """Write the file of such a network, its values multiplied by `scale`."""
    weights = random_weights(seed)
    write_values(path, ValueFile({**weights, "value": weights["value"] * np.float32(scale)}, as_rules(rules), {}))
    return path
