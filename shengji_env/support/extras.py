"""What a user is told who lacks an optional library."""

import importlib.metadata
import re


def install_hint(extra: str) -> str:
    """Return the command that installs what an extra of this package asks for, from the package's own metadata.

    It names the libraries, not the package, whose name on an index need not be ours.
    """
    try:
        required = importlib.metadata.requires("shengji-env") or []
    except importlib.metadata.PackageNotFoundError:  # imported from its sources, without being installed
        required = []
    marked = (text.partition(";") for text in required)
    wanted = [
        f"'{library.strip()}'" for library, _, marker in marked if re.search(rf"extra == ['\"]{extra}['\"]", marker)
    ]
    return f"pip install {' '.join(wanted)}" if wanted else f"in a checkout: pip install -e '.[{extra}]'"
