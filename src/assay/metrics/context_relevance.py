"""How much of what was retrieved helps to answer the question?"""

import re
from collections.abc import Sequence
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

    CR = relevant sentences / sentences of the contexts, in [0, 1] (Es et al. 2023, section 3).
    The judge chooses sentences by id, so none can be made up. Undefined if nothing was retrieved.
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
        chosen = {choice.id: choice for choice in choices}
        return share([_part(s, chosen.get(s.id)) for s in found])


@dataclass(frozen=True)
class PaperContextRelevance(Metric):
    """Context relevance asked in the words of the RAGAS paper (needs an LLM).

    CR = extracted sentences / sentences of the contexts, in [0, 1] (Es et al. 2023, section 3).
    "Insufficient Information" gives 0. An extracted sentence counts only if it really stands in
    the contexts; one that does not is dropped and listed, and if none does, the judge failed.
    Undefined if nothing was retrieved.
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
        chosen: dict[str, Choice] = {}
        dropped: list[Part] = []
        known = [(_bare(sentence.text), sentence) for sentence in found]
        copies = dict(reversed(known))  # of equal sentences the first
        for text in texts:
            match = copies.get(_bare(text)) or _nearest(_bare(text), known)
            if match is None:
                dropped.append(Part("sentence", text, "dropped", reason="not in the contexts"))
            else:
                chosen[match.id] = Choice(match.id)
        if copied and not chosen:
            detail = "none of the extracted sentences stands in the contexts"
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
        label="relevant" if choice else "not relevant",
        value=float(choice is not None),
        reason=choice.reason if choice else "",
        context=sentence.context,
        probability=choice.probability if choice else None,
        span=sentence.span,
    )


def _split(line: str) -> list[str]:
    return [line[start:end] for start, end in spans(line)]


def _nearest(wanted: str, known: Sequence[tuple[str, _Sentence]]) -> _Sentence | None:
    """The sentence that a copy with slips was made from, none of them in its figures."""
    best, at = SAME, None
    for candidate, sentence in known:
        if _FIGURE.findall(wanted) != _FIGURE.findall(candidate):
            continue
        matcher = SequenceMatcher(None, wanted, candidate, autojunk=False)
        if matcher.real_quick_ratio() < best or matcher.quick_ratio() < best:
            continue
        if (ratio := matcher.ratio()) >= best:
            best, at = ratio, sentence
    return at


def _bare(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()


METRICS: tuple[type[Metric], ...] = (ContextRelevance, PaperContextRelevance)
