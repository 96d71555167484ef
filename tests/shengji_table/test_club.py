"""The rules of a club by a menu: its words, the text that it writes, and where a server saves it."""

import asyncio
import http.client
import json

import pytest

from shengji_env.cli.saved_rules import read_saved
from shengji_env.engine.rule_sets import PRESETS, parse_rules
from shengji_table.web.static_files import page_files
from tests.helpers.web_clients import House, new_table, run
from tests.shengji_table.test_page import needs_node, run_node
from tools.rules_menu import rules_menu

MENU = json.loads(page_files()["rules_menu.json"].read_text(encoding="utf-8"))
WRITES = """
import { readRules, withOption } from "./rules_menu.js";
const house = withOption("house", "throws", "False", "True");
const both = withOption(house, "must_defend", "5TK", "");
console.log(JSON.stringify([
  house, both, withOption(both, "throws", "True", "True"), withOption(house, "throws", "True", "True"),
  [...readRules("two_deck( kitty = 12,throws=False)")[1]],
]));
"""


def test_the_menu_is_the_one_that_the_rules_in_words_make():
    assert json.loads(json.dumps(rules_menu())) == MENU, "make tables"
    assert list(MENU["presets"]) == list(PRESETS)


@pytest.mark.parametrize("decks", ["1", "2", "3", "4"])
def test_values_that_are_words_are_told_apart_in_both_languages(decks):
    for row in MENU["decks"][decks]:
        for language in (1, 2):
            said = [value[language] for value in row["values"] if value[0] not in ("none", "", 0, True, False)]
            is_felt = decks != "1" or row["option"] not in ("failed_throw", "kitty_multiplier")
            assert not is_felt or (all(said) and len(set(said)) == len(said)), row


@needs_node
def test_the_menu_writes_rules_as_text(tmp_path):
    *texts, read = run_node(tmp_path, WRITES)
    assert texts == ["house(throws=False)", "house(throws=False, must_defend=5TK)", "house(must_defend=5TK)", "house"]
    assert all(map(parse_rules, texts))
    assert read == [["kitty", "12"], ["throws", "False"]]


def ask(host, method, body="", **headers):
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request(method, "/club", body=body.encode(), headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_a_server_saves_them_as_the_command_does(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    async def scenario(executor):
        table = new_table("human", "greedy", "greedy", "greedy", executor=executor)
        async with House(table, executor=executor) as house:

            async def post(body, **headers):
                return await asyncio.to_thread(ask, house.host, "POST", json.dumps(body), **headers)

            status, page = await asyncio.to_thread(ask, house.host, "GET")
            assert (status, "club.all.js" in page) == (200, True)
            said = {"name": "周五牌局", "rules": "house(throws=False)"}
            assert (await post(said, Origin="https://elsewhere.example"))[0] == 403
            assert not list(tmp_path.rglob("*.json"))
            status, path = await post(said, Origin=f"http://{house.host}")
            assert (status, path) == (200, str(tmp_path / "shengji_env" / "rules" / "周五牌局.json"))
            assert read_saved("周五牌局") == parse_rules("house(throws=False)")
            for wrong in ({**said, "rules": "house(throws=9)"}, {**said, "name": "../x"}, {**said, "name": 5}, [], {}):
                assert (await post(wrong))[0] == 400, wrong
            status, error = await post({**said, "name": "x" * 20_000})
            assert (status, error) == (400, "a club's name and rules are at most 10,000 bytes")

    run(scenario)
