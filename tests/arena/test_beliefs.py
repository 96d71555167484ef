"""Scores of beliefs: what perfect and uniform ones score, where cards really are, what models are shown, errors."""

import numpy as np
import pytest

from shengji_env.arena.beliefs import NUM_HOLDERS, BeliefSet, Scores, make_belief_model, score_all
from shengji_env.arena.beliefs.belief_models import ReplayedDeals, Uniform
from shengji_env.arena.beliefs.belief_positions import KITTY
from shengji_env.arena.beliefs.belief_scores import DECOYS, FLOOR, check_beliefs, score_cards, score_deals
from shengji_env.arena.beliefs.belief_tables import mean_with_error, round_indices
from shengji_env.engine.rule_sets import NUM_SEATS, rule_set
from shengji_env.engine.slots import NUM_SLOTS, TRUMP, suit_of_slot
from shengji_env.engine.state import Phase
from shengji_env.errors import PlayerError, ShengjiError
from tests.helpers.hidden_cards import deal_again
from tests.players.test_search import positions, see

SMALL = BeliefSet(rounds=3, seed=1, players=("heuristic", "greedy"))
DIGEST = "75a189737b49a31694650bf9006e64c1"


class Says:
    """Believes what a function says; keeps the decisions that it was shown."""

    name = "says"

    def __init__(self, says):
        self.says, self.shown = says, []

    def believe(self, decisions):
        self.shown.append(decisions)
        return self.says(decisions)


@pytest.fixture(scope="module")
def parts():
    """The truth of each moment, and what is shown of it."""
    return [(part.truth, part.decisions.states.copy(), part.states) for part in SMALL.positions()]


def says(array):
    return Says(lambda decisions: np.array(array(len(decisions)), float))


# ---- the positions


def test_positions_are_leads_and_follows_the_same_every_time(parts):
    states = np.concatenate([states for _, _, states in parts])
    assert set(states["phase"]) == {Phase.LEAD, Phase.FOLLOW}
    assert (states["taken_size"] == 0).all()
    assert len(states) > 60
    assert SMALL.digest() == SMALL.digest() == DIGEST
    assert BeliefSet(rounds=3, seed=2, players=SMALL.players).digest() != DIGEST


def test_hidden_cards_are_all_that_the_seat_cannot_see(parts):
    rules, unknown = rule_set(), 0
    for truth, shown, states in parts:
        for row, state in enumerate(states):
            seat = int(state["seat"])
            knows_kitty = state["declarer"] == seat
            seen = state["hands"][seat] + state["played"].sum(axis=0) + np.delete(state["known"], seat, 0).sum(axis=0)
            seen = seen + state["buried"] * knows_kitty
            np.testing.assert_array_equal(truth[row].sum(axis=1), state["slot_copies"] - seen)
            assert truth[row, :, KITTY].sum() == (0 if knows_kitty else rules.kitty)
            others = [(seat + 1 + holder) % NUM_SEATS for holder in range(KITTY)]
            assert (shown["hands"][row][others] <= shown["known"][row][others]).all()
            unknown += not knows_kitty
    assert unknown


@pytest.mark.parametrize(("name", "value"), [("rounds", 0), ("seed", -1), ("players", ())])
def test_impossible_sets_are_refused(name, value):
    with pytest.raises(ShengjiError, match=name):
        BeliefSet(**{name: value})


# ---- the scores


def truth_of(**cards):
    """Hidden cards: by holder's index, slots."""
    truth = np.zeros((NUM_SLOTS, NUM_HOLDERS), np.int8)
    for holder, slots in cards.items():
        np.add.at(truth[:, int(holder[1:])], slots, 1)
    return truth


def test_a_card_scores_by_the_probability_of_where_it_is():
    truth = truth_of(h0=[3], h2=[7, 7], h3=[9])
    beliefs = np.full((NUM_SLOTS, NUM_HOLDERS), 0.25)
    assert score_cards(beliefs, truth) == pytest.approx((np.log(4), 0.75))
    beliefs[3] = 0.7, 0.1, 0.1, 0.1
    wanted = -(np.log(0.7) + 3 * np.log(0.25)) / 4, (0.09 + 0.03 + 3 * 0.75) / 4
    assert score_cards(beliefs, truth) == pytest.approx(wanted)
    assert score_cards(np.eye(NUM_HOLDERS)[[0] * 7 + [2] * 2 + [3] * 45], truth) == pytest.approx((0, 0))


def test_beliefs_become_probabilities_of_the_holders_that_there_are():
    truth = np.stack([truth_of(h0=[3], h3=[9]), truth_of(h0=[3], h1=[9])])
    beliefs = np.zeros((2, NUM_SLOTS, NUM_HOLDERS))
    beliefs[:, 3] = 4, 0, 0, 4
    found = check_beliefs(beliefs, truth, "it")
    assert found.sum(axis=2) == pytest.approx(1)
    assert found[0, 3] == pytest.approx(np.array([0.5, FLOOR, FLOOR, 0.5]) / (1 + 2 * FLOOR))
    assert found[1, 3] == pytest.approx(np.array([1, FLOOR, FLOOR, 0]) / (1 + 2 * FLOOR))
    assert found[0, 9] == pytest.approx(0.25)
    assert found[1, 9] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])


def test_a_deal_scores_by_its_share_of_the_weights():
    assert score_deals(np.zeros(16), np.arange(16) == 5) == pytest.approx(np.log(16))
    assert score_deals(np.log([1.0, 3.0, 4.0]) + 1000, np.array([False, True, True])) == pytest.approx(-np.log(7 / 8))
    assert score_deals(np.array([0.0, -2000.0]), np.array([False, True])) > 700


def test_who_knows_all_is_perfect_and_who_knows_nothing_is_uniform(parts):
    truths = iter([truth for truth, _, _ in parts])
    perfect = Says(lambda decisions: next(truths))
    nothing = says(lambda count: np.ones((count, NUM_SLOTS, NUM_HOLDERS)))
    nothing.name = "nothing"
    scores = score_all(SMALL, [perfect, nothing])
    np.testing.assert_allclose(scores.scores[0, :, :2], scores.knowing_all, atol=0.02)
    assert np.median(scores.scores[0, :, 2]) < 1e-3
    assert (scores.scores[0, :, 2] <= scores.scores[1, :, 2] + 1e-9).all()
    cards = scores.scores[1, :, 0]
    assert set(np.round(cards, 6)) == {round(float(np.log(number)), 6) for number in (3, 4)}


def test_uniform_deals_are_better_than_nothing_and_trumps_are_seldom_buried():
    scores = score_all(SMALL, [says(lambda count: np.ones((count, NUM_SLOTS, NUM_HOLDERS))), *both()])
    nothing, uniform, no_trumps = scores.scores.mean(axis=1)
    assert no_trumps[0] < uniform[0] < nothing[0]
    assert uniform[2] == pytest.approx(np.log(DECOYS + 1), abs=0.2)
    assert no_trumps[2] < uniform[2] - 0.5


@pytest.mark.thorough
def test_who_replays_plays_knows_more_than_that_trumps_are_seldom_buried():
    scores = score_all(SMALL, [Uniform(50, trumps_buried=False), ReplayedDeals(50, proposals=8)])
    no_trumps, replayed = scores.scores.mean(axis=1)
    assert replayed[2] < no_trumps[2] - 0.2
    assert replayed[0] < no_trumps[0]


def both():
    return Uniform(50), Uniform(50, trumps_buried=False)


def test_sampled_kitties_have_no_trumps_if_they_need_not(parts):
    """They have where the cards cannot be dealt otherwise, such as late in the round."""
    uniform, no_trumps = both()
    kept = there = 0
    for part in SMALL.positions():
        trumps = [[suit_of_slot(slot, int(s["trump"])) == TRUMP for slot in range(NUM_SLOTS)] for s in part.states]
        for row, is_trump in enumerate(trumps):
            beliefs = [each.believe(part.decisions)[row][is_trump, KITTY].sum() for each in (uniform, no_trumps)]
            there += beliefs[0] > 0
            kept += beliefs[0] > 0 and beliefs[1] == 0
    assert kept > 0.9 * there > 10


def test_no_decoy_contradicts_an_earlier_play():
    contradicted = []

    class Looks(Uniform):
        def weigh(self, decisions, shown):
            for _, sampler in self._prepared(decisions):
                contradicted.extend(sampler.num_contradicted(shown[row : row + 1]) for row in range(len(shown)))
            return super().weigh(decisions, shown)

    score_all(BeliefSet(rounds=10, seed=1, players=("heuristic",)), [Looks(2)])
    assert len(contradicted) > 1500
    assert not any(contradicted)


def test_nothing_that_is_shown_says_which_deal_is_true(parts):
    """Apart from hands and kitty, all deals of a position are alike."""
    deals = []

    class Looks(Uniform):
        def weigh(self, decisions, shown):
            deals.append(shown)
            return super().weigh(decisions, shown)

    score_all(SMALL, [Looks(2)])
    for shown in deals:
        assert len(shown) == DECOYS + 1
        for name in shown.dtype.names:
            if name not in ("hands", "buried"):
                assert (shown[name] == shown[name][:1]).all(), name


# ---- belief models


def test_what_is_believed_does_not_depend_on_what_the_seat_cannot_know():
    rng, changed, found = np.random.default_rng(5), 0, 0
    models = ReplayedDeals(10, proposals=4), Uniform(10)
    for step, env in positions(steps=120):
        row = step % 8
        if env.phase[row] not in (Phase.LEAD, Phase.FOLLOW):
            continue
        kept = env.states[row : row + 1].copy()
        before = [each.believe(see(env, [row])) for each in models]
        env.tables.states[row : row + 1] = deal_again(kept, int(env.seat[row]), env.rules, rng)
        changed += env.states[row : row + 1].tobytes() != kept.tobytes()
        for each, beliefs in zip(models, before, strict=True):
            np.testing.assert_array_equal(each.believe(see(env, [row])), beliefs)
        env.tables.states[row : row + 1] = kept
        found += 1
    assert found > 50
    assert changed > 0.8 * found


def test_a_belief_model_without_weights_for_deals_is_scored_by_its_cards(parts):
    truths = iter([truth for truth, _, _ in parts])
    scores = score_all(SMALL, [Says(lambda decisions: next(truths) + 0.5)])
    assert scores.scores[0, :, 2].mean() < 1


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda count: np.ones((count, NUM_SLOTS)), r"beliefs of shape \(\d+, 54\); they must be \(\d+, 54, 4\)"),
        (lambda count: np.full((count, NUM_SLOTS, NUM_HOLDERS), np.nan), "not finite, or below 0"),
        (lambda count: np.full((count, NUM_SLOTS, NUM_HOLDERS), -1), "not finite, or below 0"),
    ],
)
def test_what_are_no_beliefs_is_refused(made, message):
    with pytest.raises(PlayerError, match=f"says returned .*{message}"):
        score_all(SMALL, [says(made)])


def test_what_a_belief_model_raises_is_reported_with_its_name():
    def fails(decisions):
        raise KeyError("lost")

    ragged = [[1.0], [1.0, 2.0]]
    for believe, message in ((fails, "KeyError: 'lost'"), (lambda _: ragged, "ValueError")):
        with pytest.raises(PlayerError, match=f"'says' does not say what it believes: {message}"):
            score_all(SMALL, [Says(believe)])

    class Weighs(Uniform):
        def weigh(self, decisions, deals):
            return ragged

    with pytest.raises(PlayerError, match=r"'uniform.deals=2' does not say what it believes: ValueError"):
        score_all(SMALL, [Weighs(2)])


def test_weights_of_deals_are_finite_and_as_many():
    class Odd(Uniform):
        def weigh(self, decisions, deals):
            return np.zeros(3)

    with pytest.raises(PlayerError, match=r"weigh returned shape \(3,\); it must return 16 finite numbers"):
        score_all(SMALL, [Odd(2)])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nobody", "'nobody' is unknown; it must be uniform, no_trumps_buried, replayed or module:callable"),
        ("uniform?deals=0", "deals=0 must be a whole number from 1 to 10000"),
        ("no_trumps_buried?deals=1.5", "deals=1.5 must be"),
        ("uniform?trumps_buried=3", "trumps_buried=3 must be true or false"),
        ("replayed?deals=20000", "deals=20000 must be"),
        ("replayed?proposals=0", "proposals=0 must be a whole number from 1 to 1000"),
        ("replayed?proposals=-1", "proposals=-1 must be"),
        ("uniform?cards=3", "'uniform.cards=3' cannot be made: TypeError"),
        ("no_module:X", "module 'no_module' cannot be imported"),
        ("collections:OrderedDict", "OrderedDict is a class which has no method `believe`"),
    ],
)
def test_who_does_not_believe_is_refused(text, message):
    with pytest.raises(PlayerError, match=message):
        make_belief_model(text)


def test_belief_models_of_one_name_are_refused():
    with pytest.raises(PlayerError, match="two belief models are named 'says'"):
        score_all(SMALL, [Uniform(2), says(np.ones), says(np.zeros)])


def test_a_set_without_positions_is_refused():
    with pytest.raises(ShengjiError, match="rounds=1 of small_two_ranks has no positions; take more rounds"):
        score_all(BeliefSet(rule_set("small_two_ranks"), 1, 2, ("greedy",)), [Uniform(2)])


# ---- tables


def test_rounds_of_two_players_are_different_rounds():
    """Also where a name and a number, written one after the other, are those of others."""
    none = np.zeros(3, np.int64)
    players = np.array(["search:2", "search:21", "search:2"])
    scores = Scores((), players, np.array([15, 5, 15]), none, none, np.zeros((0, 3, 3)), np.zeros((3, 2)))
    assert round_indices(scores).tolist() == [0, 1, 0]


def test_an_interval_counts_rounds_not_positions():
    values, rounds = np.repeat([0.0, 1.0, 0.0, 1.0], 50), np.repeat([0, 1, 2, 3], 50)
    mean, error = mean_with_error(values, rounds)
    assert (mean, error) == pytest.approx((0.5, 1.96 * np.std([0, 1, 0, 1], ddof=1) / 2))
    assert np.isnan(mean_with_error(values, np.zeros(200))[1])
