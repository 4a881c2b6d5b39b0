"""How does assay stand in a system observed by OpenTelemetry: answers come in, scores go out?"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.integrations.opentelemetry.events import emit
    from assay.integrations.opentelemetry.processor import AssaySpanProcessor

__all__ = ["AssaySpanProcessor", "emit"]
_HOME = {"AssaySpanProcessor": "processor", "emit": "events"}


def __getattr__(name: str) -> Any:
    """The public names, imported when they are asked for: either needs another part of the SDK."""
    import importlib

    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
