"""The types of what `assay`'s functions take and return, for annotations."""

from assay._analysis.agreement import Agreement, Measure
from assay._analysis.calibration import Applied, Card, Measured
from assay._analysis.calibration import Quality as CalibrationQuality
from assay._analysis.comparability import LeftOut
from assay._analysis.comparison import Compared, MetricComparison, PartChange, SampleChange
from assay._analysis.corrected_leaderboard import CorrectedStanding
from assay._analysis.correction import Correction
from assay._analysis.diagnosis.counterfactual import Change, Counterfactual
from assay._analysis.diagnosis.findings import Diagnosed, Evidence, Finding
from assay._analysis.diagnosis.statistics import (
    Advice,
    CauseCount,
    Flagged,
    Gap,
    Missed,
    PatternFound,
)
from assay._analysis.diagnosis.statistics import Mean as PatternMean
from assay._analysis.diagnosis.steps import Blame, SampleBlame, StepBlame
from assay._analysis.disagreements import Confusion, Disagreement
from assay._analysis.gate import Check, Gate
from assay._analysis.history import History, Point, Series
from assay._analysis.items import Component, ItemAnalysis, NextQuestions, Question, ShorterExam
from assay._analysis.items import System as SystemAbility
from assay._analysis.leaderboard import Effect, Leaderboard, Standing
from assay._analysis.repeat import Repeated, Wording
from assay._analysis.robustness import Curve, Level, Mean, Regenerated
from assay._analysis.robustness import Point as CurvePoint
from assay._analysis.sweeps import Front, Interaction, Place
from assay._runner.progress import Progress
from assay._runner.result import Cost, Trace
from assay._runner.summary import Baseline, Flips, MetricSummary, Noise, Summary
from assay._store.runs import Description, Run, Spent
from assay.data.labels import Label, Labels
from assay.errors import Problem
from assay.experiments.pool import Pool
from assay.experiments.swept import Configuration
from assay.judge import BackendLike, Capabilities
from assay.judges.embedded.card import Quality, Rate
from assay.judges.llm import Completion, Token
from assay.prompt import InputText
from assay.stats.calibration import Bin, Isotonic, Objective, Platt
from assay.stats.comparison import Paired
from assay.stats.correction import Corrected
from assay.stats.intervals import Interval
from assay.stats.misclassification import Estimate as ShareEstimate
from assay.target.ask import Asking
from assay.target.system import Body, System

__all__ = [
    "Advice",
    "Agreement",
    "Applied",
    "Asking",
    "BackendLike",
    "Baseline",
    "Bin",
    "Blame",
    "Body",
    "CalibrationQuality",
    "Capabilities",
    "Card",
    "CauseCount",
    "Change",
    "Check",
    "Compared",
    "Completion",
    "Component",
    "Configuration",
    "Confusion",
    "Corrected",
    "CorrectedStanding",
    "Correction",
    "Cost",
    "Counterfactual",
    "Curve",
    "CurvePoint",
    "Description",
    "Diagnosed",
    "Disagreement",
    "Effect",
    "Evidence",
    "Finding",
    "Flagged",
    "Flips",
    "Front",
    "Gap",
    "Gate",
    "History",
    "InputText",
    "Interaction",
    "Interval",
    "Isotonic",
    "ItemAnalysis",
    "Label",
    "Labels",
    "Leaderboard",
    "LeftOut",
    "Level",
    "Mean",
    "Measure",
    "Measured",
    "MetricComparison",
    "MetricSummary",
    "Missed",
    "NextQuestions",
    "Noise",
    "Objective",
    "Paired",
    "PartChange",
    "PatternFound",
    "PatternMean",
    "Place",
    "Platt",
    "Point",
    "Pool",
    "Problem",
    "Progress",
    "Quality",
    "Question",
    "Rate",
    "Regenerated",
    "Repeated",
    "Run",
    "SampleBlame",
    "SampleChange",
    "Series",
    "ShareEstimate",
    "ShorterExam",
    "Spent",
    "Standing",
    "StepBlame",
    "Summary",
    "System",
    "SystemAbility",
    "Token",
    "Trace",
    "Wording",
]
