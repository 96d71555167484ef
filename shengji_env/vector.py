"""The batch environment under its public name, and whole rounds of random play."""

from shengji_env.envs.batch import BatchEnv
from shengji_env.tables.random_rounds import random_rounds

__all__ = ["BatchEnv", "random_rounds"]
