"""Bots that misbehave, as users' bots may: ``python -S tests/helpers/bots_with_faults.py NAME``; they need nothing.

Each gives the legal answer that comes with every question, and misbehaves at its twentieth, unless its name says when.
"""

import json
import os
import signal
import subprocess
import sys
import time

WHEN = 20


def say(text):
    os.write(1, text.encode() + b"\n")


def play(message):
    return json.dumps({"type": "play", "move": message["move"], "cards": message["legal"]})


def answer(message):
    say(play(message))


def flood(target):
    while True:
        os.write(target, b"x" * 4096)


def sleep_long():
    time.sleep(1000)


def write_escapes_and_die():
    """Say what would clear a terminal, name its window, and turn the direction of writing, were it printed as it is."""
    os.write(2, "\x1b[2J\x1b]0;mine\x07 \u202edetrever 升级\x9b1m\x00\n".encode())
    sys.exit(3)


def fork_and_hang():
    """Leave a grandchild behind that keeps the pipes open."""
    print("child", subprocess.Popen(["sleep", "1000"]).pid, file=sys.stderr, flush=True)
    sleep_long()


FAULTS = {
    "crashes": lambda m: 1 // 0,
    "exits": lambda m: sys.exit(3),
    "writes escapes": lambda m: write_escapes_and_die(),
    "is killed": lambda m: os.kill(os.getpid(), signal.SIGSEGV),
    "answers garbage": lambda m: say("hello"),
    "answers bytes": lambda m: os.write(1, b"\xff\xfe\n"),
    "answers a list": lambda m: say("[]"),
    "answers nothing": lambda m: say(""),
    "answers deeply": lambda m: say("[" * 1500),
    "answers another move": lambda m: answer({**m, "move": m["move"] + 1}),
    "answers ready": lambda m: say('{"type":"ready","protocol":2}'),
    "answers too much": lambda m: say(json.dumps({"type": "play", "move": m["move"], "cards": "", "note": "mine"})),
    "stands in": lambda m: say(json.dumps({**json.loads(play(m)), "own": False})),
    "answers twice": lambda m: (answer(m), answer(m)),
    "plays no card": lambda m: say(json.dumps({"type": "play", "move": m["move"], "cards": "X9"})),
    "plays too many cards": lambda m: answer({**m, "legal": " ".join([m["legal"] or "S2"] * 99)}),
    "plays what it does not hold": lambda m: answer({**m, "legal": " ".join(["LJ"] * 4)}),
    "is silent": lambda m: sleep_long(),
    "floods stdout": lambda m: flood(1),
    "floods stderr": lambda m: flood(2),
    "closes stdin": lambda m: (os.close(0), answer(m), sleep_long()),
    "closes stdout": lambda m: (os.close(1), sleep_long()),
    "leaves children": lambda m: fork_and_hang(),
    "takes all memory": lambda m: bytearray(1 << 40),
    "opens all files": lambda m: [os.open("/dev/null", os.O_RDONLY) for _ in range(10**6)],
    "prints something": lambda m: say(f"debug: 3 trumps\n{play(m)}"),
    "prints half a line": lambda m: os.write(1, f"{play(m)}\ndebug".encode()),
    "dies with children": lambda m: (subprocess.Popen(["sleep", "1000"]), sys.exit(3)),
    "stops itself": lambda m: os.kill(os.getpid(), signal.SIGSTOP),
}  # fmt: skip


def main(name):
    count = 0
    if name == "never reads":
        sleep_long()
    if name == "ignores the end":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            if name == "says nothing first":
                continue
            ready = json.dumps({"type": "ready", "protocol": 9 if name == "is newer" else 2})
            say({"greets wrongly": "hi", "begins with a mark": f"\ufeff{ready}"}.get(name, ready))
        elif message["type"] == "decide":
            count += 1
            time.sleep(0.05 if name == "takes its time" else 0)
            if (count == WHEN or name == "stands in") and name in FAULTS:
                print(f"now {name}", file=sys.stderr, flush=True)
                FAULTS[name](message)
            else:
                answer(message)
        elif message["type"] == "end" and name != "ignores the end":
            return
    while name == "ignores the end":
        sleep_long()


main(sys.argv[1])
