"""Environments: what agents see, do and are rewarded with, one table at a time and many at once.

Floor: uses `render` and `engine`.
"""
