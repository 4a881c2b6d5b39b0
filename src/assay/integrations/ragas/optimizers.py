"""Not here: whatever is imported from it says what is used instead."""

from typing import Any

from assay.integrations.ragas.absent import missing


def __getattr__(name: str) -> Any:
    return missing("optimizers", name)
