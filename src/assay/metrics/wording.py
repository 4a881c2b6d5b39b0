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
from assay.text import words

Share = Literal["f1", "precision", "recall"]
Distance = Literal["levenshtein", "hamming", "jaro", "jaro_winkler"]


@dataclass(frozen=True)
class Wording(Metric):
    """Base of the metrics that compare the answer with the reference letter by letter.

    Where several references are accepted, the closest one counts; a blank one is none.
    """

    needs = ("answer", "reference")
    source = RAGAS_DOCS

    @abstractmethod
    def compare(self, answer: str, reference: str) -> float:
        """How close they are, in [0, 1]."""

    def compare_in(self, language: str | None, answer: str, reference: str) -> float:
        """How close they are in a language (BCP 47), for metrics that tell languages apart."""
        del language
        return self.compare(answer, reference)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """The value for the closest accepted reference; nobody is asked."""
        del judge
        answer = sample.answer or ""
        references = [r for r in (sample.reference or "", *sample.accepted) if not blank(r)]
        if blank(answer) and not references:
            return Unscored("undefined", "neither answer nor reference says anything")
        references = references or [""]
        values = [self.compare_in(sample.language, answer, r) for r in references]
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
    """Whether the answer contains the reference, character by character: 1 or 0.

    In [0, 1] (RAGAS documentation). An empty reference counts as absent: 0.
    """

    name = "string_presence"

    def compare(self, answer: str, reference: str) -> float:
        """1 if the reference is a part of the answer, else 0."""
        return float(bool(reference) and reference in answer)


@dataclass(frozen=True)
class TokenF1(Wording):
    """F1 of the words that answer and reference share, as SQuAD counts it.

    2 P R / (P + R), P = shared words / words of the answer, R = shared words / words of the
    reference, each word as often as it occurs; in [0, 1] (Rajpurkar et al. 2016). Words are in
    lower case, apart by white space, without ASCII punctuation and the articles a, an, the: the
    rules of SQuAD's official script. If the sample names another language than English, all
    punctuation and that language's articles are removed (de, es, fr, it, nl, pt), and each Chinese
    or Japanese character is a word: the rules of MLQA (Lewis et al. 2020). They also hold where the
    sample names no language and both texts have such a character; both texts are always read by
    the same rules. Nothing shared is 0; undefined if both texts are blank.

    Args:
        mode: "f1", "precision" or "recall".
    """

    mode: Share = "f1"

    name = "token_f1"
    revision = 2
    source = "Rajpurkar et al. 2016, SQuAD (arXiv 1606.05250), section 6.1"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.name, "mode", self.mode, get_args(Share))

    def compare(self, answer: str, reference: str) -> float:
        """The chosen one of the three, of texts in a language that is not named."""
        return self.compare_in(None, answer, reference)

    def compare_in(self, language: str | None, answer: str, reference: str) -> float:
        """The chosen one of the three."""
        return float(getattr(words.compare(answer, reference, language), self.mode))


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
        super().__post_init__()
        one_of(self.name, "distance", self.distance, get_args(Distance))

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


def one_of(metric: str, parameter: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a parameter's value that is none of those it may have.

    Raises:
        InputError: If it is not.
    """
    if value not in allowed:
        raise InputError(
            f"{metric}: {parameter} must be one of {', '.join(allowed)}, not {value!r}"
        )


METRICS: tuple[type[Metric], ...] = (
    ExactMatch,
    StringPresence,
    TokenF1,
    StringSimilarity,
)
