"""What does every definition give on one and the same sample, and what does it ask for that?"""

from assay.conformance.case import SAMPLE, STORY
from assay.conformance.example import Edge, Worked, worked

__all__ = ["SAMPLE", "STORY", "Edge", "Worked", "worked"]
