"""How close is the answer's wording to the reference's, by words and n-grams? No judge."""

from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, get_args

from assay.errors import InputError
from assay.metrics.base import Metric
from assay.metrics.wording import Wording, one_of

Variant = Literal["rouge1", "rouge2", "rougeL"]
Mode = Literal["fmeasure", "precision", "recall"]
Tokens = Literal["13a", "intl", "zh", "char", "none"]
_LONGEST: Final = 10  # words of an n-gram: memory grows with them, and longer ones hardly match


@dataclass(frozen=True)
class Bleu(Wording):
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

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.name, "tokens", self.tokens, get_args(Tokens))

    def compare(self, answer: str, reference: str) -> float:
        """Corpus BLEU of this one pair."""
        import sacrebleu

        found = sacrebleu.corpus_bleu([answer], [[reference]], tokenize=self.tokens)
        return min(1.0, found.score / 100)


@dataclass(frozen=True)
class Chrf(Wording):
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
            what = f"{self.name}: word_order must be 0 to {_LONGEST}, not {self.word_order}"
            raise InputError(what)

    def compare(self, answer: str, reference: str) -> float:
        """Sentence chrF."""
        import sacrebleu

        found = sacrebleu.sentence_chrf(answer, [reference], word_order=self.word_order)
        return min(1.0, found.score / 100)


@dataclass(frozen=True)
class Rouge(Wording):
    """ROUGE of the answer against the reference, with Porter stems (rouge-score).

    In [0, 1] (Lin 2004). Its words are runs of the letters a to z and digits, in lower case, as
    rouge-score takes them: texts in other scripts have none and score 0.

    Args:
        variant: "rouge1", "rouge2" (n-grams) or "rougeL" (longest common subsequence).
        mode: "fmeasure", "precision" or "recall".
    """

    variant: Variant = "rougeL"
    mode: Mode = "fmeasure"

    name = "rouge"
    aliases = ("rouge_score",)
    source = "Lin 2004; rouge-score"
    packages = ("rouge_score", "rapidfuzz")

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.name, "variant", self.variant, get_args(Variant))
        one_of(self.name, "mode", self.mode, get_args(Mode))

    def compare(self, answer: str, reference: str) -> float:
        """The chosen variant and mode."""
        from rouge_score import rouge_scorer

        if self.variant == "rougeL":
            return self._longest(answer, reference)
        scorer = rouge_scorer.RougeScorer([self.variant], use_stemmer=True)
        found = scorer.score(reference, answer)[self.variant]
        return float(getattr(found, self.mode))

    def _longest(self, answer: str, reference: str) -> float:
        # rouge-score keeps a table of all pairs of words: gigabytes for 100,000 characters.
        from rapidfuzz.distance import LCSseq
        from rouge_score.tokenizers import DefaultTokenizer

        tokenizer = DefaultTokenizer(use_stemmer=True)
        said, wanted = tokenizer.tokenize(answer), tokenizer.tokenize(reference)
        if not said or not wanted:
            return 0.0
        common = LCSseq.similarity(said, wanted)
        precision, recall = common / len(said), common / len(wanted)
        total = precision + recall
        f = 2 * precision * recall / total if total else 0.0
        return {"precision": precision, "recall": recall, "fmeasure": f}[self.mode]


@dataclass(frozen=True)
class Meteor(Wording):
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

        known = _wordnet() if self.synonyms else _NoSynonyms()
        said, wanted = wordpunct_tokenize(answer), wordpunct_tokenize(reference)
        return float(single_meteor_score(wanted, said, wordnet=known))


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


METRICS: tuple[type[Metric], ...] = (Bleu, Chrf, Rouge, Meteor)
