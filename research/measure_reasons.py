"""How much the reasons of reviews explain, and the weights that they use, by regression over recorded rounds.

```bash
shengji arena heuristic greedy --deals 300 --seed 77 --record rounds.jsonl
python -m research.measure_reasons rounds.jsonl                 # weights (`shengji_table.reasons.splitting.WEIGHTS`)
python -m research.measure_reasons rounds.jsonl --decisions 500 # what the first 500 decisions are explained by
```

A decision counts if `champion` values the best candidate by LEAST levels more than the one that was played, or, where
that was the best, than the second.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from rich.progress import track

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import RecordError
from shengji_env.records.reading import RecordReader
from shengji_env.support.text_files import open_text
from shengji_table.reasons.explaining import Explainer, reason_of
from shengji_table.reasons.splitting import WEIGHTS, Courses, split
from shengji_table.review import as_valuer
from shengji_table.valuing.charging import LEAST_COST
from shengji_table.valuing.reviewed_decisions import choices_of


def courses_of(record: Path) -> Iterator[tuple[RuleSet, Courses]]:
    """Yield what becomes of the best play and another one at the decisions of a record, with its rules."""
    with open_text(record, RecordError) as file:
        reader = RecordReader(file)
        valuer, explainer = as_valuer(None, reader.rules), Explainer(reader.rules)
        for replayed in reader:
            for choice in choices_of(reader.rules, replayed):
                values = valuer.value(choice)
                best, second = np.argsort(-values, kind="stable")[:2].tolist()
                other = choice.played if choice.played != best else second
                if values[best] - values[other] >= LEAST_COST:
                    yield reader.rules, explainer.courses(choice, best, other)


def fit(decisions: Sequence[tuple[RuleSet, Courses]]) -> dict[str, list[float]]:
    """Return the weights by which what is kept explains what later tricks bring, and the variance explained, R²."""
    inputs, later = [], []
    for rules, courses in decisions:
        better, worse = courses
        if (better["takes"] == worse["takes"]).all() and not better["trumps"].any():
            continue  # no trick has ended before the last one, or it is no play
        parts = split(courses, rules)
        later.append(parts["later"] + sum(parts[name] for name in WEIGHTS))
        gaps = [(better[name].astype(float) - worse[name]).mean(axis=0) for name in WEIGHTS]
        inputs.append(np.concatenate(gaps))
    targets = np.array(later)
    weights, *_ = np.linalg.lstsq(np.array(inputs), targets, rcond=None)
    left = targets - np.array(inputs) @ weights
    found = {name: part.round(3).tolist() for name, part in zip(WEIGHTS, weights.reshape(-1, 2), strict=True)}
    return found | {"R2": [1 - float(left @ left / (targets @ targets))]}


def main() -> None:
    """Print the weights, or what decisions are explained by."""
    parser = argparse.ArgumentParser(prog="python -m research.measure_reasons", description=main.__doc__)
    parser.add_argument("record", type=Path)
    parser.add_argument("--decisions", type=int, metavar="N", help="explain the first N instead")
    arguments = parser.parse_args()
    found = list(track(islice(courses_of(arguments.record), arguments.decisions), total=arguments.decisions))
    if arguments.decisions is None:
        print(len(found), "decisions", fit(found))
        return
    reasons = [reason_of(courses, rules) for rules, courses in found]
    sure = [reason for reason in reasons if reason.kind not in ("unsure", "against")]
    shares = [min(1.0, max(reason.parts.values()) / reason.difference) for reason in sure]
    print(f"{len(reasons)} decisions, a difference of {np.mean([each.difference for each in reasons]):.3f} levels")
    print(f"{len(sure)} of them beyond two standard errors; the largest part explains {np.mean(shares):.3f} on average")
    print(Counter(reason.kind for reason in reasons).most_common())


if __name__ == "__main__":
    main()
