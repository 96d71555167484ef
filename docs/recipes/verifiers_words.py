"""verifiers: rounds in words for language models, here one that answers by letters (integrations/verifiers).

The model is an endpoint of chat JSON on this machine. No harness of verifiers runs, so nothing is installed meanwhile.
"""

import asyncio
import http.server
import json
import re
import threading
import time

import verifiers.v1 as vf
from shengji_verifiers import ShengjiEnv, ShengjiEnvConfig, ShengjiTasksetConfig

from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.envs.words import WordsEnv

DEALS, OTHERS = 2, "greedy"


def answer(text: str) -> str:
    """Choose one of the plays that are offered last; a language model would be asked here."""
    offered = text.rpartition("Choices:")[2]
    letters = re.findall(r"^([A-Z]): ", offered, re.MULTILINE)
    return f"I play [{letters[len(offered) % len(letters)]}]."


class Model(http.server.BaseHTTPRequestHandler):
    """Stands in for a language model's endpoint."""

    def do_POST(self) -> None:
        """Answer the last message of a conversation; the model named "none" has no answer."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if asked["model"] == "none":
            self.send_error(401)
            return
        message = {"role": "assistant", "content": answer(asked["messages"][-1]["content"])}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        said = {"id": "1", "object": "chat.completion", "created": 0, "model": "letters", "choices": [choice]}
        body = json.dumps(said | {"usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def play_here(deal: int, moved: int, others: str) -> list[float]:
    """Play a round without verifiers; return what it is worth to player0, player1 …, those of them that it has."""
    players = range(0, NUM_SEATS, 2 if others else 1)
    seats = [(player + moved) % NUM_SEATS for player in players]
    words = WordsEnv(seats=seats, others=others or "heuristic")
    words.reset(seed=deal)
    while not words.is_over:
        words.step(answer(words.observe()))
    return [words.rewards[seat] for seat in seats]


async def play(model: vf.ModelContext, others: str) -> int:
    """Play the rounds of a taskset; return how many decisions were made."""
    config = ShengjiEnvConfig(taskset=ShengjiTasksetConfig(id="shengji-verifiers", deals=DEALS), others=others)
    env, decisions = ShengjiEnv(config), 0
    async with env.serving():
        for task in env.taskset:
            episode = await env.run_episode(task, model)
            if not episode.ok:
                raise SystemExit(f"{task.data.name}: {episode.errors or [trace.errors for trace in episode.traces]}")
            traces = sorted(episode.traces, key=lambda trace: trace.agent.name)
            levels = [trace.reward for trace in traces]
            print(f"{task.data.name}, {others or 'four models'}: {levels}")
            if levels != play_here(task.data.deal, task.data.moved, others):
                raise SystemExit(f"{task.data.name} is worth something else without verifiers")
            decisions += sum(int(trace.metrics["decisions"]) for trace in traces)
    return decisions


async def fail(model: vf.ModelContext) -> None:
    """Play a round with a model that fails: it is worth nothing to anybody."""
    env = ShengjiEnv(ShengjiEnvConfig(taskset=ShengjiTasksetConfig(id="shengji-verifiers", deals=1)))
    async with env.serving():
        episode = await env.run_episode(next(iter(env.taskset)), model)
    if episode.ok or any(trace.rewards for trace in episode.traces):
        raise SystemExit(f"a model has failed, and the round is worth {[trace.rewards for trace in episode.traces]}")


def main() -> None:
    """Play rounds of four models, and of two with a player of the package; print how many decisions there were."""
    play_here(0, 0, OTHERS)  # compiles
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = vf.EvalClientConfig(base_url=f"http://127.0.0.1:{server.server_address[1]}/v1", api_key_var="NO_KEY")
    began = time.process_time()
    decisions = sum(asyncio.run(play(vf.ModelContext("letters", client), others)) for others in ("", OTHERS))
    seconds = round(time.process_time() - began, 1)
    asyncio.run(fail(vf.ModelContext("none", client)))
    print(json.dumps({"steps": decisions, "seconds": seconds}))


if __name__ == "__main__":
    main()
