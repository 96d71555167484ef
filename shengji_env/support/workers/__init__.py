"""Workers: tasks that depend on nothing but themselves, done on all cores of this machine or on Ray.

| where | what |
|---|---|
| `jobs.py` | what is done with a task; the protocol of executors |
| `pools.py` | this process, worker processes, and what chooses between them |
| `on_ray.py` | Ray, on this machine or a cluster |
| `ranges.py` | a folder of files with a range of rounds in each, filled by them; its file of settings |

Tournaments (`shengji_env.arena`) and datasets (`shengji_env.datasets`) are made here.
"""
