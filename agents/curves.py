"""The metrics of a run as curves for TensorBoard."""

from collections.abc import Mapping
from pathlib import Path

from torch.utils.tensorboard import SummaryWriter


class Curves:
    """Writes to a folder until it is closed; a thread of its own does the writing."""

    def __init__(self, folder: Path) -> None:
        """Make the folder if it does not exist."""
        folder.mkdir(parents=True, exist_ok=True)
        self._writer = SummaryWriter(str(folder))

    def add(self, group: str, metrics: Mapping[str, float], amount: int) -> None:
        """Write the metrics of a group, such as a stage, after ``amount`` units of learning."""
        for name, value in metrics.items():
            self._writer.add_scalar(f"{group}/{name}", value, amount)
        self._writer.flush()

    def close(self) -> None:
        """Write what is left, and end the thread."""
        self._writer.close()
