"""How much of what was retrieved helps to answer the question?"""

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from assay.judge import Judge
from assay.metrics.base import PAPER, Metric
from assay.metrics.evidence import share
from assay.sample import Sample
from assay.score import Outcome, Part, Unscored
from assay.tasks import Choice, PaperExtraction, Passage, SelectSentences
from assay.text.sentences import spans

# An extracted sentence may differ from the context in white space, case or a stray letter; below
# this ratio, or with another figure in it, it is another sentence.
SAME = 0.9
_FIGURE = re.compile(r"\d+")


@dataclass(frozen=True)
class _Sentence:
    id: str
    text: str
    context: int
    span: tuple[int, int]


@dataclass(frozen=True)
class ContextRelevance(Metric):
    """Share of the contexts' sentences that help to answer the question.

    CR = relevant sentences / sentences of the contexts, in [0, 1] (Es et al. 2023, section 3). The
    judge selects sentences by id, so it cannot invent any. Undefined if nothing was retrieved.
    Longer contexts score lower by construction.
    """

    name = "context_relevance"
    aliases = ("context_relevancy",)
    source = PAPER
    needs = ("question", "contexts")
    tasks = (SelectSentences,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Number all sentences and let the judge choose."""
        found = _sentences(sample)
        if not found:
            return Unscored("undefined", "the contexts hold no sentence")
        passages = tuple(Passage(s.id, s.text) for s in found)
        choices = await judge(SelectSentences(sample.question or "", passages))
        told = {choice.id: choice for choice in choices}
        return share([_part(s, told.get(s.id)) for s in found])


@dataclass(frozen=True)
class PaperContextRelevance(Metric):
    """Context relevance with the prompts of the RAGAS paper (needs an LLM).

    CR = extracted sentences / sentences of the contexts, in [0, 1] (Es et al. 2023, section 3).
    "Insufficient Information" gives 0. An extracted sentence counts only if it is actually in the
    contexts; one that is not is dropped and listed, and if none is, the judge failed. Undefined if
    nothing was retrieved.
    """

    name = "paper:context_relevance"
    source = PAPER
    needs = ("question", "contexts")
    tasks = (PaperExtraction,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """The paper's prompt over the joined contexts, each copied line looked up."""
        found = _sentences(sample)
        if not found:
            return Unscored("undefined", "the contexts hold no sentence")
        context = "\n\n".join(sample.contexts or ())
        copied = await judge(PaperExtraction(sample.question or "", context))
        texts = [sentence for line in copied for sentence in _split(line)]
        chosen, dropped = _looked_up(texts, found)
        if copied and not chosen:
            detail = "none of the extracted sentences is in the contexts"
            return Unscored("failed", detail, tuple(dropped))
        return share([*(_part(s, chosen.get(s.id)) for s in found), *dropped])


def _sentences(sample: Sample) -> list[_Sentence]:
    return [
        _Sentence(f"{c}.{n}", context[start:end], c - 1, (start, end))
        for c, context in enumerate(sample.contexts or (), start=1)
        for n, (start, end) in enumerate(spans(context), start=1)
    ]


def _part(sentence: _Sentence, choice: Choice | None) -> Part:
    return Part(
        kind="sentence",
        text=sentence.text,
        label="relevant" if choice and choice.chosen else "not relevant",
        value=float(choice is not None and choice.chosen),
        reason=choice.reason if choice else "",
        context=sentence.context,
        probability=choice.probability if choice else None,
        span=sentence.span,
    )


def _split(line: str) -> list[str]:
    return [line[start:end] for start, end in spans(line)]


def _looked_up(
    texts: Iterable[str], sentences: Iterable[_Sentence]
) -> tuple[dict[str, Choice], list[Part]]:
    """The sentences that were copied, of equal ones as many as copies; and what is none of them."""
    left: dict[str, deque[_Sentence]] = {}
    for sentence in sentences:
        left.setdefault(_bare(sentence.text), deque()).append(sentence)
    chosen: dict[str, Choice] = {}
    dropped: list[Part] = []
    for text in texts:
        bare = _bare(text)
        original = bare if bare in left else _nearest(bare, left)
        if original is not None and left[original]:
            name = left[original].popleft().id
            chosen[name] = Choice(name)
        else:
            why = "not in the contexts" if original is None else "copied more often than it occurs"
            dropped.append(Part("sentence", text, "dropped", reason=why))
    return chosen, dropped


def _nearest(wanted: str, known: Iterable[str]) -> str | None:
    """The sentence that a copy with slips was made from, none of them in its figures."""
    best, at = SAME, None
    for candidate in known:
        if _FIGURE.findall(wanted) != _FIGURE.findall(candidate):
            continue
        matcher = SequenceMatcher(None, wanted, candidate, autojunk=False)
        if matcher.real_quick_ratio() < best or matcher.quick_ratio() < best:
            continue
        if (ratio := matcher.ratio()) >= best:
            best, at = ratio, candidate
    return at


def _bare(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()


METRICS: tuple[type[Metric], ...] = (ContextRelevance, PaperContextRelevance)
