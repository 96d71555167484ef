"""Learning by self-play: from nothing, the same however it is interrupted, and with any number of threads."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.config_files import config_from, load_config
from agents.learner_protocol import LearnerState
from agents.selfplay.batches import DECISION_ARRAYS, LabelledDecisions
from agents.selfplay.model import SelfplayModel, centred
from agents.selfplay.selfplay_config import SelfplayConfig
from agents.selfplay.selfplay_learner import SelfplayLearner
from shengji_env.arena import check_player, play_matchup
from shengji_env.datasets.labelling import joined, written
from shengji_env.datasets.selfplay.label_blocks import BLOCK, ITSELF, LabelBlocks
from shengji_env.datasets.selfplay.label_kernels import (
    COUNTED,
    LabelArrays,
    LabelSettings,
    Networks,
    add_choice,
    add_decision,
    make_labels,
)
from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.engine.slots import TRUMP
from shengji_env.engine.state import Phase
from shengji_env.errors import CheckpointError, ConfigError
from shengji_env.players.greedy import GreedyPlayer
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.networks.selfplay.choices import (
    PROPOSALS,
    find_choices,
    make_selfplay_memory,
    value_choices,
)
from shengji_env.players.networks.selfplay.decision import MAX_CHOICES
from shengji_env.players.networks.selfplay.integer_rows import FACTOR_BITS, MOST
from shengji_env.players.networks.selfplay.selfplay_file import SelfplayFile
from shengji_env.players.networks.selfplay.selfplay_inputs import (
    ACTION_GROUP,
    FIRST_SCALED_ROW,
    GROUP_NAMES,
    NUM_CARD_ROWS,
    NUM_GROUPS,
    NUM_SCALED_ROWS,
    RULE_ROWS,
    rule_rows,
)
from shengji_env.players.networks.selfplay.selfplay_network import (
    LEVEL,
    SCALE,
    NetworkShape,
    SelfplayNetwork,
    network_of_parts,
    shapes_of,
)
from shengji_env.players.networks.selfplay.selfplay_player import SelfplayPlayer
from shengji_env.support.workers.pools import Threads
from shengji_env.vector import BatchEnv
from tests.helpers.paths import ROOT
from tests.helpers.thorough import thorough

RULES = "two_deck"
ROUNDS, AT_ONCE = 90, 30
SHIPPED = {"units": 128, "suit": 64, "last": 32, "chances": 1, "playouts": 128}


def config_of(
    proposals: str = "wide", uses: int = 1, rules: str = "own", ray: str = "no",
    network: dict[str, Any] | None = None, own: dict[str, Any] | None = None, critic: dict[str, Any] | None = None,
) -> SelfplayConfig:  # fmt: skip
    own = {"proposals": proposals, "rounds": ROUNDS, "rounds_at_once": AT_ONCE, "rules": rules} | (own or {})
    own |= {"threads": 1, "ray": ray}
    fitting = {"minibatch": 64, "horizon": 20, "uses": uses}
    critic = {"rounds": AT_ONCE, "share": 0.3, "suit": 16, "hidden": 32, "minibatch": 32} | (critic or {})
    tables = {"learner": {"kind": "selfplay"}, "selfplay": own, "fitting": fitting, "critic": critic}
    tables["network"] = {"units": 32} | (network or {})
    config = config_from(tables)
    assert isinstance(config, SelfplayConfig)
    return config


def learn(learner: SelfplayLearner, generations: int) -> None:
    """Let it learn for some generations."""
    for _ in range(generations):
        done = learner.stage.rounds / learner.stage.amount
        learner.stage.collect(done, lambda: None)
        learner.stage.update(done)


def player_of(learner: SelfplayLearner) -> SelfplayPlayer:
    file = SelfplayFile(learner.stage.fitting.network(), learner.config.selfplay.proposals)
    return SelfplayPlayer(file, name="learned")


@pytest.mark.parametrize("proposals", PROPOSALS)
def test_it_learns_while_no_written_player_can_play(proposals: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError("a player that somebody has written was asked")

    learner = SelfplayLearner.fresh(config_of(proposals))
    for player in (HeuristicPlayer, GreedyPlayer):
        for method in ("policy", "decide", "act"):
            monkeypatch.setattr(player, method, refuse, raising=False)
    before = player_of(learner)
    learn(learner, ROUNDS // AT_ONCE)
    assert learner.stage.rounds == ROUNDS
    assert play_matchup(player_of(learner), before, num_deals=60, rules=RULES, seed=5).interval[0] > 0
    learner.close()


@pytest.mark.thorough
def test_what_make_train_runs_beats_greedy_after_half_a_minute() -> None:
    shorter = ["selfplay.rounds=6000", "selfplay.rounds_at_once=750", "selfplay.threads=1", "critic.rounds=3000"]
    config = load_config(ROOT / "configs/selfplay.toml", shorter)
    assert isinstance(config, SelfplayConfig)
    learner = SelfplayLearner.fresh(config)
    greedy = GreedyPlayer()
    assert play_matchup(player_of(learner), greedy, num_deals=200, rules=RULES, seed=5).interval[1] < -1
    learn(learner, 8)
    assert learner.stage.rounds == 6000
    assert play_matchup(player_of(learner), greedy, num_deals=200, rules=RULES, seed=5).interval[0] > 0.3
    learner.close()


_WITHOUT_WRITTEN_CODE = """
import sys
from shengji_env.players import greedy, heuristic
from agents.config_files import config_from
from agents.selfplay.selfplay_learner import SelfplayLearner

def refuse(*arguments):
    raise AssertionError("code of a player that somebody has written was used")

number = 0
for module in [module for name, module in sys.modules.items() if name.startswith(("shengji_env", "agents"))]:
    for name, value in list(vars(module).items()):
        written = getattr(value, "__module__", None) or ""
        if callable(value) and written.startswith(("shengji_env.players.heuristic", "shengji_env.players.greedy")):
            setattr(module, name, refuse)
            number += 1
assert number > 50
tables = {"rounds": 1, "rounds_at_once": 1, "threads": 1, "lead_share": 0.02, "one_share": 0.02, "many_share": 0.3}
shares = {"bury_share": 0.0, "action_share": 0.0}
config = config_from({"learner": {"kind": "selfplay"}, "selfplay": tables | shares})
learner = SelfplayLearner.fresh(config)
learner.stage.collect(0.0, lambda: None)
learner.stage.update(0.0)
assert learner.stage.fitting.steps > 0
learner.close()
print("learned")
"""


@pytest.mark.thorough
def test_own_proposals_use_no_code_of_a_written_player() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    ended = subprocess.run(
        [sys.executable, "-c", _WITHOUT_WRITTEN_CODE],
        env=environment, capture_output=True, text=True, timeout=1800, cwd=Path(__file__).parents[2], check=False,
    )  # fmt: skip
    assert ended.stdout.strip().endswith("learned"), ended.stderr


ENCODERS = {"units": 64, "suit": 32, "last": 32, "chances": 1}


@pytest.mark.parametrize(
    "network", [ENCODERS | {"playouts": 32}, *thorough({}, ENCODERS)], ids=["playouts", "default", "encoders"]
)
def test_a_resumed_run_learns_the_same(network: dict[str, int]) -> None:
    """A checkpoint holds the generations that are learned from once more, and no others."""
    config = config_of(uses=2, network=network)
    whole, first = SelfplayLearner.fresh(config), SelfplayLearner.fresh(config)
    learn(whole, 3)
    learn(first, 1)
    saved = first.save()
    assert saved.meta["kept"] == 1
    assert any("suit_rows" in name for name in saved.arrays) == bool(network)
    assert any(name.startswith("playouts/ahead/") for name in saved.arrays) == ("playouts" in network)
    second = SelfplayLearner.restored(config, saved)
    learn(second, 2)
    for name, array in whole.save().arrays.items():
        np.testing.assert_array_equal(array, second.save().arrays[name], err_msg=name)


def test_a_resumed_run_may_have_more_rounds() -> None:
    config = config_of()
    learner = SelfplayLearner.fresh(config)
    learn(learner, 3)
    saved = learner.save()
    more, fewer = (
        dataclasses.replace(config, selfplay=dataclasses.replace(config.selfplay, rounds=rounds))
        for rounds in (ROUNDS + AT_ONCE, ROUNDS - AT_ONCE)
    )
    longer = SelfplayLearner.restored(more, saved)
    longer.stage.collect(0.75, lambda: None)
    longer.stage.update(0.75)
    assert longer.stage.rounds == ROUNDS + AT_ONCE
    longer.close()
    with pytest.raises(CheckpointError, match=f"selfplay.rounds={ROUNDS - AT_ONCE} is less than the {ROUNDS} rounds"):
        SelfplayLearner.restored(fewer, saved)


@pytest.mark.parametrize("critic_rounds", [0, 2])
def test_a_generation_without_labels_teaches_nothing(critic_rounds: int) -> None:
    """All that is shown of it is that there is nothing."""
    tables = {f"{kind}_share": 0.0 for kind in GROUP_NAMES} | {"rounds": 2, "rounds_at_once": 1, "threads": 1}
    config = config_from({"learner": {"kind": "selfplay"}, "selfplay": tables, "critic": {"rounds": critic_rounds}})
    assert isinstance(config, SelfplayConfig)
    learner = SelfplayLearner.fresh(config)
    before = learner.stage.fitting.network()
    learner.stage.collect(0.0, lambda: None)
    assert np.isnan([*learner.stage.update(0.0).values()]).all()
    np.testing.assert_array_equal(learner.stage.fitting.network().weights, before.weights)
    learner.close()


def test_a_damaged_state_is_refused() -> None:
    config = config_of(uses=2, network=ENCODERS)
    learner = SelfplayLearner.fresh(config)
    learn(learner, 1)
    saved = learner.save()
    own = {name: array for name, array in saved.arrays.items() if not name.startswith("critic/")}
    learner.stage.load(LearnerState(saved.meta, b"", own))
    for name in DECISION_ARRAYS:
        array = own[f"kept/0/{name}"]
        floating, number = array.dtype.kind == "f", array.dtype.type
        wrong = [np.nan, -np.inf] if floating else [-1, np.iinfo(number).max]
        altered = [np.concatenate([[number(value)], array[1:]]) for value in wrong]
        more = array[:-1], array[:, None], array.astype("U9"), array.astype(np.float16)
        for damaged in (*altered, *more):
            with pytest.raises(CheckpointError, match="of its labels"):
                learner.stage.load(LearnerState(saved.meta, b"", own | {f"kept/0/{name}": damaged}))
    learner.close()
    saved.arrays.pop("kept/0/rows")
    with pytest.raises(CheckpointError, match="kept/0/rows"):
        SelfplayLearner.restored(config, saved)


def labels_of(
    network: SelfplayNetwork, threads: int, rules: str | None = RULES, proposals: str = "wide", rounds: int = 60,
    playouts: SelfplayNetwork | None = None, opponent: str = ITSELF,
) -> LabelArrays:  # fmt: skip
    settings = LabelSettings(np.full(5, 0.2), np.array([0.0, 0.1]), np.array([0.3]), 8, np.ones(1), 0)
    rule_set = None if rules is None else parse_rules(rules)
    with Threads(threads) as executor:
        blocks = LabelBlocks(proposals, rule_set, settings, 1, executor, rules is None, opponent)
        return blocks.make(Networks(network, playouts or network), 0, rounds)


def test_threads_change_nothing() -> None:
    assert BLOCK < 60
    network = SelfplayModel(torch.Generator().manual_seed(1)).network()
    for one, other in zip(labels_of(network, 1), labels_of(network, 2), strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_opponent_has_the_seats_of_one_team_in_rounds_and_playouts() -> None:
    network = SelfplayModel(torch.Generator().manual_seed(1)).network()
    alone = labels_of(network, 1)
    one, other = (labels_of(network, threads, opponent="heuristic") for threads in (1, 2))
    for each, again in zip(one, other, strict=True):
        np.testing.assert_array_equal(each, again)
    assert abs(alone.levels.mean()) < 0.5
    assert one.levels.mean() < -1.5
    assert 0.3 < len(one.groups) / len(alone.groups) < 0.7
    assert 0.2 < one.is_attacker.mean() < 0.8


@pytest.mark.parametrize("shape", [NetworkShape(), NetworkShape(64, 32, 32, 1)])
def test_a_network_starts_as_another(shape: NetworkShape) -> None:
    first, second = (SelfplayModel(torch.Generator().manual_seed(seed), shape=shape) for seed in (1, 2))
    network = first.network()
    assert (network.weights != second.network().weights).any()
    second.start_as(network)
    np.testing.assert_array_equal(second.network().weights, network.weights)


def test_a_best_response_learns_and_is_resumed(tmp_path: Path) -> None:
    beginning = SelfplayLearner.fresh(config_of())
    start = beginning.export(tmp_path)
    config = config_of(own={"opponent": "greedy"}, network={"start": start}, critic={"share": 1.0})
    SelfplayLearner.check(config)
    learner, again = (SelfplayLearner.fresh(config) for _ in range(2))
    begun = learner.stage.fitting.network()
    np.testing.assert_array_equal(begun.weights, beginning.stage.fitting.network().weights)
    learn(learner, 2)
    learn(again, 1)
    resumed = SelfplayLearner.restored(config, again.save())
    learn(resumed, 1)
    ended = learner.stage.fitting.network().weights
    np.testing.assert_array_equal(ended, resumed.stage.fitting.network().weights)
    assert (ended != begun.weights).any()
    for each in (beginning, learner, again, resumed):
        each.close()


@pytest.mark.parametrize(
    ("own", "network", "message"),
    [
        ({"opponent": "greedy"}, {}, "critic.share = 1"),
        ({}, {"start": "heuristic"}, "must be fresh, champion or selfplay:PATH"),
        ({}, {"start": "selfplay:nowhere"}, "network.start = 'selfplay:nowhere': .*nowhere"),
        ({}, {"start": "champion", "units": 64}, "asks for"),
        ({"proposals": "program"}, SHIPPED | {"start": "champion"}, "proposals = 'wide'"),
        ({"opponent": "search:4"}, {}, "selfplay.opponent = 'search:4': .*no policy"),
    ],
)
def test_an_impossible_start_or_opponent_is_refused(own: dict[str, Any], network: dict[str, Any], message: str) -> None:
    share = 0.3 if "critic" in message else 1.0
    with pytest.raises(ConfigError, match=message):
        SelfplayLearner.check(config_of(own=own, network=network, critic={"share": share}))


def test_another_network_plays_playouts_and_nothing_else() -> None:
    policy, playouts = (SelfplayModel(torch.Generator().manual_seed(seed)).network() for seed in (1, 2))
    own, others = labels_of(policy, 1), labels_of(policy, 1, playouts=playouts)
    ends = {"levels", "points", "is_over", "is_attacker", "smooth", "situations"}
    for name in set(own._fields) - ends:
        np.testing.assert_array_equal(getattr(own, name), getattr(others, name), err_msg=name)
    assert (own.points != others.points).mean() > 0.5


@pytest.mark.slow
def test_on_ray_it_learns_the_same() -> None:
    pytest.importorskip("ray")
    exported = []
    for ray in ("no", "local"):
        learner = SelfplayLearner.fresh(config_of(ray=ray))
        try:
            learn(learner, 2)
            exported.append(learner.save().arrays)
        finally:
            learner.close()
    here, there = exported
    assert here.keys() == there.keys()
    for name, array in here.items():
        np.testing.assert_array_equal(array, there[name], err_msg=name)


def test_a_round_of_any_length_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room that is too small grows, whatever decisions a round has; labels are the same."""
    network = SelfplayModel(torch.Generator().manual_seed(1)).network()
    made = labels_of(network, 1, rounds=3)
    monkeypatch.setattr("shengji_env.datasets.selfplay.label_blocks._DECISIONS_A_ROUND", 1)
    for one, other in zip(made, labels_of(network, 1, rounds=3), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("proposals", PROPOSALS)
@pytest.mark.parametrize("rules", ["four_deck", "one_deck_45", "competition", "two_deck(throws=False)"])
def test_all_choices_are_legal(rules: str, proposals: str) -> None:
    network = SelfplayModel(torch.Generator().manual_seed(2)).network()
    labels = labels_of(network, 1, rules, proposals, rounds=4)  # an illegal choice raises
    assert (labels.num_choices >= 2).all()
    assert len(labels.num_choices) > 20
    for group in range(ACTION_GROUP):
        for rows in rows_of(labels, group):
            of_cards, scaled = rows - group * NUM_CARD_ROWS, rows - FIRST_SCALED_ROW - group * NUM_SCALED_ROWS
            is_own = (of_cards >= 0) & (of_cards < NUM_CARD_ROWS) | (scaled >= 0) & (scaled < NUM_SCALED_ROWS)
            assert is_own.all()


def rows_of(labels: LabelArrays, group: int) -> tuple[np.ndarray, np.ndarray]:
    """All rows of a kind of decision: in common, and of choices."""
    is_one = labels.groups == group
    return labels.common[np.repeat(is_one, labels.num_common)], labels.rows[
        np.repeat(np.repeat(is_one, labels.num_choices), labels.num_rows)
    ]


def test_errors_weigh_less_where_labels_spread_more() -> None:
    """Under rules of their own; where all rounds have the same, they weigh the same."""
    network = SelfplayModel(torch.Generator().manual_seed(1)).network()
    weights = LabelledDecisions.of(labels_of(network, 1)).arrays["weights"]
    np.testing.assert_allclose(weights, 1, rtol=1e-5)
    labels = labels_of(network, 1, None)
    before = LabelledDecisions.of(labels).arrays["weights"]
    is_first = (labels.rules == labels.rules[0]).all(axis=1)
    assert not is_first.all()
    louder = np.where(np.repeat(is_first, labels.num_choices), 10, 1) * labels.smooth
    after = LabelledDecisions.of(labels._replace(smooth=louder)).arrays["weights"]
    for group in range(NUM_GROUPS):
        is_one = labels.groups == group
        assert after[is_one].mean() == pytest.approx(1, rel=1e-5)
        if (is_one & is_first).any():
            assert after[is_one & is_first].mean() < before[is_one & is_first].mean()


def test_one_run_learns_many_rules() -> None:
    """Its file plays all of them, and what it has learned of rules enters its decisions."""
    learner = SelfplayLearner.fresh(config_of(rules="drawn"))
    learn(learner, 3)
    player = player_of(learner)
    for rules in ("two_deck", "four_deck", "one_deck_45"):
        check_player(player, rules, num_deals=2)
    network = player.file.network
    parts, units = network.parts, network.shape.units
    learned = parts["rows"].reshape(-1, units)[rule_rows(parse_rules("one_deck"), 0)]
    assert learned.any(axis=(1, 2)).all()
    parts["rows"] = parts["rows"].copy()
    parts["rows"].reshape(-1, units)[-NUM_GROUPS * RULE_ROWS :] *= 100
    louder = SelfplayPlayer(SelfplayFile(network_of_parts(network.shape, parts), "wide"), name="louder")
    assert play_matchup(player, louder, num_deals=100, rules="one_deck", seed=1).levels_per_round != 0


SHAPES = [NetworkShape(), NetworkShape(64, 32), NetworkShape(96, last=32), NetworkShape(128, 64, 32, 1)]


@pytest.mark.thorough
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_integers_value_choices_as_torch_does(shape: NetworkShape) -> None:
    """Rows of the rules among them; what a choice changes is worked out as if all were made anew."""
    model, generator = SelfplayModel(torch.Generator().manual_seed(3), shape=shape), torch.Generator().manual_seed(4)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if name.endswith(("rows", "codes", "second_outputs")):
                weights += 0.1 * torch.randn(weights.shape, generator=generator)
    network = model.network()
    labels, values_found = all_choices(network)
    decisions = LabelledDecisions.of(labels)
    batch = decisions.take(np.arange(len(decisions)))
    with torch.no_grad():
        values = centred(model(batch), batch.owners, len(decisions))
    integers = values_anew(network, labels)
    np.testing.assert_array_equal(values_found, integers)
    compiled = centred(torch.from_numpy(integers / LEVEL), batch.owners, len(decisions))
    assert 1 - float(((compiled - values) ** 2).sum() / (values**2).sum()) > 0.99


def all_choices(network: SelfplayNetwork) -> tuple[LabelArrays, np.ndarray]:
    """The rows of all choices of some decisions, and what they are valued at."""
    settings = LabelSettings(np.zeros(NUM_GROUPS), np.zeros(1), np.zeros(1), MAX_CHOICES, np.zeros(1), 0)
    made, found = [], []
    for rules in map(parse_rules, ("two_deck", "one_deck_45", "chaodipi")):
        env, memory = BatchEnv(16, rules, seed=1), make_selfplay_memory(network, "wide", rules)
        labels, values = make_labels(2500, settings, 200, reads_suits=network.shape.suit > 0), np.zeros(10**5, np.int64)
        for _ in range(100):
            describe(env.states, rules.record(), memory, rule_rows(rules, network.shape.chances), labels, values)
            env.step(env.sample_actions())
        made.append(written(labels, COUNTED))
        found.append(values[: labels.filled[COUNTED["levels"]]])
    return joined(made), np.concatenate(found)


@jit
def describe(states, rules, memory, rule_rows, labels, values):  # type: ignore[no-untyped-def]
    w, d = memory.works[0], memory.decision[0]
    for row in range(states.size):
        s = states[row]
        if s.taken_size == 0 and s.phase != Phase.OVER and find_choices(s, rules[0], w, memory) > 1:
            value_choices(memory)
            add_decision(d, rule_rows, labels)
            for index in range(d.number):
                values[labels.filled[2]] = d.values[index]
                add_choice(d, index, labels)


def values_anew(network: SelfplayNetwork, labels: LabelArrays) -> np.ndarray:
    """The values of choices, each from the rows of all its suits."""
    shape, found, change, at = network.shape, [], 0, [0, 0, 0, 0]
    shapes = shapes_of(shape)
    parts = {name: part.astype(np.int64).reshape(shapes[name]) for name, part in network.parts.items()}

    def rows(name: str, number: int, place: int) -> np.ndarray:
        at[place] += int(number)
        return getattr(labels, name)[at[place] - int(number) : at[place]]

    def products(sums: np.ndarray, table: np.ndarray) -> np.ndarray:
        factors = np.clip(sums, 0, MOST) << FACTOR_BITS
        return (factors[:, None] * table >> 16).sum(0) + np.count_nonzero(factors) // 2

    for decision, group in enumerate(labels.groups.tolist()):
        common = parts["rows"][rows("common", labels.num_common[decision], 0)].sum(0)
        suits = [
            parts["suit_rows"][rows("suit_rows", number, 1)].sum(0)
            for number in (labels.num_suit_rows[decision] if shape.suit else ())
        ]
        for _ in range(labels.num_choices[decision]):
            hidden = common + parts["rows"][rows("rows", labels.num_rows[change], 2)].sum(0)
            for suit, sums in enumerate(suits):
                taken = rows("change_rows", labels.num_change_rows[change, suit], 3)
                codes = parts["codes"][suit // TRUMP * shape.suit :][: shape.suit]
                hidden = hidden + products(sums + parts["suit_rows"][taken].sum(0), codes)
            value = np.maximum(hidden, 0) @ parts["outputs"][group]
            if shape.last:
                second = parts["second"][group * (shape.units + 1) :][: shape.units + 1]
                last = products(hidden, second[:-1]) + (second[-1] * (SCALE << FACTOR_BITS) >> 16)
                value += np.maximum(last, 0) @ parts["second_outputs"][group]
            found.append(value)
            change += 1
    return np.array(found)
