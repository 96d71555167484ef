"""Programs that play: ours as processes, the examples in other languages, and the check of such programs."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from shengji_env.arena.chunks import known_player
from shengji_env.arena.deal_batch import LINEUPS, DealBatch
from shengji_env.arena.program_check import check_bot
from shengji_env.cli import main
from shengji_env.engine.rule_sets import parse_rules, rule_set
from shengji_env.errors import PlayerError
from shengji_env.players.exec.bot_messages import PROTOCOL
from shengji_env.players.exec.speaking import Speaker
from shengji_env.players.registry import make_player
from tests.helpers.paths import HELPERS, ROOT
from tests.helpers.thorough import thorough

BOTS = ROOT / "docs" / "bots"
FAULTY = f"{sys.executable} -S -E {HELPERS / 'bots_with_faults.py'}"
OURS = f"{sys.executable} -m shengji_env.cli bot"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")


def lines_of(players, rules, deals):
    """The records of some deals, each at one table: of two players, the first sits in seats 0 and 2 or 1 and 3."""
    lineup = LINEUPS[np.arange(deals) % 2]
    batch = DealBatch(
        tuple(map(known_player, players)), parse_rules(rules), 7, range(deals), lineup=lineup, names=("a", "b")
    )
    return batch.play_out(keeps_lines=True)[1]


@pytest.fixture
def closing():
    """Ends the processes of players after the test."""
    texts = []
    yield texts.append
    for text in texts:
        known_player(text).close()


def test_a_player_as_a_process_plays_move_for_move_as_at_the_table(closing, monkeypatch, tmp_path):
    """It is started as the pages write it, wherever the program `shengji` is."""
    monkeypatch.setenv("PATH", str(tmp_path))
    player = "tests.helpers.typed_user:Remembering"
    text = f"exec:shengji bot {player}?env=PYTHONPATH"
    closing(text)
    assert lines_of((text, "random"), "one_deck", 1) == lines_of((player, "random"), "one_deck", 1)


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["two_deck", "three_deck"])
@pytest.mark.parametrize("player", ["heuristic", "champion", "search:2"])
def test_players_as_processes_play_move_for_move_as_at_the_table(player, rules, closing):
    text = f"exec:{OURS} {player}?env=PYTHONPATH"
    closing(text)
    assert lines_of((text, "greedy"), rules, 2) == lines_of((player, "greedy"), rules, 2)


def test_who_cannot_be_a_process_is_told_so():
    with pytest.raises(PlayerError, match="human cannot be a bot"):
        Speaker(make_player("human"), seed=0)


def command_of(name, folder):
    """The command that starts an example; skips the test if its tool is missing."""
    tool = {".py": sys.executable, ".js": "node", ".cpp": "g++"}[Path(name).suffix]
    if shutil.which(tool) is None:
        pytest.skip(f"there is no {tool} here")
    if tool != "g++":
        return f"{tool} {BOTS / name}"
    program = folder / "bot"
    subprocess.run([tool, "-std=c++17", "-Wall", "-Werror", "-o", program, BOTS / name], check=True)
    return str(program)


@pytest.mark.parametrize("name", ["club_player.py", *thorough("simple.cpp", "simple.js")])
def test_the_examples_keep_to_the_protocol(name, tmp_path, monkeypatch):
    monkeypatch.setattr("shengji_env.players.exec.process_pool.GRACE", 60.0)
    bot = make_player(f"exec:{command_of(name, tmp_path)}")
    rules = tuple(map(rule_set, ("one_deck", "two_deck", "three_deck")))
    findings = list(check_bot(bot, rules, deals=1, seed=1))
    assert [each.text for each in findings if each.is_fault] == []
    assert len(findings) == 4


SUBMISSION = """
const suitOf = ({ suit, rank }, { trump }) => (suit === "X" || rank === trump.rank || suit === trump.suit ? "T" : suit);
const expect = (fact, what) => { if (!fact) throw new Error(what); };

function check(view) {
  const ids = [...view.hand, ...view.history.flatMap((play) => play.cards), ...view.buriedKnown].map(({ id }) => id);
  expect(new Set(ids).size === ids.length && ids.every((id) => id >= 0 && id < 108), "ids");
  expect(Object.isFrozen(view) && view.myTeam === view.seat % 2, "view");
  if (view.phase === "deal") return expect(view.hand.length <= 25 && view.trump === null, "deal");
  expect(view.trump.rank === view.trumpRank && (view.declSeat === view.seat || !view.buriedKnown.length), "trump");
  const own = view.history.filter((play) => play.seat === view.seat).flatMap((play) => play.cards).length;
  if (["lead", "follow"].includes(view.phase)) expect(view.hand.length + own === 25, "hand");
}

module.exports = () => ({
  onDeal(view) {
    check(view);
    const level = view.hand.find(({ suit, rank }) => suit !== "X" && rank === view.trumpRank);
    return view.curDecl || !level ? null : { suit: level.suit, strength: 1 };
  },
  onRebel(view) {
    check(view);
    expect(view.rebelReason.byPts || view.rebelReason.byTrump, "rebel");
    return true;
  },
  discard(view) {
    check(view);
    expect(view.hand.length === 33, "discard");
    return view.hand.slice(-8);
  },
  lead(view) {
    check(view);
    console.log(`trick ${view.trickNo}`);
    const suited = view.hand.filter((card) => suitOf(card, view) === suitOf(view.hand[0], view));
    return { cards: view.trickNo % 2 ? suited.slice(0, 3) : [suited[0]] }; // many of three are throws that fail
  },
  follow(view, plays) {
    check(view);
    expect(plays.length < 4 && view.trickNo * 4 + plays.length === view.history.length, "follow");
    const led = plays[0].cards;
    const suited = view.hand.filter((card) => suitOf(card, view) === suitOf(led[0], view));
    return led.length === 1 ? [suited.at(-1) ?? view.hand.at(-1)] : null;
  },
});
"""
"""A submission to the contest that checks all that it sees."""


def test_a_submission_to_the_contest_plays(tmp_path, closing):
    """Under the contest's rules; it has an answer to leads and to follows of one card, and errs nowhere."""
    (tmp_path / "index.js").write_text(SUBMISSION)
    text = f"exec:{command_of('contest.js', tmp_path)} {tmp_path / 'index.js'}"
    closing(text)
    assert lines_of((text, "random"), "contest", 12)


def test_a_program_plays_under_bubblewrap_as_the_page_shows_it(tmp_path, monkeypatch):
    monkeypatch.setattr("shengji_env.players.exec.process_pool.GRACE", 60.0)
    tried = "bwrap --ro-bind / / --proc /proc --dev /dev --tmpfs /tmp --unshare-all --clearenv /bin/true"
    if shutil.which("bwrap") is None or subprocess.run(tried.split()).returncode:
        pytest.skip("there is no bubblewrap here, or it may not be used")
    Path(command_of("simple.cpp", tmp_path)).rename(tmp_path / "run")
    (shown,) = re.findall(r"'(exec:bwrap [^']*)'", (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8"))
    bot = make_player(shown.replace("/opt/bot", str(tmp_path)))
    findings = list(check_bot(bot, (rule_set("one_deck"),), deals=1, seed=1))
    assert [each.text for each in findings if each.is_fault] == []


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("plays no card", "one_deck, deal 1, seat . *, .*'X9' is not a card"),
        ("exits", "it has ended, with exit code 3"),
        ("writes escapes", r"its last words: now writes escapes \| \\x1b\[2J.*\\u202edetrever"),
        ("ignores the end", "of .* processes had not ended 1 s after the message end"),
    ],
)
def test_the_check_says_what_is_wrong(fault, sentence, capsys):
    assert main(["protocol", "--check", f"{FAULTY} '{fault}'", "--rules", "one_deck", "--deals", "1"]) == 1
    assert main(["protocol", "--check", f"{FAULTY} '{fault}'", "--deals", "0"]) == 2
    said = capsys.readouterr().out
    assert re.search("WRONG.*" + sentence.replace(". *", r"\d"), said), said
    assert said.replace("\n", "").isprintable()


def test_the_messages_are_listed(capsys):
    assert main(["protocol"]) == 0
    assert "decide  move, kind, size, options, legal, last_call" in capsys.readouterr().out


def test_a_bot_refuses_what_it_does_not_understand():
    process = subprocess.run(
        [sys.executable, "-m", "shengji_env.cli", "bot", "random"], input=b'{"type":"round"}\n', capture_output=True,
        cwd=ROOT, check=False,
    )  # fmt: skip
    assert (process.returncode, process.stdout) == (2, b"")
    assert b"the first message must be hello" in process.stderr
    speaker = Speaker(make_player("random"), seed=0)
    hello = {"type": "hello", "protocol": PROTOCOL + 1, "rules": rule_set("two_deck").to_json()}
    with pytest.raises(PlayerError, match=f"protocol {PROTOCOL + 1} is spoken here; this is protocol {PROTOCOL}"):
        speaker.handle(json.loads(json.dumps(hello)))
