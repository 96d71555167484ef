"""After a server was killed, public steps go on where they were."""

import asyncio
import json

import pytest

from shengji_env.engine.rule_sets import as_rules
from shengji_table.web.kept_events import Decided
from shengji_table.web.round_loop import play_rounds
from shengji_table.web.session_log import PRIVATE, SessionLog, new_plan
from tests.helpers.web_clients import WATCHER, FastClock, Listening, new_table, replace, run

BOTS = ("heuristic", "random", "heuristic", "random")
RULES = (
    "one_deck",
    "two_deck(kitty_retake=overbid)",
    "two_deck(rebellion=redeal, rebellion_trumps=7, rebellion_points=20)",
    "two_deck(bidding=fixed)",
)


def table_of(path, rules, executor):
    log = SessionLog(path, replace(new_plan(as_rules(rules), BOTS, "heuristic"), seed=4))
    clock = FastClock()
    table = new_table(
        *BOTS, rules=rules, seed=log.plan.seed, executor=executor, log=log, keys=log.plan.keys(), clock=clock
    )
    outbox = Listening(clock)
    table.join(WATCHER, outbox)
    outbox.heard.clear()
    return table, log, outbox


def steps(heard):
    """The numbers of the steps that a watcher has heard of."""
    return {json.loads(text)["move"] for _, text in heard}


async def played(table, is_enough):
    task = asyncio.ensure_future(play_rounds(table))
    while not is_enough():
        assert not table.fault
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize("rules", RULES)
def test_steps_are_numbered_as_before_and_passes_are_none(rules, tmp_path):
    path = tmp_path / "evening.jsonl"
    between = []

    async def scenario(executor):
        table, log, outbox = table_of(path, rules, executor)
        note, since = log.note, 0

        def noted(event):
            nonlocal since
            if isinstance(event, Decided):
                between.append(outbox.heard[since:])
                since = len(outbox.heard)
            note(event)

        log.note = noted
        await played(table, lambda: len(table.rounds) == 2 and len(between) % 7 == 0)
        between.append(outbox.heard[since:])
        log.close()
        lines = path.with_name(path.name + PRIVATE).read_text().splitlines(keepends=True)
        assert len(lines) == len(between)
        for number in range(1, len(between) - 1):
            if between[number]:
                again = tmp_path / f"again-{number}.jsonl"
                again.with_name(again.name + PRIVATE).write_text("".join(lines[: number + 1]))
                resumed, kept, outbox = table_of(again, rules, executor)
                await played(resumed, lambda outbox=outbox: outbox.heard)
                kept.close()
                assert steps(outbox.heard) <= steps(between[number]), number

    run(scenario)
