"""Tournaments: any executor, chunks and interruptions give the same results; a fault costs only its deal."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from shengji_env.arena import play_matchup
from shengji_env.arena.chunks import known_player, play_chunk
from shengji_env.arena.deal_batch import DealBatch
from shengji_env.arena.identities import player_digests
from shengji_env.arena.result import for_a
from shengji_env.arena.running import STORE_FILE, play_tournament
from shengji_env.arena.store import Store
from shengji_env.arena.tournament import CHUNK_SIZE, SLOW_CHUNK_SIZE, Tournament
from shengji_env.cli import main
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import parse_rules, rule_set
from shengji_env.errors import PlayerError, RecordError, ShengjiError
from shengji_env.support.workers.on_ray import OnRay
from shengji_env.support.workers.pools import Pool, executor_for
from shengji_env.tables.observation import OBSERVATION_SIZE
from tests.helpers.oracle_rounds import check_round
from tests.players.test_players import write_policy

FAULTY = "tests.helpers.players_with_faults:"


def tournament(*players, **options):
    options = {"rules": parse_rules("one_deck"), "seed": 3, "num_deals": 12, **options}
    return Tournament(players or ("greedy", "random", FAULTY + "cheats?when=300"), **options)


def figures(standings):
    """All results that are the same from run to run."""
    return {name: value for name, value in standings.to_json().items() if name != "seconds_per_decision"}


# ---- who meets whom


def test_every_pair_meets_once():
    plan = tournament("random", "greedy", "random", "greedy")
    assert plan.pairs == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def test_seats_are_swapped_between_the_sides():
    batch = DealBatch(tuple(map(known_player, ("random", "greedy"))), parse_rules("one_deck"), 0, range(3, 5))
    assert batch.deals.tolist() == [3, 4, 3, 4]
    assert batch.lineup.tolist() == [[0, 1, 0, 1]] * 2 + [[1, 0, 1, 0]] * 2


def test_all_players_have_names_of_their_own():
    slow, other = FAULTY + "slow?seconds=0", FAULTY + "slow?seconds=1"
    plan = tournament("random", slow, "greedy", "random", other, "random")
    assert plan.names == ("random", slow, "greedy", "random #2", other, "random #3")


def test_chunks_are_the_deals_that_are_missing():
    plan = tournament("random", "greedy", batch_size=3)
    chunks = plan.chunks(0, 10, {2, 3, 9})
    assert [(chunk.first, chunk.end) for chunk in chunks] == [(0, 2), (4, 7), (7, 9)]


def test_chunks_of_slow_players_are_small():
    plan = tournament("random", "greedy", "search:4", num_deals=200)
    sizes = [max(chunk.end - chunk.first for chunk in plan.chunks(pair, 200, set())) for pair in range(3)]
    assert sizes == [CHUNK_SIZE, SLOW_CHUNK_SIZE, SLOW_CHUNK_SIZE]


@pytest.mark.parametrize(
    ("players", "options", "message"),
    [
        (["random"], {}, "1 player is named; name 2 to 64: one alone meets nobody"),
        (["random", "greedy"], {"num_deals": 1}, "num_deals=1 must be a whole number from 2 to 10000000: one deal"),
        (["random", "greedy"], {"num_deals": 10**20}, "num_deals=1(0){20} must be a whole number from 2 to 10000000$"),
        (["random", "greedy"], {"batch_size": 0}, "batch_size=0 must be a whole number from 1 to 10000"),
        (["random", "greedy"], {"batch_size": 10**9}, "must be a whole number from 1 to 10000"),
        (["random", "greedy"], {"seed": -1}, r"seed=-1 must be a whole number from 0 to 2\*\*64 - 1"),
        (["random", "greedy"], {"seed": 1.5}, "seed=1.5 must be a whole number"),
        (["random"] * 65, {}, "65 players are named; name 2 to 64$"),
        (["random", "greedy"], {"time_limit": 0.0}, "time_limit=0.0 must be above 0"),
        (["random", "greedy"], {"time_limit": float("inf")}, "time_limit=inf must be above 0, and finite"),
        (["random", "greedy"], {"time_limit": float("nan")}, "time_limit=nan must be above 0, and finite"),
        (["random", "greedy"], {"time_limit": "1"}, "time_limit='1' must be above 0, and finite"),
        (["random", "greedy"], {"time_limit": True}, "time_limit=True must be above 0, and finite"),
        (["random", "greedy"], {"rules": "two_deck"}, "rules='two_deck' must be a RuleSet"),
        (["random", "greedy"], {"is_match": 1}, "is_match=1 must be True or False"),
        (["random", 3], {}, r"players=\('random', 3\) must be a tuple of texts"),
        (["random", "greedy"], {"num_deals": 10**5000}, "num_deals=<int> must be a whole number from 2"),
    ],
)
def test_impossible_tournaments_are_refused(players, options, message):
    with pytest.raises(ShengjiError, match=message):
        tournament(*players, **options)


def test_unknown_players_are_refused_before_anything_is_played():
    with pytest.raises(PlayerError, match="no player is called 'nobody'"):
        tournament("random", "nobody")


# ---- results


def test_a_pair_has_the_figures_of_its_match_up():
    standings = play_tournament(tournament("greedy", "random", "random", num_deals=20))
    expected = play_matchup("greedy", "random", num_deals=20, rules="one_deck", seed=3)
    assert standings.results[0].to_json() == expected.to_json()
    assert (standings.results[0].levels == expected.levels).all()


def test_a_player_against_itself_is_exactly_even_in_rounds_and_matches():
    for options in ({}, {"is_match": True}):
        standings = play_tournament(tournament("greedy", "greedy", "random", num_deals=4, **options))
        result = standings.results[0]
        assert (result.levels_per_round, result.interval, result.points_per_round) == (0.0, (0.0, 0.0), 0.0)
        assert result.level_rate == result.round_win_rate == result.win_rate == 0.5
        assert result.gain_of_pairing is None


@pytest.mark.thorough
def test_chunks_and_workers_change_nothing():
    with Pool(2) as pool:
        for options in ({}, {"is_match": True}):
            players = "greedy", "random", FAULTY + f"cheats?when={3000 if options.get('is_match') else 300}"
            whole = figures(play_tournament(tournament(*players, **options)))
            assert whole["faults"]
            assert all(whole["pairs"])
            assert figures(play_tournament(tournament(*players, batch_size=5, **options))) == whole
            assert figures(play_tournament(tournament(*players, batch_size=4, **options), executor=pool)) == whole


def test_matches_are_whole_and_count_in_pairs():
    standings = play_tournament(tournament("greedy", "random", is_match=True, num_deals=5))
    rounds, result = standings.rounds[0], standings.results[0]
    for deal in range(5):
        for table in (0, 1):
            mine = rounds[(rounds["deal"] == deal) & (rounds["table"] == table)]
            assert mine["round"].tolist() == list(range(len(mine)))
            assert mine["match_over"].tolist() == [0] * (len(mine) - 1) + [1]
    assert (result.num_deals, result.num_rounds) == (5, len(rounds))
    levels = for_a(rounds, standings.tournament.rules).levels
    assert result.levels_per_round == pytest.approx(levels.sum() / len(rounds))
    # A is team 0 at even tables, 1 at odd ones.
    ends = rounds[rounds["match_over"] == 1]
    assert result.win_rate == np.mean(ends["match_winner"] == ends["table"] % 2)


def test_a_match_has_the_same_cards_at_both_tables():
    lines = []
    plan = tournament("greedy", "random", is_match=True, num_deals=3, keeps_records=True)
    play_tournament(plan, record=lines.append)
    records = [json.loads(line) for line in lines]
    for record in records:
        check_round(record, plan.rules.to_json())
    deals = {}
    for record in records:
        key = record["table"], record["round"], record["redeals"]
        assert deals.setdefault(key, record["deal"]) == record["deal"]
    assert len(deals) < len(records)


def test_every_round_may_begin_as_a_match_does(tmp_path, capsys):
    path = tmp_path / "rounds.jsonl"
    plan = ["arena", "greedy", "random", "--rules", "one_deck", "--deals", "6", "--record", str(path), "--workers", "1"]
    starts = {}
    for start in ("any", "first"):
        assert main([*plan, "--start", start]) == 0
        records = [json.loads(line) for line in path.read_text().splitlines()[1:]]
        starts[start] = {(*record["levels"], record["declarer"]) for record in records}
        said = "every round begins as a match does: at level 2, the declarer bid for" in capsys.readouterr().out
        assert said == (start == "first")
    assert starts["first"] == {("2", "2", None)}
    assert len(starts["any"]) > 3


# ---- faults


@pytest.mark.parametrize("kind", ["raises", "cheats", "quits", "rambles"])
def test_a_fault_costs_its_deal_and_nothing_else(kind):
    standings = play_tournament(tournament("greedy", FAULTY + f"{kind}?when=700", num_deals=30))
    clean = play_tournament(tournament("greedy", "random", num_deals=30))
    lost = [fault["deal"] for fault in standings.faults]
    assert 0 < len(lost) < 28
    assert len(set(lost)) == len(lost)
    kept = clean.rounds[0][~np.isin(clean.rounds[0]["deal"], lost)]
    assert (standings.rounds[0] == kept).all()
    assert standings.results[0].num_deals == 30 - len(lost)
    for fault in standings.faults:
        assert fault["player"] == kind
        assert fault["pair"] == ["greedy", kind]
        assert f"player '{kind}' (deal {fault['deal']}, ply {fault['ply']}, seat {fault['seat']}" in fault["error"]
        assert "\n" not in fault["error"]
        record = fault["record"]
        assert record["players"][fault["seat"]] == kind
        assert len(record["deal"].split()) == 54
        assert (record["table"], record["round"]) == (fault["deal"], 0)


def test_two_copies_of_a_player_are_told_apart():
    faulty = FAULTY + "cheats?when=700"
    plan = tournament(faulty, faulty, num_deals=40, keeps_records=True)
    assert plan.names == (faulty, f"{faulty} #2")
    lines = []
    standings = play_tournament(plan, record=lines.append)
    assert lines
    assert all(set(json.loads(line)["players"]) == set(plan.names) for line in lines)
    # The same decision goes wrong at both tables; the first player is asked first.
    assert {fault["player"] for fault in standings.faults} == {faulty}
    assert all(standings.thinking[name][1] > 0 for name in plan.names)


def test_a_fault_record_is_the_round_until_then():
    plan = tournament("random", FAULTY + "cheats?when=700", num_deals=30)
    clean = {}
    play_tournament(
        tournament("random", "random", num_deals=30, keeps_records=True),
        record=lambda line: clean.setdefault(json.loads(line)["table"], json.loads(line)),
    )
    faults = play_tournament(plan).faults
    assert max(len(fault["record"]["decisions"]) for fault in faults) > 5
    for fault in faults:
        played = fault["record"]["decisions"]
        whole = clean[fault["deal"]]
        assert whole["deal"] == fault["record"]["deal"]
        assert whole["decisions"][: len(played)] == played


def test_a_fault_record_has_the_trumps_that_came_with_the_deal():
    """Under fixed bidding no decision names them, and the cards of decisions are in slots that depend on them."""
    rules = parse_rules("duplicate")
    clean = {}
    play_tournament(
        tournament("random", "random", rules=rules, num_deals=30, keeps_records=True),
        record=lambda line: clean.setdefault(json.loads(line)["table"], json.loads(line)),
    )
    faults = play_tournament(tournament("random", FAULTY + "cheats?when=200", rules=rules, num_deals=30)).faults
    assert max(len(fault["record"]["decisions"]) for fault in faults) > 5
    for fault in faults:
        played = fault["record"]["decisions"]
        assert clean[fault["deal"]]["decisions"][: len(played)] == played


def test_thinking_too_long_costs_the_deal():
    plan = tournament("random", FAULTY + "sleeps?when=500&seconds=0.5", num_deals=10, time_limit=0.02)
    began = time.perf_counter()
    standings = play_tournament(plan)
    assert 0 < len(standings.faults) < 9
    assert all("it took longer than" in fault["error"] for fault in standings.faults)
    assert figures(play_tournament(tournament("random", FAULTY + "sleeps?when=500&seconds=0", num_deals=10)))["pairs"]
    # The timer interrupts each call, which would otherwise take half a second.
    if hasattr(signal, "setitimer"):
        assert time.perf_counter() - began < 20


def test_time_that_is_up_at_any_moment_costs_the_deal():
    # So short that it may end before, during or after any call.
    for limit in (1e-9, 2e-5):
        standings = play_tournament(tournament("random", "greedy", num_deals=6, time_limit=limit))
        assert standings.faults
        assert all("it took longer than" in fault["error"] for fault in standings.faults)


def test_a_time_limit_may_be_longer_than_any_timer():
    assert play_tournament(tournament("random", "greedy", num_deals=2, time_limit=1e12)).faults == []


def test_a_pair_that_loses_all_deals_has_no_figures():
    standings = play_tournament(tournament("greedy", FAULTY + "raises?when=1", "random", num_deals=5))
    assert [result is None for result in standings.results] == [True, False, True]
    assert len(standings.faults) == 10
    assert standings.ratings == []
    assert json.loads(json.dumps(standings.to_json()))["pairs"][0] is None


# ---- resuming


def test_a_tournament_goes_on_with_more_deals(tmp_path):
    play_tournament(tournament(num_deals=5), tmp_path)
    went_on = play_tournament(tournament(batch_size=4), tmp_path)
    assert figures(went_on) == figures(play_tournament(tournament()))
    fewer = play_tournament(tournament(num_deals=7), tmp_path)
    assert figures(fewer) == figures(play_tournament(tournament(num_deals=7)))


def test_a_torn_line_is_dropped_and_its_deals_are_played_again(tmp_path):
    plan = tournament(batch_size=5, keeps_records=True)
    lines, again = [], []
    whole = figures(play_tournament(plan, tmp_path, record=lines.append))
    path = tmp_path / STORE_FILE
    path.write_bytes(path.read_bytes()[:-30])
    assert figures(play_tournament(plan, tmp_path, record=again.append)) == whole
    assert again == lines
    path.write_bytes(path.read_bytes()[:20])
    assert figures(play_tournament(plan, tmp_path)) == whole


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": 4}, "seed was 3, now 4"),
        ({"rules": parse_rules("two_deck")}, r"rules.preset was 'one_deck', now 'two_deck'.*rules.fingerprint"),
        ({"is_match": True}, "episode was 'round', now 'match'"),
        ({"start": "first"}, "start was None, now 'first'"),
        ({"keeps_records": True}, "records was False, now True"),
        ({"time_limit": 2.0}, "time_limit was None, now 2.0"),
    ],
)
def test_another_tournaments_folder_is_refused_with_what_differs(options, message, tmp_path):
    play_tournament(tournament("random", "greedy", num_deals=2), tmp_path)
    kept = (tmp_path / STORE_FILE).read_bytes()
    with pytest.raises(RecordError, match=message):
        play_tournament(tournament("random", "greedy", num_deals=2, **options), tmp_path)
    with pytest.raises(RecordError, match="players was"):
        play_tournament(tournament("greedy", "random", num_deals=2), tmp_path)
    assert (tmp_path / STORE_FILE).read_bytes() == kept


def test_a_policy_that_changed_meanwhile_is_refused(tmp_path):
    def begin(*sizes):
        known_player.cache_clear()
        write_policy(tmp_path / "policy.npz", sizes)
        return play_tournament(tournament(f"policy:{tmp_path}", "random", num_deals=2), tmp_path)

    sizes = OBSERVATION_SIZE, 4, NUM_ACTIONS
    begin(*sizes)
    begin(*sizes)
    with pytest.raises(RecordError, match=r"policies\.policy:"):
        begin(OBSERVATION_SIZE, 5, NUM_ACTIONS)


def test_the_network_of_playouts_has_a_digest_too():
    playouts = "champion?part=playouts"
    players = ("search:9", f"search:9?playouts={playouts}", playouts, "champion")
    digests = player_digests(players, rule_set("two_deck"))
    assert set(digests) == set(players[1:])
    assert digests[playouts] == digests[f"search:9?playouts={playouts}"] != digests["champion"]


def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path):
    path = tmp_path / STORE_FILE
    path.write_text("my diary\nday 1\n")
    with pytest.raises(RecordError, match="line 1: this is not a chunk"):
        Store(path, tournament("random", "greedy"))
    assert path.read_text() == "my diary\nday 1\n"


@pytest.mark.thorough
def test_a_killed_run_goes_on_where_it_was(tmp_path):
    slow = FAULTY + "slow?seconds=0.001"
    command = [
        sys.executable, "-m", "shengji_env.cli", "arena", slow, "random", "greedy", "--rules", "one_deck",
        "--seed", "3", "--deals", "12", "--batch-size", "2", "--workers", "1", "--out", str(tmp_path), "--record",
        str(tmp_path / "rounds.jsonl"),
    ]  # fmt: skip
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    path = tmp_path / STORE_FILE
    while running.poll() is None and (not path.exists() or path.read_bytes().count(b"\n") < 4):
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.wait()
    kept = path.read_bytes()
    assert 4 <= kept.count(b"\n") < 19
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert path.read_bytes().startswith(kept[: kept.rindex(b"\n") + 1])
    plan = tournament(slow, "random", "greedy", keeps_records=True)
    lines = []
    whole = figures(play_tournament(plan, record=lines.append))
    results = json.loads((tmp_path / "results.json").read_text())
    del results["seconds_per_decision"]
    assert results == json.loads(json.dumps(whole))
    assert (tmp_path / "rounds.jsonl").read_text().splitlines(keepends=True)[1:] == lines


# ---- workers


@pytest.mark.slow
def test_a_chunk_whose_worker_dies_is_played_by_another(tmp_path):
    killer = f"{FAULTY}kills?marker={tmp_path / 'dead'}"
    with Pool(2) as pool:
        standings = play_tournament(tournament(killer, "greedy", batch_size=4), executor=pool)
    assert (tmp_path / "dead").exists()
    clean = play_tournament(tournament("random", "greedy"))
    assert (standings.rounds[0] == clean.rounds[0]).all()
    assert standings.faults == []


@pytest.mark.slow
def test_workers_that_keep_dying_are_an_error_that_names_the_chunk(tmp_path):
    plan = tournament("random", "greedy", FAULTY + "dies", num_deals=4)
    with Pool(1) as pool, pytest.raises(ShengjiError, match=r"workers died 3 times in a row.*deals 0 to 3"):
        play_tournament(plan, tmp_path, executor=pool)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for the worker in /proc")
def test_workers_end_with_the_run_that_is_killed(tmp_path):
    script = (
        "from tests.arena.test_tournament import *\n"
        "if __name__ == '__main__':\n"
        "    with Pool(1) as pool:\n"
        "        pool._start(lambda: None); print([*pool._pool._processes][0], flush=True); time.sleep(60)\n"
    )
    running = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    worker = int(running.stdout.readline())
    os.kill(worker, 0)
    running.kill()
    running.wait()
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and _is_running(worker):
        time.sleep(0.05)
    assert not _is_running(worker)


def _is_running(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_workers_are_counted_from_one():
    with pytest.raises(ShengjiError, match="workers=0"):
        executor_for(0)


@pytest.mark.slow
def test_cores_are_used_only_when_it_pays(monkeypatch):
    monkeypatch.setattr("shengji_env.support.workers.pools.PATIENCE", 0.05)
    plan = tournament("random", FAULTY + "slow?seconds=0.0005", num_deals=6, batch_size=2)
    with executor_for(None) as executor:
        standings = play_tournament(plan, executor=executor)
        assert (executor._pool._pool is not None) == (executor._pool.workers > 1)
    clean = play_tournament(tournament("random", "random", num_deals=6))
    assert (standings.rounds[0] == clean.rounds[0]).all()


# ---- Ray


@pytest.mark.slow
def test_ray_gives_the_same_results_and_survives_the_loss_of_a_worker(tmp_path):
    pytest.importorskip("ray")
    tested = tournament("greedy", "random", sprt=(0.0, 0.02), num_deals=400, batch_size=30)
    killer = f"{FAULTY}kills?marker={tmp_path / 'dead'}"
    with OnRay("", workers=2) as ray:
        standings = play_tournament(tournament(killer, "greedy", "random", batch_size=2), executor=ray)
        with_faults = figures(play_tournament(tournament(batch_size=5), executor=ray))
        decided = figures(play_tournament(tested, executor=ray))
    assert (tmp_path / "dead").exists()
    clean = play_tournament(tournament("random", "greedy", "random"))
    for mine, expected in zip(standings.rounds, clean.rounds, strict=True):
        assert (mine == expected).all()
    assert with_faults == figures(play_tournament(tournament()))
    assert decided == figures(play_tournament(tested))


def test_without_ray_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ShengjiError, match=r"pip install 'ray>="):
        OnRay("")


def test_a_chunk_depends_on_nothing_but_itself():
    (chunk,) = tournament("greedy", "random").chunks(0, 12, set(range(4)))
    first, second = play_chunk(chunk), play_chunk(chunk)
    assert (first.rounds == second.rounds).all()
    assert set(first.rounds["deal"]) == set(range(4, 12))
