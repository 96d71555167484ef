"""The benchmark: what it measures, how its units fit together, what it writes."""

import importlib.util
import itertools
import json
import os
import subprocess
import sys
import time
from collections import Counter

import pytest

from shengji_env.cli.exit_codes import EXIT_INTERRUPTED
from shengji_env.engine.rule_sets import NUM_SEATS, RULE_SETS
from shengji_env.errors import ShengjiError
from shengji_env.support.cores import num_cores
from shengji_env.vector import BatchEnv
from tools.bench import networks, ours, peer_open_spiel, peer_pettingzoo, peer_rlcard
from tools.bench.__main__ import main
from tools.bench.chart import write_chart
from tools.bench.printing import number_text
from tools.bench.records import ARRAYS, CHECKED
from tools.bench.running import Report, run_benchmark
from tools.bench.timing import STEPS, BenchRow, Case, Group, Pace, rate, trial_of_rounds

pytestmark = pytest.mark.thorough

QUICK = {"repetitions": 2, "seconds": 0.005}
PEER_MODULES = ("pyspiel", "rlcard", "pygame", "shimmy")


@pytest.fixture(scope="module")
def report() -> Report:
    """What a run measures."""
    return run_benchmark(only=["two_deck, N=64", "random rounds", "players", "AEC"], peers=False, **QUICK)


def row(name: str, group: Group, values: tuple[float, ...], *, pace: Pace | None = None) -> BenchRow:
    return BenchRow(name, group, STEPS, 1, "", values, pace, 1.0)


def made_report(*rows: BenchRow) -> Report:
    machine = {"processor": "a processor", "cores": 2, "python": "3.11"}
    return Report(machine, {"repetitions": 1, "seconds": 1.0}, {}, rows, {})


def without(monkeypatch: pytest.MonkeyPatch, modules: tuple[str, ...]) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in modules else found(name))


def test_every_batch_of_the_plan_is_a_case():
    batches = [case for case in ours.cases() if case.group == Group.BATCH]
    assert ours.HEADLINE in [case.name for case in batches]
    numbers = Counter(case.threads for case in batches)
    assert numbers[1] == len(ours.BATCH_RULES) * len(ours.BATCH_SIZES)
    if num_cores() > 1:
        assert numbers[num_cores()] == len(ours.BATCH_RULES) * len(ours.BATCH_SIZES)


def test_rows_have_a_figure_for_each_repetition_and_their_spread(report: Report):
    assert {row.group for row in report.rows} == {
        Group.BATCH, Group.ROLLOUT, Group.PLAYERS, Group.AEC, Group.ONE_SEAT,
    }  # fmt: skip
    for found in report.rows:
        assert len(found.values) == QUICK["repetitions"]
        assert 0 < min(found.values) <= found.median <= max(found.values)
    assert report.skipped == {}


def test_rows_in_steps_say_rounds_and_cards_too(report: Report):
    in_steps = [found for found in report.rows if found.unit == STEPS]
    assert len(in_steps) >= 8
    for found in in_steps:
        rules = next((name for name in RULE_SETS if found.name.startswith(f"{name},")), "two_deck")
        is_one_seat = found.group == Group.ONE_SEAT
        played = RULE_SETS[rules].hand * (1 if is_one_seat else NUM_SEATS)
        buried = RULE_SETS[rules].kitty / (NUM_SEATS if is_one_seat else 1)
        assert found.pace is not None
        assert found.pace.cards == played
        assert found.pace.steps > played + buried
        assert found.median > found.cards_per_second > found.rounds_per_second > 0
        assert found.cards_per_second == pytest.approx(found.rounds_per_second * played)
    assert all(found.rounds_per_second is None for found in report.rows if found.unit != STEPS)


def test_a_search_reports_its_plays_worlds_and_playouts(report: Report):
    searches = [found for found in report.rows if found.name.startswith(ours.SEARCH)]
    assert {found.threads for found in searches} == {1, num_cores()}
    for threads in {found.threads for found in searches}:
        plays, worlds, playouts = (found.median for found in searches if found.threads == threads)
        assert 16 * plays < worlds < 100 * plays
        assert 2 * worlds < playouts < 10 * worlds
    assert [found.unit for found in searches[:3]] == list(ours.SEARCH_UNITS)


def pace(row):
    """A row's rate by processor time: other programs may have had a part of the machine."""
    return row.median / row.cpu_share


def test_labels_and_the_rounds_played_out_for_them_are_counted(report: Report):
    decisions, candidates = (found for found in report.rows if found.name == ours.LABELS)
    assert (decisions.unit, candidates.unit) == ours.LABEL_UNITS
    assert 3 * decisions.median < candidates.median < 8 * decisions.median
    (playouts,) = (found for found in report.rows if found.name == ours.PLAYOUT_ROWS["heuristic"])
    assert 1000 < pace(playouts) < 2 * pace(candidates)
    by_network, _ = (found for found in report.rows if found.name == f"{ours.LABELS}, by champion")
    assert pace(by_network) < pace(decisions)


def test_records_become_arrays_faster_than_they_are_checked(report: Report):
    rates = {found.name: pace(found) for found in report.rows}
    assert rates[ARRAYS] > rates[CHECKED]


def test_a_network_s_decisions_are_counted_a_batch_at_a_time(monkeypatch):
    batch, alone = (case.make() for case in networks.cases())
    clock = itertools.count(10.0, 0.5)
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    measured = batch.measure(1.2), alone.measure(1.2)
    monkeypatch.undo()
    assert measured == ((2048.0, 500 / 1024), (2.0, 500.0))


def test_whole_rounds_are_played_and_their_decisions_counted():
    steps = ours.play_rounds("one_deck", 20, 3, BatchEnv.sample_actions)
    env = BatchEnv(20, "one_deck", seed=3)
    finished, counted = 0, 0
    live = [True] * 20
    while any(live):
        counted += sum(live)
        env.step([int(action) if alive else -1 for action, alive in zip(env.sample_actions(), live, strict=True)])
        finished += int(env.terminated.sum())
        live = [alive and not bool(over) for alive, over in zip(live, env.terminated, strict=True)]
    assert (finished, counted) == (20, steps)


def test_rounds_in_one_call_are_as_long_as_the_batch_environment_s():
    in_one_call = ours.rollout_rounds("one_deck", 500, seed=3)
    assert in_one_call == pytest.approx(ours.play_rounds("one_deck", 500, 4, BatchEnv.sample_actions), rel=0.05)


def test_a_rate_is_units_over_whole_pieces_of_work(monkeypatch):
    done = []

    def work() -> int:
        done.append(None)
        return 3

    clock = itertools.count(10.0, 0.5)
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    measured = rate(work, 1.2)
    monkeypatch.undo()
    assert len(done) == 3
    assert measured == 9 / 1.5


def test_rounds_are_measured_with_the_cards_that_their_actions_play():
    trial = trial_of_rounds(lambda: [1, 2, 3, 4], lambda actions: sum(action > 2 for action in actions))
    assert trial.pace == Pace(4.0, 2.0)
    assert trial.measure(0.001)[0] > 0
    assert trial_of_rounds(lambda: [1], None).pace == Pace(1.0, None)


def test_processes_are_timed_in_wall_and_cpu_seconds():
    started = run_benchmark(only=["Python alone"], peers=False, **QUICK)
    assert [found.unit for found in started.rows] == ["s", "s of CPU"]
    wall, cpu = (found.median for found in started.rows)
    assert cpu > 0
    assert 0.001 < wall < 60
    assert all(found.cpu_share is None for found in started.rows)


@pytest.mark.slow
def test_the_peak_of_memory_is_the_child_s_own():
    held = bytearray(600 * 2**20)
    measured = run_benchmark(only=["peak memory"], peers=False, **QUICK)
    one, many = (found.median for found in measured.rows)
    assert 20 < one < many < len(held) / 2**20


def test_a_name_that_fits_nothing_is_refused_with_what_there_is():
    with pytest.raises(ShengjiError, match=r"called 'tarot'.*(?s:.*)two_deck, N=64"):
        run_benchmark(only=["tarot"], peers=False)


@pytest.mark.parametrize("options", [{"repetitions": 0}, {"seconds": 0.0}])
def test_numbers_that_make_no_sense_are_refused(options):
    with pytest.raises(ShengjiError, match="must be above 0"):
        run_benchmark(only=["raw_env, two_deck"], peers=False, **options)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores can be chosen on Linux only")
def test_pinned_rows_leave_the_process_where_it_was():
    before = os.sched_getaffinity(0)
    pinned = run_benchmark(only=["raw_env, two_deck"], peers=False, pin=min(before), **QUICK)
    assert pinned.settings["pinned_to"] == min(before)
    assert os.sched_getaffinity(0) == before
    with pytest.raises(ShengjiError, match="core 4096 is not one"):
        run_benchmark(only=["raw_env, two_deck"], peers=False, pin=4096, **QUICK)


def test_peers_that_are_not_installed_are_named_with_how_to_install_them(monkeypatch, capsys):
    without(monkeypatch, PEER_MODULES)
    assert main(["--only", "peers", "--repetitions", "1"]) == 0
    shown = capsys.readouterr().out
    for module in ("pyspiel", "rlcard", "pygame"):
        assert f"no module {module} here; make peers installs the other libraries" in shown
    report = run_benchmark(only=["peers"], **QUICK)
    assert report.rows == ()
    assert len(report.skipped) == sum(len(peer.cases()) for peer in (peer_open_spiel, peer_rlcard, peer_pettingzoo))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "module", "units"),
    [
        ("OpenSpiel skat", "pyspiel", 4),
        ("OpenSpiel dou_dizhu", "pyspiel", 4),
        ("RLCard", "rlcard", 3),
        ("connect_four", "pygame", 2),
    ],
)
def test_installed_peers_are_measured_in_the_same_units(name: str, module: str, units: int):
    pytest.importorskip(module)
    report = run_benchmark(only=[name], **QUICK)
    assert report.skipped == {}
    assert [found.unit for found in report.rows] == [STEPS] * units
    for found in report.rows:
        assert found.median >= found.rounds_per_second > 0
        if found.pace.cards is not None:
            assert found.median >= found.cards_per_second * 0.1 > 0
            assert 10 < found.pace.cards < 200


def test_a_peer_that_fails_is_reported_and_the_rest_is_measured(monkeypatch):
    without(monkeypatch, ())
    monkeypatch.setitem(peer_rlcard.GAMES, "no_such_game", len)
    if importlib.util.find_spec("rlcard") is None:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    report = run_benchmark(only=["no_such_game", "raw_env, two_deck"], **QUICK)
    assert [found.name for found in report.rows] == ["raw_env, two_deck"]
    assert report.skipped["RLCard no_such_game"].startswith("failed: ")


def test_an_interrupted_run_keeps_what_it_has_measured(tmp_path, monkeypatch):
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(peer_rlcard, "cases", lambda: [Case("stopped", Group.PEERS, interrupt)])
    file = tmp_path / "bench.json"
    options = ["--only", "raw_env, two_deck", "stopped", "cold start", "--json", str(file)]
    assert main(options) == EXIT_INTERRUPTED
    assert [found["name"] for found in json.loads(file.read_text(encoding="utf-8"))["rows"]] == ["raw_env, two_deck"]


def test_the_command_prints_the_table_and_writes_json_and_chart(tmp_path, capsys):
    json_file, chart_file = tmp_path / "new" / "bench.json", tmp_path / "new" / "bench.png"
    options = [
        "--no-peers",
        "--only",
        "two_deck, N=64",
        "raw_env, two_deck",
        "--repetitions",
        "2",
        "--seconds",
        "0.005",
    ]
    assert main([*options, "--json", str(json_file), "--chart", str(chart_file)]) == 0
    output = capsys.readouterr()
    for text in ("batch, observation and mask", "two_deck, N=64", "steps/s", "cards/s", "raw_env, two_deck"):
        assert text in output.out
    written = json.loads(json_file.read_text(encoding="utf-8"))
    assert f"1 of {len({found['name'] for found in written['rows']})}: two_deck, N=64" in output.err
    assert {"machine", "settings", "versions", "rows", "skipped", "comparison"} <= set(written)
    assert all({"median", "values", "rounds_per_second", "cpu_share"} <= set(found) for found in written["rows"])
    assert chart_file.read_bytes().startswith(b"\x89PNG")


def test_a_report_without_steps_has_no_chart(tmp_path):
    write_chart(made_report(), tmp_path / "bench.png")
    assert not (tmp_path / "bench.png").exists()


def test_the_comparison_is_with_the_fastest_peer_that_gives_observation_and_mask():
    headline = row(ours.HEADLINE, Group.BATCH, (100.0, 300.0, 200.0), pace=Pace(100.0, 80.0))
    slow = row("slow steps, many cards", Group.PEERS, (20.0,), pace=Pace(10.0, 20.0))
    fast = row("fast steps, few cards", Group.PEERS, (50.0,), pace=Pace(10.0, 2.0))
    blind = row("no observation", Group.PEERS_LEGAL, (1000.0,), pace=Pace(10.0, 10.0))
    compared = made_report(headline, slow, fast, blind).comparison()
    assert compared["steps"] == {"peer": fast.name, "ratio": 4.0}
    assert compared["cards"] == {"peer": slow.name, "ratio": 4.0}
    assert made_report(headline, blind).comparison() is None
    assert made_report(slow, fast).comparison() is None


@pytest.mark.parametrize(("number", "text"), [(1318961.4, "1,318,961"), (56.36, "56.4"), (0.1499, "0.15")])
def test_figures_are_written_out(number: float, text: str):
    assert number_text(number) == text


def test_the_benchmark_imports_no_peer():
    code = "import sys, tools.bench.running; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"torch", *PEER_MODULES} & set(done.stdout.split())
