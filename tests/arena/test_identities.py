"""Who has played: what results say of players whose files change, and where that is refused or said.

Source: docs/arena.md.
"""

import json
import sys
from pathlib import Path

import pytest

from shengji_env.arena import tracks
from shengji_env.arena.chunks import known_player
from shengji_env.arena.identities import WhoPlayed, digests_of, player_digests
from shengji_env.arena.running import play_tournament
from shengji_env.arena.tournament import Tournament
from shengji_env.arena.tracks import TRACKS, track_header
from shengji_env.cli import main
from shengji_env.engine.rule_sets import rule_set
from shengji_env.errors import PlayerError, RecordError
from shengji_env.players import make_player
from tests.helpers.paths import ROOT
from tests.helpers.thorough import thorough

RULES = rule_set("one_deck")
OWN = """
import pathlib
from helped import *
from shengji_env.players import make_player
class Own:
    name = "own"
    def __init__(self, weights=""):
        self.inner = make_player("random")
    def act(self, observation, action_mask, key):
        return self.inner.act(observation, action_mask, key)
    def believe(self, decisions):
        return 0
class Said(Own):
    said = pathlib.Path("said.txt").read_text()
    def identity(self, rules):
        return self.said + str(rules)
class Wrong(Own):
    def identity(self, rules):
        return 5
class Raises(Own):
    def identity(self, rules):
        return 1 / 0
class Default(Own):
    def __init__(self, path="net.bin", run="runs/it", memory="/proc"):
        super().__init__((pathlib.Path(__file__).parent / "coded.bin").read_text())
class Other(Own):
    def identity(self):
        return "own"
def made(weights=""):
    return make_player("greedy")
"""
BOT = (ROOT / "docs" / "bots" / "club_player.py").read_text()
FILES = {
    "idown.py": OWN, "w.bin": "1", "run/w.bin": "1", "said.txt": "a", "bot.py": f"{BOT}\nNETWORK = 'net.bin'\n",
    "net.bin": "1", "coded.bin": "1", "runs/it/w.bin": "1",
    "helped/__init__.py": "from .more import *", "helped/more.py": "",
}  # fmt: skip
PROGRAM = f"exec:{sys.executable} bot.py"
FAST = ["--rules", "one_deck", "--deals", "12", "--workers", "1", "--out", "out"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A working folder with players; the function changes a file of it, and forgets what was made of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    def change(name, text):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        known_player.cache_clear()
        sys.modules.pop("idown", None)

    for name, text in FILES.items():
        change(name, text)
    yield change
    sys.modules.pop("idown", None)
    known_player.cache_clear()


def digest(text):
    return player_digests([text], RULES).get(text)


WHO = [
    ("idown:Own", "idown.py"),
    ("idown:made", "idown.py"),
    ("idown:Own?weights=w.bin", "w.bin"),
    ("idown:Own?weights=run", "run/w.bin"),
    ("idown:Own?weights=values:run?phases%3Dlead", "run/w.bin"),
    ("idown:made?weights=w.bin", "w.bin"),
    *(("idown:Default", name) for name in ("net.bin", "coded.bin", "runs/it/w.bin", "helped/more.py")),
    ("idown:Said", "said.txt"),
    (PROGRAM, "bot.py"),
    (PROGRAM, "net.bin"),
    (f"{PROGRAM} --weights=w.bin", "w.bin"),
    ("exec-shell:cat 'w.bin' /dev/zero", "w.bin"),
    ("exec-shell:cat 'w.bin' /proc", "w.bin"),
    ("partners?first=champion&second=idown:Own?weights%3Dw.bin", "w.bin"),
    ("search:4?playouts=docs.tutorials.fast_policy:HighLow", ""),
]


@pytest.mark.parametrize(("text", "file"), WHO)
def test_who_somebody_is_changes_with_what_they_are_made_of(text, file, files):
    before = digest(text)
    assert len(before) == 12
    files("unseen.txt", "what no text names")
    assert digest(text) == before
    if file:
        files(file, FILES[file] + "\n# changed\n")
        assert digest(text) not in ("unknown", before)


def test_a_player_that_says_who_it_is_is_known_by_that_alone(files):
    before = digest("idown:Said")
    files("idown.py", OWN + "\n# changed\n")
    assert digest("idown:Said") == before != digest("idown:Own")
    assert player_digests(["idown:Said"], rule_set("two_deck"))["idown:Said"] != before


@pytest.mark.parametrize("text", ["exec:true", f"exec:{sys.executable} -m bot", "exec-shell:cd bots && ./bot"])
def test_a_program_that_names_no_file_is_unknown(text, files):
    assert digest(text) == "unknown"
    assert digest(f"partners?first=champion&second={text.replace('&', '%26')}").endswith(" and unknown")


def test_code_without_a_file_is_unknown(files):
    player = type("Typed", (), {"__module__": "__console__", "name": "typed", "act": lambda *_: 0})
    sys.modules["__console__"] = type(sys)("__console__")
    sys.modules["__console__"].Typed = player
    assert digest("__console__:Typed") == "unknown"
    del sys.modules["__console__"]


def test_players_of_the_package_are_known_by_networks_and_version():
    texts = ("random", "greedy", "heuristic", "search:4", "human", "champion", "champion?part=playouts")
    assert set(player_digests(texts, RULES)) == {"champion", "champion?part=playouts"}
    assert make_player("greedy").identity(RULES) == ()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Wrong", "the identity of own is 5; it must be a text, or a tuple of texts"),
        ("Raises", "the identity of own cannot be read: ZeroDivisionError"),
        ("Other", r"Other.identity\(\) takes other arguments: it is called as identity\(rules\)"),
    ],
)
def test_an_identity_that_is_none_is_refused(name, message, files):
    with pytest.raises(PlayerError, match=message):
        digest(f"idown:{name}")


COMMANDS = {
    "arena": lambda text: ["arena", text, "random", *FAST],
    "crossplay": lambda text: ["crossplay", text, "greedy", "--against", "random", *FAST],
    "track": lambda text: ["track", "strength", text, "--workers", "1", "--out", "out"],
    "collect": lambda text: ["collect", text, "--rules", "one_deck", "--rounds", "4", "--out", "out", "--workers", "1"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_changed_player_is_refused_and_kept_only_when_told_to(command, files, monkeypatch, capsys):
    if command == "track":
        monkeypatch.setattr(tracks, "Tournament", lambda *who, **given: Tournament(*who, **{**given, "num_deals": 4}))
    text = "idown:Own?weights=w.bin"
    words = COMMANDS[command](text)
    assert main(words) == 0
    assert "played in part" not in capsys.readouterr().out
    was = digest(text)
    files("w.bin", "2")
    now = digest(text)
    assert main(words) == 2
    refused = capsys.readouterr().err
    assert f"was '{was}', now '{now}'" in refused
    assert "--keep goes on all the same" in refused
    said = f"played in part by others (--keep): {text} was {was}, now {now}\n"
    for each in ([*words, "--keep"], words):  # said from then on, whoever asks
        assert main(each) == 0
        assert said in capsys.readouterr().out
    files("w.bin", "3")
    assert main(words) == 2
    assert main([*words, "--keep"]) == 0
    assert f"{text} was {was}, {now}, now {digest(text)}\n" in capsys.readouterr().out


def test_results_name_both_players_of_a_kept_folder(files, tmp_path):
    plan = Tournament(("idown:Own", "random"), RULES, num_deals=4)
    play_tournament(plan, tmp_path / "out")
    was = plan.header()["policies"]
    files("idown.py", OWN + "\n# changed\n")
    with pytest.raises(RecordError, match=r"policies\.idown:Own was '[0-9a-f]{12}', now '[0-9a-f]{12}'"):
        play_tournament(plan, tmp_path / "out", retries_lost=True)
    standings = play_tournament(plan, tmp_path / "out", keeps_changed=True)
    assert standings.to_json()["policies_before"] == {"idown:Own": [was["idown:Own"]]}
    assert standings.to_json()["policies"] != was


@pytest.mark.parametrize("command", ["arena", *thorough("crossplay", "collect")])
def test_an_unknown_identity_is_printed_beside_results(command, files, capsys):
    text = f"exec-shell:{sys.executable} bo*.py"
    assert main(COMMANDS[command](text)) == 0
    out = capsys.readouterr().out
    assert f"identity unknown: {text}\n" in out
    assert command == "collect" or f"{known_player(text).name} †" in out


@pytest.mark.parametrize("command", ["arena", "crossplay", "scale"])
def test_tables_mark_who_is_known_by_files_alone_once_deals_were_played_before(command, files, capsys):
    words = {
        **COMMANDS, "scale": lambda text: ["scale", text, "--against", "random", "--deals", "10", "--out", "out"]
    }[command]("idown:Own?weights=w.bin")  # fmt: skip
    assert main(words) == 0
    assert "†" not in capsys.readouterr().out
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "own †" in out or "idown:Own?weights=w.bin †" in out
    assert "† played in part before, and compared by files alone: idown:Own?weights=w.bin\n" in out
    assert command != "arena" or "own †</h2>" in Path("out/report.html").read_text().replace(" against random", "")


def test_a_track_says_which_belief_models_and_players_it_does_not_know(files):
    header = track_header(TRACKS["beliefs"], ["uniform", "idown:Own?weights=w.bin"])
    assert set(header["policies"]) == {"champion", "idown:Own?weights=w.bin"}
    unknown = track_header(TRACKS["strength"], ["exec:true"])["policies"]
    assert WhoPlayed(unknown, {}).lines == ["identity unknown: exec:true"]
    assert WhoPlayed(digests_of({"champion": ("a",)}), {}).lines == []


@pytest.mark.parametrize("words", [["arena", "random"], ["crossplay", "random", "--against"], ["track", "strength"]])
def test_there_is_something_to_keep(words, capsys):
    assert main([*words, "greedy", "--keep"]) == 2
    assert "--keep needs --out" in capsys.readouterr().err


def test_what_a_collection_says_of_its_players_may_not_be_anything(files, capsys):
    command = COMMANDS["collect"]("idown:Own")
    assert main(command) == 0
    for damaged in (5, {"idown:Own": 5}):
        said = json.loads(Path("out/collection.json").read_text())
        files("out/collection.json", json.dumps({**said, "networks": damaged}))
        assert main([*command, "--keep"]) == 2
        assert "its networks must be digests by player" in capsys.readouterr().err
