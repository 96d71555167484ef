"""Fuzzing: whatever a user hands in is either taken or refused with an error of ours; nothing else may happen.

| module | contents |
|---|---|
| `test_….py` | the targets, which are Hypothesis tests: what is handed in, and what takes it |
| `values`, `alterations` | strategies: hostile values; how valid texts, documents, bytes and arrays are altered |
| `files`, `players` | what several targets need |
| `target` | the one property: taken or `ShengjiError`, in bounded memory and time |
| `conftest` | how many cases each target gets; the report of a crash |
| `faulty` | targets that go wrong, for the test that faults are reported |

    make fuzz                                                   # 100,000 cases
    make fuzz CASES=1000000 ARGS="--hypothesis-seed 7"
    make fuzz CASES=5000 ARGS="-k 'records or networks' --hypothesis-show-statistics"

The same seed and cases give the same inputs. A failure is shown with the input to which Hypothesis shrank it, which the
next run tries first. A crash or an endless loop in compiled code ends only its own test, since pytest-xdist starts
another process; its input, not shrunk, is in the report and in `build/fuzz/`.
"""
