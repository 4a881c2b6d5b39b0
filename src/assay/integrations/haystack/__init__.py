"""Haystack: metrics as a component of a pipeline; needs ``assay[haystack]``."""

from typing import TYPE_CHECKING

from assay.integrations.later import later

if TYPE_CHECKING:
    from assay.integrations.haystack.evaluator import AssayEvaluator

__all__ = ["AssayEvaluator"]

__getattr__ = later(__name__, {"AssayEvaluator": ("evaluator", "assay[haystack]")})
