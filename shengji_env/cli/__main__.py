"""``python -m shengji_env.cli`` is ``shengji``."""

import sys

from shengji_env.cli import main

sys.exit(main())
