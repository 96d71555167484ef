"""The batch environment under its public name."""

from shengji_env.envs.batch import ShengjiVectorEnv

__all__ = ["ShengjiVectorEnv"]
