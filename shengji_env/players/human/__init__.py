"""A person as a player: asked at the terminal, for whole plays.

| where | what |
|---|---|
| this module | what is shown and asked |
| `terminal.py` | the streams, and what has been printed on them |

A person sees what the seat to move may know (`Decisions`): the table, and what has been bid and played since. What may
be answered is decided in `players/answers.py`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import PASS
from shengji_env.engine.play import as_play
from shengji_env.engine.referee import format_cards
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.state import Phase
from shengji_env.errors import IllegalActionError, NotationError, PlayerError
from shengji_env.players.answers import Answer, Decision
from shengji_env.players.decisions import Decisions
from shengji_env.players.human.terminal import Terminal
from shengji_env.players.player import Needs, Player
from shengji_env.players.whole_plays import next_action
from shengji_env.render import explain_rules, render_tricks
from shengji_env.render.round_record import PublicRound, Round
from shengji_env.render.table_text import TASKS
from shengji_env.render.text import seat_text

DEFAULT_NAME = "human"
_REMEMBERED = 256
"""Plays kept while their cards are taken one by one."""
_MAY_PASS = (Phase.BID, Phase.REBEL)
_HELP = """\
  cards     H3 H3 or h 3 3 or ♥33: suit (C D H S), then ranks (T or 10 for ten); LJ and BJ are the jokers
            a whole play is written on one line: h 3 3 4 4, or ha hk for a throw 甩牌
  pass      no bid: you are asked again when you can bid something else, and when all cards are drawn
  wait      no bid for now: you are asked again with your next card
  rebel     a weak hand is not played: the cards are dealt again
  hint      what the player `heuristic` would do
  table     the table again          hand   your cards alone
  tricks    the tricks so far        rules  the rules of this game
  quit      leave (Ctrl-C and Ctrl-D too)"""
_HINT = "  type cards such as h 3 3 (a whole play on one line), or ? for help"


class HumanPlayer(Player):
    """A player that asks a person.

    Args:
        name: the person's name in reports.
        terminal: where the person sits; None: a new terminal on standard input and output.
    """

    needs = Needs.POSITIONS | Needs.RECORDS | Needs.PERSON

    def __init__(self, name: str = DEFAULT_NAME, *, terminal: Terminal | None = None) -> None:
        if not isinstance(terminal, Terminal | None):
            raise PlayerError(f"terminal={terminal!r} is not a terminal")
        self.name = str(name)
        self.terminal = terminal or Terminal()
        self._plays: dict[bytes, NDArray[np.int8]] = {}
        self._passed: dict[int, tuple[int, int, int, bytes]] = {}
        self._seat: int | None = None
        self._has_begun = False

    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Choose actions, shape (B,).

        Raises:
            KeyboardInterrupt: the person leaves.
        """
        return np.array([self._answer_one(decisions, row) for row in range(len(decisions))], np.int64)

    def show_result(self, state: Any, record: Round, rules: RuleSet) -> None:
        """Show the end of a round (`Player.show_result`)."""
        self.terminal.show_result(state, record, rules, self._seat)

    def _answer_one(self, decisions: Decisions, row: int) -> int:
        legal = np.flatnonzero(decisions.action_mask[row])
        if len(legal) == 1 and decisions.states["taken_size"][row]:
            return int(legal[0])
        decision, public = Decision(decisions, row), decisions.public_records[row]
        begin = decision.states.tobytes() + decisions.plays[row].tobytes()
        if begin not in self._plays or not decision.now["taken_size"][0]:  # a new decision is always asked
            answer = self._ask(decision, public)
            if isinstance(answer, int):
                return answer
            if len(self._plays) >= _REMEMBERED:
                self._plays.clear()
            self._plays[begin] = answer
        return int(next_action(decision.now, decision.mask, as_play(self._plays[begin])))

    def _ask(self, decision: Decision, public: PublicRound) -> Answer:
        """Show what is new, and ask until the answer is legal."""
        terminal = self.terminal
        self._seat = decision.seat
        terminal.tell(public, decision.rules)
        if decision.phase == Phase.BID and self._passed.get(decision.seat) == self._options(decision):
            return PASS
        if not self._has_begun:
            self._has_begun = True
            terminal.say("  (cards are written H3 H3 or h 3 3; ? is help)")
        terminal.show_table(decision.state, decision.rules, decision.seat)
        default = PASS if decision.phase in _MAY_PASS else decision.only_play()
        prompt = self._prompt(decision, default)
        while True:
            line = terminal.ask(prompt)
            if not line and default is not None:
                line = decision.text(default)
            answer = self._answer(line, decision, public)
            if answer is not None:
                return answer

    def _options(self, decision: Decision) -> tuple[int, int, int, bytes]:
        """Return what a pass holds for: the round and its deal, how far it has come, the possible bids.

        It has come to 1 once all cards are drawn, and further each time that the kitty has been taken up.
        """
        is_drawn = int(decision.state["drawn"]) == NUM_SEATS * decision.rules.hand
        come = int(is_drawn) + int(decision.state["num_takers"])
        return self.terminal.num_rounds, int(decision.state["redeals"]), come, decision.mask.tobytes()

    def _prompt(self, decision: Decision, default: Answer | None) -> str:
        texts = [TASKS[decision.phase]]
        if decision.phase in (Phase.BURY, Phase.FOLLOW):
            size = decision.rules.kitty if decision.phase == Phase.BURY else int(decision.state["lead_size"])
            texts.append(f"{size} card{'s' * (size != 1)}")
        if decision.options:
            texts.append(" | ".join(decision.options))
        if default is not None:
            texts.append(f"Enter: {decision.text(default)}")
        who = seat_text(decision.seat, self.terminal.names)
        if not self.terminal.names and self.name != DEFAULT_NAME:
            who += f" {self.name}"
        return f"{who}, " + " · ".join(texts) + " > "

    def _answer(self, line: str, decision: Decision, public: PublicRound) -> Answer | None:
        """Return the answer on a line; None if the line is a command, or is refused."""
        if self._run_command(line.lower(), decision, public):
            return None
        if line.lower() in ("pass", "p", "wait", "w"):
            if decision.phase not in _MAY_PASS:
                self.terminal.say("  only bids and rebellions can be passed on")
                return None
            if decision.phase == Phase.BID and line.lower().startswith("p"):
                self._passed[decision.seat] = self._options(decision)
            return PASS
        try:
            return decision.read(line)
        except IllegalActionError as error:
            example = "for example" if decision.phase == Phase.FOLLOW else "possible"
            legal = f"; {example}: {' | '.join(error.legal)}" if error.legal else ""
            self.terminal.say(f"  {error.action} is refused: {error.reason}{legal}")
        except NotationError as error:
            self.terminal.say(f"  {error}")
        return None

    def _run_command(self, command: str, decision: Decision, public: PublicRound) -> bool:
        """Run a command; return whether it is one."""
        terminal = self.terminal
        if command == "":
            terminal.say(_HINT)
        elif command in ("?", "help"):
            terminal.say(_HELP)
        elif command == "hint":
            terminal.say(f"  heuristic: {decision.text(decision.hint())}")
        elif command == "hand":
            terminal.say(f"  {format_cards(decision.hand)}")
        elif command == "table":
            terminal.show_table(decision.state, decision.rules, decision.seat)
        elif command == "tricks":
            terminal.say(render_tricks(public, color=terminal.color) or "  no trick has been played")
        elif command == "rules":
            terminal.say(explain_rules(decision.rules, terminal.language))
        elif command in ("quit", "q", "exit"):
            terminal.quit()
        else:
            return False
        return True
