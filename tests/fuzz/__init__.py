"""Fuzzing: whatever a user hands in is taken or refused with an error of ours, and nothing else happens.

| module | what it decides |
|---|---|
| `target` | what a target is, and the one property: taken or `ShengjiError`, in bounded memory and time |
| `values`, `alterations` | hostile values; how valid texts, documents, bytes and arrays are altered |
| `rules`, `questions`, `environments`, `files`, `players`, `commands` | what is handed in where |
| `targets` | the table of all targets |
| `child` | runs targets in a process of their own, and keeps a trail by which a crash is found again |
| `__main__` | ``python -m tests.fuzz``: a child a target, the table of counts, the exit code |

    make fuzz                                       # 100,000 cases: minutes
    make fuzz CASES=1000000 ARGS="--seed 7"
    python -m tests.fuzz --cases 5000 records snapshots

The same seed and cases give the same inputs. A failure is named by its error and the line of ours that raised it, and
shown once, with its shortest input.
"""
