"""What do others reach on these sets, as published?

Keyed by a figure's name. This is the only place where figures are typed by hand: those of others.
"""

from typing import Final, NamedTuple

_RAGTRUTH: Final = (
    "GPT-4-turbo: Niu et al. 2024, RAGTruth (arXiv 2401.00396); RAGAS and Luna: Belyi et al. 2024 "
    "(arXiv 2406.00975); LettuceDetect: Kovacs and Recski 2025 (arXiv 2502.17125); "
    "all of the 2,700 rows"
)
_RAGCHECKER: Final = "Ru et al. 2024, RAGChecker (arXiv 2408.08067), human judgements"
_WIKIEVAL: Final = "Es et al. 2023, RAGAS (arXiv 2309.15217), table 1"


class Reference(NamedTuple):
    """Published figures of others, and where they stand."""

    peers: str
    source: str


REFERENCES: Final = {
    "RAGTruth QA answers, F1": Reference(
        "RAGAS 0.36, GPT-4-turbo 0.46, Luna 0.51, LettuceDetect base 0.66, large 0.70", _RAGTRUTH
    ),
    "RAGTruth QA spans, F1": Reference(
        "GPT-4-turbo 0.28 (all tasks), LettuceDetect large 0.64", _RAGTRUTH
    ),
    "RAGTruth Summary answers, F1": Reference(
        "RAGAS 0.41, GPT-4-turbo 0.48, Luna 0.53, LettuceDetect large 0.60", _RAGTRUTH
    ),
    "RAGTruth Data2txt answers, F1": Reference(
        "RAGAS 0.62, GPT-4-turbo 0.78, LettuceDetect large 0.89; flag all 0.78", _RAGTRUTH
    ),
    "RAGChecker pairs overall, Pearson": Reference(
        "RAGChecker 0.67, between two people 0.70", _RAGCHECKER
    ),
    "RAGChecker pairs correctness, Pearson": Reference(
        "RAGChecker 0.55, between two people 0.64", _RAGCHECKER
    ),
    "RAGChecker pairs completeness, Pearson": Reference(
        "RAGChecker 0.65, between two people 0.72", _RAGCHECKER
    ),
    "WikiEval faithfulness, agreement": Reference("RAGAS 0.95, GPT score 0.72", _WIKIEVAL),
    "WikiEval answer_relevance, agreement": Reference("RAGAS 0.78, GPT score 0.52", _WIKIEVAL),
    "WikiEval context_relevance, agreement": Reference("RAGAS 0.70, GPT score 0.63", _WIKIEVAL),
}
