"""Which questions are no good for a test, and why?"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from assay.judge import Judge
from assay.metrics.faithfulness import Faithfulness
from assay.sample import Sample
from assay.score import Unscored
from assay.tasks import AnswerQuestions, Written
from assay.testset.passages import Passage
from assay.text.overlap import recall
from assay.text.words import stems

# Questions that nobody asks who has not just read the text.
_POINTS = re.compile(
    r"\b(?:(?:this|the|these|that|given|provided|following|above|preceding)\s+(?:\w+\s+)?"
    r"(?:text|passage|excerpt|paragraph|snippet|context)s?\b"
    r"|(?:in|to|by|from|of|on)\s+(?:this|the|these)\s+(?:document|article|section|page|author)s?\b"
    r"|(?:document|article|section|author|page)s?\s+(?:says?|states?|mentions?|describes?|lists?)\b"
    r"|mentioned\s+(?:above|below|here)|described\s+(?:above|below|here)|listed\s+(?:above|below))",
    re.IGNORECASE,
)
_ALIKE = str.maketrans(dict.fromkeys("\"'‘’‚‛“”„‟«»`*_", " "))  # noqa: RUF001 - marks and mark-up
_DOTS = re.compile(r"\s*(?:\.{3}|…)\s*")
# Two questions of which one holds so much of the other's words ask the same.
_SAME = 0.9


def points_at_text(question: str) -> str:
    """The words of a question that only make sense beside its text, "" if there are none."""
    found = _POINTS.search(question)
    return found.group() if found else ""


def unquoted(written: Written, passages: Sequence[Passage]) -> str:
    """What is wrong with the quotes of an answer, "" if each stands in a passage.

    Every passage must be quoted. Case, white space and mark-up do not count, and dots may stand
    for words that were left out.
    """
    if not written.quotes:
        return "the answer quotes nothing"
    texts = [_plain(passage.text) for passage in passages]
    unused = set(range(len(texts)))
    for quote in written.quotes:
        pieces = [_plain(piece) for piece in _DOTS.split(quote)]
        places = {n for n, text in enumerate(texts) if _holds(text, pieces)}
        if not places:
            return f"'{quote}' is not in the text"
        unused -= places
    return f"nothing is quoted from {passages[min(unused)].id}" if unused else ""


def _holds(text: str, pieces: Iterable[str]) -> bool:
    found = [piece for piece in pieces if piece]
    return bool(found) and all(piece in text for piece in found)


def _plain(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).translate(_ALIKE).casefold()
    return " ".join(plain.split()).strip(" .,;:")


async def unsupported(written: Written, passages: Sequence[Passage], judge: Judge) -> str:
    """What the passages do not say of an answer, "" if they say all of it.

    Raises:
        JudgeError: If the judge gives no verdict.
    """
    texts = tuple(passage.text for passage in passages)
    sample = Sample(id="", question=written.question, answer=written.answer, contexts=texts)
    outcome = await Faithfulness().score(sample, judge)
    if isinstance(outcome, Unscored):
        return outcome.detail
    return next((part.text for part in outcome.parts if not part.value), "")


async def answered(question: str, passages: Sequence[Passage], judge: Judge) -> str:
    """What one of the passages answers to a question, "" if none does.

    Raises:
        JudgeError: If the judge does not say.
    """
    asked = [AnswerQuestions((question,), f"{p.title}\n\n{p.text}") for p in passages]
    for passage, (found,) in zip(passages, await judge.each(asked), strict=True):
        if found.answer is not None:
            return f"{passage.id}: {found.answer}"
    return ""


def repeated(question: str, others: Iterable[str]) -> str:
    """The question among the others that asks the same in nearly the same words, "" if none."""
    mine = set(stems(question))
    for other in others:
        theirs = set(stems(other))
        if min(recall(mine, theirs), recall(theirs, mine)) >= _SAME:
            return other
    return ""
