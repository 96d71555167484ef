"""A tournament's folder: one run at a time, complete files, lost deals that are played again."""

import csv
import gzip
import itertools
import json
import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from urllib.parse import quote, urlencode

import pytest

from shengji_env.arena.chunks import known_player
from shengji_env.arena.running import STORE_FILE, play_tournament
from shengji_env.arena.store import Store
from shengji_env.arena.tournament import Tournament
from shengji_env.cli import main
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.errors import RecordError, ShengjiError
from shengji_env.support.whole_files import whole_file
from tests.helpers.paths import HELPERS, ROOT
from tests.helpers.thorough import thorough

FAST = ["--deals", "12", "--rules", "one_deck", "--seed", "3", "--workers", "1"]
MENDED = """
import os
from shengji_env.arena import make_player

class Mended:
    name = "mended"

    def __init__(self):
        self.inner = make_player("random")

    def act(self, observation, action_mask, key):
        if not os.path.exists(os.environ["MENDED"]) and (key % 300 == 0).any():
            raise RuntimeError("not yet mended")
        return self.inner.act(observation, action_mask, key)
"""


@pytest.fixture
def mended(tmp_path, monkeypatch):
    """A player that fails until the file ``is_mended`` is there: its text, and the file."""
    marker = tmp_path / "is_mended"
    (tmp_path / "mended_player.py").write_text(MENDED)
    monkeypatch.setenv("MENDED", str(marker))
    monkeypatch.syspath_prepend(tmp_path)
    known_player.cache_clear()
    yield "mended_player:Mended", marker
    sys.modules.pop("mended_player", None)
    known_player.cache_clear()


def plan(*players, **options):
    return Tournament(players, parse_rules("one_deck"), **{"seed": 3, "num_deals": 12, "batch_size": 5, **options})


def results(folder):
    found = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    del found["seconds_per_decision"]
    return found


# ---- one run at a time


def test_a_folder_in_use_is_refused_and_left_alone(tmp_path, capsys):
    with Store(tmp_path / STORE_FILE, plan("greedy", "random")):
        kept = (tmp_path / STORE_FILE).read_bytes()
        with pytest.raises(ShengjiError, match="another run plays in"):
            Store(tmp_path / STORE_FILE, plan("greedy", "random"))
        assert main(["arena", "greedy", "random", *FAST, "--out", str(tmp_path)]) == 2
        assert "another run plays in" in capsys.readouterr().err
        assert (tmp_path / STORE_FILE).read_bytes() == kept
    assert main(["arena", "greedy", "random", *FAST, "--out", str(tmp_path)]) == 0


def test_results_from_which_nothing_can_go_on_are_not_overwritten(tmp_path, capsys):
    (tmp_path / "pairs.csv").write_text("mine", encoding="utf-8")
    command = ["arena", "greedy", "random", *FAST, "--out", str(tmp_path)]
    assert main(command) == 2
    assert (
        "has pairs.csv, but no deals.jsonl from which it could go on: choose another folder" in capsys.readouterr().err
    )
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.csv"]
    (tmp_path / "pairs.csv").unlink()
    assert main(command) == main(command) == 0
    assert b"greedy,random" in (tmp_path / "pairs.csv").read_bytes()
    (tmp_path / "deals.jsonl").unlink()
    kept = (tmp_path / "results.json").stat().st_mtime_ns
    assert main(command) == 2
    assert (tmp_path / "results.json").stat().st_mtime_ns == kept


def test_a_folder_is_free_again_when_its_run_is_killed(tmp_path):
    script = (
        "import pathlib, sys, time\n"
        "from tests.arena.test_folder import *\n"
        "store = Store(pathlib.Path(sys.argv[1]), plan('greedy', 'random'))\n"
        "print('locked', flush=True); time.sleep(60)\n"
    )
    path = tmp_path / STORE_FILE
    running = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True)
    assert running.stdout.readline() == "locked\n"
    with pytest.raises(ShengjiError, match="another run plays in"):
        Store(path, plan("greedy", "random"))
    running.kill()
    running.wait()
    Store(path, plan("greedy", "random")).__exit__()


def test_what_is_not_gone_on_with_stays_as_it_is(tmp_path):
    """Neither a file of something else nor a last line that is not whole is touched before all has been checked."""
    path = tmp_path / STORE_FILE
    Store(path, plan("greedy", "random")).__exit__()
    header = path.read_bytes()
    elsewhere = header.replace(b'"policies":{', b'"policies":{"greedy":"another",')
    for content in (b"mine", gzip.compress(b"mine"), b"mine\nto the last", elsewhere + b'{"pair":'):
        path.write_bytes(content)
        with pytest.raises(RecordError):
            Store(path, plan("greedy", "random"))
        assert path.read_bytes() == content
    for rest in (header[:-9], header + b'{"pair":'):
        path.write_bytes(rest)
        Store(path, plan("greedy", "random")).__exit__()
        assert path.read_bytes() == header


# ---- whole files


def test_a_file_is_the_old_one_until_the_new_one_is_whole(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as file:
        _write_half(file, path)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert path.read_text() == "old"
    with whole_file(path) as file:
        file.write("täglich\n")
    assert path.read_bytes() == "täglich\n".encode()
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def _write_half(file, path):
    file.write("half")
    file.flush()
    assert path.read_text() == "old"
    raise ZeroDivisionError


def test_two_cannot_write_one_file(tmp_path):
    with whole_file(tmp_path / "file") as first:
        with pytest.raises(BlockingIOError, match="another run is writing it"), whole_file(tmp_path / "file"):
            pass
        first.write("first")
    assert (tmp_path / "file").read_text() == "first"


def test_what_a_killed_run_left_is_overwritten(tmp_path):
    (tmp_path / ".file.part").write_text("a long rest of another run")
    with whole_file(tmp_path / "file") as file:
        file.write("new")
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("file", "new")]


def test_errors_of_writing_name_the_file(tmp_path):
    for path in (tmp_path / "none" / "file", tmp_path):
        with pytest.raises(OSError, match=str(path)) as caught, whole_file(path) as file:
            file.write("x")
        assert caught.value.filename == str(path)


def test_what_the_block_raises_passes_as_it_is(tmp_path):
    with pytest.raises(TimeoutError, match="too late") as caught, whole_file(tmp_path / "file"):
        raise TimeoutError("too late")
    assert caught.value.filename is None


def test_a_link_stays_a_link(tmp_path):
    with whole_file(tmp_path / "link") as file:
        file.write("first")
    (tmp_path / "name").symlink_to(tmp_path / "link")
    with whole_file(tmp_path / "name") as file:
        file.write("second")
    assert (tmp_path / "name").is_symlink()
    assert (tmp_path / "link").read_text() == "second"


def test_a_refused_run_leaves_the_record_of_another(tmp_path):
    record = tmp_path / "rounds.jsonl"
    command = ["arena", "greedy", "random", "--deals", "12", "--rules", "one_deck"]
    command += ["--out", str(tmp_path / "out"), "--record", str(record), "--seed"]
    assert main([*command, "3"]) == 0
    before = record.read_bytes()
    assert main([*command, "4"]) == 2
    assert record.read_bytes() == before


def test_figures_are_printed_even_if_they_cannot_be_written(tmp_path, capsys):
    command = ["arena", "greedy", "random", *FAST, "--out", str(tmp_path)]
    assert main(command) == 0
    capsys.readouterr()
    (tmp_path / "results.json").unlink()
    (tmp_path / "results.json").mkdir()
    assert main(command) == 2
    printed = capsys.readouterr()
    assert "greedy against random" in printed.out
    assert "results.json" in printed.err


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files by a POSIX call")
def test_a_full_disk_loses_nothing_that_was_kept(tmp_path):
    command = [sys.executable, "-m", "shengji_env.cli", "arena", "greedy", "random", *FAST, "--batch-size", "2"]
    command += ["--out", str(tmp_path)]
    script = (
        "import resource, sys\n"
        "from shengji_env.cli import main\n"
        "main(sys.argv[1:-2])\n"  # what is compiled now is not written later
        "sys.dont_write_bytecode = True\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1500, -1))\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    full = subprocess.run([sys.executable, "-c", script, *command[3:]], capture_output=True, text=True, check=False)
    assert full.returncode == 2
    assert "Traceback" not in full.stderr
    said = full.stderr.splitlines()[-1]
    assert "File too large" in said
    assert STORE_FILE in said
    kept = (tmp_path / STORE_FILE).read_bytes()
    assert 1 < kept.count(b"\n") < 7
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert (tmp_path / STORE_FILE).read_bytes().startswith(kept[: kept.rindex(b"\n") + 1])


# ---- lost deals


@pytest.mark.parametrize("options", [{}, *thorough({"is_match": True, "num_deals": 6})])
def test_lost_deals_are_played_again_if_that_is_asked_for(mended, tmp_path, options):
    player, marker = mended
    players = ("greedy", player, "random")
    first = play_tournament(plan(*players, **options), tmp_path / "out")
    lost = {(*fault["pair"], fault["deal"]) for fault in first.faults}
    assert lost
    marker.touch()
    assert play_tournament(plan(*players, **options), tmp_path / "out").faults == first.faults
    whole = play_tournament(plan(*players, **options)).to_json()
    for retries in (True, False):
        again = play_tournament(plan(*players, **options), tmp_path / "out", retries_lost=retries).to_json()
        assert {**again, "seconds_per_decision": 0} == {**whole, "seconds_per_decision": 0}


def test_what_is_lost_again_is_tried_once_a_run(mended, tmp_path):
    player, _ = mended
    first = play_tournament(plan("greedy", player), tmp_path / "out")
    size = (tmp_path / "out" / STORE_FILE).stat().st_size
    again = play_tournament(plan("greedy", player), tmp_path / "out", retries_lost=True)
    assert again.faults == first.faults
    assert (again.rounds[0] == first.rounds[0]).all()
    assert (tmp_path / "out" / STORE_FILE).stat().st_size > size


def test_records_of_deals_that_were_played_again_are_there(mended, tmp_path):
    player, marker = mended
    first, again, whole = [], [], []
    keeping = plan("greedy", player, keeps_records=True)
    play_tournament(keeping, tmp_path / "out", record=first.append)
    marker.touch()
    play_tournament(keeping, tmp_path / "out", retries_lost=True, record=again.append)
    play_tournament(keeping, record=whole.append)
    assert len(first) < len(again) == 24
    assert sorted(again) == sorted(whole)


@pytest.mark.parametrize("line", ["no JSON", "[]", '{"table": null}'])
def test_records_that_were_changed_are_refused(line, tmp_path):
    plan = Tournament(("random", "random"), parse_rules("one_deck"), num_deals=2, keeps_records=True)
    play_tournament(plan, tmp_path)
    header, chunk = (tmp_path / STORE_FILE).read_text(encoding="utf-8").splitlines()
    changed = json.dumps({**json.loads(chunk), "lines": [line]})
    (tmp_path / STORE_FILE).write_text(f"{header}\n{changed}\n", encoding="utf-8")
    with pytest.raises(RecordError, match="a chunk's records cannot be read"):
        play_tournament(plan, tmp_path, record=[].append)


@pytest.mark.parametrize("changes", [{"thinking": []}, {"thinking": [[1, {}], [1, 2]]}, {"faults": [{"deal": 0}]}])
def test_chunks_that_were_changed_are_refused(changes, tmp_path):
    plan = Tournament(("random", "random"), parse_rules("one_deck"), num_deals=2)
    play_tournament(plan, tmp_path)
    header, chunk = (tmp_path / STORE_FILE).read_text(encoding="utf-8").splitlines()
    changed = json.dumps({**json.loads(chunk), **changes})
    (tmp_path / STORE_FILE).write_text(f"{header}\n{changed}\n", encoding="utf-8")
    with pytest.raises(RecordError, match="line 2: this is not a chunk of a tournament"):
        play_tournament(plan, tmp_path)


def test_the_command_says_how_lost_deals_are_played_again(mended, tmp_path, capsys):
    player, marker = mended
    command = ["arena", "greedy", player, *FAST, "--out", str(tmp_path / "out")]
    assert main(command) == 3
    assert "--retry-lost" in capsys.readouterr().err
    assert (tmp_path / "out" / "lost.jsonl").exists()
    marker.touch()
    assert main(command) == 3
    assert main([*command, "--retry-lost"]) == 0
    assert not (tmp_path / "out" / "lost.jsonl").exists()
    assert results(tmp_path / "out")["pairs"][0]["deals"] == 12
    assert main(["arena", "greedy", player, *FAST, "--retry-lost"]) == 2
    assert "--retry-lost needs --out" in capsys.readouterr().err


OWN = """
from pathlib import Path
from own_base import Base
class Mine(Base):
    def __init__(self, weights=""):
        super().__init__()
"""
BASE = """
from shengji_env.players.greedy import GreedyPlayer
class Base(GreedyPlayer):
    pass
"""
BOT = ROOT / "docs" / "bots" / "club_player.py"


@pytest.mark.parametrize("changed", ["own_mine.py", "own_base.py", "weights/w.bin", "weights/new.bin", "bot.py"])
def test_a_player_of_ones_own_that_has_changed_is_refused(changed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    files = {"own_mine.py": OWN, "own_base.py": BASE, "weights/w.bin": "1", "bot.py": BOT.read_text()}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    own = f"exec:{sys.executable} bot.py" if changed == "bot.py" else "own_mine:Mine?weights=weights"
    players = ["greedy", own if changed == "bot.py" else f"partners?first=greedy&second={quote(own)}"]

    def run(*options):
        known_player.cache_clear()
        for module in ("own_mine", "own_base"):
            sys.modules.pop(module, None)
        return main(["arena", *players, *FAST, "--out", "out", *options])

    assert run() == run() == 0
    (tmp_path / changed).write_text(files.get(changed, "") + "\n# changed\n")
    before = (tmp_path / "out" / "deals.jsonl").read_bytes()
    assert run() == 2
    assert "is of another tournament: policies." in capsys.readouterr().err
    assert (tmp_path / "out" / "deals.jsonl").read_bytes() == before
    assert run("--retry-lost") == 0
    assert run() == 0


def test_a_run_that_goes_on_says_what_it_has_not_played(tmp_path, monkeypatch, capsys):
    """A network whose name the player's code computes is retrained: nobody can see that, but it is said."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_mine.py").write_text(OWN + "        open('net' + '.bin').close()\n")
    (tmp_path / "own_base.py").write_text(BASE)
    (tmp_path / "net.bin").write_text("1")
    command = ["arena", "own_mine:Mine", "random", *FAST, "--out", "out"]
    assert main(command) == 0
    assert "played before" not in capsys.readouterr().err
    (tmp_path / "net.bin").write_text("2")
    assert main(command) == 0
    note = (
        "note: 12 of 12 deals were played before; of own_mine:Mine only files are compared with those of then that the "
        "text, and code in Python, names or imports: if anything else has changed, choose another folder\n"
    )
    assert note in capsys.readouterr().err
    assert main([*command[:4], "14", *command[5:]]) == 0
    assert "note: 12 of 14 deals were played before; of own_mine:Mine only" in capsys.readouterr().err


def test_where_digests_see_all_the_note_says_no_more(tmp_path, capsys):
    command = ["arena", "greedy", "champion?part=playouts", *FAST, "--out", str(tmp_path)]
    assert main(command) == main(command) == 0
    assert "note: 12 of 12 deals were played before\n" in capsys.readouterr().err


# ---- the page


class Links(HTMLParser):
    """Gathers links and their texts, and what they may point to."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.href = [], set(), None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.href = dict(attrs).get("href")
        self.ids |= {dict(attrs)["id"]} if "id" in dict(attrs) else set()

    def handle_data(self, data):
        if self.href and data.strip():
            self.links.append((self.href, data))


def test_what_a_dying_program_writes_is_escaped_wherever_it_is_quoted(tmp_path, capsys):
    bot = f"exec:{sys.executable} -S -E {HELPERS / 'bots_with_faults.py'} 'writes escapes'"
    command = ["arena", bot, "greedy", "--deals", "2", *FAST[2:], "--out", str(tmp_path)]
    last_words = r"now writes escapes | \x1b[2J\x1b]0;mine\x07 \u202edetrever 升级\x9b1m\x00"
    for _ in range(2):  # the second run reads them from the folder
        assert main(command) == 3
        assert f"its last words: {last_words}\n" in capsys.readouterr().err
    (_, lost, *_) = (tmp_path / "lost.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lost)["error"].endswith(last_words)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert last_words in page
    assert not {"\x1b", "\x07", "\x9b", "\x00", "\u202e"} & set(page)


def test_faults_of_an_older_folder_are_escaped_as_they_are_read(mended, tmp_path, capsys):
    player, _ = mended
    command = ["arena", "greedy", player, *FAST, "--out", str(tmp_path / "out")]
    assert main(command) == 3
    store = tmp_path / "out" / STORE_FILE
    store.write_text(store.read_text(encoding="utf-8").replace("not yet mended", "\u202enot yet \\u001b[2Jmended"))
    capsys.readouterr()
    assert main(command) == 3
    assert r"\u202enot yet \x1b[2Jmended" in capsys.readouterr().err
    assert not {"\x1b", "\u202e"} & set((tmp_path / "out" / "report.html").read_text(encoding="utf-8"))


@pytest.mark.thorough
@pytest.mark.parametrize("extra", [["--deals", "12"], ["--deals", "6", "--match"]])
def test_the_page_leads_from_pairs_and_lost_deals_to_their_records(tmp_path, extra):
    players = ["greedy", "tests.helpers.players_with_faults:cheats?when=500", "random"]
    record = tmp_path / "my rounds.jsonl"
    assert main(["arena", *players, *FAST[2:], *extra, "--out", str(tmp_path / "out"), "--record", str(record)]) == 3
    text = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    page, found = Links(text), results(tmp_path / "out")
    _, *lost = (tmp_path / "out" / "lost.jsonl").read_text().splitlines()
    assert [link for link in page.links if link[0] == "lost.jsonl"][:-1] == [
        ("lost.jsonl", f"line {number + 2}") for number in range(len(lost))
    ]
    assert {href[1:] for href, _ in page.links if href.startswith("#")} == {"pair-0", "pair-1", "pair-2"} == page.ids
    rounds = [None, *map(json.loads, record.read_text().splitlines())]
    ranges = [tuple(map(int, each.split(" to "))) for each in _between(text, "Records: lines ", " of <a")]
    assert ranges[0][0] == 2
    assert ranges[-1][1] == len(rounds) - 1
    assert [first for first, _ in ranges[1:]] == [last + 1 for _, last in ranges[:-1]]
    for (first, last), pair in zip(ranges, found["pairs"], strict=True):
        for line in rounds[first : last + 1]:
            assert set(pair["players"]) <= set(line["players"])
    assert ("../my%20rounds.jsonl", "../my rounds.jsonl") in page.links


def _between(text, before, after):
    return [part.split(after)[0] for part in text.split(before)[1:]]


@pytest.mark.parametrize(
    "name", ["[/red] [b]bold", "a\nb", *thorough("<script>alert(1)</script>", "x" * 200, "名字 🂡")]
)
def test_players_may_be_called_anything(name, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr("shengji_env.cli.arena_display._SECONDS_BETWEEN_TABLES", 0.0)
    player = f"tests.helpers.players_with_faults:named?{urlencode({'name': name})}"
    for players in ([player, "random"], [player, "random", "greedy"]):
        folder = tmp_path / str(len(players))
        assert main(["arena", *players, *FAST, "--batch-size", "1", "--out", str(folder)]) == 0
        assert results(folder)["names"][0] == name
        assert "<script>" not in (folder / "report.html").read_text(encoding="utf-8")
    if len(name) < 50:
        assert name.split()[0] in capsys.readouterr().out


def test_the_report_links_to_the_deals_that_swung_most(tmp_path):
    record, out = tmp_path / "rounds.jsonl", tmp_path / "out"
    players = ["random", "greedy", "heuristic"]
    assert main(["arena", *players, *FAST, "--out", str(out), "--record", str(record)]) == 0
    report, page = (out / "report.html").read_text(), (out / "swings.html").read_text(encoding="utf-8")
    links = re.findall(r'<td>deal (\d+)</td><td>([+−]\d+)</td><td><a href="swings.html#round=(\d+)">', report)
    swings = Counter()
    for row in csv.DictReader((out / "rounds.csv").open()):
        swings[row["a"], row["b"], row["deal"]] += float(row["levels"])
    expected = []
    for pair in itertools.combinations(players, 2):
        of_pair = [(deal, levels) for (*names, deal), levels in swings.items() if tuple(names) == pair and levels]
        expected += sorted(of_pair, key=lambda swing: -abs(swing[1]))[:5]
    assert [(deal, float(levels.replace("−", "-"))) for deal, levels, _ in links] == expected
    shown = json.loads(re.search(r'id="replay">(.*?)</script>', page, re.DOTALL)[1])["rounds"]
    rounds = [json.loads(line) for line in record.read_text().splitlines()[1:]]
    for deal, _, number in links:
        dealt = {each["deal"] for each in rounds if each["table"] == int(deal)}
        for table in shown[int(number) - 1 : int(number) + 1]:
            assert any(each["decisions"] == table["decisions"] and each["deal"] in dealt for each in rounds)


def test_without_records_there_are_no_swings(tmp_path):
    assert main(["arena", "random", "greedy", *FAST, "--out", str(tmp_path)]) == 0
    assert not (tmp_path / "swings.html").exists()
    assert "swung" not in (tmp_path / "report.html").read_text()
