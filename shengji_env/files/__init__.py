"""Files: input from others is read within limits and with clear errors; output is written whole or not at all."""
