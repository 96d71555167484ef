"""Records: rounds and matches as JSON lines, written and read back."""
