"""A round that has ended at a table, with what its page and the score sheet need."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.records.writing import record_header, record_line
from shengji_env.render.round_record import Round
from shengji_table.web.messages import ScoreLine


@dataclass(frozen=True)
class EndedRound:
    """A round that has ended."""

    number: int
    """Which round of the evening it is, from 1."""
    names: tuple[str, ...]
    """Who sat in the four seats at its end."""
    score: ScoreLine
    """Its line of the score sheet."""
    record: Round
    """Its line of the record."""

    def lines(self, rules: RuleSet) -> list[str]:
        """Return the round alone as a record."""
        alone = {name: value for name, value in self.record.items() if name != "match_round"}
        return [record_line(record_header(rules, self.names, None)), record_line(alone)]

    def num_substituted(self) -> dict[str, int]:
        """Return how many decisions substitutes have made, by seat."""
        counts = Counter(str(step["seat"]) for step in self.record["decisions"] if "by" in step)
        return dict(sorted(counts.items()))


def record_of(rounds: Sequence[EndedRound], rules: RuleSet, names: tuple[str, ...]) -> str:
    """Return the rounds of a table, with who sat there last, as the record that a server keeps of it."""
    lines = (line_of_round(ended.names, ended.record) for ended in rounds)
    return "".join([record_line(record_header(rules, names, None)), *lines])


def line_of_round(names: tuple[str, ...], record: Round) -> str:
    """Return a round's line in the record of a session."""
    return record_line({"table": 0, "players": list(names), **record})
