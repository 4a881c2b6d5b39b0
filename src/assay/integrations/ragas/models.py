"""pydantic, which samples of ragas are made with, or how it is installed."""

try:
    from pydantic import BaseModel, field_validator
except ImportError:
    message = "samples and messages of ragas need pydantic: pip install 'assay[ragas]'"
    raise ImportError(message) from None

__all__ = ["BaseModel", "field_validator"]
