"""Records as something to look at: the views of a round ply by ply, and the replay page.

The page holds the open view at the beginning of each round, and for each decision what it changes
(``changes``: objects are merged key by key, anything else is replaced).

Source: docs/pictures.md.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Phase
from shengji_env.errors import RecordError
from shengji_env.records.reading import RecordReader, ReplayedRound, begin_transcript
from shengji_env.records.transcript import Transcript
from shengji_env.render.page import framed, inline_page
from shengji_env.render.public_history import history_of_record
from shengji_env.render.view import View, view_table

REPLAY_FORMAT = "shengji-replay/1"
_FRAME_HEIGHT = 720
"""Height of the page in a notebook, in pixels."""


@dataclass(frozen=True)
class Beside:
    """Another player on the deal of a round."""

    name: str
    """What it is called."""
    differences: tuple[int, ...]
    """Plies at which it does something else; after those of another table, the tables cannot be compared."""
    table: Mapping[str, Any] | None
    """Its own round, in the form of the page's; None: it is asked at the decisions of this one."""


@dataclass(frozen=True)
class Replay:
    """The rounds of a record, checked; in a notebook it shows itself as the replay page."""

    rules: RuleSet
    """The rules of all rounds."""
    players: tuple[str, ...]
    """Who sits in the four seats, if a round does not say otherwise."""
    rounds: tuple[ReplayedRound, ...]
    """The rounds, at least one."""
    reviews: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """Reviews of rounds, by the number of their line (`review`)."""
    beside: Mapping[int, Beside] = field(default_factory=dict)
    """Other players on the deals of rounds, by the number of their line."""
    first_number: int = 1
    """Number of the first round, for rounds outside matches."""

    @staticmethod
    def read(file: str | Path) -> "Replay":
        """Read a record from a file.

        Raises:
            RecordError: the record is wrong, or has no round.
        """
        return Replay.of(file)

    @staticmethod
    def of(lines: Iterable[str] | str | Path) -> "Replay":
        """Read a record from its lines, or from the file of a path.

        Raises:
            RecordError: the record is wrong, or has no round.
        """
        reader = RecordReader(lines)
        rounds = tuple(reader)
        if not rounds:
            raise RecordError("the record has no round to show")
        return Replay(reader.rules, tuple(reader.players), rounds)

    def names_of(self, replayed: ReplayedRound) -> tuple[str, ...]:
        """Return who sits in the four seats in a round."""
        return tuple(replayed.record.get("players", self.players))

    def views(self, replayed: ReplayedRound, *, viewer: int | None = None) -> Iterator[View]:
        """Yield what a viewer sees before each decision of a round, and at its end."""
        transcript = begin_transcript(replayed.record, self.rules)
        names = self.names_of(replayed)
        yield view_transcript(transcript, viewer=viewer, names=names)
        num_decisions = 0
        for action in replayed.actions:
            transcript.make(action)
            if len(transcript.decisions) > num_decisions:
                num_decisions = len(transcript.decisions)
                yield view_transcript(transcript, viewer=viewer, names=names)

    def to_json(self) -> dict[str, Any]:
        """Return what the replay page shows."""
        rounds = [self.round_json(replayed) for replayed in self.rounds]
        head = {"format": REPLAY_FORMAT, "rules": str(self.rules), "first_number": self.first_number}
        return {**head, "rounds": rounds, "settings": self._settings()}

    def _settings(self) -> dict[str, int]:
        """Return where the page begins: at the first difference, if there is one."""
        for number, replayed in enumerate(self.rounds):
            if replayed.line in self.beside and self.beside[replayed.line].differences:
                return {"round": number, "ply": self.beside[replayed.line].differences[0]}
        return {}

    def round_json(self, replayed: ReplayedRound) -> dict[str, Any]:
        """Return what the replay page shows of a round."""
        views = [view.to_json() for view in self.views(replayed)]
        changes = [change_of(before, after) for before, after in pairwise(views)]
        record: Mapping[str, Any] = replayed.record
        return {
            "start": views[0],
            "changes": changes,
            **{name: record[name] for name in ("levels", "trump", "decisions", "tricks", "result")},
            "table": record.get("table"),
            "rebels": [deal["decisions"][-1]["seat"] for deal in record.get("abandoned", ())],
            "review": self.reviews.get(replayed.line),
            "beside": asdict(self.beside[replayed.line]) if replayed.line in self.beside else None,
        }

    def html(self, title: str = "升级 Shengji") -> str:
        """Return the replay page, a whole HTML file."""
        return inline_page(title, "replay.js", {"replay": self.to_json()})

    def _repr_html_(self) -> str:
        return framed(self.html(), _FRAME_HEIGHT)


def view_transcript(transcript: Transcript, *, viewer: int | None = None, names: tuple[str, ...] = ()) -> View:
    """Return what a viewer sees of a round that is being replayed."""
    public = history_of_record(transcript.public_record(), is_over=transcript.phase == Phase.OVER)
    return view_table(transcript.states[0], transcript.rules, viewer=viewer, names=names, public=public)


def change_of(before: Any, after: Any) -> Any:
    """Return what makes `after` of `before`: of objects only the parts that differ."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return after
    return {name: change_of(before.get(name), value) for name, value in after.items() if before.get(name) != value}
