"""The batch environment under its public name, and whole rounds of random play."""

from shengji_env.envs.batch import ShengjiVectorEnv
from shengji_env.tables.random_rounds import random_rounds

__all__ = ["ShengjiVectorEnv", "random_rounds"]
