"""Where data sets and experiments are kept, by ragas' names."""

from assay.integrations.ragas.dataset import (
    BaseBackend,
    InMemoryBackend,
    LocalCSVBackend,
    LocalJSONLBackend,
)

__all__ = ["BaseBackend", "InMemoryBackend", "LocalCSVBackend", "LocalJSONLBackend"]
