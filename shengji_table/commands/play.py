"""``shengji play [P P P P]``: play at a table, or watch one."""

import argparse
import contextlib
import sys
from pathlib import Path
from typing import TextIO

import numpy as np

from shengji_env.arena.deal_batch import DealBatch
from shengji_env.cli.commands import DEFAULT_PLAYERS, RULES_HELP, add_language, check_seats, note_other_rules
from shengji_env.cli.compiled_parts import parts_of_table
from shengji_env.cli.option_types import file_path, number, whole_number
from shengji_env.cli.saved_rules import named_rules
from shengji_env.engine.rule_sets import DEFAULT_RULES, NUM_SEATS, RuleSet
from shengji_env.engine.state import Phase
from shengji_env.errors import ShengjiError
from shengji_env.players.human import HumanPlayer
from shengji_env.players.human.terminal import Terminal
from shengji_env.players.player import Player
from shengji_env.players.registry import make_player, players_help
from shengji_env.records.writing import finished_round, record_header, record_line, round_line, round_so_far
from shengji_env.render import explain_rules, render_record
from shengji_env.support.announcing import get_ready
from shengji_env.support.arguments import check_seed
from shengji_env.support.whole_files import open_text

DESCRIPTION = """\
Sit at a table and play, or watch others. Seats are 0 1 2 3 in turn order, counter-clockwise; 0 and 2 are partners
against 1 and 3. A round is dealt, and on a terminal you are asked whether to go on with the next one of the match.
"""
EPILOG = f"""\
players, by seat (default: {" ".join(DEFAULT_PLAYERS)}):
{players_help()}
  You type cards as H3 H3 or h 3 3, a whole play on one line; ? explains all that you can do.

{RULES_HELP}; `shengji rules` explains them

exit code:
  0   all is well
  2   an error: a player that raises or answers illegally is one
  130 you left; what --record holds by then stays

examples:
  shengji play
  shengji play human search:100 heuristic search:100
  shengji play heuristic human greedy greedy --rules one_deck --seed 7
  shengji play 'human?name=Ann' heuristic 'human?name=Bo' heuristic --match --record evening.jsonl
  shengji play heuristic heuristic greedy greedy --open --pause 0.5
  shengji replay evening.jsonl
"""
_LONGEST_PAUSE = 3600.0
_MENU = "Enter: the next round · tricks · rules · quit > "


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("players", metavar="P", nargs="*", help="four players, by seat")
    parser.add_argument("--rules", default=DEFAULT_RULES, metavar="P", help=f"rule set ({DEFAULT_RULES})")
    parser.add_argument(
        "--seed", type=whole_number, metavar="S", help="seed of deals and random words (a random one, printed)"
    )
    parser.add_argument(
        "--match", action="store_true", help="play a whole match; without it you are asked after each round"
    )
    parser.add_argument("--record", type=file_path, metavar="FILE", help="write every finished round as a line of JSON")
    add_language(parser, "what is told of a round")
    parser.add_argument("--open", action="store_true", help="show all hands")
    parser.add_argument("--pause", type=number, default=0.0, metavar="SECONDS", help="wait after each line printed (0)")


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    texts = tuple(arguments.players) or DEFAULT_PLAYERS
    check_seats(texts)
    if not 0 <= arguments.pause <= _LONGEST_PAUSE:
        raise ShengjiError(f"pause={arguments.pause:g} must be from 0 to {_LONGEST_PAUSE:g} seconds")
    if arguments.seed is not None:
        check_seed(arguments.seed)
    rules = named_rules(arguments.rules)
    get_ready(parts_of_table(texts), "what the table needs")
    players = tuple(make_player(text) for text in texts)
    note_other_rules(players, rules)
    seed = arguments.seed
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    with contextlib.ExitStack() as stack:
        record: TextIO | None = None
        if arguments.record is not None:
            record = stack.enter_context(_new_file(arguments.record))
            record.write(record_line(record_header(rules, [player.name for player in players], seed)))
        table = _Table(players, rules, seed, record, is_open=arguments.open, pause=arguments.pause)
        table.terminal.language = arguments.language
        try:
            table.play(is_match=arguments.match)
        except KeyboardInterrupt:
            kept = f"{arguments.record} holds the rounds that were finished; " if record is not None else ""
            print(f"\n{kept}the round is left: --seed {seed} begins again with the same cards", file=sys.stderr)
            raise


def _new_file(path: Path) -> TextIO:
    try:
        return open_text(path, "x")
    except FileExistsError:
        raise ShengjiError(f"{path} is there already, and would be lost: choose another name, or delete it") from None


class _Table:
    """One table with its players and the terminal.

    Args:
        players: by seat.
        rules: the rules.
        seed: seed of deals and random words; the rounds are those of match 0, as in the arena.
        record: where finished rounds are written to.
        is_open: whether all hands are shown.
        pause: seconds to wait after each line about the round.
    """

    def __init__(
        self,
        players: tuple[Player, ...],
        rules: RuleSet,
        seed: int,
        record: TextIO | None,
        *,
        is_open: bool,
        pause: float,
    ) -> None:
        self.rules, self.seed, self.record, self.is_open = rules, seed, record, is_open
        lineup = np.arange(NUM_SEATS)[None]
        self.batch = DealBatch(players, rules, seed, range(1), is_match=True, lineup=lineup)
        self.terminal = Terminal()
        self.terminal.names = [player.name for player in players]
        self.terminal.pause = pause
        if is_open:
            self.terminal.reveal = lambda: self.batch.env.states[0]
        for player in players:
            if isinstance(player, HumanPlayer):
                player.terminal = self.terminal

    def play(self, *, is_match: bool) -> None:
        """Play a round, and more rounds of the match as long as the person wants."""
        seats = " · ".join(f"{seat} {name}" for seat, name in enumerate(self.terminal.names))
        self.terminal.say(f"{self.rules} · seats {seats} · --seed {self.seed} deals these cards again")
        for _, finished in self.batch.play():
            if len(finished):
                self._end_round()
                if not self._goes_on(is_match=is_match):
                    return
            else:
                self._tell()

    def _tell(self) -> None:
        """Print what has just happened, once a decision is complete."""
        env = self.batch.env
        if env.states["taken_size"][0] == 0:
            self.terminal.tell(round_so_far(env.tables, 0).public_record(), self.rules)
            if self.is_open and not self.batch.persons and env.phase[0] in (Phase.BURY, Phase.LEAD):
                self.terminal.show_table(env.states[0], self.rules, None)

    def _end_round(self) -> None:
        """Show a round that has ended, and record it."""
        env = self.batch.env
        if self.record is not None:
            self.record.write(round_line(env, 0, self.batch.names(0)))
            self.record.flush()
        self.terminal.show_result(env.tables.logs[0]["finished_state"], finished_round(env), self.rules, None)

    def _goes_on(self, *, is_match: bool) -> bool:
        """Return whether to play another round; a person at a terminal is asked."""
        if self.batch.env.result["match_over"][0]:
            return False
        if is_match or not (self.batch.persons and self.terminal.is_interactive):
            return is_match
        with contextlib.suppress(KeyboardInterrupt):
            while (command := self.terminal.ask(_MENU).lower()) not in ("q", "quit", "exit"):
                if not command:
                    return True
                self._run_command(command)
        return False

    def _run_command(self, command: str) -> None:
        terminal = self.terminal
        if command == "tricks":
            record = finished_round(self.batch.env)
            terminal.say(render_record(record, self.rules, players=terminal.names, color=terminal.color))
        elif command == "rules":
            terminal.say(explain_rules(self.rules, terminal.language))
