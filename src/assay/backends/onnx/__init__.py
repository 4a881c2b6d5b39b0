"""Verifiers and sentence encoders in ONNX files, run in this process."""

from assay.backends.onnx.judge import Onnx

__all__ = ["Onnx"]
