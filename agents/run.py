"""One training run: warm start, self-play, match-ups during it, checkpoints; resumable after any update.

A run's folder (default ``runs/<name>-<timestamp>``):

| file                              | what it is                                               |
|-----------------------------------|----------------------------------------------------------|
| `config.toml`                     | the resolved config                                      |
| `run.json`                        | world, seed, library versions                            |
| `checkpoint.zip`                  | the latest checkpoint (`agents.checkpoint`)              |
| `policy.npz`                      | the latest exported network, playable as ``policy:PATH`` |
| `tensorboard/`                    | curves for TensorBoard                                   |
| `result.json, learning_curve.png` | written at the end (`agents.report`)                     |
| `.lock`                           | locked by the process that works on the run              |
"""

import contextlib
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from stable_baselines3.common.callbacks import BaseCallback

from agents.checkpoint import (
    CHECKPOINT_NAME,
    Checkpoint,
    library_versions,
    read_checkpoint,
    world_of,
    write_checkpoint,
)
from agents.command_lines import arena_command
from agents.config import Config, override, to_toml
from agents.display import Display
from agents.evaluation import OPPONENTS, Matchup, ablate, play_duplicate
from agents.export import export_policy
from agents.imitation import collect_imitation, learn_imitation, teacher_of
from agents.interrupt import Interrupted, InterruptFlag
from agents.learner import buffer_of, policy_of
from agents.report import draw_curve, print_result, result_of, write_result
from agents.session import Session, capture, check_settled, config_of, connect, new_session, restored
from shengji_env.arena import make_player
from shengji_env.arena.matchup import Progress
from shengji_env.errors import CheckpointError, ConfigError
from shengji_env.files.whole_files import lock_folder, write_whole
from shengji_env.players.policy import POLICY_FILE

CONFIG_NAME = "config.toml"
ABOUT_NAME = "run.json"
LOGGED = {
    "train/loss": "loss",
    "train/entropy_loss": "entropy",
    "train/value_loss": "value_loss",
    "train/approx_kl": "approx_kl",
    "train/clip_fraction": "clip_fraction",
    "train/explained_variance": "explained_variance",
}
"""SB3's names of the figures that are kept for each update, and ours."""


class StopWhenAsked(BaseCallback):
    """Ends a rollout early once the flag is set."""

    def __init__(self, flag: InterruptFlag) -> None:
        """Watch ``flag``."""
        super().__init__()
        self.flag = flag

    def _on_step(self) -> bool:
        return not self.flag.is_set


class Run:
    """A run in progress, made with `start` or `resume`; leaving its ``with`` block ends it and releases its folder.

    Attributes:
        session: Learner, tables and progress.
        folder: The folder to which everything is written.
    """

    def __init__(self, session: Session, folder: Path, display: Display, flag: InterruptFlag) -> None:
        """Take over a session; nothing is written yet."""
        self.session, self.folder, self.display, self.flag = session, folder, display, flag
        self.config, self.progress = session.config, session.progress
        self._kept = contextlib.ExitStack()
        self._callback = connect(session, folder / "tensorboard", StopWhenAsked(flag))
        self._kept.callback(session.learner.logger.close)  # ends the thread that writes for TensorBoard

    @classmethod
    def start(cls, config: Config, folder: Path, display: Display, flag: InterruptFlag) -> "Run":
        """Start a run in a folder that does not hold one yet.

        Raises:
            ConfigError: The folder already holds a run, or cannot be made.
            ShengjiError: Another process uses the folder.
        """
        if config.imitation.seconds > 0:
            teacher_of(config)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = lock_folder(folder)
        except OSError as error:
            raise ConfigError(f"cannot write to {folder}: {error.strerror}") from None
        with contextlib.ExitStack() as stack:
            stack.enter_context(lock)
            if (folder / CHECKPOINT_NAME).exists():
                raise ConfigError(f"{folder} already holds a run; continue it with --resume {folder}")
            run = cls(new_session(config), folder, display, flag)
            run._describe()
            run.save()
            run._kept.enter_context(stack.pop_all())
        return run

    @classmethod
    def resume(cls, folder: Path, overrides: Sequence[str], display: Display, flag: InterruptFlag) -> "Run":
        """Resume a run from its latest checkpoint; ``overrides`` may change anything but its world.

        Raises:
            CheckpointError: There is no checkpoint, or it belongs to another world.
            ConfigError: An override is invalid, or changes a key that is fixed for the run.
            ShengjiError: Another process uses the folder.
        """
        path = folder / CHECKPOINT_NAME
        if not path.is_file():
            raise CheckpointError(f"no checkpoint at {path}")
        with contextlib.ExitStack() as stack:
            stack.enter_context(lock_folder(folder))
            checkpoint = read_checkpoint(path)
            saved = config_of(checkpoint, path)
            config = override(saved, overrides)
            check_settled(saved, config)
            run = cls(restored(checkpoint, config, path), folder, display, flag)
            run._tell_of_resuming(checkpoint)
            run._describe()
            run._kept.enter_context(stack.pop_all())
        return run

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: object) -> None:
        self._kept.close()

    def learn(self) -> bool:
        """Learn until the budget is used up, and save; return False if the user stopped it first."""
        try:
            self._imitate()
            self._play()
            finished = True
        except Interrupted:
            finished = False
        self.save()
        self.export()
        return finished

    def finish(self) -> bool:
        """Play the final match-ups and write the report; return False if the user stopped them."""
        policy = self.folder / POLICY_FILE
        try:
            matchups = self.evaluate(self.config.evaluation.final_deals)
            ablation = ablate(make_player(f"policy:{policy}"), self.config, self._watch("ablation"))
        except Interrupted:
            return False
        self.display.end()
        result = result_of(self.session, matchups, ablation)
        write_result(self.folder, result)
        print_result(self.display.console, result)
        self.display.line(f"learning curve: {draw_curve(self.folder, self.session, matchups)}")
        rules, num_deals = self.config.environment.rules, self.config.evaluation.final_deals
        self.display.line(f"evaluate it with: {arena_command(self.folder, rules=rules, num_deals=num_deals)}")
        return True

    def save(self) -> None:
        """Write the checkpoint."""
        self.progress.checkpointed_at = self.progress.seconds
        write_checkpoint(self.folder / CHECKPOINT_NAME, capture(self.session))

    def export(self) -> Path:
        """Write the network as ``policy.npz``; return its path."""
        path = self.folder / POLICY_FILE
        export_policy(policy_of(self.session.learner), path, rules=self.config.environment.rules)
        return path

    def evaluate(self, num_deals: int) -> list[Matchup]:
        """Play duplicate match-ups of the present network against each of `OPPONENTS`.

        Raises:
            Interrupted: The user asked to stop.
        """
        player, watch = make_player(f"policy:{self.export()}"), self._watch("match-ups")
        return [play_duplicate(player, name, num_deals, self.config, watch) for name in OPPONENTS]

    def _watch(self, title: str) -> Progress:
        """Show a title, and return a function that shows a match-up's progress and ends it if the user asks."""
        self.display.begin(title)

        def watch(played: float, num_deals: int) -> None:
            self.flag.check()
            self.display.update(played / num_deals, {})

        return watch

    def _imitate(self) -> None:
        session, progress = self.session, self.progress
        if progress.imitation_done(self.config) >= 1:
            return
        teacher = teacher_of(self.config)
        self.display.begin("imitation", progress.imitation_done(self.config))
        while (done := progress.imitation_done(self.config)) < 1:
            started = time.perf_counter()
            collect_imitation(session.learner, session.env, teacher)
            figures = learn_imitation(session.learner, self.config, remaining=1 - done)
            progress.imitation_steps += buffer_of(session.learner).actions.size
            progress.imitation_seconds += time.perf_counter() - started
            self._log("imitation", figures)
            self.display.update(progress.imitation_done(self.config), _shown(figures, "loss", "entropy", "agreement"))
            self._save_when_due()
            self.flag.check()

    def _play(self) -> None:
        progress, learner = self.progress, self.session.learner
        learner._last_obs = self.session.env.observe()
        self.display.begin("self-play", progress.training_done(self.config))
        while progress.training_done(self.config) < 1:
            self._evaluate_when_due()
            started = time.perf_counter()
            self._roll_out()
            figures = self._update()
            progress.training_seconds += time.perf_counter() - started
            self._log("self-play", figures)
            self._show()
            self._save_when_due()
            self.flag.check()

    def _roll_out(self) -> None:
        """Play one rollout; an interrupted one is discarded."""
        progress, learner, env = self.progress, self.session.learner, self.session.env
        started, environment_before = time.perf_counter(), env.seconds
        learner._update_current_progress_remaining(round(1e6 * progress.training_done(self.config)), 10**6)
        steps = self.config.training.rollout_steps
        if not learner.collect_rollouts(env, self._callback, learner.rollout_buffer, steps):
            raise Interrupted
        in_environment = env.seconds - environment_before
        progress.environment_seconds += in_environment
        progress.inference_seconds += time.perf_counter() - started - in_environment
        progress.steps += steps * env.num_envs

    def _update(self) -> dict[str, float]:
        """Learn from the rollout; return the figures of `LOGGED`."""
        started = time.perf_counter()
        self.session.learner.train()
        self.progress.update_seconds += time.perf_counter() - started
        self.progress.updates += 1
        values = self.session.learner.logger.name_to_value
        figures = {ours: float(values[theirs]) for theirs, ours in LOGGED.items() if theirs in values}
        figures["entropy"] = -figures["entropy"]
        return figures

    def _evaluate_when_due(self) -> None:
        every, progress = self.config.evaluation.every_seconds, self.progress
        is_due = not progress.matchups or progress.training_seconds - progress.evaluated_at >= every
        if every == 0 or not is_due:
            return
        if progress.seconds > progress.checkpointed_at:
            self.save()
        started = time.perf_counter()
        for matchup in self.evaluate(self.config.evaluation.deals):
            row = {"seconds": progress.seconds, "steps": progress.steps, "opponent": matchup.opponent}
            progress.matchups.append(row | matchup.to_json())
            self.display.line(f"after {progress.seconds:6.0f} s, {progress.steps:12,} steps: {matchup}")
            self.session.learner.logger.record(f"matchup/{matchup.opponent}_levels", matchup.levels_per_round)
            self.session.learner.logger.record(f"matchup/{matchup.opponent}_level_rate", matchup.level_rate)
        spent = time.perf_counter() - started
        progress.evaluation_seconds += spent
        progress.training_seconds += spent
        progress.evaluated_at = progress.training_seconds
        self.save()
        self.display.begin("self-play", progress.training_done(self.config))

    def _tell_of_resuming(self, checkpoint: Checkpoint) -> None:
        progress = self.progress
        self.display.line(
            f"resuming {self.folder}: {progress.seconds:.0f} s and {progress.steps:,} steps of self-play done"
        )
        if checkpoint.meta.get("libraries") != library_versions():
            self.display.line("library versions differ from the checkpoint's: the run goes on, but not bit for bit")

    def _save_when_due(self) -> None:
        if self.progress.seconds - self.progress.checkpointed_at >= self.config.checkpoint.every_seconds:
            self.save()

    def _show(self) -> None:
        progress = self.progress
        figures = _shown(progress.history[-1], "loss", "entropy", "explained_variance")
        if progress.matchups:
            last = progress.matchups[-1]
            figures[f"vs {last['opponent']}"] = f"{last['levels_per_round']:+.2f}"
        shown = {"steps": f"{progress.steps:,}", "steps/s": f"{progress.steps_per_second:,.0f}", **figures}
        self.display.update(progress.training_done(self.config), shown)

    def _log(self, phase: str, figures: Mapping[str, float]) -> None:
        """Add a row to the history, and pass it to TensorBoard."""
        progress, logger = self.progress, self.session.learner.logger
        progress.history.append({"seconds": progress.seconds, "steps": float(progress.steps), **figures})
        for name, value in figures.items():
            logger.record(f"{phase}/{name}", value)
        logger.dump(progress.imitation_steps + progress.steps)

    def _describe(self) -> None:
        """Write the files that describe the run."""
        about = {
            "world": world_of(self.config),
            "seed": self.config.run.seed,
            "libraries": library_versions(),
            "precision": self.session.precision,
        }
        write_whole(self.folder / CONFIG_NAME, to_toml(self.config).encode())
        write_whole(self.folder / ABOUT_NAME, json.dumps(about, indent=2).encode())


def _shown(figures: Mapping[str, float], *names: str) -> dict[str, str]:
    return {name.replace("_", " "): f"{figures[name]:.3f}" for name in names if name in figures}
