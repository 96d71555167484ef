"""The network whose plain suits share encoders: what it reads, what permuting suits does, and its file."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.export import write_policy
from shengji_env.engine.actions import BID_SUIT, NAME, NUM_ACTIONS
from shengji_env.engine.cards import MAX_DECKS
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS
from shengji_env.engine.state import Phase
from shengji_env.errors import PlayerError
from shengji_env.players import make_player
from shengji_env.players.networks.policy import LayerStack, PolicyPlayer, SuitNetwork
from shengji_env.players.networks.policy.suit_inputs import make_suit_inputs
from shengji_env.players.networks.policy.suit_network import Widths
from shengji_env.tables.observation import LAYOUT, OBSERVATION_DTYPE, OBSERVATION_SIZE, view
from shengji_env.vector import BatchEnv
from tests.helpers.policies import random_layers, random_suits
from tests.players.test_candidates import slots_permuted

NO_TRUMP_RULES = "duplicate(no_trump_bids=True)"
WIDTHS = Widths(13, 17, 19, 11, 7)


def observations_of(rules: str, steps: int = 110) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Observations and masks of random play in all phases."""
    env = BatchEnv(64, rules, seed=0, start="any")
    rows, masks = [], []
    for _ in range(steps):
        env.step(env.sample_actions())
        rows.append(env.observation.copy())
        masks.append(env.action_mask.copy())
    return np.concatenate(rows), np.concatenate(masks)


def permuted(observations: NDArray[np.int8], order: tuple[int, ...]) -> NDArray[np.int8]:
    """Observations of the same decisions with plain suit i called order[i]."""
    slots, suits = slots_permuted(order, None), np.arange(5)
    suits[: len(order)] = order
    changed = observations.copy()
    old, new = view(observations), view(changed)
    for segment in LAYOUT:
        if segment.shape[-1] == NUM_SLOTS:
            new[segment.name][..., slots] = old[segment.name]
    for name in ("voids", "lead_suit"):
        new[name][..., suits] = old[name]
    if len(order) == 4:
        new["bid_kind"][..., suits[:4]] = old["bid_kind"][..., :4]
    return changed


def actions_permuted(order: tuple[int, ...]) -> NDArray[np.int64]:
    """For each action, the action that it becomes; bids and names mean nothing once trumps are named."""
    actions = np.arange(NUM_ACTIONS)
    actions[:NUM_SLOTS] = slots_permuted(order, None)
    for old, new in enumerate(order):
        actions[NAME + old] = NAME + new
        for count in range(MAX_DECKS):
            actions[BID_SUIT + 4 * count + old] = BID_SUIT + 4 * count + new
    return actions


@pytest.mark.parametrize("rules", ["two_deck", "four_deck", "one_deck_45", NO_TRUMP_RULES])
def test_permuting_the_plain_suits_permutes_the_logits(rules: str) -> None:
    observations, _ = observations_of(rules)
    seen = view(observations)
    has_four = seen["trump"][:, NO_TRUMP:].any(axis=1)
    assert 0 < has_four.sum() < len(observations)
    ordered = make_suit_inputs(observations).is_ordered
    network = random_suits(WIDTHS)
    for chosen, orders in ((~has_four, [(1, 2, 0), (0, 2, 1), (2, 1, 0)]), (has_four, [(1, 2, 3, 0), (3, 0, 2, 1)])):
        some = observations[chosen & ~ordered]
        before = network.logits(some)
        for order in orders:
            changed = permuted(some, order)
            assert changed.tobytes() != some.tobytes()
            after = network.logits(changed)
            np.testing.assert_allclose(after[:, actions_permuted(order)], before, rtol=1e-4, atol=1e-5)
            assert not np.allclose(after, before, rtol=1e-4, atol=1e-5)


def test_the_suits_order_matters_only_where_several_suits_are_taken_from() -> None:
    observations, masks = observations_of("two_deck")
    seen, is_ordered = view(observations), make_suit_inputs(observations).is_ordered
    phases = seen["phase"].argmax(axis=1)
    assert is_ordered[phases == Phase.BURY].all()
    assert not is_ordered[np.isin(phases, (Phase.BID, Phase.NAME, Phase.LEAD, Phase.FORCED))].any()
    follows = phases == Phase.FOLLOW
    assert 0 < is_ordered[follows].sum() < follows.sum() / 2
    suits_open = masks[:, :48].reshape(-1, 4, 12).any(axis=2).sum(axis=1)
    left = seen["lead_size"][:, 0] - seen["taken"].sum(axis=1)
    assert is_ordered[follows & (suits_open > 1) & (left > 1)].all()
    network = random_suits(WIDTHS)
    some = observations[is_ordered & ~seen["trump"][:, NO_TRUMP:].any(axis=1)]
    before, after = network.logits(some), network.logits(permuted(some, (1, 2, 0)))
    assert not np.allclose(after[:, actions_permuted((1, 2, 0))], before, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("rules", ["two_deck", NO_TRUMP_RULES])
def test_every_part_of_the_observation_that_is_not_a_suits_name_is_read(rules: str) -> None:
    """A network whose inputs all count tells apart observations that differ in one place."""
    observations, _ = observations_of(rules, 60)
    rows = observations[np.random.default_rng(1).permutation(len(observations))[:40]]
    suits, fields = ("trump",), OBSERVATION_DTYPE.fields
    assert fields is not None
    hidden = {fields[name][1] + suit for name in suits for suit in range(4)}
    for row in rows:
        changed = np.repeat(row[None], OBSERVATION_SIZE, axis=0)
        np.fill_diagonal(changed, row + 3)
        before, after = make_suit_inputs(row[None]), make_suit_inputs(changed)
        same = np.ones(OBSERVATION_SIZE, bool)
        for name in ("suits", "trumps", "table"):
            old, new = getattr(before, name), getattr(after, name)
            same &= (new == old).reshape(OBSERVATION_SIZE, -1).all(axis=1)
        unread = set(np.flatnonzero(same).tolist())
        bids = set(range(fields["bid_kind"][1], fields["bid_kind"][1] + 4))
        fourth = {fields["voids"][1] + 5 * seat + 3 for seat in range(4)} | {fields["lead_suit"][1] + 3}
        is_named = not view(row[None])["trump"][0, NO_TRUMP + 1]
        has_four = bool(view(row[None])["trump"][0, NO_TRUMP:].any())
        assert unread == hidden | (bids if is_named else set()) | (set() if has_four else fourth)


def test_answers_do_not_depend_on_the_batch() -> None:
    observations, _ = observations_of("two_deck", 4)
    network = random_suits(WIDTHS)
    whole = network.logits(observations)
    rows = np.concatenate([network.logits(observations[row : row + 1]) for row in range(len(observations))])
    assert whole.tobytes() == rows.tobytes()


# ---- the file


def test_a_file_reads_back_as_it_was_written(tmp_path: Path) -> None:
    network = random_suits(WIDTHS)
    write_policy(network, tmp_path / "policy.npz", rules="one_deck")
    player = make_player(f"policy:{tmp_path}")
    assert isinstance(player, PolicyPlayer)
    assert isinstance(player.network, SuitNetwork)
    assert player.header["rules"] == "one_deck"
    observations, masks = observations_of("two_deck", 20)
    assert player.logits(observations).tobytes() == network.logits(observations).tobytes()
    chosen = player.act(observations, masks, np.zeros(len(masks), np.uint64))
    assert (masks[np.arange(len(masks)), chosen] == 1).all()


def written(path: Path, header: dict[str, Any], arrays: dict[str, Any]) -> str:
    """Write a file with some of its header and arrays changed; None leaves an array out."""
    write_policy(random_suits(), path, rules="two_deck")
    with np.load(path) as file:
        whole = dict(file)
    old = json.loads(str(whole.pop("header")))
    kept = {name: array for name, array in (whole | arrays).items() if array is not None}
    np.savez(path, header=np.array(json.dumps(old | header)), **kept)  # type: ignore[arg-type]
    return f"policy:{path}"


@pytest.mark.parametrize(
    ("header", "arrays", "message"),
    [
        ({"format": "shengji-suit-policy/9"}, {}, "format is 'shengji-suit-policy/9', here 'shengji-policy/1' or"),
        ({"format": ["x"]}, {}, "format is .'x'., here 'shengji-policy/1' or 'shengji-suit-policy/1'"),
        ({"inputs_version": "0.0"}, {}, "inputs_version is '0.0', here '"),
        ({"layout_version": 99}, {}, "layout_version is 99, here"),
        ({"format": "shengji-policy/1", "activation": "relu"}, {}, "layer 0 is nothing and nothing"),
        ({}, {"told_w": None}, "there must be table_w, table_b"),
        ({}, {"more": np.zeros(1, np.float32)}, "there must be table_w, table_b"),
        ({}, {"suit_b": None}, "its layers have the widths 0, 4, 5, 6, 2; they must be 1 to 4096"),
        ({}, {"suit_b": np.zeros(5000, np.float32)}, "its layers have the widths 5000, 4"),
        ({}, {"suit_b": np.zeros(4, np.float32)}, r"table_w is float32 \(\d+, 12\); it must be float32 \(\d+, 13\)"),
        ({}, {"told_b": np.full(4, np.nan, np.float32)}, "told_b holds nan; weights are finite float32"),
        ({}, {"told_b": np.full(4, 1e6, np.float32)}, "told_b holds something other than numbers from -1,000 to 1,000"),
        ({}, {"told_b": np.zeros(4, np.int64)}, "told_b is int64; weights are float32"),
    ],
)
def test_what_is_no_such_network_is_refused(
    tmp_path: Path, header: dict[str, Any], arrays: dict[str, Any], message: str
) -> None:
    text = written(tmp_path / "policy.npz", header, arrays)
    with pytest.raises(PlayerError, match=message):
        make_player(text)


def test_a_network_at_the_limits_has_finite_logits() -> None:
    network = random_suits(Widths(2, 2, 2, 2, 2))
    largest = SuitNetwork({name: np.full_like(array, 1000) for name, array in network.arrays.items()})
    observations = np.full((2, OBSERVATION_SIZE), 127, np.int8)
    assert np.isfinite(largest.logits(observations)).all()


def test_both_kinds_write_what_they_read(tmp_path: Path) -> None:
    for network, kind in ((random_layers(), LayerStack), (random_suits(), SuitNetwork)):
        write_policy(network, tmp_path / "policy.npz", rules="two_deck")
        player = PolicyPlayer.load(tmp_path)
        assert isinstance(player.network, kind)
        assert list(player.network.arrays) == list(network.arrays)
