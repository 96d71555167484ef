"""Fuzzing: whatever a user hands in is either taken or refused with an error of ours; nothing else may happen.

| module | contents |
|---|---|
| `target` | what a target is, and the one property: taken or `ShengjiError`, in bounded memory and time |
| `values`, `alterations` | hostile values; how valid texts, documents, bytes and arrays are altered |
| `rules`, `questions`, `environments`, `files`, `players`, `commands` | the inputs of each part of the package |
| `targets` | the table of all targets |
| `child` | runs targets in a separate process, and keeps a trail from which a crash can be reproduced |
| `__main__` | ``python -m tests.fuzz``: one child per target, the table of counts, the exit code |

    make fuzz                                       # 100,000 cases: minutes
    make fuzz CASES=1000000 ARGS="--seed 7"
    python -m tests.fuzz --cases 5000 records snapshots

The same seed and cases give the same inputs. A failure is identified by its error and the line of our code that raised
it; it is shown once, with its shortest input.
"""
