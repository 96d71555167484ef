"""A language model at the table: shengji arena 'exec:python3 docs/bots/chat.py --url U --model M' greedy --deals 10

It asks any endpoint that takes the usual chat JSON (`/chat/completions`). The arena tells the round in words and reads
the answers (docs/environments/words.md); nothing but Python is needed here. The key is read from an environment
variable, which the arena has to let through: exec:python3 docs/bots/chat.py … --key-env MY_KEY?env=MY_KEY

Each answer is noted in a file of JSON lines, from which `--report FILE` counts tokens, seconds and answers that could
not be used.
"""

import argparse
import json
import os
import random
import re
import sys
import time
import urllib.error
import urllib.request

MOST_BYTES = 1 << 20
SAID = 1500
ASK_AGAIN = (408, 409, 425, 429, 500, 502, 503, 504, 529)
SYSTEM = {
    "en": "You play a card game for four in two teams. Think briefly. End with your choice in [brackets].",
    "zh": "你在打一种四人两队的牌。简短地想一想，最后把选择写在 [方括号] 里。",
}


class Unusable(Exception):
    """The endpoint has given no answer."""


class Endpoint:
    """An endpoint, and what it has cost.

    Args:
        options: the command's options.
    """

    def __init__(self, options):
        self.options = options
        self.url = options.url if options.url.endswith("/chat/completions") else f"{options.url}/chat/completions"
        self.key = os.environ.get(options.key_env, "") if options.key_env else ""
        self.tokens = 0

    def ask(self, conversation, until):
        """Return what the model says, and what that cost; it is asked again while the endpoint is busy.

        Args:
            conversation: the messages so far.
            until: `time.monotonic()` at which the answer must be there.
        """
        wait = 1.0
        while True:
            try:
                return self._ask_once(conversation, until)
            except urllib.error.HTTPError as error:
                reason = f"status {error.code}"
                if error.code not in ASK_AGAIN:
                    raise Unusable(f"{reason}: {error.read(300).decode(errors='replace')}") from error
                wait = _seconds(error.headers.get("Retry-After")) or wait
            except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
                reason = f"{type(error).__name__}: {error}"
            if time.monotonic() + wait >= until:
                raise Unusable(reason)
            time.sleep(wait)
            wait = min(2 * wait, 30.0)

    def _ask_once(self, conversation, until):
        body = {"model": self.options.model, "messages": conversation, "max_tokens": self.options.max_tokens}
        if self.options.temperature is not None:
            body["temperature"] = self.options.temperature
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {self.key}"} if self.key else {})}
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=_left(until)) as response:
            data = b""
            while piece := response.read1(65_536):
                data += piece
                _left(until)
                if len(data) > MOST_BYTES:
                    raise Unusable(f"its answer has more than {MOST_BYTES} bytes")
        given = json.loads(data)
        usage = given.get("usage") or {}
        cost = [int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")]
        self.tokens += sum(cost)
        return str(given["choices"][0]["message"]["content"] or ""), cost


def _left(until):
    left = until - time.monotonic()
    if left <= 0:
        raise Unusable("its time is over")
    return left


def _seconds(text):
    try:
        return min(max(float(text), 0.0), 60.0)
    except (TypeError, ValueError):
        return 0.0


class Player:
    """A seat: the conversation of its round, and what becomes of answers that cannot be used."""

    def __init__(self, options):
        self.options, self.endpoint = options, Endpoint(options)
        self.system, self.conversation = SYSTEM[options.language], []
        self.seconds, self.until, self.refused = 60.0, 0.0, 0
        self.question, self.prompt, self.noted, self.deals = {}, "", {}, 0

    def handle(self, message):
        """Return the answer to a message, if it has one."""
        kind, options = message["type"], self.options
        if kind == "hello":
            self.seconds = options.seconds or 0.8 * message["seconds"]
            return {"type": "ready", "protocol": 2}
        if kind == "round":
            self.conversation, self.deals = [], self.deals + 1
        if kind == "decide":
            self.question, self.until, self.refused = message, time.monotonic() + self.seconds, 0
            manner = {"language": options.language, "offer": options.offer, "history": options.history}
            return {"type": "words", "move": message["move"], **manner}
        if kind == "prompt":
            if message["rules"]:
                self.system = f"{SYSTEM[options.language]}\n\n{message['rules']}"
            if options.history == "whole":
                self.conversation = []
            self.prompt = message["text"]
            return self.say(message["text"])
        if kind == "refused":
            self.refused += 1
            self.note(refused=message["text"])
            if self.refused > options.retries:
                return self.give_up("its answers are refused")
            return self.say(message["text"])
        return None

    def say(self, text):
        """Ask the model, and pass on what it says."""
        self.conversation.append({"role": "user", "content": text})
        self.noted = {"move": self.question["move"], "kind": self.question["kind"], "asked": text}
        if self.options.tokens and self.endpoint.tokens >= self.options.tokens:
            return self.give_up("its tokens are spent")
        began = time.monotonic()
        try:
            said, cost = self.endpoint.ask([{"role": "system", "content": self.system}, *self.conversation], self.until)
        except Unusable as error:
            return self.give_up(str(error))
        self.conversation.append({"role": "assistant", "content": said})
        self.note(said=said, prompt_tokens=cost[0], answer_tokens=cost[1], seconds=round(time.monotonic() - began, 3))
        return {"type": "say", "move": self.question["move"], "text": said.encode()[-SAID:].decode(errors="ignore")}

    def give_up(self, why):
        """Return what is played without the model."""
        self.note(unusable=why)
        print(f"move {self.question['move']}: {why}", file=sys.stderr)
        if self.options.illegal == "forfeit":
            sys.exit(f"it gives the deal up: {why}")
        cards = self.question["legal"]
        offers = re.findall(r"^[A-Z]{1,2}: (.+)$", self.prompt, re.MULTILINE)
        if self.options.illegal == "random" and offers:
            cards = random.choice(offers)
        if self.conversation[-1]["role"] == "user":  # many endpoints want the roles to alternate
            self.conversation.append({"role": "assistant", "content": f"[{cards or 'pass'}]"})
        return {"type": "play", "move": self.question["move"], "cards": "" if cards == "pass" else cards}

    def note(self, **more):
        """Note what has been asked and said."""
        if self.options.transcript:
            where = {"process": os.getpid(), "deal": self.deals}
            line = json.dumps({**where, **self.noted, **more}, ensure_ascii=False) + "\n"
            with open(self.options.transcript, "ab", buffering=0) as file:
                file.write(line.encode())
        self.noted = {"move": self.question["move"], "kind": self.question["kind"]}


def report(file):
    """Print what a transcript has cost."""
    with open(file, encoding="utf-8") as lines:
        notes = [json.loads(line) for line in lines]
    answers = [note for note in notes if "said" in note]
    decisions = len({(note["process"], note["deal"], note["move"]) for note in notes})
    print(f"{decisions:,} decisions, {len(answers):,} answers")
    for name, text in (("prompt_tokens", "tokens asked"), ("answer_tokens", "tokens said"), ("seconds", "seconds")):
        total = sum(note[name] for note in answers)
        print(f"{text}: {total:,.0f}, {total / max(decisions, 1):,.1f} a decision")
    refused, unusable = (sum(name in note for note in notes) for name in ("refused", "unusable"))
    print(f"refused answers: {refused:,}; decisions without a usable one: {unusable:,}")


def main():
    parser = argparse.ArgumentParser(description="A language model as a player, behind exec: of the arena.")
    parser.add_argument("--url", help="the endpoint, such as http://localhost:8000/v1")
    parser.add_argument("--model", help="the model's name there")
    parser.add_argument("--key-env", metavar="NAME", help="the environment variable that holds the key")
    parser.add_argument("--language", choices=("en", "zh"), default="en")
    parser.add_argument("--offer", choices=("candidates", "legal", "free"), default="candidates", help="which plays")
    parser.add_argument("--history", choices=("new", "whole"), default="new", help="what it is told of the round")
    parser.add_argument("--temperature", type=float, metavar="T", help="default: the endpoint's")
    parser.add_argument("--max-tokens", type=int, default=1000, metavar="N", help="of an answer (1000)")
    parser.add_argument("--tokens", type=int, metavar="N", help="most tokens of a process; default: any number")
    parser.add_argument("--seconds", type=float, metavar="S", help="for a decision; default: 0.8 of the arena's")
    parser.add_argument("--retries", type=int, default=1, metavar="N", help="refused answers it may give again (1)")
    parser.add_argument(
        "--illegal",
        choices=("legal", "random", "forfeit"),
        default="legal",
        help="what is played without a usable answer: any legal play, one of those offered, or the deal is given up",
    )
    parser.add_argument("--transcript", metavar="FILE", help="note every answer there, as JSON lines")
    parser.add_argument("--report", metavar="FILE", help="count what a transcript has cost, and end")
    options = parser.parse_args()
    if options.report:
        report(options.report)
        return
    if not options.url or not options.model:
        parser.error("--url and --model are needed")
    options.url = options.url.rstrip("/")
    player = Player(options)
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "end":
            break
        answer = player.handle(message)
        if answer is not None:
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
