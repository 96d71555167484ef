"""A language model at the table: shengji arena 'exec:python3 docs/bots/chat.py --url U --model M' greedy --deals 10

It asks any endpoint that takes the usual chat JSON (`/chat/completions`). The arena tells the round in words and reads
the answers (docs/environments/words.md); nothing but Python is needed here. The key is read from an environment
variable, which the arena has to let through: exec:python3 docs/bots/chat.py … --key-env MY_KEY?env=MY_KEY

| what comes | what follows |
|---|---|
| an answer | it is passed on, without what the model has thought |
| status 300 to 499, but for `PASSING` | the program ends, and the deal is lost: such a model cannot be measured |
| another status, or anything odd | one failed request; another one follows while there are time and tokens |
| no usable answer in the end | `--illegal` plays; the arena is told that the decision is not the program's own |

Each answer is noted in a file of JSON lines, from which `--report FILE` counts tokens, seconds and answers that could
not be used.
"""

import argparse
import contextlib
import json
import os
import random
import re
import signal
import sys
import time
import urllib.parse
import urllib.request

MOST_BYTES, MOST_QUOTED = 1 << 20, 400
MOST_SAID = 1500  # of 2048 bytes that a line may have
SHORTEST_SECRET = 6  # shorter keys are such as "none", and would blank out answers
SECONDS_OF_ERRORS = 5.0
PASSING = (408, 409, 425, 429)
NO_MONEY = "insufficient_quota"  # the one 429 that no waiting mends
SYSTEM = {
    "en": "You play a card game for four in two teams. Think briefly. End with your choice in [brackets].",
    "zh": "你在打一种四人两队的牌。简短地想一想，最后把选择写在 [方括号] 里。",
}
THOUGHT_ENDS = re.compile(r"</think(?:ing)?>|\[/THINK\]|<channel\|>|final<\|message\|>|assistantfinal(?!<)")
THOUGHT_BEGINS = re.compile(r"<think(?:ing)?>|\[THINK\]|<\|channel\|?>|analysis<\|message\|>|\Aanalysis(?=\w)")


class Unusable(Exception):
    """The endpoint has given no answer."""


class Refused(Unusable):
    """The endpoint takes no such request."""


class AnyStatus(urllib.request.HTTPErrorProcessor):
    """Takes each response as it comes, and follows no redirect: that would carry the key to another host."""

    def http_response(self, request, response):
        return response

    https_response = http_response


class Endpoint:
    """An endpoint, and what it has cost.

    Args:
        options: the command's options.

    Attributes:
        spent: the tokens that it was asked, and those that it has said.
    """

    def __init__(self, options):
        self.options, self.spent, self.limit, self.key = options, (0, 0), "max_tokens", options.key or ""
        self.headers = {"Content-Type": "application/json"}
        if self.key:
            self.headers["Authorization"] = f"Bearer {self.key}"
        self.opener = urllib.request.build_opener(AnyStatus)
        signal.signal(signal.SIGALRM, _end_request)

    def ask(self, conversation, until):
        """Return what the model says; a request that fails is made again.

        Args:
            conversation: the messages so far.
            until: `time.monotonic()` at which the answer must be there.

        Raises:
            Refused: no such request is taken.
            Unusable: there is no answer, and no time or no tokens are left.
        """
        wait = 1.0
        while True:
            if self.options.tokens and sum(self.spent) >= self.options.tokens:
                raise Unusable("its tokens are spent")
            status = 0
            try:
                response, data = self.post(conversation, until)
                status = response.status
                if status // 100 == 2:
                    return self.read(data)
                wait = _seconds(response.headers.get("Retry-After")) or wait
                reason = f"status {status} {response.reason}: {_sentence(data) or response.headers.get('Location')}"
            except Unusable:
                raise
            except Exception as error:  # noqa: BLE001  # whatever comes from outside is one failed request
                reason = f"{type(error).__name__}: {error}"
            reason = self.blank(reason)
            if status // 100 in (3, 4) and (status not in PASSING or NO_MONEY in reason):
                if "max_tokens" not in reason or self.limit != "max_tokens":
                    raise Refused(reason[:MOST_QUOTED])
                self.limit = "max_completion_tokens"  # newer models take this name alone
                continue
            if time.monotonic() + wait >= until:
                raise Unusable(reason[:MOST_QUOTED])
            time.sleep(wait)
            wait = min(2 * wait, 30.0)

    def post(self, conversation, until):
        """Return a response and its bytes."""
        body = {"model": self.options.model, "messages": conversation, self.limit: self.options.max_tokens}
        if self.options.temperature is not None:
            body["temperature"] = self.options.temperature
        request = urllib.request.Request(
            self.options.url, json.dumps({**body, **self.options.body}).encode(), self.headers
        )
        left = _end_at(until)
        try:
            with self.opener.open(request, timeout=left) as response:
                if response.status // 100 != 2:
                    _end_at(min(until, time.monotonic() + SECONDS_OF_ERRORS))
                data = response.read(MOST_BYTES + 1)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if len(data) > MOST_BYTES:
            raise ValueError(f"its answer has more than {MOST_BYTES} bytes")
        return response, data

    def read(self, data):
        """Return what a response says, and count what it has cost."""
        given = json.loads(data)
        usage = given.get("usage") or {}
        asked, answered = (max(int(usage.get(name) or 0), 0) for name in ("prompt_tokens", "completion_tokens"))
        self.spent = self.spent[0] + asked, self.spent[1] + answered
        choice = given["choices"][0]
        said = choice["message"].get("content") or ""
        if isinstance(said, list):
            said = "".join(part["text"] for part in said if part.get("type") == "text")
        said = self.blank(said)
        said.encode()  # an error, if it holds half a character
        if not spoken(said):
            if choice.get("finish_reason") == "length":
                raise Unusable(f"{self.options.max_tokens} tokens are too few for an answer: raise --max-tokens")
            raise ValueError("it says nothing")
        return said

    def blank(self, text):
        """Return a text without the key."""
        return text.replace(self.key, "***") if len(self.key) >= SHORTEST_SECRET else text


def _end_request(*_):
    raise TimeoutError("its time is over")


def _end_at(until):
    """Have the request ended at a time, whatever it waits for; return the seconds left."""
    left = max(until - time.monotonic(), 0.001)
    signal.setitimer(signal.ITIMER_REAL, left)
    return left


def _seconds(text):
    try:
        seconds = float(text)
    except (TypeError, ValueError):
        return 0.0
    return min(seconds, 60.0) if seconds > 0 else 0.0


def _sentence(data):
    """Return what an error says, in one line."""
    text = data.decode(errors="replace")
    with contextlib.suppress(ValueError, RecursionError):
        text = json.dumps(json.loads(text), ensure_ascii=False)
    return " ".join(text.split())


def spoken(text):
    """Return what follows the thoughts in a text; nothing if the last one has not ended."""
    *_, end = 0, *(found.end() for found in THOUGHT_ENDS.finditer(text))
    return "" if THOUGHT_BEGINS.search(text, end) else text[end:].strip()


def tail(text):
    """Return the end of a text, as much as a line may hold."""
    while len(json.dumps(text)) > MOST_SAID:
        text = text[len(text) // 8 + 1 :]
    return text


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
        began, before = time.monotonic(), self.endpoint.spent
        said, why = "", None
        try:
            said = self.endpoint.ask([{"role": "system", "content": self.system}, *self.conversation], self.until)
        except Unusable as error:
            why = error
        asked, answered = (spent - first for spent, first in zip(self.endpoint.spent, before, strict=True))
        self.noted |= {"prompt_tokens": asked, "answer_tokens": answered, "seconds": round(time.monotonic() - began, 3)}
        if why is not None:
            return self.give_up(str(why), ends=isinstance(why, Refused))
        self.note(said=said)
        self.conversation.append({"role": "assistant", "content": spoken(said)})
        return {"type": "say", "move": self.question["move"], "text": tail(spoken(said))}

    def give_up(self, why, *, ends=False):
        """Return what is played without the model; end instead if that is asked for, or the model cannot play."""
        self.note(unusable=why)
        if ends or self.options.illegal == "forfeit":
            sys.exit(f"it gives the deal up: {why}")
        print(f"move {self.question['move']}: {why}", file=sys.stderr)
        cards = self.question["legal"]
        offers = re.findall(r"^[A-Z]{1,2}: (.+)$", self.prompt, re.MULTILINE)
        if self.options.illegal == "random" and offers:
            cards = random.choice(offers)
        if self.conversation[-1]["role"] == "user":  # many endpoints want the roles to alternate
            self.conversation.append({"role": "assistant", "content": f"[{cards or 'pass'}]"})
        cards = "" if cards == "pass" else cards
        return {"type": "play", "move": self.question["move"], "cards": cards, "own": False}

    def note(self, **more):
        """Note what has been asked and said."""
        if self.options.transcript:
            where = {"process": os.getpid(), "deal": self.deals}
            line = json.dumps({**where, **self.noted, **more}, ensure_ascii=False) + "\n"
            with open(self.options.transcript, "ab", buffering=0) as file:
                file.write(line.encode(errors="replace"))
        self.noted = {"move": self.question["move"], "kind": self.question["kind"]}


def report(file):
    """Print what a transcript has cost."""
    with open(file, encoding="utf-8") as lines:
        notes = [json.loads(line) for line in lines]
    answers = [note for note in notes if "said" in note]
    decisions = len({(note["process"], note["deal"], note["move"]) for note in notes})
    print(f"{decisions:,} decisions, {len(answers):,} answers")
    for name, text in (("prompt_tokens", "tokens asked"), ("answer_tokens", "tokens said"), ("seconds", "seconds")):
        total = sum(note.get(name, 0) for note in notes)
        print(f"{text}: {total:,.0f}, {total / max(decisions, 1):,.1f} a decision")
    refused, unusable = (sum(name in note for note in notes) for name in ("refused", "unusable"))
    print(f"refused answers: {refused:,}; decisions without a usable one: {unusable:,}")


def address(text):
    """Return where an endpoint is asked, of its address."""
    try:
        parts = urllib.parse.urlsplit(text)
        is_one = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        is_one = False
    if not is_one or not re.fullmatch("[!-~]+", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no address such as http://localhost:8000/v1")
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    return parts._replace(path=f"{path}/chat/completions").geturl()


def key_in(name):
    """Return the key that an environment variable holds."""
    key = os.environ.get(name, "").strip()
    if not re.fullmatch("[!-~]+", key):
        why = "holds characters that no key has" if key else f"is not set; the arena lets it through with ?env={name}"
        raise argparse.ArgumentTypeError(f"the variable {name} {why}")
    return key


def json_object(text):
    """Return fields of the body."""
    given = json.loads(text)
    if not isinstance(given, dict):
        raise ValueError
    return given


def main():
    parser = argparse.ArgumentParser(description="A language model as a player, behind exec: of the arena.")
    parser.add_argument("--url", type=address, help="the endpoint, such as http://localhost:8000/v1")
    parser.add_argument("--model", help="the model's name there")
    parser.add_argument(
        "--key-env", dest="key", type=key_in, metavar="NAME", help="the environment variable with the key"
    )
    parser.add_argument("--language", choices=("en", "zh"), default="en")
    parser.add_argument("--offer", choices=("candidates", "legal", "free"), default="candidates", help="which plays")
    parser.add_argument("--history", choices=("new", "whole"), default="new", help="what it is told of the round")
    parser.add_argument("--temperature", type=float, metavar="T", help="default: the endpoint's")
    parser.add_argument("--max-tokens", type=int, default=1000, metavar="N", help="of an answer (1000)")
    parser.add_argument("--body", type=json_object, default={}, metavar="JSON", help="further fields of each request")
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
