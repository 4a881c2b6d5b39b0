"""Text similarity of answer and reference: strings, words, n-grams, token embeddings."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final, Literal

from assay._text import words
from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.base import RAGAS_DOCS, Metric
from assay.metrics.evidence import blank, exact_mean
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import (
    EmbedTokens,
    TokenVectors,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


Share = Literal["f1", "precision", "recall"]
Distance = Literal["levenshtein", "hamming", "jaro", "jaro_winkler"]


@dataclass(frozen=True)
class TextSimilarity(Metric):
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
class ExactMatch(TextSimilarity):
    """Whether the answer is the reference, character by character: 1 or 0.

    In [0, 1] (RAGAS documentation). Undefined if both are blank.
    """

    name = "exact_match"

    def compare(self, answer: str, reference: str) -> float:
        """1 if they are equal, else 0."""
        return float(answer == reference)


@dataclass(frozen=True)
class StringPresence(TextSimilarity):
    """Whether the answer contains the reference, character by character: 1 or 0.

    In [0, 1] (RAGAS documentation). An empty reference counts as absent: 0.
    """

    name = "string_presence"

    def compare(self, answer: str, reference: str) -> float:
        """1 if the reference is a part of the answer, else 0."""
        return float(bool(reference) and reference in answer)


@dataclass(frozen=True)
class TokenF1(TextSimilarity):
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

    def compare(self, answer: str, reference: str) -> float:
        """The chosen one of the three, of texts in a language that is not named."""
        return self.compare_in(None, answer, reference)

    def compare_in(self, language: str | None, answer: str, reference: str) -> float:
        """The chosen one of the three."""
        return float(getattr(words.compare(answer, reference, language), self.mode))


@dataclass(frozen=True)
class StringSimilarity(TextSimilarity):
    """1 minus the normalised edit distance of answer and reference (rapidfuzz).

    In [0, 1] (RAGAS documentation: non-LLM string similarity). Undefined if both are blank.

    Args:
        distance: "levenshtein", "hamming", "jaro" or "jaro_winkler".
    """

    distance: Distance = "levenshtein"

    name = "string_similarity"
    aliases = ("non_llm_string_similarity",)
    packages = ("rapidfuzz",)

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


Variant = Literal["rouge1", "rouge2", "rougeL"]
RougeMode = Literal["fmeasure", "precision", "recall"]
Tokens = Literal["13a", "intl", "zh", "char", "none"]
_LONGEST: Final = 10  # words of an n-gram: memory grows with them, and longer ones hardly match


@dataclass(frozen=True)
class Bleu(TextSimilarity):
    """BLEU of the whole answer against the reference (sacrebleu, exp smoothing).

    In [0, 1] (Papineni et al. 2002). An answer of fewer than four words, punctuation marks
    included, has no 4-gram and scores 0 even if it equals the reference: use `token_f1` or `chrf`
    for such answers. ragas compares the first sentences only (its issue 2888).

    Args:
        tokens: The tokeniser, by sacrebleu's names: "13a" (European languages), "intl" (other
            scripts with spaces), "zh" (Chinese), "char" (every character, Japanese too) or "none"
            (white space only).
    """

    tokens: Tokens = "13a"

    name = "bleu"
    aliases = ("bleu_score",)
    source = "Papineni et al. 2002; sacrebleu"
    packages = ("sacrebleu",)

    def compare(self, answer: str, reference: str) -> float:
        """Corpus BLEU of this one pair."""
        import sacrebleu

        result = sacrebleu.corpus_bleu([answer], [[reference]], tokenize=self.tokens)
        return min(1.0, result.score / 100)


@dataclass(frozen=True)
class Chrf(TextSimilarity):
    """Character n-gram F-score of the answer against the reference: chrF2 (sacrebleu).

    In [0, 1] (Popovic 2015). It needs no words, so it works for every language.

    Args:
        word_order: Longest n-gram of words that counts besides, up to 10; 0 is chrF, 2 is
            chrF++.
    """

    word_order: int = 0

    name = "chrf"
    aliases = ("chrf_score",)
    source = "Popovic 2015; sacrebleu"
    packages = ("sacrebleu",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.word_order <= _LONGEST:
            fault = f"{self.name}: word_order must be 0 to {_LONGEST}, not {self.word_order}"
            raise InputError(fault)

    def compare(self, answer: str, reference: str) -> float:
        """Sentence chrF."""
        import sacrebleu

        result = sacrebleu.sentence_chrf(answer, [reference], word_order=self.word_order)
        return min(1.0, result.score / 100)


@dataclass(frozen=True)
class Rouge(TextSimilarity):
    """ROUGE of the answer against the reference, with Porter stems (rouge-score).

    In [0, 1] (Lin 2004). Its words are runs of the letters a to z and digits, in lower case, as
    rouge-score takes them: texts in other scripts have none and score 0.

    Args:
        variant: "rouge1", "rouge2" (n-grams) or "rougeL" (longest common subsequence).
        mode: "fmeasure", "precision" or "recall".
    """

    variant: Variant = "rougeL"
    mode: RougeMode = "fmeasure"

    name = "rouge"
    aliases = ("rouge_score",)
    source = "Lin 2004; rouge-score"
    packages = ("rouge_score", "rapidfuzz")

    def compare(self, answer: str, reference: str) -> float:
        """The chosen variant and mode."""
        from rouge_score import rouge_scorer

        if self.variant == "rougeL":
            return self._longest(answer, reference)
        scorer = rouge_scorer.RougeScorer([self.variant], use_stemmer=True)
        result = scorer.score(reference, answer)[self.variant]
        return float(getattr(result, self.mode))

    def _longest(self, answer: str, reference: str) -> float:
        # rouge-score keeps a table of all pairs of words: gigabytes for 100,000 characters.
        from rapidfuzz.distance import LCSseq
        from rouge_score.tokenizers import DefaultTokenizer

        tokenizer = DefaultTokenizer(use_stemmer=True)
        words, expected = tokenizer.tokenize(answer), tokenizer.tokenize(reference)
        if not words or not expected:
            return 0.0
        common = LCSseq.similarity(words, expected)
        precision, recall = common / len(words), common / len(expected)
        total = precision + recall
        f = 2 * precision * recall / total if total else 0.0
        return {"precision": precision, "recall": recall, "fmeasure": f}[self.mode]


@dataclass(frozen=True)
class Meteor(TextSimilarity):
    """METEOR of the answer against the reference: matched words, and in how few stretches (nltk).

    (1 - penalty) * P R / (alpha P + (1 - alpha) R) over matched words, alpha = 0.9, penalty = 0.5
    (stretches / matches)^3; in [0, 1], below 1 even for equal texts, 0.5 for one equal word
    (Banerjee and Lavie 2005; nltk). Words match exactly or by Porter stem. Matching by WordNet's
    synonyms, the third stage of the paper, needs data that nltk downloads, so it is optional;
    without it scores are slightly lower and the same on every machine. Words are runs of letters
    and digits, or of marks (nltk's wordpunct).

    Args:
        synonyms: Whether English synonyms match too; needs nltk's "wordnet" on this machine.
    """

    synonyms: bool = False

    name = "meteor"
    aliases = ("meteor_score",)
    source = "Banerjee and Lavie 2005; nltk"
    packages = ("nltk",)

    def compare(self, answer: str, reference: str) -> float:
        """The score of this one pair."""
        from nltk.tokenize import wordpunct_tokenize
        from nltk.translate.meteor_score import single_meteor_score

        synonyms = _wordnet() if self.synonyms else _NoSynonyms()
        words, expected = wordpunct_tokenize(answer), wordpunct_tokenize(reference)
        return float(single_meteor_score(expected, words, wordnet=synonyms))


class _NoSynonyms:
    # Stands in for WordNet: no word has a synonym.
    def synsets(self, word: str) -> list[Any]:
        del word
        return []


@cache
def _wordnet() -> Any:
    from nltk.corpus import wordnet

    try:
        wordnet.ensure_loaded()
    except LookupError as error:
        raise InputError(
            "meteor(synonyms=True) needs nltk's WordNet, which is not on this machine",
            "python -m nltk.downloader wordnet, or leave synonyms out",
        ) from error
    return wordnet


def check_baseline(name: str, baseline: float) -> None:
    """See that b is the score of unrelated texts.

    Raises:
        InputError: If it is not.
    """
    if not 0 <= baseline < 1:
        raise InputError(f"{name}: baseline must be 0 or more and below 1, not {baseline}")


BertMode = Literal["f1", "precision", "recall"]
BLOCK = 500


@dataclass(frozen=True)
class BertScore(Metric):
    """How similar the tokens of answer and reference are, each matched with its closest one.

    Precision = mean over the answer's tokens of the largest cosine to a token of the reference;
    recall = the same over the reference's tokens; F1 = their harmonic mean, 0 if either is not
    above 0; in [-1, 1] (Zhang et al. 2020, BERTScore, section 3, without weights by rarity). The
    vectors are those of the current embedder, with each token read in its sentence: numbers of two
    embedders cannot be compared. The cosine is not an absolute scale either: with the embedded
    encoder unrelated English texts score about 0.2 (0.13 for phrases, 0.23 for long answers, 95 %
    of all below 0.4), so ``baseline=0.2`` puts them near 0. If several references are accepted, the
    closest one counts. Undefined if either text is blank or the reference has no token. Embedders
    behind an API return no token vectors: use the embedded judge for them
    (``--judge embed_tokens=embedded``).

    Args:
        mode: "f1", "precision" or "recall".
        baseline: The score of unrelated texts; b > 0 turns a score x into (x - b) / (1 - b).
    """

    mode: BertMode = "f1"
    baseline: float = 0.0

    name = "bert_score"
    source = "Zhang et al. 2020, BERTScore (arXiv 1904.09675)"
    needs = ("answer", "reference")
    tasks = (EmbedTokens,)
    range = (-1.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_baseline(self.name, self.baseline)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Embed all tokens and match them."""
        answer = sample.answer or ""
        references = [r for r in (sample.reference or "", *sample.accepted) if not blank(r)]
        if blank(answer) or not references:
            return Unscored("undefined", "the answer or the reference is empty")
        answer_vectors, *reference_vectors = await judge.each(
            [EmbedTokens(text) for text in (answer, *references)]
        )
        if not answer_vectors.tokens or not any(vectors.tokens for vectors in reference_vectors):
            return Unscored("undefined", "the answer or the reference has no token")
        scores = [
            self._matched(answer_vectors, vectors)
            for vectors in reference_vectors
            if vectors.tokens
        ]
        return max(scores, key=float)

    def _matched(self, answer: TokenVectors, reference: TokenVectors) -> Score:
        answer_parts = _closest(answer, reference, "token")
        reference_parts = _closest(reference, answer, "reference token")
        precision, recall = exact_mean(answer_parts), exact_mean(reference_parts)
        values = {"precision": precision, "recall": recall, "f1": _f1(precision, recall)}
        scaled = {name: rescaled(value, self.baseline) for name, value in values.items()}
        return Score(scaled[self.mode], (*answer_parts, *reference_parts), details=scaled)


def rescaled(value: float, baseline: float) -> float:
    """A cosine with that of unrelated texts put at 0, in [-1, 1]."""
    return max(-1.0, min(1.0, (value - baseline) / (1 - baseline)))


def token_similarity(a: TokenVectors, b: TokenVectors) -> float:
    """BERTScore's F1 of two texts that have tokens, in [-1, 1]."""
    return _f1(
        fmean(c for c, _ in _closest_tokens(a, b)), fmean(c for c, _ in _closest_tokens(b, a))
    )


def _f1(precision: float, recall: float) -> float:
    above = min(precision, recall) > 0
    return 2 * precision * recall / (precision + recall) if above else 0.0


def _closest(vectors: TokenVectors, other_vectors: TokenVectors, kind: str) -> list[Part]:
    """A part for each of my tokens: the cosine to the closest of theirs, and which it is."""
    return [
        Part(kind, token, "cosine", cosine, f"closest: {other_vectors.tokens[index]}")
        for token, (cosine, index) in zip(
            vectors.tokens, _closest_tokens(vectors, other_vectors), strict=True
        )
    ]


def _closest_tokens(
    vectors: TokenVectors, other_vectors: TokenVectors
) -> Iterator[tuple[float, int]]:
    """(cosine, index) of the closest of their tokens, for each of mine."""
    a, b = _directions(vectors), _directions(other_vectors)
    # Some at a time: the cosines of all pairs of tokens of two long texts fill the memory.
    for start in range(0, len(a), BLOCK):
        cosines = a[start : start + BLOCK] @ b.T
        best = cosines.argmax(axis=1)
        yield from (
            (min(1.0, float(row[index])), int(index))
            for row, index in zip(cosines, best, strict=True)
        )


def _directions(tokens: TokenVectors) -> "npt.NDArray[np.float64]":
    import numpy as np

    numbers = np.frombuffer(b"".join(tokens.vectors), dtype=np.int8).astype(float)
    rows = numbers.reshape(len(tokens.tokens), -1)
    unit: npt.NDArray[np.float64] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit
