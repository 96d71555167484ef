"""The critic of self-play's labels: what it is asked about, what it learns, what becomes of labels."""

import itertools

import numpy as np
import pytest
import torch

from agents.selfplay.critic import Critic, CriticFitting, _scene_rows
from agents.selfplay.model import SelfplayModel
from agents.selfplay.selfplay_config import CriticTable
from shengji_env.datasets.selfplay.label_blocks import LabelBlocks
from shengji_env.datasets.selfplay.label_kernels import LabelArrays, LabelSettings, Networks
from shengji_env.engine.rule_record import NUM_RULE_FEATURES
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.engine.slots import PLAIN_RANKS
from shengji_env.players.networks.selfplay.selfplay_inputs import NUM_GROUPS, RULE_VALUES
from shengji_env.support.workers.pools import InProcess

TABLE = CriticTable(suit=32, hidden=64, minibatch=32)
ENDS = "levels", "points", "is_attacker", "smooth"


def labels_of(
    played_out: float, rules: str | None = "two_deck", tricks: int = TABLE.tricks, rounds: int = 40, first: int = 0
) -> LabelArrays:
    """Labels of a policy that has learned nothing."""
    settings = LabelSettings(np.full(NUM_GROUPS, 0.3), np.zeros(1), np.ones(1), 4, np.ones(1), tricks)
    network = SelfplayModel(torch.Generator().manual_seed(1)).network()
    blocks = LabelBlocks("wide", None if rules is None else parse_rules(rules), settings, 1, InProcess(), rules is None)
    return blocks.make(Networks(network, network), first, first + rounds, played_out)


def variance_explained(values: np.ndarray, ends: np.ndarray) -> float:
    return float(1 - np.square(values - ends).mean() / ends.var())


def test_playing_some_rounds_for_a_few_tricks_changes_no_other_label() -> None:
    plain, whole, part = labels_of(1.0, tricks=0), labels_of(1.0), labels_of(0.3)
    for name in plain._fields:
        if name != "situations":
            np.testing.assert_array_equal(getattr(plain, name), getattr(whole, name), err_msg=name)
    over = part.is_over == 1
    assert 0.2 < over.mean() < 0.6
    for name in ENDS:
        np.testing.assert_array_equal(getattr(part, name)[over], getattr(whole, name)[over], err_msg=name)
    np.testing.assert_array_equal(part.is_attacker, whole.is_attacker)
    np.testing.assert_array_equal(part.situations, whole.situations)


@pytest.mark.parametrize(("rules", "points"), [("two_deck", 200), ("one_deck_45", 100), ("four_deck", 400)])
def test_situations_hold_what_is_left_of_the_round(rules: str, points: int) -> None:
    labels = labels_of(0.0, rules, rounds=6)
    most = parse_rules(rules).decks
    on = labels.situations["hand_size"].min(axis=1) > 0
    assert on.sum() > 100
    for situations in labels.situations[on].T:
        assert (situations["cards"].sum(axis=1) == situations["hand_size"][:, None]).all()
        assert situations["cards"].sum(axis=2).max() <= most
        assert situations["leader"].max() <= 3
        assert ((situations["attackers_points"] >= 0) & (situations["attackers_points"] <= points)).all()
    for before, after in itertools.pairwise(labels.situations[on].T):
        assert (before["hand_size"] > after["hand_size"]).all()
        played = before["cards"].sum(axis=2) - after["cards"].sum(axis=2)
        assert (played >= 0).all()
        np.testing.assert_array_equal(played.sum(axis=1), 4 * (before["hand_size"] - after["hand_size"]))
        assert (before["attackers_points"] <= after["attackers_points"]).all()


@pytest.mark.thorough
@pytest.mark.parametrize("rules", ["two_deck", None])
def test_a_critic_learns_how_rounds_end(rules: str | None) -> None:
    """For the team that decides, whoever leads next; of drawn rules it reads the features."""
    labels = labels_of(1.0, rules, rounds=200)
    copies, features = (2, 0) if rules else (4, NUM_RULE_FEATURES)
    critic = CriticFitting(1, TABLE, copies, features)
    for _ in range(3):
        critic.fit(labels, 3e-3)
    held_out = labels_of(1.0, rules, rounds=300, first=1000)
    on = held_out.situations["hand_size"].min(axis=1) > 0
    asked = held_out._replace(is_over=held_out.is_over * ~on)
    assert variance_explained(critic.label(asked).smooth[on], held_out.smooth[on]) > 0.3


@pytest.mark.parametrize("tricks", [1, 3])
def test_labels_are_means_of_what_is_known(tricks: int) -> None:
    """Of a round that ended at once it is how it ended; of one that was not played out, what the critic says."""
    whole, part = labels_of(1.0, tricks=tricks), labels_of(0.3, tricks=tricks)
    critic = CriticFitting(1, TABLE, 2, 0)
    of_whole, of_part = critic.label(whole).smooth, critic.label(part).smooth
    number = (part.situations["hand_size"] > 0).sum(axis=1)
    at_once, cut = number == 0, part.is_over == 0
    assert at_once.any()
    assert cut.any()
    np.testing.assert_array_equal(of_part[at_once], whole.smooth[at_once])
    np.testing.assert_allclose(of_whole[~cut], of_part[~cut], rtol=1e-5)
    known = (tricks * of_part[cut] + whole.smooth[cut]) / (tricks + 1)
    np.testing.assert_allclose(of_whole[cut], known, rtol=1e-4, atol=1e-6)
    assert (number[cut] == tricks).all()


@pytest.mark.parametrize("rules", ["two_deck", None])
def test_values_are_those_of_one_situation_after_another(rules: str | None) -> None:
    """Suits that are alike are encoded once; a fourth suit is one like the others where there is no trump suit."""
    labels = labels_of(0.0, rules, tricks=1, rounds=30)
    copies, features = (2, 0) if rules else (4, NUM_RULE_FEATURES)
    critic = CriticFitting(1, TABLE, copies, features).model
    situations, read = labels.situations[:, 0], np.repeat(labels.rules, labels.num_choices, axis=0)
    on = np.flatnonzero(situations["hand_size"] > 0)[::7]
    assert 0 < situations["no_trump"][on].mean() < 1
    with torch.no_grad():
        values = critic(situations[on], read[on])
        for index, row in enumerate(on.tolist()):
            assert float(value_of(critic, situations[row], read[row])) == pytest.approx(float(values[index]), abs=1e-5)


def value_of(critic: Critic, situation: np.void, rules: np.ndarray) -> torch.Tensor:
    """The value of one situation, by dense products."""

    def read(layer: torch.nn.Linear, cards: np.ndarray) -> torch.Tensor:
        held = np.concatenate([cards.ravel() > number for number in range(layer.in_features // cards.size)])
        return layer(torch.from_numpy(held).float())

    cards = situation["cards"]
    suits = [cards[start : start + PLAIN_RANKS] for start in range(0, 3 * PLAIN_RANKS, PLAIN_RANKS)]
    trumps = cards[3 * PLAIN_RANKS :].copy()
    if situation["no_trump"]:
        suits.append(trumps[:PLAIN_RANKS].copy())
        trumps[:PLAIN_RANKS] = 0
    both = [sum(critic.suit(read(critic.plain, suit)) for suit in suits), read(critic.trump, trumps).relu()]
    hidden = critic.hidden(torch.cat(both)) + critic.scene.weight[_scene_rows(situation[None])[0]].sum(0)
    if critic.rules is not None:
        hidden = hidden + critic.rules(torch.from_numpy(np.minimum(rules, RULE_VALUES)).float() / RULE_VALUES)
    return critic.last(hidden.relu())


def test_nothing_is_learned_where_no_round_was_played_out() -> None:
    critic = CriticFitting(1, TABLE, 2, 0)
    labels = labels_of(0.0, rounds=2)
    critic.fit(labels._replace(is_over=np.zeros_like(labels.is_over)), 1e-3)
    assert critic.steps == 0
