"""The sequential test: its ratio, when it ends, deals in their order, lost deals, any executor and interruption."""

import json
import math

import numpy as np
import pytest

from shengji_env.arena.running import STORE_FILE, play_tournament
from shengji_env.arena.sequential import DECISIVE, LOOK, SequentialTest, Verdict, log_ratio
from shengji_env.arena.standings import pair_result
from shengji_env.arena.store import Store
from shengji_env.cli import main
from shengji_env.errors import ShengjiError
from shengji_env.support.workers.pools import executor_for
from tests.arena.test_tournament import FAULTY, figures, tournament


def values(mean, number):
    """Numbers and levels of deals, in turn a level above a mean and below it."""
    return [(deal, mean + 1 - 2 * (deal % 2)) for deal in range(number)]


def run(low, high, deals, limit=1000):
    test = SequentialTest(low, high, limit)
    test.add(deals)
    return test


# ---- the ratio


def test_the_ratio_is_that_of_two_normal_distributions():
    drawn = np.random.default_rng(2).normal(0.3, 2.0, 80)
    densities = [-((drawn - mean) ** 2).sum() / (2 * drawn.var(ddof=1)) for mean in (0.5, 0.1)]
    found = log_ratio(80, drawn.sum(), (drawn**2).sum(), 0.1, 0.5)
    assert found == pytest.approx(densities[0] - densities[1])


def test_a_ratio_of_nothing_is_nothing():
    assert log_ratio(0, 0.0, 0.0, 0, 1) == log_ratio(1, 3.0, 9.0, 0, 1) == 0
    assert log_ratio(9, 4.5, 2.25, 0, 1) == 0  # nine times a half


# ---- how it ends


@pytest.mark.parametrize(("mean", "verdict"), [(0.9, "better"), (-0.4, "not better"), (0.25, "undecided")])
def test_it_ends_as_the_mean_says(mean, verdict):
    test = run(0.0, 0.5, values(mean, 300), limit=300)
    assert test.verdict == verdict
    assert test.num_deals % LOOK == 0
    assert (test.num_deals == 300) == (verdict == "undecided")
    if verdict != "undecided":
        assert abs(test.log_ratio) >= DECISIVE == pytest.approx(math.log(19))


def test_it_ends_at_a_look_only_and_at_the_first_that_decides():
    deals = values(2.0, 200)
    assert run(0.0, 0.5, deals[:49]).verdict is None
    assert run(0.0, 0.5, deals).num_deals == 50
    assert run(0.0, 0.5, deals, limit=30).verdict == Verdict.BETTER


def test_deals_count_in_their_order():
    deals = values(0.4, 400)
    straight = run(0.0, 0.5, deals)
    mixed = run(0.0, 0.5, np.random.default_rng(3).permutation(np.array(deals, dtype=object)).tolist())
    assert straight.to_json() == mixed.to_json()
    assert run(0.0, 0.5, deals[1:]).num_deals == 0


def test_a_lost_deal_leaves_it_undecided():
    deals = [(number, None if number == 60 else value) for number, value in values(0.35, 400)]
    test = run(0.0, 0.5, deals)
    assert (test.verdict, test.num_deals, test.num_lost) == ("undecided", 100, 1)
    assert run(0.0, 0.5, [(number, value) for number, value in values(3.0, 50)] + [(60, None)]).verdict == "better"


def test_players_that_are_alike_are_never_told_apart():
    assert run(0.0, 0.5, [(number, 0.0) for number in range(1000)]).verdict == "undecided"


# ---- tournaments


def test_a_tournament_stops_where_the_test_does(tmp_path):
    plan = tournament("greedy", "random", sprt=(0.0, 0.02), num_deals=400, batch_size=30)
    standings = play_tournament(plan, tmp_path)
    result = standings.results[0]
    assert standings.test.verdict == "better"
    assert standings.stopped == [result.num_deals] == [standings.test.num_deals]
    with Store(tmp_path / STORE_FILE, plan) as store:
        per_deal = pair_result(store, 0, result.num_deals).levels.mean(axis=1)
        assert result.num_deals <= len(store.deals(0)) < 400
    found = log_ratio(len(per_deal), per_deal.sum(), (per_deal**2).sum(), 0.0, 0.02)
    assert standings.test.log_ratio == pytest.approx(found)


@pytest.mark.thorough
def test_chunks_workers_and_interruptions_change_nothing(tmp_path):
    plans = [tournament("heuristic", "greedy", sprt=(0.0, 0.4), num_deals=400, batch_size=size) for size in (64, 7)]
    expected = figures(play_tournament(plans[0]))
    assert expected["sprt"]["verdict"] == "better"
    with executor_for(2) as executor:
        assert figures(play_tournament(plans[1], executor=executor)) == expected

    class Enough(Exception):
        pass

    def watch(store, stop, unfinished):
        if len(store.deals(0)) >= 28:
            raise Enough

    with pytest.raises(Enough):
        play_tournament(plans[1], tmp_path, watch=watch)
    assert figures(play_tournament(plans[0], tmp_path)) == expected
    with executor_for(2) as executor:  # everything has been played
        assert figures(play_tournament(plans[1], tmp_path, executor=executor)) == expected


def test_lost_deals_can_be_played_again(tmp_path):
    """A player that has been mended comes to the verdict of one that never went wrong."""
    marker = tmp_path / "mended"
    plan = tournament(f"{FAULTY}cheats_until?marker={marker}&when=300", "greedy", sprt=(0.0, 0.02), num_deals=200)
    first = play_tournament(plan, tmp_path / "kept")
    assert first.faults
    assert first.test.verdict == "undecided"
    assert first.test.num_lost == len(first.faults)
    marker.touch()
    again, clean = play_tournament(plan, tmp_path / "kept", retries_lost=True), play_tournament(plan)
    assert not again.faults
    assert again.test.num_lost == 0
    assert (again.test.verdict, again.test.log_ratio) == (clean.test.verdict, clean.test.log_ratio)
    assert clean.test.verdict == "not better"


@pytest.mark.parametrize(
    ("players", "options", "message"),
    [
        (("greedy", "random", "heuristic"), {}, "sprt compares two players; 3 are named"),
        (("greedy", "random"), {"is_match": True}, "sprt and is_match do not go together"),
        (("greedy", "random"), {"sprt": (0.1, 0.0)}, r"sprt=\(0.1, 0.0\) must be two numbers .* the lower one first"),
        (("greedy", "random"), {"sprt": (0.0, math.nan)}, "must be two numbers"),
        (("greedy", "random"), {"sprt": (0.0, "1")}, "must be two numbers"),
        (("greedy", "random"), {"sprt": (0, 10**400)}, "must be two numbers"),
        (("greedy", "random"), {"sprt": 0.1}, "sprt=0.1 must be a tuple of two numbers"),
    ],
)
def test_impossible_tests_are_refused(players, options, message):
    with pytest.raises(ShengjiError, match=message):
        tournament(*players, **{"sprt": (0.0, 0.1), **options})


def test_the_command_says_how_it_ended(capsys, tmp_path):
    command = ["arena", "greedy", "random", "--sprt", "-0.02", "0.02", "--seed", "3", "--workers", "1"]
    assert main([*command, "--rules", "one_deck", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "greedy is better than random: tested between -0.02 and +0.02 levels a round, " in said
    written = json.loads((tmp_path / "results.json").read_text())["sprt"]
    assert written["verdict"] == "better"
    assert f", {written['deals']:,} deals (log-likelihood ratio {written['log_ratio']:+.2f}, decisive" in said
    assert "until a sequential test decides between -0.02 and +0.02" in (tmp_path / "report.html").read_text()


def test_the_command_says_that_nothing_is_decided(capsys):
    command = ["arena", "greedy", "greedy", "--sprt", "0", "0.02", "--deals", "60", "--workers", "1"]
    assert main([*command, "--rules", "one_deck"]) == 0
    assert "undecided between +0 and +0.02 levels a round: 60 deals did not decide" in capsys.readouterr().out
