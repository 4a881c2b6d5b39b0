"""How close is the answer's wording to the reference's? No judge: strings and n-grams only."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal, get_args

from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.base import RAGAS_DOCS, Metric
from assay.metrics.evidence import blank
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored

Variant = Literal["rouge1", "rouge2", "rougeL"]
Mode = Literal["fmeasure", "precision", "recall"]
Distance = Literal["levenshtein", "hamming", "jaro", "jaro_winkler"]


@dataclass(frozen=True)
class Wording(Metric):
    """Base of the metrics that compare the answer with the reference letter by letter.

    Where several references are accepted, the closest one counts.
    """

    needs = ("answer", "reference")
    source = RAGAS_DOCS

    @abstractmethod
    def compare(self, answer: str, reference: str) -> float:
        """How close they are, in [0, 1]."""

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """The value for the closest accepted reference; nobody is asked."""
        del judge
        references = (sample.reference or "", *sample.accepted)
        if blank(sample.answer or "", *references):
            return Unscored("undefined", "neither answer nor reference says anything")
        values = [self.compare(sample.answer or "", reference) for reference in references]
        best = max(values)
        parts = tuple(
            Part("reference", reference, "closest" if value == best else "", value)
            for reference, value in zip(references, values, strict=True)
        )
        return Score(best, parts)


@dataclass(frozen=True)
class ExactMatch(Wording):
    """Whether the answer is the reference, character by character: 1 or 0.

    In [0, 1] (RAGAS documentation). Undefined if both are blank.
    """

    name = "exact_match"

    def compare(self, answer: str, reference: str) -> float:
        """1 if they are equal, else 0."""
        return float(answer == reference)


@dataclass(frozen=True)
class StringPresence(Wording):
    """Whether the reference stands in the answer, character by character: 1 or 0.

    In [0, 1] (RAGAS documentation). An empty reference stands nowhere: 0.
    """

    name = "string_presence"

    def compare(self, answer: str, reference: str) -> float:
        """1 if the reference is a part of the answer, else 0."""
        return float(bool(reference) and reference in answer)


@dataclass(frozen=True)
class Bleu(Wording):
    """BLEU of the whole answer against the reference (sacrebleu, 13a tokens, exp smoothing).

    In [0, 1] (Papineni et al. 2002). ragas compares the first sentences only (its issue 2888).
    """

    name = "bleu"
    aliases = ("bleu_score",)
    source = "Papineni et al. 2002; sacrebleu"
    packages = ("sacrebleu",)

    def compare(self, answer: str, reference: str) -> float:
        """Corpus BLEU of this one pair."""
        import sacrebleu

        return min(1.0, sacrebleu.corpus_bleu([answer], [[reference]]).score / 100)


@dataclass(frozen=True)
class Chrf(Wording):
    """Character n-gram F-score, chrF2, of the answer against the reference (sacrebleu).

    In [0, 1] (Popovic 2015).
    """

    name = "chrf"
    aliases = ("chrf_score",)
    source = "Popovic 2015; sacrebleu"
    packages = ("sacrebleu",)

    def compare(self, answer: str, reference: str) -> float:
        """Sentence chrF."""
        import sacrebleu

        return min(1.0, sacrebleu.sentence_chrf(answer, [reference]).score / 100)


@dataclass(frozen=True)
class Rouge(Wording):
    """ROUGE of the answer against the reference, with Porter stems (rouge-score).

    In [0, 1] (Lin 2004).

    Args:
        variant: "rouge1", "rouge2" (n-grams) or "rougeL" (longest common subsequence).
        mode: "fmeasure", "precision" or "recall".
    """

    variant: Variant = "rougeL"
    mode: Mode = "fmeasure"

    name = "rouge"
    aliases = ("rouge_score",)
    source = "Lin 2004; rouge-score"
    packages = ("rouge_score",)

    def __post_init__(self) -> None:
        _one_of(self.name, "variant", self.variant, get_args(Variant))
        _one_of(self.name, "mode", self.mode, get_args(Mode))

    def compare(self, answer: str, reference: str) -> float:
        """The chosen variant and mode."""
        from rouge_score import rouge_scorer

        scorer = rouge_scorer.RougeScorer([self.variant], use_stemmer=True)
        found = scorer.score(reference, answer)[self.variant]
        return float(getattr(found, self.mode))


@dataclass(frozen=True)
class StringSimilarity(Wording):
    """1 minus the normalised edit distance of answer and reference (rapidfuzz).

    In [0, 1] (RAGAS documentation: non-LLM string similarity). Undefined if both are blank.

    Args:
        distance: "levenshtein", "hamming", "jaro" or "jaro_winkler".
    """

    distance: Distance = "levenshtein"

    name = "string_similarity"
    aliases = ("non_llm_string_similarity",)
    packages = ("rapidfuzz",)

    def __post_init__(self) -> None:
        _one_of(self.name, "distance", self.distance, get_args(Distance))

    def compare(self, answer: str, reference: str) -> float:
        """The normalised similarity."""
        from rapidfuzz import distance

        kinds = {
            "levenshtein": distance.Levenshtein,
            "hamming": distance.Hamming,
            "jaro": distance.Jaro,
            "jaro_winkler": distance.JaroWinkler,
        }
        return float(kinds[self.distance].normalized_similarity(answer, reference))


def _one_of(metric: str, parameter: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InputError(f"{metric}: {parameter} is one of {', '.join(allowed)}, not {value!r}")


METRICS: tuple[type[Metric], ...] = (
    ExactMatch,
    StringPresence,
    Bleu,
    Chrf,
    Rouge,
    StringSimilarity,
)
