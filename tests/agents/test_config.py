"""The config of a run: every mistake gives one line that says what would be valid."""

from pathlib import Path

import pytest

import train
from agents.config_files import config_from, describe_keys, load_config, override, to_toml
from agents.kinds import KINDS
from agents.ppo_config import PPOConfig
from agents.selfplay.selfplay_config import SelfplayConfig
from shengji_env.errors import ConfigError
from tests.helpers.paths import ROOT

CONFIGS = {
    "_".join(path.relative_to(ROOT / "configs").with_suffix("").parts): path
    for path in sorted((ROOT / "configs").rglob("*.toml"))
}
"""The configs that ship, by the names of their runs."""


@pytest.mark.parametrize("name", CONFIGS)
def test_shipped_configs_load(name: str) -> None:
    assert load_config(CONFIGS[name]).run.name == name


def test_the_main_configs_are_where_the_manual_says() -> None:
    assert {"selfplay", "champion", "ppo"} <= CONFIGS.keys()


@pytest.mark.parametrize(
    "assignments",
    [
        ["selfplay.temperature=1.5", "selfplay.proposals=program", "run.name=trial"],
        ["fitting.horizon=1e11", "fitting.learning_rate=1e-7", "selfplay.rounds=1000000000"],
        ['environment.rules="two_deck(throws = False,\\n\\tkitty=8)"', "run.name=a.b-c_D9"],
    ],
)
def test_toml_text_reads_back_as_the_same_config(assignments: list[str], tmp_path: Path) -> None:
    config = override(SelfplayConfig(), assignments)
    path = tmp_path / "config.toml"
    path.write_text(to_toml(config), encoding="utf-8")
    assert load_config(path) == config
    assert config_from(config.to_json()) == config


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("selfplay.round=1", "unknown key selfplay.round (did you mean rounds?)"),
        ("selfpla.rounds=1", "unknown table [selfpla] (did you mean selfplay?)"),
        ("fitting.horizon=0", "must be 1 or more"),
        ("fitting.horizon=soon", "must be a number"),
        ("fitting.horizon=nan", "must be 1 or more"),
        ("selfplay.rounds=0.5", "must be a whole number"),
        ("selfplay.lead_share=1.1", "must lie in 0 to 1"),
        ("run.seed=-1", "must lie in 0 to 2147483647"),
        ("fitting.minibatch=0", "must lie in 1 to 1048576"),
        ("fitting.horizon=1\nuses=3", "must be a number"),
        (f"fitting.horizon={'[' * 100_000}", "must be a number"),
        ("fitting.uses=true", "must be a whole number"),
        ("selfplay.proposals=broad", "must be one of wide, program"),
        ("network.suit=48", "multiples of 32"),
        ("network.playouts=48", "multiples of 32"),
        ("network.units=0", "must lie in 32 to 4096"),
        ("environment.rules=one_deckk", "environment.rules"),
        ("fitting.horizon", "expected table.key=value"),
        ("seconds=1", "expected table.key=value"),
        ("run.name=3", "must be a text"),
        ("run.name=../up", "must begin with a letter or digit"),
        ("run.name=a/b", "must begin with a letter or digit"),
        ("run.name=.hidden", "must begin with a letter or digit"),
        ('run.name="two\\nlines"', "must begin with a letter or digit"),
        (f"run.name={'a' * 101}", "up to 100"),
        (f"run.seed={'9' * 400}", "must lie in 0 to"),
        (f"selfplay.rounds={'9' * 400}", "must lie in 1 to"),
        (f"evaluation.every_seconds={'9' * 400}", "must lie in 0 to 1e+12"),
        (f"fitting.horizon={'9' * 5000}", "must be a number"),
        (f"fitting.uses=0x{'f' * 5000}", "too many digits: must lie in 1 to 100"),
    ],
)
def test_an_impossible_override_says_what_would_do(assignment: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        override(SelfplayConfig(), [assignment])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("imitation.seconds=3", r"unknown table \[imitation\]"),
        ("training.seconds=3", "unknown key training.seconds"),
        ("checkpoint.every_seconds=3", 'checkpoint.every_seconds is not read by .learner. kind = "ppo"'),
        ("evaluation.seed=3", "evaluation.seed is not read"),
    ],
)
def test_what_is_not_read_is_refused(assignment: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        override(PPOConfig(), [assignment])


def test_a_config_that_names_no_kind_is_of_the_defaults(tmp_path: Path) -> None:
    """What `train.py` learns without a config, and what `--keys` says."""
    path = tmp_path / "config.toml"
    path.write_text("[selfplay]\nrounds = 2000\n", encoding="utf-8")
    assert type(load_config(path)) is type(load_config(train.DEFAULT_CONFIG)) is SelfplayConfig
    assert {kind.config().learner.kind: name for name, kind in KINDS.items()} == {name: name for name in KINDS}
    path.write_text("[training]\nsteps = 1\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r'unknown table \[training\] \(it belongs to \[learner\] kind = "ppo"\)'):
        load_config(path)


def test_a_missing_file_and_broken_toml_are_one_line(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("[training\n", encoding="utf-8")
    digits = tmp_path / "digits.toml"
    digits.write_text(f"[training]\nseconds = {'9' * 5000}\n", encoding="utf-8")
    for path, message in [
        (tmp_path / "none.toml", "cannot read .*none.toml: No such file or directory"),
        (broken, "not valid TOML"),
        (digits, "not valid TOML: a number of too many digits"),
        (tmp_path, "read"),
    ]:
        with pytest.raises(ConfigError, match=message) as caught:
            load_config(path)
        assert "\n" not in str(caught.value)


def test_a_byte_order_mark_is_no_key(tmp_path: Path) -> None:
    path = tmp_path / "bom.toml"
    path.write_text("[run]\nname = 'marked'\n", encoding="utf-8-sig")
    assert load_config(path).run.name == "marked"


def test_every_key_is_explained() -> None:
    text = describe_keys()
    tables = PPOConfig().to_json() | SelfplayConfig().to_json()
    for name, table in tables.items():
        assert f"[{name}]" in text
        assert all(f"  {key} = " in text for key in table)
    assert "One of: wide, program." in text
