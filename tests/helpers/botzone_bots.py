"""Botzone's bots that misbehave, or are kept running: ``python -S botzone_bots.py NAME [FILE]``.

Each is docs/bots/botzone_simple.py, but calls the first two that it draws, and misbehaves when it leads. One that is
kept running adds its process's number, and that of the request, to FILE; "kept slowly" thinks long if that is new.
"""

import contextlib
import io
import json
import os
import sys
import time
from pathlib import Path

KEEP = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
SIMPLE = compile((Path(__file__).parents[2] / "docs" / "bots" / "botzone_simple.py").read_text(), "simple", "exec")


def answer(game):
    """The answer of a bot that does not misbehave."""
    now = game["requests"][-1]
    if now["stage"] == "deal":
        is_two = now["deliver"][0] % 54 // 4 == 1
        return now["deliver"] if is_two and now["global"]["banking"]["called"] == -1 else []
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(SIMPLE, {"input": lambda: json.dumps(game)})
    return json.loads(printed.getvalue())["response"]


def say(response, **more):
    print(json.dumps({"response": response, **more}), flush=True)


def hand_of(game):
    hand = [card for request in game["requests"] for card in request.get("deliver", [])]
    for request, response in zip(game["requests"], game["responses"], strict=False):
        hand = [card for card in hand if request["stage"] == "deal" or card not in response]
    return hand


def flood():
    while True:
        os.write(1, b"x" * 4096)


def close_and_wait():
    os.close(1)
    time.sleep(1000)


def lead_two_suits(game):
    first, *others = sorted(hand_of(game))
    say([first, next(card for card in others if card % 4 != first % 4)])


FAULTS = {
    "late": lambda game: time.sleep(1000),
    "shape": lambda game: print('{"answer": [5]}'),
    "garbage": lambda game: print("I lead hearts"),
    "text": lambda game: say(["H2"]),
    "crash": lambda game: 1 // 0,
    "exit": lambda game: (say(answer(game)), sys.exit(3)),
    "endless": lambda game: flood(),
    "silent": lambda game: None,
    "closed": lambda game: close_and_wait(),
    "empty": lambda game: say([]),
    "not held": lambda game: say([min(set(range(54)) - {card % 54 for card in hand_of(game)})]),
    "twice": lambda game: say(answer(game) * 2),
    "beyond": lambda game: say([108]),
    "two suits": lead_two_suits,
}  # fmt: skip

FAULTS_KEPT = {"kept and late": lambda: time.sleep(1000), "kept and gone": sys.exit}


def is_lead(request):
    return request["stage"] == "play" and not request["history"][1]


def main(name, *files):
    assert os.environ["USER"] == "root"
    game = json.loads(sys.stdin.read() if name == "reads to the end" else input())
    is_slow = name == "kept slowly" and not os.path.exists(files[0])
    while name.startswith("kept"):
        with open(files[0], "a") as file:
            file.write(f"{os.getpid()} {len(game['requests'])} {game['requests'][-1]['stage']}\n")
        time.sleep(1.5 * is_slow)
        if is_lead(game["requests"][-1]) and name in FAULTS_KEPT:
            FAULTS_KEPT[name]()
        response = answer(game)
        say(response)
        print(KEEP, flush=True)
        game["responses"].append(response)
        game["requests"].append(json.loads(input()))
    if name == "calls" and game["requests"][-1]["stage"] == "deal":
        say(game["requests"][-1]["deliver"])
    elif is_lead(game["requests"][-1]) and name in FAULTS:
        FAULTS[name](game)
    else:
        say(answer(game))


main(*sys.argv[1:])
