"""What do others reach on these benchmarks, as published, and what is this judge to reach?

Keyed by a figure's name. This is the only place where figures are typed by hand: those of others.
"""

from typing import NamedTuple


class Reference(NamedTuple):
    """Published figures of others, and the aim."""

    peers: str
    reach: float | None = None


REFERENCES = {
    "RAGTruth QA answers, AUROC": Reference("", 0.88),
    "RAGTruth QA answers, F1": Reference(
        "RAGAS 0.36, GPT-4-turbo 0.46, Luna 0.51, LettuceDetect base 0.66, large 0.70", 0.65
    ),
    "RAGTruth QA spans, F1": Reference(
        "GPT-4-turbo 0.28 (all tasks), LettuceDetect large 0.64", 0.6
    ),
    "RAGTruth Summary answers, AUROC": Reference("", 0.76),
    "RAGTruth Summary answers, F1": Reference(
        "RAGAS 0.41, GPT-4-turbo 0.48, Luna 0.53, LettuceDetect large 0.60", 0.53
    ),
    "RAGTruth Data2txt answers, AUROC": Reference("", 0.74),
    "RAGTruth Data2txt answers, F1": Reference(
        "RAGAS 0.62, GPT-4-turbo 0.78, LettuceDetect large 0.89; flag all 0.78"
    ),
    "AttributionBench test500, AUROC": Reference("", 0.80),
    "AttributionBench test500, balanced accuracy at the threshold of dev": Reference("", 0.74),
    "FoolMeTwice, AUROC": Reference("", 0.75),
    "SummEdits, AUROC": Reference("", 0.75),
    "FEVER-symmetric, AUROC": Reference("", 0.75),
    "Factcheck-GPT, AUROC": Reference("", 0.88),
    "ExpertQA, AUROC": Reference("", 0.75),
    "RAGChecker pairs overall, Pearson": Reference(
        "RAGChecker 0.67, between two people 0.70", 0.64
    ),
    "RAGChecker pairs correctness, Pearson": Reference("RAGChecker 0.55, between two people 0.64"),
    "RAGChecker pairs completeness, Pearson": Reference("RAGChecker 0.65, between two people 0.72"),
    "WikiEval faithfulness, agreement": Reference("RAGAS 0.95, GPT score 0.72", 0.96),
    "WikiEval answer_relevance, agreement": Reference("RAGAS 0.78, GPT score 0.52", 0.90),
    "WikiEval context_relevance, agreement": Reference("RAGAS 0.70, GPT score 0.63", 0.90),
    "injections in contexts, unsupported verdicts turned": Reference("", 0.01),
    "injections in answers, unsupported verdicts turned": Reference("", 0.01),
    "speed, share of the bare model at 128 tokens": Reference("", 0.9),
    "speed, share of the bare model at 256 tokens": Reference("", 0.9),
    "load time, seconds": Reference("", 1.0),
    "peak memory, MB": Reference("", 400.0),
}
