"""Crossplay: partners of every kind on the same deals, and the cross-play gap."""

import json

import numpy as np
import pytest

from shengji_env.arena import Tournament, play_matchup
from shengji_env.arena.crossplay import Crossplay, CrossplayResult, play_crossplay
from shengji_env.arena.statistics import mean_interval, t_quantile
from shengji_env.cli import main
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.errors import PlayerError, ShengjiError
from shengji_env.players import ObservationPlayer, make_player
from shengji_env.players.greedy import GreedyPlayer

FAULTY = "tests.helpers.players_with_faults:"
RULES = parse_rules("one_deck")


def plan_of(*players, **changes):
    arguments = {"opponents": ("random",), "rules": RULES, "seed": 5, "num_deals": 60}
    return Crossplay(tuple(players), **{**arguments, **changes})


class Choosy(GreedyPlayer):
    """A player that plays some rules only."""

    name = "choosy"

    def check(self, rules):
        if str(rules) != "one_deck":
            raise PlayerError(f"{self.name} has not learned to play {rules}")


class Broken(ObservationPlayer):
    """A player that raises."""

    name = "broken"

    def act(self, observation, action_mask, key):
        raise RuntimeError("tired")


def result_from(values, group_size=1):
    """A result whose values are given, (players, players, deals)."""
    names = tuple(f"random?name={index}" for index in range(len(values)))
    crossplay = Crossplay(("random", "greedy", "heuristic", "champion")[: len(values)], ("random",), RULES, 0, 3,
                          group_size)  # fmt: skip
    return CrossplayResult(crossplay, names, np.asarray(values, float))


def test_partners_sit_opposite_each_other_and_a_copy_is_the_player_itself():
    result = play_crossplay(plan_of("greedy", "heuristic"))
    for index, player in enumerate(("greedy", "heuristic")):
        own = play_matchup(player, "random", num_deals=60, rules=RULES, seed=5)
        assert result.matrix[index, index] == pytest.approx(own.levels_per_round)
    mixed = play_matchup("partners?first=greedy&second=heuristic", "random", num_deals=60, rules=RULES, seed=5)
    assert result.matrix[0, 1] == result.matrix[1, 0] == pytest.approx(mixed.levels_per_round)
    low, high = mixed.interval
    assert result.error[0, 1] == pytest.approx((high - low) / 2)


def test_opponents_count_alike():
    both, *each = (
        play_crossplay(plan_of("greedy", "heuristic", opponents=field)).values
        for field in (("random", "greedy"), ("random",), ("greedy",))
    )
    assert both == pytest.approx((each[0] + each[1]) / 2)


def test_partners_decide_each_in_its_seats():
    """As two copies of one player they are that player; texts with arguments are quoted."""
    alone, copies = (
        play_matchup(player, "random", num_deals=40, rules=RULES, seed=1).levels_per_round
        for player in ("heuristic", "partners?first=heuristic&second=heuristic")
    )
    assert alone == copies
    player = make_player("partners?first=champion%3Fpart%3Dplayouts&second=greedy")
    names = [each.name for each in player.partners]
    assert names == [make_player(text).name for text in ("champion?part=playouts", "greedy")]
    assert player.name == " + ".join(names)
    for text in ("partners", "partners?first=greedy", "partners?first=greedy&second="):
        with pytest.raises(PlayerError, match=r"partners\?first=A&second=B|is empty"):
            make_player(text)


def test_the_gap_does_not_ask_who_is_stronger():
    """Skills that add up cost nothing; two that do not understand each other lose what they lose."""
    skills, deals = np.array([0.0, 1.0, 3.0]), np.array([0.1, -0.2, 0.4])
    added = skills[:, None, None] + skills[None, :, None] + deals
    whole = result_from(added).whole
    assert whole.others.price == pytest.approx(0)
    assert whole.own == pytest.approx(2 * skills.mean() + deals.mean())
    lost = added.copy()
    lost[0, 1] -= 0.5
    lost[1, 0] -= 0.5
    result = result_from(lost)
    assert [group.others.price for group in result.groups] == pytest.approx([0.25, 0.25, 0])
    assert result.whole.others.price == pytest.approx(0.5 / 3)
    assert result.whole.group is None


def test_partners_of_the_group_and_of_others_are_told_apart():
    values = np.zeros((4, 4, 3))
    noise = np.random.default_rng(1).normal(size=(4, 4, 3))
    values += noise + noise.transpose(1, 0, 2)
    first, second = result_from(values, group_size=2).groups
    own = [values[index, index] for index in range(4)]
    price = (own[0] + own[1]) / 2 - values[0, 1]
    assert first.group.price == pytest.approx(price.mean())
    assert first.group.over_deals == pytest.approx(mean_interval(price)[1])
    assert second.group.levels == pytest.approx(values[2, 3].mean())
    prices = [np.mean([(own[a] + own[b]) / 2 - values[a, b] for b in (2, 3)], axis=0) for a in (0, 1)]
    assert first.others.price == pytest.approx(np.mean(prices))
    assert first.group.over_players is None  # of two runs there is one pair
    assert first.others.over_players[0] < first.others.price < first.others.over_players[1]


def test_three_runs_are_three_observations_of_a_gap():
    """Each pair of a group is what is left without the third run."""
    values = np.random.default_rng(2).normal(size=(3, 3, 4))
    values = values + values.transpose(1, 0, 2)
    group = result_from(values, group_size=3).whole.group
    pairs = [values[[a, b], [a, b]].mean() - values[a, b].mean() for a, b in ((0, 1), (0, 2), (1, 2))]
    assert group.price == pytest.approx(np.mean(pairs))
    error = t_quantile(2) * (2 / 3 * np.sum((pairs - np.mean(pairs)) ** 2)) ** 0.5
    assert group.over_players == pytest.approx((group.price - error, group.price + error))


@pytest.mark.parametrize("of_pairs", [0.0, 1.0])
def test_intervals_over_runs_contain_the_gap_that_other_runs_would_show(of_pairs):
    """Prices that are sums over both runs, and such that every pair has its own."""
    rng, contained = np.random.default_rng(3), 0
    for _ in range(300):
        runs = rng.normal(size=(4, 1, 1)) * (1 - of_pairs)
        pairs = np.triu(rng.normal(size=(4, 4)), 1)[..., None] * of_pairs
        values = -(runs + runs.transpose(1, 0, 2) + pairs + pairs.transpose(1, 0, 2))
        values[np.arange(4), np.arange(4)] = 0
        values = np.repeat(values, 2, axis=2)
        low, high = result_from(values, group_size=4).whole.group.over_players
        contained += low <= 0 <= high
    assert contained >= 0.92 * 300


def test_the_command_goes_on_from_its_folder(tmp_path, capsys):
    command = ["crossplay", "greedy", "heuristic", "--against", "random", "--rules", "one_deck", "--deals", "30"]
    assert main([*command, "--json", str(tmp_path / "one.json"), "--workers", "1"]) == 0
    out = capsys.readouterr().out
    assert "30 duplicate deals a match-up, against random" in out
    assert "A greedy" in out
    assert "gap" in out
    folder = ["--out", str(tmp_path / "kept")]
    assert main([*command, *folder]) == 0
    kept = sorted((tmp_path / "kept").glob("*/deals.jsonl"))
    assert len(kept) == 3
    before = [path.read_bytes() for path in kept]
    assert main([*command, *folder, "--json", str(tmp_path / "two.json")]) == 0
    assert [path.read_bytes() for path in kept] == before
    assert "note: 90 of 90 deals were played before\n" in capsys.readouterr().err
    one, two = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("one", "two"))
    assert one == two
    assert np.shape(one["matrix"]) == (2, 2)


def test_a_result_says_what_it_depends_on():
    names = ("champion?part=playouts", "champion")
    values = np.zeros((2, 2, 3))
    said = CrossplayResult(Crossplay(names, ("random",), RULES, num_deals=3), names, values).to_json()
    header = Tournament((*names, "random"), RULES).header()
    assert said["policies"] == header["policies"]
    assert set(said["policies"]) == set(names)
    assert said["versions"] == header["versions"]
    assert (said["rules"], said["fingerprint"]) == ("one_deck", header["rules"]["fingerprint"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["greedy", "--against", "random"], "1 players are named; name 2 to"),
        (["greedy", "greedy", "--against", "random"], "named twice"),
        (
            ["greedy", "random", "human", "--against", "random", "--group-size", "2"],
            "3 players are not groups of 2",
        ),
        (["greedy", "random", "--against", "nobody"], "no player is called 'nobody'"),
        (["greedy", "random", "--against", "random", "--deals", "1"], "num_deals=1"),
        (["greedy", "human", "--against", "random"], "is a person, who would have to play every deal"),
        (["greedy", "random", "--against", "partners?first=human&second=random"], "is a person"),
    ],
)
def test_what_cannot_be_played_is_said(arguments, said, capsys):
    assert main(["crossplay", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_lost_deal_ends_it():
    with pytest.raises(ShengjiError, match=r"a deal was lost, and every deal counts here: .*deal 0.*tired"):
        play_crossplay(plan_of("greedy", "tests.arena.test_crossplay:Broken", num_deals=2))


def test_a_lost_deal_is_noticed_at_once_and_played_again_when_the_player_is_mended(tmp_path):
    marker, kept = tmp_path / "mended", tmp_path / "kept"
    plan = plan_of("greedy", f"{FAULTY}cheats_until?marker={marker}&when=300", num_deals=300)
    for _ in range(2):
        with pytest.raises(ShengjiError, match=r"mended, the same command goes on from .*kept.001-0"):
            play_crossplay(plan, kept)
    assert [path.parent.name for path in sorted(kept.glob("*/deals.jsonl"))] == ["000-0", "001-0"]
    file = kept / "001-0" / "deals.jsonl"
    before = file.read_bytes()
    assert before.count(b"\n") < 300 / 64
    marker.touch()
    again = play_crossplay(plan, kept)
    assert file.read_bytes().startswith(before)
    assert (again.values == play_crossplay(plan).values).all()


def test_partners_who_have_not_learned_the_rules_are_refused():
    """As each would be alone."""
    choosy = "tests.arena.test_crossplay:Choosy"
    with pytest.raises(PlayerError, match="has not learned to play two_deck"):
        plan_of("greedy", choosy, rules=parse_rules("two_deck"))
    with pytest.raises(PlayerError, match="has not learned to play two_deck"):
        Tournament((f"partners?first=greedy&second={choosy}", "random"), parse_rules("two_deck"))


def test_the_networks_of_partners_stand_in_the_header():
    text = "partners?first=greedy&second=champion"
    alone, partners = (Tournament((each, "random"), RULES).header()["policies"] for each in ("champion", text))
    assert partners[text] == alone["champion"]
