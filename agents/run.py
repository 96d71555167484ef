"""One training run: the learner's stages, match-ups during them, checkpoints; resumable after any update.

`agents.folder` says what a run's folder holds, `agents.learner_protocol` what a run asks of its learner.
"""

import contextlib
import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from agents.checkpoint import Checkpoint, check_finite, read_checkpoint, write_checkpoint
from agents.command_lines import arena_command
from agents.config_files import override
from agents.curves import Curves
from agents.display import Display
from agents.evaluation import OPPONENTS, Matchup, ablate, play_duplicate
from agents.folder import CONFIG_NAME, CURVES_NAME, check_unused, checkpoint_of, describe, take_new
from agents.interrupt import Interrupted, InterruptFlag
from agents.kinds import kind_of
from agents.learner_protocol import Stage, main_stage
from agents.report import draw_curve, print_result, result_of, write_result
from agents.run_config import Config
from agents.session import Session, capture, check_settled, check_unedited, config_of, new_session, restored
from shengji_env.arena import make_player
from shengji_env.arena.matchup import MatchupWatch
from shengji_env.errors import CheckpointError
from shengji_env.support.whole_files import lock_folder


class TrainingRun:
    """A run in progress, made with `start` or `resume`; leaving its ``with`` block ends it and releases its folder.

    Attributes:
        session: Learner and progress.
        folder: The folder to which everything is written.
    """

    def __init__(self, session: Session, folder: Path, display: Display, flag: InterruptFlag) -> None:
        """Take over a session; nothing is written yet."""
        self.session, self.folder, self.display, self.flag = session, folder, display, flag
        self.config, self.learner, self.progress = session.config, session.learner, session.progress
        self._kept = contextlib.ExitStack()
        self._kept.callback(self.learner.close)
        self._curves = Curves(folder / CURVES_NAME)
        self._kept.callback(self._curves.close)

    @classmethod
    def start(cls, config: Config, folder: Path, display: Display, flag: InterruptFlag) -> "TrainingRun":
        """Start a run in a folder that does not hold one yet.

        Raises:
            ConfigError: The folder already holds a run, or cannot be made; or the config names something missing.
            ShengjiError: Another process uses the folder.
        """
        kind_of(config).load().check(config)
        with contextlib.ExitStack() as stack:
            stack.enter_context(take_new(folder))
            check_unused(folder)
            run = cls(new_session(config), folder, display, flag)
            run.save()
            describe(folder, run.session)
            run._kept.enter_context(stack.pop_all())
        return run

    @classmethod
    def resume(
        cls, folder: Path, overrides: Sequence[str], display: Display, flag: InterruptFlag, *, trusts_file: bool = False
    ) -> "TrainingRun":
        """Resume a run from its latest checkpoint; ``overrides`` may change what leaves it compatible.

        Code that the checkpoint names may run only if the file is trusted.

        Raises:
            CheckpointError: There is no checkpoint, or it is not compatible.
            ConfigError: An override is invalid, or changes a key that is fixed for the run; or the config's file was
                edited.
            ShengjiError: Another process uses the folder.
        """
        path = checkpoint_of(folder)
        if not path.is_file():
            raise CheckpointError(f"no checkpoint at {path}")
        with contextlib.ExitStack() as stack:
            stack.enter_context(lock_folder(folder))
            checkpoint = read_checkpoint(path)
            saved = config_of(checkpoint, path, trusts_file=trusts_file)
            config = override(saved, overrides)
            check_settled(saved, config)
            check_unedited(folder / CONFIG_NAME, saved, config)
            run = cls(restored(checkpoint, config, path), folder, display, flag)
            run._report_resuming(checkpoint)
            if config != saved:
                run.save()  # the file is the checkpoint's config at any moment
            describe(folder, run.session)
            run._kept.enter_context(stack.pop_all())
        return run

    def __enter__(self) -> "TrainingRun":
        return self

    def __exit__(self, *_: object) -> None:
        self._kept.close()

    def learn(self) -> bool:
        """Learn until the budget is used up, and save; return False if the user stopped it first."""
        try:
            for stage in self.learner.stages:
                self._learn_in(stage)
            finished = True
        except Interrupted:
            finished = False
        self.save()
        self.learner.export(self.folder)
        return finished

    def finish(self) -> bool:
        """Play the final match-ups and write the report; return False if the user stopped them."""
        try:
            matchups = self.evaluate(self.config.evaluation.final_deals)
            player = self.learner.export(self.folder)
            ablation = ablate(make_player(player), self.config, self._watch)
        except Interrupted:
            return False
        self.display.end()
        result = result_of(self.session, matchups, ablation)
        write_result(self.folder, result)
        print_result(self.display.console, result, main_stage(self.learner.stages).name)
        for finding in self.learner.findings:
            self.display.line(finding)
        self.display.line(f"learning curve: {draw_curve(self.folder, self.session, matchups)}")
        rules, num_deals = self.config.environment.rules, self.config.evaluation.final_deals
        self.display.line(f"evaluate it with: {arena_command(player, rules=rules, num_deals=num_deals)}")
        return True

    def save(self) -> None:
        """Write the checkpoint; a learner that has diverged is not saved, and all that is exported is saved first.

        Raises:
            ShengjiError: A number that was learned is not finite.
        """
        self.progress.checkpointed_at = self.progress.seconds
        checkpoint = capture(self.session)
        check_finite(checkpoint.arrays)
        write_checkpoint(checkpoint_of(self.folder), checkpoint)

    def evaluate(self, num_deals: int) -> list[Matchup]:
        """Play duplicate match-ups of the present network against each of `OPPONENTS`.

        Raises:
            Interrupted: The user asked to stop.
        """
        player, matchups = make_player(self.learner.export(self.folder)), []
        for name in OPPONENTS:
            matchups.append(play_duplicate(player, name, num_deals, self.config, self._watch(f"against {name}")))
        return matchups

    def _watch(self, title: str) -> MatchupWatch:
        """Show a title, and return a function that shows a match-up's progress and ends it if the user asks."""
        self.display.begin(title)

        def watch(played: float, num_deals: int) -> None:
            self.flag.check()
            self.display.update(played / num_deals, {})

        return watch

    def _learn_in(self, stage: Stage) -> None:
        """Go through what is left of a stage."""
        own = self.progress.of(stage)
        if own.done(stage) >= 1:
            return
        stage.get_ready()
        self.display.begin(stage.name, own.done(stage))
        while own.done(stage) < 1:
            self._evaluate_when_due(stage)
            self._collect_and_update(stage)
            self._show(stage)
            self._save_when_due()
            self.flag.check()

    def _collect_and_update(self, stage: Stage) -> None:
        """Let the learner learn once; what an interrupted call collected is lost."""
        own = self.progress.of(stage)
        started, done = time.perf_counter(), own.done(stage)
        collected = stage.collect(done, self.flag.check)
        began_update = time.perf_counter()
        metrics = stage.update(done)
        check_finite({name: value for name, value in metrics.items() if not math.isnan(value)})
        ended = time.perf_counter()
        own.add(collected, update=ended - began_update, seconds=ended - started)
        self.progress.history.append(self.progress.row(stage) | metrics)
        self._curves.add(stage.name, metrics, self.progress.amount)

    def _evaluate_when_due(self, stage: Stage) -> None:
        every, progress = self.config.evaluation.every_seconds, self.progress
        is_due = not progress.matchups or progress.seconds - progress.evaluated_at >= every
        if not stage.has_matchups or every == 0 or not is_due:
            return
        if progress.seconds > progress.checkpointed_at:
            self.save()
        started, own = time.perf_counter(), progress.of(stage)
        if stage.untrained and own.amount == 0:
            self.display.line(stage.untrained)
        for matchup in self.evaluate(self.config.evaluation.deals):
            progress.matchups.append(progress.row(stage) | {"opponent": matchup.opponent} | matchup.to_json())
            self.display.line(f"after {progress.seconds:6.0f} s, {own.amount:12,} {stage.unit}: {matchup}")
            metrics = {"levels": matchup.result.levels_per_round, "level_rate": matchup.result.level_rate}
            self._curves.add(f"against {matchup.opponent}", metrics, progress.amount)
        spent = time.perf_counter() - started
        progress.evaluation_seconds += spent
        own.seconds += spent
        progress.evaluated_at = progress.seconds
        self.save()
        self.display.begin(stage.name, own.done(stage))

    def _report_resuming(self, checkpoint: Checkpoint) -> None:
        progress, main = self.progress, main_stage(self.learner.stages)
        done = f"{progress.seconds:.0f} s and {progress.of(main).amount:,} {main.unit} of {main.name} done"
        self.display.line(f"resuming {self.folder}: {done}")
        if checkpoint.meta.get("libraries") != self.session.libraries:
            self.display.line("library versions differ from the checkpoint's: the run is resumed, but not bit for bit")

    def _save_when_due(self) -> None:
        if self.progress.seconds - self.progress.checkpointed_at >= self.config.checkpoint.every_seconds:
            self.save()

    def _show(self, stage: Stage) -> None:
        """Show what the last update brought, and the last match-up."""
        progress, own = self.progress, self.progress.of(stage)
        shown = {stage.unit: f"{own.amount:,}", f"{stage.unit}/s": f"{own.per_second:,.0f}"}
        shown |= in_words(progress.history[-1], stage.shown)
        if progress.matchups:
            last = progress.matchups[-1]
            when = " before learning" if stage.untrained and last["amount"] == 0 else ""
            shown[f"vs {last['opponent']}{when}"] = f"{last['levels_per_round']:+.2f}"
        self.display.update(own.done(stage), shown)


def in_words(metrics: Mapping[str, float], names: Sequence[str]) -> dict[str, str]:
    """Return the metrics that were measured, as they are shown."""
    measured = {name: metrics[name] for name in names if math.isfinite(metrics.get(name, math.nan))}
    return {name.replace("_", " "): f"{value:.3f}" for name, value in measured.items()}
