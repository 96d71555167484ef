"""``shengji serve``, end to end: the links, a killed server that goes on, wrong arguments."""

import asyncio
import json
import re
import signal
import subprocess
import sys

import pytest
import websockets

from shengji_env.cli import main
from shengji_env.records.reading import RecordReader
from shengji_table.web.messages import VERSION
from tests.helpers.interrupts import heed_interrupts
from tests.helpers.web_clients import Client


def start(*arguments):
    """Start the command; return the process and its links."""
    command = [sys.executable, "-m", "shengji_env.cli", "serve", "--no-browser", "--port", "0", *arguments]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
    )
    links = {}
    for line in process.stdout:
        if line.startswith("kept in"):
            return process, links, line
        whose, link = line.rsplit(maxsplit=1)
        links[whose.strip()] = link
    pytest.fail(process.stderr.read())


async def connected(link, scenario):
    host, fragment = re.fullmatch(r"http://([^/]+)/#(.+)", link).groups()
    async with websockets.connect(f"ws://{host}/socket", origin=f"http://{host}", proxy=None) as socket:
        await socket.send(json.dumps({"type": "hello", "version": VERSION, "link": fragment}))
        return await scenario(Client(socket))


async def to_play(client):
    """Go on until a card is to be played, without a bid."""
    await client.until(lambda state: True)
    await client.say("auto", on=False)
    while True:
        state = await client.until(lambda state: state["ask"] is not None)
        if state["ask"]["kind"] not in ("bid", "next"):
            return state
        if state["window"] is not None and not state["ask"]["is_done"]:
            await client.say("done", move=state["move"])
        else:
            await client.read()


async def play_three(client):
    for _ in range(3):
        state = await to_play(client)
        assert (await client.follow_hint())["type"] == "accepted"
        await client.until(lambda later, state=state: later["move"] > state["move"])
    return await to_play(client)


@pytest.mark.thorough
def test_a_killed_server_goes_on_where_it_was_and_its_links_still_open_their_seats(tmp_path):
    path = tmp_path / "evening.jsonl"
    options = ["human", "greedy", "greedy", "greedy", "--rules", "one_deck", "--speed", "20", "--record", str(path)]
    process, links, _ = start(*options)
    try:
        before = asyncio.run(connected(links["seat 0 human"], play_three))
    finally:
        process.kill()
        process.communicate()
    process, again, kept = start("--speed", "20", "--record", str(path))
    try:
        assert "resumed where it ended" in kept
        assert again["seat 0 human"].partition("#")[2] == links["seat 0 human"].partition("#")[2]
        after = asyncio.run(connected(again["seat 0 human"], to_play))
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert after["view"] == before["view"]
    assert process.returncode == 130
    secrets = [link.rpartition(".")[2] for link in links.values()]
    assert not any(secret in errors for secret in secrets)
    with path.open() as lines:
        assert list(RecordReader(lines)) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["human"], "1 player is named; a table has 4 seats"),
        (["human", "nobody", "greedy", "greedy"], "no player is called 'nobody'"),
        (["--rules", "poker"], "poker"),
        (["--speed", "0"], "--speed 0 must be from 0.2 to 20"),
        (["--port", "70000"], "--port 70000 must be from 0 to 65535"),
        (["--host", "999.1.1.1"], "cannot listen on 999.1.1.1"),
        (["--adviser", "nobody"], "no player is called 'nobody'"),
        (["--substitute", "nobody"], "no player is called 'nobody'"),
        (["--substitute", "human"], "--substitute human is a person: name a player, who is always there"),
        (["--tables", "0"], "--tables 0 must be from 1 to 16"),
        (["--tables", "17"], "--tables 17 must be from 1 to 16"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["serve", "--no-browser", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_an_evening_goes_on_with_its_own_players_and_rules_only(tmp_path, capsys):
    path = str(tmp_path / "evening.jsonl")
    process, _, _ = start("--record", path, "--rules", "one_deck")
    process.kill()
    process.communicate()
    assert main(["serve", "--record", path, "--rules", "two_deck"]) == 2
    assert "resumes with --rules one_deck, not two_deck" in capsys.readouterr().err
    assert main(["serve", "--record", path, "human", "greedy", "greedy", "greedy"]) == 2
    assert "resumes with players human heuristic" in capsys.readouterr().err
    assert main(["serve", "--record", path, "--substitute", "greedy"]) == 2
    assert "resumes with --substitute heuristic, not greedy" in capsys.readouterr().err


@pytest.mark.thorough
def test_several_tables_have_their_own_links_cards_and_files(tmp_path):
    path = tmp_path / "friday.jsonl"
    options = ["human", "greedy", "human", "greedy", "--rules", "one_deck", "--tables", "2", "--record", str(path)]
    process, links, kept = start(*options)
    try:
        assert list(links) == ["table 1, guests", "table 1, watch", "table 2, guests", "table 2, watch"]
        assert len({link.rpartition(".")[2] for link in links.values()}) == 4
        seated = asyncio.run(connected(links["table 2, guests"], the_second_seat))
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    files = [tmp_path / f"friday-{number}.jsonl" for number in (1, 2)]
    assert all(str(file) in kept for file in files)
    seeds = [json.loads(file.with_name(file.name + ".table").read_text().splitlines()[0])["seed"] for file in files]
    assert len(set(seeds)) == 2
    process, links, _ = start("--tables", "2", "--record", str(path))
    process.kill()
    process.communicate()
    assert list(links)[2:] == ["table 2, guests", "table 2, seat 2 Ann", "table 2, watch"]
    assert links["table 2, seat 2 Ann"].endswith(f"#{seated}")


async def the_second_seat(client):
    return (await client.say("take", seat=2, name="Ann"))["link"]


def test_without_the_extra_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["serve"]) == 2
    assert "pip install 'starlette>=" in capsys.readouterr().err
