"""Players that think for minutes once they have left a mark: ``tests.helpers.thinkers:Thinker?mark=FILE``."""

from pathlib import Path

from shengji_env.players.search import SearchPlayer


class Thinker(SearchPlayer):
    """`search` in compiled code that nothing interrupts."""

    def __init__(self, mark, threads=1):
        super().__init__(100_000, threads=threads, candidates=1000)
        self.mark = str(mark)
        self.name = "thinker"

    def decide(self, decisions):
        Path(self.mark).touch()
        return super().decide(decisions)
