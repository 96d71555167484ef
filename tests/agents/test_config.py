"""The config of a run: every mistake gives one line that says what would be valid."""

from pathlib import Path

import pytest

from agents.config_files import config_from, describe_keys, load_config, override, to_toml
from agents.kinds import KINDS
from agents.ppo.ppo_config import PPOConfig
from agents.values.value_config import FRESH, ValuesConfig
from shengji_env.errors import ConfigError
from tests.helpers.paths import ROOT

CONFIGS = {
    "_".join(path.relative_to(ROOT / "configs").with_suffix("").parts): path
    for path in sorted((ROOT / "configs").rglob("*.toml"))
}
"""The configs that ship, by the names of their runs."""


@pytest.mark.parametrize("name", CONFIGS)
def test_shipped_configs_load_and_go_on_from_runs_that_have_one(name: str) -> None:
    config = load_config(CONFIGS[name])
    assert config.run.name == name
    if isinstance(config, ValuesConfig):
        named = {config.rollouts.policy, config.network.start}
        assert named <= {"heuristic", FRESH, *(f"values:runs/{run}" for run in CONFIGS)}


def test_the_main_configs_are_where_the_manual_says() -> None:
    assert {"quickstart", "standard", "champion", "ppo"} <= CONFIGS.keys()


@pytest.mark.parametrize(
    "assignments",
    [
        ["training.seconds=1.5", "network.policy=[32, 16]", "run.name=trial"],
        ["training.seconds=1e11", "training.learning_rate=1e-7", "training.steps=1000000000000"],
        ['environment.rules="two_deck(throws = False,\\n\\tkitty=8)"', "run.name=a.b-c_D9"],
    ],
)
def test_toml_text_reads_back_as_the_same_config(assignments: list[str], tmp_path: Path) -> None:
    config = override(PPOConfig(), assignments)
    path = tmp_path / "config.toml"
    path.write_text(to_toml(config), encoding="utf-8")
    assert load_config(path) == config
    assert config_from(config.to_json()) == config


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("training.second=1", "unknown key training.second (did you mean seconds?)"),
        ("trainin.seconds=1", "unknown table [trainin] (did you mean training?)"),
        ("training.seconds=-1", "must be 0 or more"),
        ("training.seconds=soon", "must be a number"),
        ("training.seconds=nan", "must be 0 or more"),
        ("training.steps=0.5", "must be a whole number"),
        ("training.gamma=1.1", "must lie in 0 to 1"),
        ("run.seed=-1", "must lie in 0 to 2147483647"),
        ("training.minibatch=0", "must lie in 2 to 16777216"),
        ("training.seconds=1\nsteps=3", "must be a number"),
        (f"training.seconds={'[' * 100_000}", "must be a number"),
        ("training.epochs=true", "must be a whole number"),
        ("network.policy=[]", "list of widths"),
        ("network.policy=[0]", "list of widths"),
        ("network.kind=wide", "must be one of layers, suits"),
        ("network.suits=[96, 128]", "network.suits must be 5 widths: suit, trump, pooled, context, head"),
        ("environment.reward=money", "must be one of levels, points, win"),
        ("environment.rules=one_deckk", "environment.rules"),
        ("environment.tables=1", "training.minibatch"),
        ("training.seconds", "expected table.key=value"),
        ("seconds=1", "expected table.key=value"),
        ("run.name=3", "must be a text"),
        ("run.name=../up", "must begin with a letter or digit"),
        ("run.name=a/b", "must begin with a letter or digit"),
        ("run.name=.hidden", "must begin with a letter or digit"),
        ('run.name="two\\nlines"', "must begin with a letter or digit"),
        (f"run.name={'a' * 101}", "up to 100"),
        (f"run.seed={'9' * 400}", "must lie in 0 to"),
        (f"training.steps={'9' * 400}", "must lie in 0 to"),
        (f"training.seconds={'9' * 400}", "must lie in 0 to 1e+12"),
        (f"training.seconds={'9' * 5000}", "must be a number"),
        (f"training.epochs=0x{'f' * 5000}", "too many digits: must lie in 1 to 100"),
        (f"network.policy=[{'9' * 400}]", "list of widths"),
    ],
)
def test_an_impossible_override_says_what_would_do(assignment: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        override(PPOConfig(), [assignment])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_run_without_any_limit_is_refused() -> None:
    with pytest.raises(ConfigError, match="never end"):
        override(PPOConfig(), ["training.seconds=0", "training.steps=0"])


def test_a_config_that_names_no_kind_is_of_the_quickstarts(tmp_path: Path) -> None:
    """What `train.py` learns without a config, and what `--keys` says."""
    path = tmp_path / "config.toml"
    path.write_text("[rollouts]\nrounds = 2000\n", encoding="utf-8")
    assert type(load_config(path)) is type(load_config(CONFIGS["quickstart"])) is ValuesConfig
    assert {kind.config().learner.kind: name for name, kind in KINDS.items()} == {name: name for name in KINDS}
    path.write_text("[imitation]\nseconds = 1\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r'unknown table \[imitation\] \(it belongs to \[learner\] kind = "ppo"\)'):
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
    tables = PPOConfig().to_json() | ValuesConfig().to_json()
    for name, table in tables.items():
        assert f"[{name}]" in text
        assert all(f"  {key} = " in text for key in table)
    assert "One of: none, trick_points, potential." in text
