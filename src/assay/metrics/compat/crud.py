"""BLEU and ROUGE-L as CRUD-RAG computes them: in words of any language."""

import math
from collections import Counter
from dataclasses import dataclass

from assay._text.words import token_pair
from assay.metrics.text_similarity import Wording

SOURCE = "Lyu et al. 2024, CRUD-RAG (arXiv 2401.17043), and its code (src/metric/common.py)"
_LONGEST = 4


@dataclass(frozen=True)
class CrudBleu(Wording):
    """BLEU without brevity penalty, in words of any language.

    The geometric mean of the precisions of n-grams of 1 to 4 words, each n-gram counted at most as
    often as in the reference; in [0, 1] (CRUD-RAG's "bleu-avg", which is not smoothed and divides
    the brevity penalty out). 0 where no 4-gram is shared. CRUD-RAG splits Chinese with jieba; here
    words are those of token_f1: every Chinese or Japanese character is one, punctuation and
    articles are none. Undefined if both texts are blank.
    """

    name = "crud:bleu"
    source = SOURCE

    def compare(self, answer: str, reference: str) -> float:
        """The value in a language that is not named."""
        return self.compare_in(None, answer, reference)

    def compare_in(self, language: str | None, answer: str, reference: str) -> float:
        """The mean of the four precisions."""
        words, expected = token_pair(answer, reference, language)
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
class CrudRougeL(Wording):
    """F1 of the longest common subsequence of words, in any language.

    2 P R / (P + R), P = longest common subsequence / words of the answer, R = the same / words of
    the reference; in [0, 1] (CRUD-RAG's "rouge-L"; Lin 2004 with equal weights). Words are those of
    crud:bleu, without stems. rouge knows the letters a to z only. 0 if either text has no word;
    undefined if both are blank.
    """

    name = "crud:rouge_l"
    source = SOURCE
    packages = ("rapidfuzz",)

    def compare(self, answer: str, reference: str) -> float:
        """The value in a language that is not named."""
        return self.compare_in(None, answer, reference)

    def compare_in(self, language: str | None, answer: str, reference: str) -> float:
        """The F1."""
        from rapidfuzz.distance import LCSseq

        words, expected = token_pair(answer, reference, language)
        common = LCSseq.similarity(words, expected)
        return 2 * common / (len(words) + len(expected)) if common else 0.0
