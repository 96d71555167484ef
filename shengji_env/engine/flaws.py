"""Flaws: what may be wrong with a state that comes from outside, by number and in words (`validation.py`)."""

FLAWS = (
    "",
    "its phase is not one in which a seat decides",
    "its levels, declarer, first drawer, redeals or round numbers are impossible at the start of a round",
    "its deal does not hold each card as often as it is dealt",
    "its bidding is impossible",
    "its trumps cannot be named under these rules",
    "its buried cards are not as many as the kitty, or not from the hands of those who took it up",
    "its played cards are not whole tricks from the hands",
    "its attackers' points cannot have been won",
    "its known cards are not in the hands",
    "its voids name suits that are still held",
    "its decision under way or its trick cannot be played",
)
"""What `validation.rebuild` may find wrong, by its number; 0 if nothing is."""
(
    SOUND, BAD_PHASE, BAD_START, BAD_DEAL, BAD_BIDDING, BAD_TRUMP, BAD_BURIED, BAD_PLAYED, BAD_POINTS, BAD_KNOWN,
    BAD_VOIDS, BAD_PLAY,
) = range(len(FLAWS))  # fmt: skip
