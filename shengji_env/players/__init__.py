"""Players: what sits at a table. None needs torch."""
