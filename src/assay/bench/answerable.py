"""Does the judge see that contexts do not answer a question, and that an answer declines?

CLAPnq (Rosenthal et al. 2024): real questions beside a passage of the page that a search gave; of
half of them people found no answer in it. RGB (Chen et al. 2024): passages that hold the answer,
or only such as do not. MTRAG-UN: its questions without an answer have no contexts at all, so what
can be told apart there is the right replies: people decline, or they answer.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from assay.bench import relevance, stats
from assay.bench.benchmark import Benchmark
from assay.bench.data import Data, Record
from assay.bench.figures import Figure, figure
from assay.bench.flags import flags
from assay.bench.floors import shared_words
from assay.bench.subject import Subject, answered
from assay.metrics.contexts import ContextRecall, ContextRelevance
from assay.sample import Sample
from assay.score import Score
from assay.tasks import RateAnswer, SelectSentences, SplitStatements, VerifyStatements
from assay.text.sentences import sentences
from assay.text.words import words

CLAPNQ = "retrieval/clapnq.jsonl.gz"
RGB = "robustness/rgb_en_fact.jsonl.gz"
MTRAG = "robustness/mtrag_un.jsonl.gz"
NEGATIONS = frozenset(
    ("not", "no", "cannot", "sorry", "unable", "unfortunately", "don't", "can't", "doesn't")
)


class Case(NamedTuple):
    """A question, contexts, and whether these answer it."""

    id: str
    question: str
    contexts: tuple[str, ...]
    answerable: bool


def clapnq(records: Sequence[Record]) -> list[Case]:
    """Each question with its one passage."""
    return [
        Case(r["id"], r["question"], tuple(r["contexts"]), bool(r["labels"]["answerable"]))
        for r in records
    ]


def rgb(records: Sequence[Record]) -> list[Case]:
    """Each question twice: with three passages that answer it, and with three that do not."""
    return [
        Case(f"{r['id']}-{side}", r["question"], tuple(r[side][:3]), side == "positive")
        for r in records
        for side in ("positive", "negative")
        if any(text.strip() for text in r[side][:3])
    ]


def measure_contexts(
    judge: Subject,
    records: Sequence[Record],
    title: str,
    cases: Callable[[Sequence[Record]], list[Case]],
) -> list[Figure]:
    """AUROC of the metric context relevance, and of the sentence that helps most."""
    asked = cases(records)
    samples = [Sample(id=c.id, question=c.question, contexts=c.contexts) for c in asked]
    scores = judge.outcomes(ContextRelevance(), samples)
    by_share = [None if score is None else score.value for score in scores]
    found = [_contexts(f"{title}, AUROC of context relevance", asked, by_share)]
    best = _best_sentences(judge, asked)
    return [*found, _contexts(f"{title}, AUROC of the best sentence", asked, best)]


def _best_sentences(judge: Subject, cases: Sequence[Case]) -> list[float | None]:
    texts = [[s for context in case.contexts for s in sentences(context)] for case in cases]
    asked = [(c.question, s) for c, own in zip(cases, texts, strict=True) for s in own]
    scores = iter(relevance.ranked(judge, asked))
    found: list[float | None] = []
    for own in texts:
        told = [score for _ in own if (score := next(scores)) is not None]
        found.append(max(told) if told else None)
    return found


def _contexts(name: str, cases: Sequence[Case], scores: Sequence[float | None]) -> Figure:
    done = answered(cases, scores)
    labels = np.array([case.answerable for case, _ in done], bool)
    rules: Mapping[str, Callable[[Case], float]] = {
        "share of the question's words": lambda c: shared_words(c.question, " ".join(c.contexts)),
        "longer contexts": lambda c: float(sum(map(len, c.contexts))),
    }
    return figure(
        name,
        stats.auroc([score for _, score in done], labels),
        [case.question for case, _ in done],
        {rule: stats.auroc([says(c) for c, _ in done], labels) for rule, says in rules.items()},
        labels=labels,
    )


def measure_references(judge: Subject, records: Sequence[Record]) -> list[Figure]:
    """Whether it sees that contexts do not hold what a reference says."""
    known = {r["question"]: relevance.known_answer(r) for r in records}
    cases = rgb(records)
    samples = [
        Sample(id=c.id, question=c.question, contexts=c.contexts, reference=known[c.question])
        for c in cases
    ]
    done = answered(cases, judge.outcomes(ContextRecall(), samples))
    words_held = [shared_words(known[c.question], " ".join(c.contexts)) for c, _ in done]
    return flags(
        "RGB references",
        [_any(score, "unsupported") for _, score in done],
        [not case.answerable for case, _ in done],
        [case.question for case, _ in done],
        {"share of the reference's words": -np.array(words_held)},
        uncertain=[_any(score, "uncertain") for _, score in done],
    )


def _any(score: Score, label: str) -> bool:
    return any(part.label == label for part in score.parts)


def mtrag(data: Data) -> list[Record]:
    """Replies that people wrote or put right, to questions with and without an answer."""
    told = ("ANSWERABLE", "UNANSWERABLE")
    found = data.rows(MTRAG)
    return [r for r in found if r["labels"]["answerability"] in told and r["ground_truth"]]


def measure_refusals(judge: Subject, records: Sequence[Record]) -> list[Figure]:
    """Balanced accuracy of calling a reply one that declines."""
    ratings = judge.answers([RateAnswer(r["question"], _reply(r)) for r in records])
    done = answered(records, ratings)
    labels = np.array([r["labels"]["answerability"] == "UNANSWERABLE" for r, _ in done], bool)
    declines = np.array([rating.noncommittal for _, rating in done], bool)
    negated = np.array([bool(NEGATIONS.intersection(words(_reply(r)))) for r, _ in done], bool)
    made = partial(figure, clusters=[record["id"] for record, _ in done], labels=labels)
    floors = {
        "holds a word of negation": stats.balanced(negated, labels),
        "one class for all": stats.balanced(np.ones(len(done)), labels),
    }
    words_f1 = {"holds a word of negation": stats.f1(negated, labels)}
    name = "MTRAG-UN replies that decline"
    return [
        made(f"{name}, balanced accuracy", stats.balanced(declines, labels), floors=floors),
        made(f"{name}, F1", stats.f1(declines, labels), floors=words_f1),
    ]


def _reply(record: Record) -> str:
    known = record["ground_truth"]
    return known if isinstance(known, str) else str(known[0])


def _about_contexts(**given: Any) -> Benchmark:
    title, cases, file = given.pop("title"), given.pop("cases"), given.pop("file")
    return Benchmark(
        family="answerable",
        files=(file,),
        rows=partial(Data.rows, name=file),
        measure=partial(measure_contexts, title=title, cases=cases),
        tasks=(SelectSentences,),
        **given,
    )


BENCHMARKS = (
    _about_contexts(
        name="clapnq",
        about="whether a passage answers a question (CLAPnq)",
        file=CLAPNQ,
        licence="Apache-2.0",
        title="CLAPnq answerable questions",
        cases=clapnq,
    ),
    _about_contexts(
        name="rgb",
        about="whether passages answer a question, or only seem to (RGB)",
        file=RGB,
        licence="CC BY-NC-SA 4.0",
        title="RGB answerable questions",
        cases=rgb,
    ),
    Benchmark(
        name="rgb_references",
        family="answerable",
        about="whether passages hold what a reference says (RGB)",
        files=(RGB,),
        licence="CC BY-NC-SA 4.0",
        rows=partial(Data.rows, name=RGB),
        measure=measure_references,
        tasks=(SplitStatements, VerifyStatements),
    ),
    Benchmark(
        name="mtrag_un",
        family="answerable",
        about="replies that decline a question without an answer (MTRAG-UN)",
        files=(MTRAG,),
        licence="Apache-2.0",
        rows=mtrag,
        measure=measure_refusals,
        tasks=(RateAnswer,),
    ),
)
