"""Right and better answers: EVOUNA, the pairs of RAGChecker, and WikiEval.

EVOUNA on Natural Questions (Wang et al. 2023): an answer is compared with each accepted one; the
best counts. RAGChecker (Ru et al. 2024): two people say of each pair which answer is better, from
-2 to +2; as in the paper, the difference of the scores is correlated with the mean of what they
said. WikiEval: the three comparisons of the RAGAS paper (Es et al. 2023, section 5); agreement is
the share of pairs in which the better one scores higher, and a tie or an unscored pair counts half.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from assay._text.words import content_words
from assay.bench.benchmark import Benchmark, Figure, figure, flags, token_f1
from assay.bench.claims import fitted
from assay.bench.data import Data, Record, group_of, held_out
from assay.bench.judge import JudgeUnderTest
from assay.metrics import METRICS
from assay.metrics.correctness import (
    LED,
    FactualCorrectness,
    f_beta,
    is_short,
    mean,
    precision_within_reference,
)
from assay.sample import Sample
from assay.score import Score
from assay.stats import agreement as stats
from assay.tasks.verification import UNCERTAIN, is_uncertain


class Correctness(NamedTuple):
    """F1, precision (correctness) and recall (completeness) against a reference."""

    overall: float
    correctness: float
    completeness: float


def correctness(
    judge: JudgeUnderTest, answers: Sequence[tuple[str, str, str]]
) -> list[tuple[Correctness, Correctness] | None]:
    """By verdicts, and by probabilities, of each (question, answer, reference)."""
    samples = [
        Sample(id=str(i), question=question, answer=answer, reference=reference)
        for i, (question, answer, reference) in enumerate(answers)
    ]
    scores = judge.outcomes(FactualCorrectness(), samples)
    return [
        None if score is None else (_count_verdicts(score, reference), _expected(score))
        for score, (_, _, reference) in zip(scores, answers, strict=True)
    ]


def _expected(score: Score) -> Correctness:
    return Correctness(score.value, score.details["precision"], score.details["recall"])


def _count_verdicts(score: Score, reference: str) -> Correctness:
    """What `soft=false` gives, of the same verdicts."""
    counted_parts = [replace(p, value=float(p.label in ("TP", "covered"))) for p in score.parts]
    answer_parts = [part for part in counted_parts if part.kind == "statement"]
    reference_parts = [part for part in counted_parts if part.kind != "statement"]
    is_led = bool(answer_parts) and is_short(reference)
    precision, recall = (
        precision_within_reference(answer_parts) if is_led else mean(answer_parts),
        mean(reference_parts),
    )
    return Correctness(f_beta(precision, recall, LED if is_led else 1), precision, recall)


EVOUNA = "correctness/evouna_nq.jsonl.gz"
_MOST_ACCEPTED = 5  # of all accepted answers; more are spellings of the same


def evouna_rows(data: Data) -> list[Record]:
    """Answers to questions that training does not see."""
    return [record for record in data.rows(EVOUNA) if held_out(record)]


def measure_evouna(judge: JudgeUnderTest, records: Sequence[Record]) -> list[Figure]:
    """AUROC of factual correctness, counted and by probabilities; answers it calls wrong."""
    answers = [(r["question"], r["answer"], known) for r in records for known in accepted(r)]
    scores = iter(correctness(judge, answers))
    counted, weighed, completeness, judged = [], [], [], []
    for record in records:
        pairs = [score for _ in accepted(record) if (score := next(scores)) is not None]
        if pairs:
            judged.append(record)
            counted.append(max(as_counted.overall for as_counted, _ in pairs))
            weighed.append(max(by_chance.overall for _, by_chance in pairs))
            completeness.append(max(by_chance.completeness for _, by_chance in pairs))
    labels = np.array([record["labels"]["correct"] for record in judged], bool)
    clusters = [group_of(record) for record in judged]
    rules = {
        name: np.array([max(rule(r["answer"], k) for k in accepted(r)) for r in judged])
        for name, rule in _EVOUNA_BASELINES.items()
    }
    baselines = {name: stats.auroc(values, labels) for name, values in rules.items()}
    figure_of = partial(figure, clusters=clusters, baselines=baselines, labels=labels)
    note = f"questions kept out of training{fitted(judge)}"
    return [
        figure_of(f"EVOUNA, AUROC{how}", stats.auroc(values, labels), note=note)
        for how, values in (("", weighed), (", verdicts counted", counted))
    ] + flags(
        "EVOUNA answers",
        [chance < UNCERTAIN[0] for chance in completeness],
        ~labels,
        clusters,
        {name: -values for name, values in rules.items()},
        uncertain=[is_uncertain(chance) for chance in completeness],
        note=note,
    )


def accepted(record: Record) -> list[str]:
    """The first few accepted answers."""
    return list(record["ground_truth"])[:_MOST_ACCEPTED]


_EVOUNA_BASELINES: Mapping[str, Callable[[str, str], float]] = {
    "exact match": lambda answer, known: float(content_words(answer) == content_words(known)),
    "accepted answer stands in it": lambda answer, known: float(
        f" {' '.join(content_words(known))} " in f" {' '.join(content_words(answer))} "
    ),
    "token F1": token_f1,
}

EVOUNA_SET = Benchmark(
    name="evouna",
    family="evouna",
    about="right short answers, given the accepted ones (EVOUNA, Natural Questions)",
    files=(EVOUNA,),
    licence="Apache-2.0",
    rows=evouna_rows,
    measure=measure_evouna,
    metrics=("factual_correctness",),
    kinds={"": 400},
)

RAGCHECKER = "correctness/ragchecker_human_pairs.jsonl.gz"


def measure_ragchecker(judge: JudgeUnderTest, records: Sequence[Record]) -> list[Figure]:
    """Correlation with people, for each of the three things they were asked."""
    answers = [(r["question"], r[f"answer_{side}"], reference(r)) for r in records for side in "ab"]
    scores = correctness(judge, answers)
    pairs = zip(records, scores[::2], scores[1::2], strict=True)
    judged = [(r, a, b) for r, a, b in pairs if a is not None and b is not None]
    figures = []
    for aspect in Correctness._fields:
        counted = [_difference(a[0], b[0], aspect) for _, a, b in judged]
        weighed = [_difference(a[1], b[1], aspect) for _, a, b in judged]
        aspect_records = [record for record, _, _ in judged]
        name = f"RAGChecker pairs {aspect}, Pearson"
        figures.append(_ragchecker_figure(name, aspect, aspect_records, weighed))
        name = f"{name}, verdicts counted"
        figures.append(_ragchecker_figure(name, aspect, aspect_records, counted))
    return figures


def _ragchecker_figure(
    name: str, aspect: str, records: Sequence[Record], differences: Sequence[float]
) -> Figure:
    people = [record["labels"][aspect] for record in records]
    longer = [len(r["answer_b"]) - len(r["answer_a"]) for r in records]
    baselines = {
        "token F1": stats.pearson([_lead_in_f1(record) for record in records], people),
        "longer answer": stats.pearson(longer, people),
    }
    clusters = [record["question"] for record in records]
    return figure(name, stats.pearson(differences, people), clusters, baselines)


def _difference(a: Correctness, b: Correctness, aspect: str) -> float:
    return float(getattr(b, aspect) - getattr(a, aspect))


def _lead_in_f1(record: Record) -> float:
    right_answer = reference(record)
    return token_f1(record["answer_b"], right_answer) - token_f1(record["answer_a"], right_answer)


def reference(record: Record) -> str:
    """The right answer, as one text."""
    right_answer = record["ground_truth"]
    return right_answer if isinstance(right_answer, str) else "\n".join(right_answer)


RAGCHECKER_SET = Benchmark(
    name="ragchecker",
    family="ragchecker",
    about="which of two answers is better, and by how much (RAGChecker)",
    files=(RAGCHECKER,),
    licence="Apache-2.0",
    measure=measure_ragchecker,
    metrics=("factual_correctness",),
)

WIKIEVAL = "wikieval/wikieval_pairs.jsonl"
DIMENSIONS: Final = {
    "faithfulness": "faithfulness",
    "answer_relevance": "answer_relevancy",
    "context_relevance": "context_relevance",
}


def side(pair: Record, which: str) -> Record:
    """One side of a pair as a row of a data set."""
    answer = pair.get(f"answer_{which}") or pair.get("answer")
    contexts = pair.get(f"contexts_{which}") or pair.get("contexts")
    return {
        "id": f"{pair['id']}-{which}",
        "question": pair["question"],
        "contexts": contexts or [],
        "answer": answer or "",
    }


def _wikieval_words(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return re.findall(r"\w+", text.lower())


def overlap(row: Record) -> float:
    """Share of the answer's words that stand in the contexts."""
    context_words = set(_wikieval_words(" ".join(row["contexts"])))
    content = _wikieval_words(row["answer"])
    return sum(word in context_words for word in content) / max(1, len(content))


_WIKIEVAL_BASELINES: Final[Mapping[str, tuple[str, Callable[[Record], float]]]] = {
    "faithfulness": ("share of answer words in the context", overlap),
    "answer_relevance": ("the longer answer", lambda row: len(row["answer"])),
    "context_relevance": ("the shorter context", lambda row: -len(" ".join(row["contexts"]))),
}


def credit(pair: Record, a: float | None, b: float | None) -> float:
    """1 for agreement, 0 for disagreement, 0.5 for a tie or an unscored side."""
    if a is None or b is None or a == b:
        return 0.5
    return float((a > b) == (pair["labels"]["better"] == "a"))


def _wikieval_dimension(record: Record) -> str:
    """What people compared."""
    return str(record["labels"]["dimension"])


def measure_wikieval(judge: JudgeUnderTest, records: Sequence[Record]) -> list[Figure]:
    """Share of pairs in which the judge agrees, for each of the three comparisons."""
    return [
        _wikieval_figure(
            judge, name, [record for record in records if _wikieval_dimension(record) == name]
        )
        for name in DIMENSIONS
    ]


def _wikieval_figure(judge: JudgeUnderTest, name: str, pairs: Sequence[Record]) -> Figure:
    samples = [_sample(pair, letter) for pair in pairs for letter in "ab"]
    scores = judge.outcomes(METRICS[DIMENSIONS[name]](), samples)
    values = [None if score is None else score.value for score in scores]
    agreed = [credit(p, a, b) for p, a, b in zip(pairs, values[::2], values[1::2], strict=True)]
    rule, floor = _WIKIEVAL_BASELINES[name]
    trivial = [credit(p, floor(side(p, "a")), floor(side(p, "b"))) for p in pairs]
    pairs_of = zip(values[::2], values[1::2], strict=True)
    tied = sum(a is None or b is None or a == b for a, b in pairs_of)
    return figure(
        f"WikiEval {name}, agreement",
        stats.mean(agreed),
        [pair["question"] for pair in pairs],
        {rule: stats.mean(trivial)},
        note=f"{tied} ties or unscored count half" if tied else "",
    )


def _sample(pair: Record, letter: str) -> Sample:
    row = side(pair, letter)
    return Sample(
        id=row["id"],
        question=row["question"],
        answer=row["answer"],
        contexts=tuple(row["contexts"]),
    )


WIKIEVAL_SET = Benchmark(
    name="wikieval",
    family="wikieval",
    about="the better of two answers or contexts (WikiEval)",
    files=(WIKIEVAL,),
    licence="MIT copy of WikiEval (texts of Wikipedia)",
    measure=measure_wikieval,
    metrics=tuple(DIMENSIONS.values()),
    kinds=dict.fromkeys(DIMENSIONS),
    kind=_wikieval_dimension,
    title=lambda kind: f"WikiEval {kind}, ",
)
