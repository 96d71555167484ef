"""docs/bots/chat.py: a language model as a player, whatever its endpoint answers."""

import json
import os
import re
import runpy
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from shengji_env.arena.chunks import Chunk, known_player, play_chunk
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.players.exec.bot_messages import MAX_BYTES
from shengji_env.players.words.answering import RefusedAnswer, answer_in
from tests.helpers.chat_endpoint import PASSING, REFUSALS, ChatEndpoint
from tests.helpers.paths import ROOT
from tests.helpers.thorough import thorough

CHAT = ROOT / "docs" / "bots" / "chat.py"
COMMAND = [sys.executable, "-S", "-E", str(CHAT), "--model", "m"]
KEY = "sk-half/secret+key"
STAND_IN = {"type": "play", "move": 1, "cards": "C4", "own": False}


def ask_chat(url, *options, decisions=1, key=None):
    """Let chat.py decide; return what it answers to the prompts, what it says on stderr, and its exit code."""
    lines = [{"type": "hello", "seconds": 60.0}, {"type": "round"}]
    for move in range(1, decisions + 1):
        lines.append({"type": "decide", "move": move, "kind": "lead", "legal": "C4"})
        lines.append({"type": "prompt", "move": move, "rules": "", "text": "A: C4\nB: C5\nSuch as [A]."})
    environment = os.environ | ({} if key is None else {"MY_KEY": key})
    process = subprocess.run(
        [*COMMAND, "--url", url, *options, *([] if key is None else ["--key-env", "MY_KEY"])], env=environment,
        input="\n".join(map(json.dumps, lines)), capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert all(len(line) < MAX_BYTES for line in process.stdout.splitlines())
    answers = [json.loads(line) for line in process.stdout.splitlines()]
    return [each for each in answers if each["type"] in ("say", "play")], process.stderr, process.returncode


def always(fault):
    return ChatEndpoint(fault=fault, goes_wrong=lambda *_: True)


@pytest.mark.thorough
def test_anything_odd_is_one_failed_request():
    def play(fault):
        with ChatEndpoint(fault=fault, goes_wrong=lambda _, number: number == 1) as endpoint:
            ((answer,), said, code) = ask_chat(endpoint.url, "--seconds", "25")
            return answer.get("text"), said, code, len(endpoint.requests)

    with ThreadPoolExecutor(len(PASSING)) as pool:
        played = dict(zip(PASSING, pool.map(play, PASSING), strict=True))
    assert played == dict.fromkeys(PASSING, ("I take the first. [A]", "", 0, 2))


@pytest.mark.parametrize("fault", REFUSALS)
def test_what_refuses_every_request_ends_the_program(fault):
    with always(fault) as endpoint:
        why = "no such thing, None: insufficient_quota" if fault == "429" else "no such thing, None"
        assert ask_chat(endpoint.url) == (
            [], f'it gives the deal up: status {fault} No: {{"error": {{"message": "{why}"}}}}\n', 1,
        )  # fmt: skip
        assert len(endpoint.requests) == 1


def test_a_key_is_sent_to_one_host_only_and_goes_nowhere_else(tmp_path):
    notes = tmp_path / "notes.jsonl"
    with ChatEndpoint() as other, always("elsewhere") as endpoint:
        endpoint.address = other.url
        answers, said, code = ask_chat(endpoint.url, key=KEY)
        assert (answers, code) == ([], 1)
        assert f"status 301 Moved: {other.url}" in said
        assert (endpoint.keys, other.keys) == ([f"Bearer {KEY}"], [])
    with always("401") as endpoint:
        said = ask_chat(endpoint.url, "--transcript", str(notes), key=f" {KEY}\r\n")[1]
        assert endpoint.keys == [f"Bearer {KEY}"]
        assert "no such thing, Bearer ***" in said
    with ChatEndpoint(answer=lambda *_: f"{KEY} [A]") as endpoint:
        ((answer,), said, _) = ask_chat(endpoint.url, "--transcript", str(notes), key=KEY)
        assert (answer["text"], said) == ("*** [A]", "")
    assert notes.read_text().count("***") == 2
    assert "secret" not in notes.read_text()


@pytest.mark.parametrize(
    ("url", "key", "sentence"),
    [
        ("http://local host/v1", None, "is no address such as http"),
        ("http://localhost:notaport/v1", None, "is no address such as http"),
        ("localhost:80", None, "is no address such as http"),
        ("http://me:word@localhost", None, "is no address such as http"),
        ("http://localhost", "sk-se\ncret", "the variable MY_KEY holds characters that no key has"),
        ("http://localhost", "sk-se\u2026cret", "the variable MY_KEY holds characters that no key has"),
        ("http://localhost", " ", r"the variable MY_KEY is not set; the arena lets it through with \?env=MY_KEY"),
    ],
)
def test_wrong_addresses_and_keys_are_refused_at_once(url, key, sentence):
    answers, said, code = ask_chat(url, key=key)
    assert (answers, code) == ([], 2)
    assert re.search(sentence, said)
    assert "cret" not in said


THOUGHTS = [
    ("<think>I could play [A], which is silly because", None),
    ("<think>maybe [A]</think> I am not sure.", "I am not sure."),
    ("maybe [A]</think>C", "C"),
    ("<think>no [A]</think>[B]<think>or [C]", None),
    ("[THINK]maybe [A][/THINK]C", "C"),
    ("<|channel|>analysis<|message|>maybe [A]<|end|><|start|>assistant<|channel|>final<|message|>C", "C"),
    ("analysis<|message|>maybe [A]<|end|>final<|message|>C", "C"),
    ("analysisWe may play [A]assistantfinalC", "C"),
    ("<|channel|>thought\nmaybe [A]<channel|>C", "C"),
    ("<|channel|>analysis<|message|>maybe [A]", None),
    ("<|channel|>thought\nmaybe [A]", None),
    ("analysisWe may play [A]", None),
    ("My analysis: I think [B]", "B"),
]


@pytest.mark.parametrize(("text", "answer"), THOUGHTS)
def test_what_is_thought_is_not_what_is_played(text, answer):
    spoken = runpy.run_path(str(CHAT))["spoken"](text)
    if answer is None:
        assert spoken == ""
        with pytest.raises(RefusedAnswer):
            answer_in(text)
    else:
        assert answer_in(text) == answer_in(spoken) == answer


@pytest.mark.parametrize(
    ("said", "passed_on"),
    [
        ("<think>" + 700 * "well " + "[A]</think>[B]", "[B]"),
        (700 * "想了很久" + "[B]", "[B]"),
        (900 * '"\n\x00' + "[B]", "[B]"),
    ],
)
def test_the_end_of_a_long_answer_is_passed_on(said, passed_on):
    with ChatEndpoint(answer=lambda *_: said) as endpoint:
        ((answer,), _, _) = ask_chat(endpoint.url)
    assert answer["text"].endswith(passed_on)


@pytest.mark.parametrize("fault", ["parts", "other field"])
def test_answers_in_other_forms_are_read(fault):
    with always(fault) as endpoint:
        assert ask_chat(endpoint.url)[0] == [{"type": "say", "move": 1, "text": "[A]"}]


def test_newer_models_are_asked_as_they_want_to_be():
    with always("newer") as endpoint:
        answers, _, _ = ask_chat(endpoint.url, "--body", '{"reasoning_effort": "low", "model": "n"}', decisions=2)
    assert [each["text"] for each in answers] == ["[A]", "[A]"]
    assert ["max_tokens" in each for each in endpoint.requests] == [True, False, False]
    assert [each.get("max_completion_tokens") for each in endpoint.requests] == [None, 1000, 1000]
    assert {(each["reasoning_effort"], each["model"]) for each in endpoint.requests} == {("low", "n")}


@pytest.mark.parametrize("fault", ["cut off", "thought is cut off"])
def test_an_answer_without_room_is_not_asked_for_again(fault):
    with always(fault) as endpoint:
        answers, said, code = ask_chat(endpoint.url)
    assert (answers, code, len(endpoint.requests)) == ([STAND_IN], 0, 1)
    assert said == "move 1: 1000 tokens are too few for an answer: raise --max-tokens\n"


@pytest.mark.parametrize("fault", ["late", *thorough("headers for ever", "body for ever")])
def test_a_model_that_takes_long_is_not_waited_for(fault):
    with always(fault) as endpoint:
        answers, said, _ = ask_chat(endpoint.url, "--seconds", "1")
    assert answers == [STAND_IN]
    assert "its time is over" in said


@pytest.mark.thorough
def test_tokens_are_counted_before_each_request(tmp_path):
    notes = tmp_path / "notes.jsonl"
    with always("empty") as endpoint:
        answers, said, _ = ask_chat(endpoint.url, "--tokens", "150", "--transcript", str(notes), decisions=2)
    assert len(endpoint.requests) == 2
    assert answers == [STAND_IN, STAND_IN | {"move": 2}]
    assert said.count("its tokens are spent") == 2
    printed = subprocess.run([*COMMAND, "--report", notes], capture_output=True, text=True, check=True).stdout
    assert "2 decisions, 0 answers\ntokens asked: 200," in printed
    assert "decisions without a usable one: 2" in printed


# ---- at the arena's table


def play_chat(endpoint, *options, rules="small_two_ranks"):
    """Let chat.py play a deal against greedy; return the faults."""
    text = f"exec:{' '.join([*COMMAND, '--url', endpoint.url, *options])}?name=chat&env=MY_KEY"
    try:
        played = play_chunk(Chunk(0, (text, "greedy"), ("chat", "greedy"), parse_rules(rules), 3, 0, 1, start="first"))
    finally:
        known_player(text).close()
    return played.faults


@pytest.mark.thorough
@pytest.mark.parametrize("fault", ["", "wrong", "late", "empty", "limited"])
def test_no_deal_is_lost_by_what_passes(fault, tmp_path):
    notes = tmp_path / "notes.jsonl"
    with ChatEndpoint(fault=fault) as endpoint:
        limit = ("--seconds", "2") if fault == "late" else ()
        assert play_chat(endpoint, *limit, "--transcript", str(notes)) == []
    for request in endpoint.requests:
        roles = [message["role"] for message in request["messages"][1:]]
        assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
        assert all(message["content"] for message in request["messages"])
    printed = subprocess.run([*COMMAND, "--report", notes], capture_output=True, text=True, check=True).stdout
    assert re.search(r"\d decisions, \d answers\ntokens asked: \d00", printed)
    assert ("without a usable one: 0" in printed) == (fault != "late")
    assert ("refused answers: 0" in printed) == (fault != "wrong")


def test_a_deal_is_lost_to_what_refuses_every_request(monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    with ChatEndpoint(fault="401", goes_wrong=lambda *_: True) as endpoint:
        (fault,) = play_chat(endpoint, "--key-env", "MY_KEY")
    assert re.search(
        r"exit code 1; its last words: it gives the deal up: status 401 No: .*no such thing", fault["error"]
    )
    assert "secret" not in fault["error"]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("history", ["new", *thorough("whole")])
def test_a_model_is_told_the_rules_and_the_round(language, history):
    with ChatEndpoint() as endpoint:
        assert play_chat(endpoint, "--language", language, "--history", history, rules="two_deck") == []
    for request in endpoint.requests:
        system, *others = request["messages"]
        assert {"en": "Winning a trick", "zh": "甩牌"}[language] in system["content"]
        roles = [message["role"] for message in others]
        assert roles == (["user"] if history == "whole" else ["user", "assistant"] * (len(roles) // 2) + ["user"])


def test_a_deal_is_given_up_only_if_that_is_asked_for():
    with ChatEndpoint(answer=lambda *_: "I give up, for I have no idea at all what to do in this game") as endpoint:
        assert play_chat(endpoint) == []
        assert play_chat(endpoint, "--illegal", "random") == []
        (fault,) = play_chat(endpoint, "--illegal", "forfeit")
    assert "it gives the deal up: its answers are refused" in fault["error"]
