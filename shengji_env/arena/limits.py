"""Upper limits, far above any real use: they catch typing mistakes before these fill the memory."""

MAX_DEALS = 10**7
"""Most deals of a pair: a day of the fastest players on one core."""
MAX_PLAYERS = 64
"""Most players of a tournament, and most that a process keeps."""
MAX_AT_ONCE = 10_000
"""Most deals of a chunk: they take gigabytes of memory, and run no faster than a tenth as many."""
