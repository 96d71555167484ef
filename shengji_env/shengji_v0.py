"""Shengji for PettingZoo: ``shengji_v0.env()``; see `shengji_env.envs.aec`.

>>> from shengji_env import shengji_v0
>>> env = shengji_v0.env(render_mode="ansi")
>>> env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.last()
"""

from shengji_env.envs.aec import env, raw_env

__all__ = ["env", "raw_env"]
