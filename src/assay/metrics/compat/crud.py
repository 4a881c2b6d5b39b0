"""BLEU and ROUGE-L as CRUD-RAG computes them: in words of any language."""

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assay._text.words import token_pair
from assay.metrics.base import override
from assay.metrics.text_similarity import Wording

SOURCE = "Lyu et al. 2024, CRUD-RAG (arXiv 2401.17043), and its code (src/metric/common.py)"
_LONGEST = 4


@dataclass(frozen=True)
class _CrudWording(Wording):
    """Base of the two: a comparison of words, which a text is split into in either of two ways."""

    split: Literal["characters", "jieba"] = "characters"

    source = SOURCE

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.split == "jieba":
            override(self, packages=(*self.packages, "rjieba"))

    def compare(self, answer: str, reference: str) -> float:
        """The value in a language that is not named."""
        return self.compare_in(None, answer, reference)

    def compare_in(self, language: str | None, answer: str, reference: str) -> float:
        """The value for the words of both."""
        if self.split == "jieba":
            import rjieba

            return self.compare_words(rjieba.cut(answer), rjieba.cut(reference))
        return self.compare_words(*token_pair(answer, reference, language))

    @abstractmethod
    def compare_words(self, words: Sequence[str], expected: Sequence[str]) -> float:
        """How close the answer's words are to the reference's, in [0, 1]."""


@dataclass(frozen=True)
class CrudBleu(_CrudWording):
    """BLEU without brevity penalty, in words of any language.

    The geometric mean of the precisions of n-grams of 1 to 4 words, each n-gram counted at most as
    often as in the reference; in [0, 1] (CRUD-RAG's "bleu-avg", which is not smoothed and divides
    the brevity penalty out). 0 where no 4-gram is shared. Words are those of token_f1: every
    Chinese or Japanese character is one, punctuation and articles are none. Undefined if both texts
    are blank.

    Args:
        split: "jieba" takes the words that jieba cuts a text into, punctuation and spaces included,
            as CRUD-RAG does; for Chinese alone.
    """

    name = "crud:bleu"

    def compare_words(self, words: Sequence[str], expected: Sequence[str]) -> float:
        """The mean of the four precisions."""
        logs = 0.0
        for n in range(1, _LONGEST + 1):
            ngrams, expected_ngrams = (
                Counter(zip(*(text[at:] for at in range(n)), strict=False))
                for text in (words, expected)
            )
            shared = (ngrams & expected_ngrams).total()
            if not shared:
                return 0.0
            logs += math.log(shared / ngrams.total())
        return math.exp(logs / _LONGEST)


@dataclass(frozen=True)
class CrudRougeL(_CrudWording):
    """F1 of the longest common subsequence of words, in any language.

    2 P R / (P + R), P = longest common subsequence / words of the answer, R = the same / words of
    the reference; in [0, 1] (CRUD-RAG's "rouge-L"; Lin 2004 with equal weights). Words are those of
    crud:bleu, without stems. rouge knows the letters a to z only. 0 if either text has no word;
    undefined if both are blank.

    Args:
        split: "jieba" takes the words that jieba cuts a text into, punctuation and spaces included,
            as CRUD-RAG does; for Chinese alone.
    """

    name = "crud:rouge_l"
    packages = ("rapidfuzz",)

    def compare_words(self, words: Sequence[str], expected: Sequence[str]) -> float:
        """The F1."""
        from rapidfuzz.distance import LCSseq

        common = LCSseq.similarity(words, expected)
        return 2 * common / (len(words) + len(expected)) if common else 0.0
