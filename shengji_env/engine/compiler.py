"""What compiled code is made with: Numba and llvmlite. Where they are not installed, all code is plain Python.

Then it runs as with Numba's JIT off: the same results, many times slower. Everything below `compile.py` takes Numba's
parts from here; those that only compiling calls are stood in for by an object that does nothing.
"""

import importlib.util
import warnings
from typing import Any

HAS_NUMBA = all(importlib.util.find_spec(name) for name in ("numba", "llvmlite"))
"""Whether code can be compiled here."""

if HAS_NUMBA:
    from llvmlite import ir
    from numba import prange, typeof
    from numba.core import cgutils, config, types
    from numba.core.cpu import CPUContext
    from numba.core.errors import TypingError
    from numba.extending import intrinsic
    from numba.np.arrayobj import make_array, populate_array
else:

    class _Absent:
        """Stands for anything of a library that is not installed: what is asked of it, and what it returns."""

        def __getattr__(self, name: str) -> "_Absent":
            return self

        def __call__(self, *arguments: Any) -> "_Absent":
            return self

    _absent: Any = _Absent()
    ir = cgutils = config = types = intrinsic = typeof = make_array = populate_array = _absent
    CPUContext = TypingError = _absent  # type: ignore[misc]  # they are classes
    prange = range

IS_PLAIN = not HAS_NUMBA or bool(config.DISABLE_JIT)
"""Whether all code is plain Python."""

if IS_PLAIN:  # Random words wrap by design; NumPy says so where code is not compiled.
    warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning, r"shengji_env\.engine\.(deal|words)$")

compiled: list[str] = []
"""Functions that this process has compiled, and not loaded."""
unsaved: list[str] = []
"""Those of them that it could not save."""

__all__ = [
    "HAS_NUMBA", "IS_PLAIN", "CPUContext", "TypingError", "cgutils", "compiled", "config", "intrinsic", "ir",
    "make_array", "populate_array", "prange", "typeof", "types", "unsaved",
]  # fmt: skip
