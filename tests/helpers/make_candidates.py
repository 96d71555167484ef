"""Pin the digests of the candidates: ``python -m tests.helpers.make_candidates``. Raise CANDIDATES_VERSION first."""

import json
from pathlib import Path

import shengji_env.players.candidates
from shengji_env.engine.rule_sets import PRESETS
from shengji_env.players.candidates import ALL_RULES, CANDIDATES_VERSION, candidates_digest, digest_of_all_rules

PINNED = Path(shengji_env.players.candidates.__file__).parent / "digests.json"
FORCED_RULES = "two_deck(failed_throw=next_seat_chooses)"
RULES = (*PRESETS, FORCED_RULES)


def main() -> None:
    digests = {rules: candidates_digest(rules) for rules in RULES} | {ALL_RULES: digest_of_all_rules()}
    PINNED.write_text(json.dumps({"version": CANDIDATES_VERSION, "digests": digests}, indent=2) + "\n")


if __name__ == "__main__":
    main()
