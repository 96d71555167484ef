"""The keys of a training run: one dataclass for each table of the TOML file, with a line under each field.

``python train.py --keys`` prints these lines, so the help always matches the code. An unknown key, a value of the wrong
type or out of range, and a missing file each raise a `ConfigError` of one line.
"""

import dataclasses
import difflib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from shengji_env.engine.rule_sets import parse_rules
from shengji_env.envs.rewards import REWARDS, SHAPINGS, RewardScheme, Shaping
from shengji_env.errors import ConfigError, RuleSetError
from shengji_env.files.text_files import parse_toml, read_text
from shengji_env.render.fields import field_docs

T = TypeVar("T")

UNLIMITED = 1e12
"""Upper end of ranges that are unlimited in practice."""
MAX_SHOWN = 60
"""Most characters of a refused value that an error repeats."""


def between(default: float, low: float, high: float = UNLIMITED) -> Any:
    """Declare a number with its range, both ends included."""
    return field(default=default, metadata={"low": low, "high": high})


def one_of(default: str, *options: str) -> Any:
    """Declare a text from a fixed set."""
    return field(default=default, metadata={"options": options})


@dataclass(frozen=True)
class RunConfig:
    """[run]: name and randomness."""

    name: str = "quickstart"
    """The run's folder is ``runs/<name>-<timestamp>``; up to 100 characters: letters, digits, "-", "_" and "."."""
    seed: int = between(1, 0, 2**31 - 1)
    """Seed of deals, network and minibatches; 0 to 2147483647."""


@dataclass(frozen=True)
class EnvironmentConfig:
    """[environment]: what is played."""

    rules: str = "two_deck"
    """A rule set: a name, or a name with options such as "two_deck(throws=False)"."""
    tables: int = between(512, 1, 65536)
    """Tables played at once; 1 to 65536."""
    reward: RewardScheme = field(default="levels", metadata={"options": REWARDS})
    """Reward of a round."""
    shaping: Shaping = field(default="none", metadata={"options": SHAPINGS})
    """Rewards during a round."""


@dataclass(frozen=True)
class NetworkConfig:
    """[network]: sizes and arithmetic."""

    policy: tuple[int, ...] = (256, 128)
    """Widths of the policy's hidden layers, ReLU between them; each 1 to 4096."""
    critic: tuple[int, ...] = (256, 128)
    """Widths of the critic's hidden layers; each 1 to 4096."""
    critic_sees: str = one_of("all", "all", "own")
    """What the critic sees in training: every hand, or only what the player (and the policy) sees."""
    precision: str = one_of("auto", "auto", "float32", "bfloat16")
    """Arithmetic of the hidden layers; auto takes the one that is faster on this machine."""


@dataclass(frozen=True)
class ImitationConfig:
    """[imitation]: the warm start by imitating another player."""

    teacher: str = "heuristic"
    """The player that is imitated, named as in the arena; it must need only observations, so not `search`."""
    seconds: float = between(200.0, 0)
    """Seconds spent imitating; 0 turns it off."""
    learning_rate: float = between(1e-3, 1e-7, 1)
    """Adam's step size while imitating; 1e-7 to 1."""
    epochs: int = between(1, 1, 100)
    """Passes over each collected batch; 1 to 100 (fresh rounds of a fast teacher cost little)."""
    entropy: float = between(0.01, 0, 10)
    """Weight of the entropy bonus, which keeps the imitating policy exploring; 0 to 10."""


@dataclass(frozen=True)
class TrainingConfig:
    """[training]: self-play with MaskablePPO."""

    seconds: float = between(480.0, 0)
    """Seconds of self-play, its match-ups included, over all resumes; 0 for no limit."""
    steps: int = between(0, 0)
    """Decisions of self-play over all resumes; 0 for no limit."""
    rollout_steps: int = between(128, 1, 65536)
    """Steps of every table between two updates; 1 to 65536."""
    minibatch: int = between(4096, 2, 2**24)
    """Decisions in one gradient step; 2 to 16777216."""
    epochs: int = between(2, 1, 100)
    """Passes over each rollout; 1 to 100."""
    learning_rate: float = between(2e-4, 1e-7, 1)
    """Adam's step size at the start; 1e-7 to 1."""
    final_learning_rate: float = between(2e-5, 0, 1)
    """Adam's step size at the end of the budget, reached linearly; 0 to 1."""
    clip: float = between(0.2, 1e-3, 10)
    """How far one update may move a probability ratio from 1; 0.001 to 10."""
    entropy: float = between(0.001, 0, 10)
    """Weight of the entropy bonus; 0 to 10."""
    value_weight: float = between(0.5, 0, 100)
    """Weight of the critic's loss; 0 to 100."""
    max_gradient_norm: float = between(0.5, 1e-6, 1e6)
    """Gradients are scaled down to this norm; 1e-6 to 1e6."""
    gamma: float = between(1.0, 0, 1)
    """Discount per decision of the same seat; 0 to 1 (the reward comes once, at the end of the round)."""
    gae_lambda: float = between(0.95, 0, 1)
    """Lambda of the advantage estimate along one seat's decisions; 0 to 1."""
    torch_threads: int = between(1, 1, 256)
    """Threads of torch; 1 to 256; not more than there are idle cores."""


@dataclass(frozen=True)
class EvaluationConfig:
    """[evaluation]: duplicate match-ups."""

    every_seconds: float = between(120.0, 0)
    """Seconds of self-play between two match-ups; 0 for none before the end."""
    deals: int = between(200, 2, 10**7)
    """Duplicate deals of a match-up during the run; 2 to 10000000."""
    final_deals: int = between(1000, 2, 10**7)
    """Duplicate deals of each match-up at the end; 2 to 10000000."""
    ablation_deals: int = between(1000, 2, 10**7)
    """Duplicate deals of each ablation at the end; 2 to 10000000."""
    seed: int = between(20_000, 0, 2**31 - 1)
    """Seed of the deals played in match-ups; 0 to 2147483647."""


@dataclass(frozen=True)
class CheckpointConfig:
    """[checkpoint]: what a crash may cost."""

    every_seconds: float = between(60.0, 0)
    """Seconds of learning between two checkpoints; 0 for one after every update."""


@dataclass(frozen=True)
class Config:
    """All tables of a run's TOML file."""

    run: RunConfig = RunConfig()
    environment: EnvironmentConfig = EnvironmentConfig()
    network: NetworkConfig = NetworkConfig()
    imitation: ImitationConfig = ImitationConfig()
    training: TrainingConfig = TrainingConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    checkpoint: CheckpointConfig = CheckpointConfig()

    def to_json(self) -> dict[str, Any]:
        """Return the resolved values as nested plain dictionaries, readable by `config_from`."""
        tables = dataclasses.asdict(self)
        return {name: {k: _plain(v) for k, v in table.items()} for name, table in tables.items()}


def load_config(path: Path, overrides: Sequence[str] = ()) -> Config:
    """Read a TOML file and put ``table.key=value`` overrides on top.

    Raises:
        ConfigError: The file is missing or not TOML, or a key or value is impossible.
    """
    text = read_text(path, ConfigError)
    try:
        tables = parse_toml(text, ConfigError)
    except ConfigError as error:
        raise ConfigError(f"{path} is {error}") from None
    return override(config_from(tables, source=str(path)), overrides)


def config_from(tables: Mapping[str, Any], *, source: str = "config") -> Config:
    """Make the config that nested dictionaries describe; missing keys keep their defaults."""
    names = [entry.name for entry in dataclasses.fields(Config)]
    parts: dict[str, Any] = {}
    for name, table in tables.items():
        if name not in names:
            raise ConfigError(f"{source}: unknown table [{name}]{_suggestion(name, names)}; known: {', '.join(names)}")
        if not isinstance(table, Mapping):
            raise ConfigError(f"{source}: {name} must be a table, [{name}]")
        parts[name] = _table_from(type(getattr(Config, name)), name, table, source)
    config = Config(**parts)
    _check_together(config, source)
    return config


def override(config: Config, assignments: Sequence[str]) -> Config:
    """Return the config with ``table.key=value`` texts applied; values are TOML, bare words count as text."""
    tables = config.to_json()
    for assignment in assignments:
        target, equals, text = assignment.partition("=")
        table, dot, key = target.strip().partition(".")
        if not equals or not dot:
            raise ConfigError(f"--set {assignment}: expected table.key=value, such as training.seconds=60")
        tables.setdefault(table, {})[key] = _value_from(text.strip())
    return config_from(tables, source="--set" if assignments else "config")


def describe_keys() -> str:
    """Return every key with its default and its line of documentation, as text for the terminal."""
    lines = []
    for entry in dataclasses.fields(Config):
        table = type(getattr(Config, entry.name))
        docs = field_docs(table)
        lines.append(f"\n[{entry.name}]  {(table.__doc__ or '').partition(': ')[2]}")
        for key in dataclasses.fields(table):
            options = key.metadata.get("options")
            meaning = docs[key.name] + (f" One of: {', '.join(options)}." if options else "")
            lines.append(f"  {key.name} = {_toml(getattr(table(), key.name))}\n      {meaning}")
    return "\n".join(lines).lstrip("\n")


def to_toml(config: Config) -> str:
    """Return the config as TOML text, readable by `load_config`."""
    lines = []
    for name, table in config.to_json().items():
        lines.append(f"[{name}]")
        lines += [f"{key} = {_toml(value)}" for key, value in table.items()]
        lines.append("")
    return "\n".join(lines)


def _table_from(kind: type[T], name: str, table: Mapping[str, Any], source: str) -> T:
    known = {entry.name: entry for entry in dataclasses.fields(kind)}  # type: ignore[arg-type]  # always a dataclass
    values = {}
    for key, value in table.items():
        if key not in known:
            hint = _suggestion(key, list(known))
            raise ConfigError(f"{source}: unknown key {name}.{key}{hint}; known: {', '.join(known)}")
        try:
            values[key] = _checked(known[key], value)
        except ConfigError as error:
            raise ConfigError(f"{source}: {name}.{key} = {_brief(value)}: {error}") from None
    return kind(**values)


def _checked(entry: "dataclasses.Field[Any]", value: Any) -> Any:
    """Return the value in the field's type, or raise a `ConfigError` that says which values are valid."""
    if entry.type is str or "options" in entry.metadata:
        return _checked_text(entry, value)
    if entry.type == tuple[int, ...]:
        return _checked_widths(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if entry.type is int and not (is_number and (isinstance(value, int) or value.is_integer())):
        raise ConfigError("must be a whole number")
    if not is_number:
        raise ConfigError("must be a number")
    low, high = entry.metadata["low"], entry.metadata["high"]
    if not low <= value <= high:
        is_open = high == UNLIMITED and not value > high
        raise ConfigError(
            f"must be {_bound(low)} or more" if is_open else f"must lie in {_bound(low)} to {_bound(high)}"
        )
    return int(value) if entry.type is int else float(value)


def _bound(value: float) -> str:
    """Write an end of a range, with all digits of a whole number."""
    return str(int(value)) if float(value).is_integer() and value < UNLIMITED else f"{value:g}"


def _checked_text(entry: "dataclasses.Field[Any]", value: Any) -> str:
    options = entry.metadata.get("options")
    if not isinstance(value, str) or not value:
        raise ConfigError("must be a text")
    if options and value not in options:
        raise ConfigError(f"must be one of {', '.join(options)}")
    return value


def _checked_widths(value: Any) -> tuple[int, ...]:
    is_list = isinstance(value, list | tuple) and len(value) > 0
    if not is_list or any(type(width) is not int or not 1 <= width <= 4096 for width in value):
        raise ConfigError("must be a list of widths from 1 to 4096, such as [256, 128]")
    return tuple(value)


def _check_together(config: Config, source: str) -> None:
    """Check the texts, and conditions on several keys at once."""
    training, environment = config.training, config.environment
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]{0,99}", config.run.name, re.ASCII):
        raise ConfigError(
            f"{source}: run.name = {_brief(config.run.name)}: must begin with a letter or digit "
            "and have up to 100 characters: letters, digits, '-', '_' and '.'"
        )
    try:
        parse_rules(environment.rules)
    except RuleSetError as error:
        raise ConfigError(f"{source}: environment.rules: {error}") from None
    if training.seconds == 0 and training.steps == 0:
        raise ConfigError(f"{source}: training.seconds and training.steps are both 0, so the run would never end")
    if training.minibatch > environment.tables * training.rollout_steps:
        raise ConfigError(
            f"{source}: training.minibatch = {training.minibatch} is more than "
            f"{environment.tables} tables collect in {training.rollout_steps} rollout_steps"
        )


def _value_from(text: str) -> Any:
    """Read a TOML value; a text that is not exactly one value is returned as it is."""
    try:
        parsed = parse_toml(f"value = {text}", ConfigError)
    except ConfigError:
        return text
    return parsed["value"] if len(parsed) == 1 else text


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _toml(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(str, value)) + "]"
    return str(value)


def _brief(value: Any) -> str:
    """Write a refused value on one line, cut off if it is long."""
    try:
        text = _toml(value)
    except ValueError:
        return "a number of too many digits"
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def _suggestion(word: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {close[0]}?)" if close else ""
