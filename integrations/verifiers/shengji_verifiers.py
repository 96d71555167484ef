"""Shengji for verifiers (0.4): rounds in words, each seat an agent, rewards in levels of its team.

Tasks come in pairs of the same deal: in the second one everybody sits one seat on, so that the cards do not decide.
``player0`` and ``player2`` are partners. With ``others`` a player of the package sits in the other two seats.

    vf-eval shengji-verifiers --env.taskset.deals 20 --env.others heuristic -m MODEL

Source: docs/environments/words.md.
"""

from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Literal

import httpx
import verifiers.v1 as vf
from verifiers.v1.dialects.chat import message_to_wire

from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.envs.words import WordsEnv

__all__ = ["ChatHarness", "ShengjiEnv", "ShengjiTaskset"]


class ChatHarness(vf.Harness[vf.HarnessConfig]):
    """A conversation and nothing else: in this process, without tools, files or a shell, and nothing to install."""

    APPENDS_SYSTEM_PROMPT = SUPPORTS_RESUME = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Ask the model for its next message; verifiers records what it says."""
        system, messages = self.resolve_prompt(data)
        said = [{"role": "system", "content": system}, *map(message_to_wire, messages or [])]
        async with httpx.AsyncClient(timeout=None) as client:
            answer = await client.post(
                f"{endpoint}/chat/completions",
                headers={"Authorization": f"Bearer {secret}"},
                json={"model": ctx.model, "messages": said},
            )
        return vf.ProgramResult(int(answer.is_error), "", answer.text if answer.is_error else "")


class RoundData(vf.TaskData):
    """A round: what its cards follow from, and by how many seats everybody has moved on."""

    deal: int
    moved: int


class ShengjiTasksetConfig(vf.TasksetConfig):
    """Which rounds are played, and how they are told; the last five are arguments of `WordsEnv`."""

    deals: int = 100
    """Deals, each played twice."""
    seed: int = 0
    """The first deal; the others follow: sets to train and to measure on need seeds at least `deals` apart."""
    rules: str = "two_deck"
    """Rule set."""
    language: Literal["en", "zh"] = "en"
    """What is spoken."""
    offer: Literal["candidates", "legal", "free"] = "candidates"
    """Which plays are named."""
    retries: int = 1
    """Answers of a decision that may be refused, and be given again."""
    illegal: Literal["forfeit", "first_legal", "random"] = "forfeit"
    """What then happens."""

    def words(self, **options: object) -> WordsEnv:
        """Make the environment of a round."""
        return WordsEnv(
            self.rules, language=self.language, offer=self.offer, retries=self.retries, illegal=self.illegal, **options
        )


class ShengjiTaskset(vf.Taskset[vf.Task[RoundData], ShengjiTasksetConfig]):
    """Deals, each of them twice."""

    def load(self) -> Iterator[vf.Task[RoundData]]:
        """Yield the rounds; their system prompt is the rules."""
        rules = self.config.words().rules_text
        for deal in range(self.config.seed, self.config.seed + self.config.deals):
            for moved in (0, 1):
                name = f"deal {deal}, moved by {moved}"
                yield vf.Task[RoundData](RoundData(name=name, system_prompt=rules, deal=deal, moved=moved))


class ShengjiEnvConfig(vf.EnvConfig):
    """Who plays."""

    player0: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    player1: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    player2: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    player3: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    others: str = ""
    """A player such as "heuristic" or "champion" in place of player1 and player3."""


class ShengjiEnv(vf.Env[ShengjiEnvConfig]):
    """A round: whoever is to move is asked, and hears what has happened since it was asked before."""

    async def run(self, task: vf.Task[RoundData], agents: vf.Agents) -> None:
        """Play a round; rewards are levels of a player's team. If a model fails, nobody has won, and there are none."""
        others, moved = self.config.others, task.data.moved
        players = range(0, NUM_SEATS, 2 if others else 1)
        seats = {(player + moved) % NUM_SEATS: getattr(agents, f"player{player}") for player in players}
        words = self.taskset.config.words(seats=tuple(seats), **({"others": others} if others else {}))
        words.reset(seed=task.data.deal)
        async with AsyncExitStack() as stack:
            talks = {seat: await stack.enter_async_context(agent.interaction(task)) for seat, agent in seats.items()}
            ended: set[int] = set()
            while (seat := words.seat) is not None:
                answer = ""
                if seat not in ended:
                    segment = await talks[seat].turn(words.observe())
                    answer = segment.last_reply
                    if talks[seat].trace.errors:  # the episode has failed with it, and may be played again
                        return
                    if segment.terminated:  # out of turns, tokens or time: nothing is no answer
                        ended.add(seat)
                words.step(answer)
            for seat, talk in talks.items():
                talk.trace.record_reward("levels", words.rewards[seat])
                counts = words.counts[seat]
                talk.trace.record_metrics(
                    {"decisions": counts.decisions, "refused": counts.refused, "illegal": counts.illegal}
                    | {"forfeited": float(words.result is None)}
                )
