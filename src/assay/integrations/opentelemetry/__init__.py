"""How does assay stand in a system observed by OpenTelemetry: answers come in, scores go out?"""

from assay.integrations.opentelemetry.processor import AssaySpanProcessor

__all__ = ["AssaySpanProcessor"]
