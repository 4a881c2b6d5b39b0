"""From score to cause to remedy: which part of the system failed on each sample, and what helps?"""

from assay.analysis.diagnosis.causes import CAUSES, REMEDIES, Cause, Remedy
from assay.analysis.diagnosis.counterfactual import Counterfactual, counterfactual
from assay.analysis.diagnosis.counts import Advice, CauseCount, Gap
from assay.analysis.diagnosis.diagnose import Diagnosis, diagnose
from assay.analysis.diagnosis.findings import Diagnosed, Evidence, Finding
from assay.analysis.diagnosis.patterns import PATTERNS, Pattern, PatternFound

__all__ = [
    "CAUSES",
    "PATTERNS",
    "REMEDIES",
    "Advice",
    "Cause",
    "CauseCount",
    "Counterfactual",
    "Diagnosed",
    "Diagnosis",
    "Evidence",
    "Finding",
    "Gap",
    "Pattern",
    "PatternFound",
    "Remedy",
    "counterfactual",
    "diagnose",
]
