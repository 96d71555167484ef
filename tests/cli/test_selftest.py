"""``shengji selftest``: one hash over seeded games, which must be this version's."""

from shengji_env.cli import main, selftest
from shengji_env.engine.rule_sets import RULE_SETS, rule_set


def test_the_games_come_out_as_everywhere(capsys):
    assert main(["selftest"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == selftest.EXPECTED
    assert second.endswith("everywhere")


def test_games_that_come_out_otherwise_are_told(monkeypatch, capsys):
    monkeypatch.setitem(RULE_SETS, "two_deck", rule_set("two_deck", last_trick_points=False))
    assert main(["selftest"]) == 1
    said = capsys.readouterr().out
    assert not said.startswith(selftest.EXPECTED)
    assert f"WRONG: with shengji-env {selftest.__version__} it is {selftest.EXPECTED} everywhere" in said
