"""Texts that help to answer a question, contexts that do or do not, and replies that decline.

CLAPnq (Rosenthal et al. 2024): real questions beside a passage of the page that a search gave; of
half of them people found no answer in it. RGB (Chen et al. 2024): passages that hold the answer,
or only such as do not. MTRAG-UN: its questions without an answer have no contexts at all, so what
can be told apart there is the right replies: people decline, or they answer. TeleQuAD (Ericsson
Research; CC BY-ND 4.0, the file is read as it is): questions on paragraphs of 3GPP's standards,
found by cosine among all paragraphs; beside that stand words, by BM25.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from assay._text.sentences import sentences
from assay._text.words import BM25, words
from assay.bench.benchmark import Benchmark, Figure, figure, flags, shared_words
from assay.bench.claims import fitted
from assay.bench.data import Data, Record, dataset, thinned
from assay.bench.judge import JudgeUnderTest, answered
from assay.errors import InputError
from assay.judge import Task
from assay.metrics.contexts import ContextRecall, ContextRelevance
from assay.sample import Sample
from assay.stats import agreement as stats
from assay.stats.intervals import Floats
from assay.tasks import (
    Embed,
    JudgeContexts,
    Passage,
    RateAnswer,
    SelectSentences,
    SplitStatements,
    VerifyStatements,
)


class _Set(NamedTuple):
    name: str
    title: str
    file: str
    licence: str
    about: str
    task: type[Task[Any]]
    most: int | None = None


SETS = {  # by the data set that rows name
    "trecqa": _Set(
        "trecqa",
        "TREC-QA sentences",
        "relevance/trecqa.jsonl.gz",
        "unclear (TREC)",
        "sentences that answer a question (TREC-QA)",
        SelectSentences,
        1000,
    ),
    "msmarco_hard_neg": _Set(
        "msmarco",
        "MS MARCO hard negatives",
        "relevance/msmarco_hard_neg400.jsonl.gz",
        "MS MARCO (research)",
        "passages that answer a question, among near ones (MS MARCO hard negatives)",
        SelectSentences,
    ),
    "rgb": _Set(
        "rgb_passages",
        "RGB passages for a known answer",
        "robustness/rgb_en_fact.jsonl.gz",
        "CC BY-NC-SA 4.0",
        "passages that hold a known answer (RGB)",
        JudgeContexts,
    ),
}


def measure(judge: JudgeUnderTest, records: Sequence[Record], name: str) -> list[Figure]:
    """AUROC of relevance to the question, or of usefulness for a known answer."""
    score = _passages if SETS[name].task is JudgeContexts else _sentences
    return score(judge, f"{SETS[name].title}, AUROC", records)


def _sentences(judge: JudgeUnderTest, name: str, records: Sequence[Record]) -> list[Figure]:
    pairs = [(record["question"], record["contexts"][0]) for record in records]
    scores = ranked(judge, pairs)
    judged = answered(records, scores)
    labels = np.array([record["labels"]["relevant"] for record, _ in judged], bool)
    floor = [shared_words(record["question"], record["contexts"][0]) for record, _ in judged]
    return [
        figure(
            name,
            stats.auroc([score for _, score in judged], labels),
            [record["question"] for record, _ in judged],
            {"share of the question's words": stats.auroc(floor, labels)},
            labels=labels,
        )
    ]


def ranked(judge: JudgeUnderTest, pairs: Sequence[tuple[str, str]]) -> Sequence[float | None]:
    """How far each sentence helps to answer its question: as far as the judge tells."""
    return judge.relevances(pairs) or chosen(judge, pairs)


def chosen(judge: JudgeUnderTest, pairs: Sequence[tuple[str, str]]) -> list[float | None]:
    """Whether the judge chose each sentence, by its probability where it gives one."""
    tasks = [SelectSentences(q, (Passage("1.1", sentence),)) for q, sentence in pairs]
    chosen_probabilities: list[float | None] = []
    for choices in judge.answers(tasks):
        if choices is None:
            chosen_probabilities.append(None)
        else:
            probabilities = [
                float(c.chosen) if c.probability is None else c.probability for c in choices
            ]
            chosen_probabilities.append(max(probabilities, default=0.0))
    return chosen_probabilities


def _passages(judge: JudgeUnderTest, name: str, records: Sequence[Record]) -> list[Figure]:
    cases = [
        (record, text, useful)
        for record in records
        for side, useful in (("positive", True), ("negative", False))
        for text in record[side][:3]
        if text.strip() and isinstance(known_answer(record), str)
    ]
    tasks = [JudgeContexts(r["question"], known_answer(r), (text,)) for r, text, _ in cases]
    replies = judge.answers(tasks)
    judged = [(case, verdicts[0]) for case, verdicts in answered(cases, replies)]
    labels = np.array([useful for (_, _, useful), _ in judged], bool)
    scores = [float(f.useful) if f.probability is None else f.probability for _, f in judged]
    floor = [shared_words(known_answer(record), text) for (record, text, _), _ in judged]
    clusters = [record["question"] for (record, _, _), _ in judged]
    rule = "share of the answer's words"
    ranked = figure(
        name,
        stats.auroc(scores, labels),
        clusters,
        {rule: stats.auroc(floor, labels)},
        labels=labels,
    )
    flagged_passages = [not verdict.useful for _, verdict in judged]
    begins = name.removesuffix(", AUROC")
    return [ranked, *flags(begins, flagged_passages, ~labels, clusters, {rule: -np.array(floor)})]


def known_answer(record: Record) -> str:
    """The first of the answers that a row accepts."""
    right_answer = record["ground_truth"]
    first = right_answer if isinstance(right_answer, str) else right_answer[0]
    return first if isinstance(first, str) else first[0]


def _benchmark(name: str) -> Benchmark:
    labelled_set = SETS[name]
    return Benchmark(
        name=labelled_set.name,
        family="relevance",
        about=labelled_set.about,
        files=(labelled_set.file,),
        licence=labelled_set.licence,
        measure=partial(measure, name=name),
        tasks=(labelled_set.task,),
        kinds={name: labelled_set.most},
        kind=dataset,
        title=lambda kind: f"{SETS[kind].title}, ",
    )


RELEVANCE_SETS = tuple(map(_benchmark, SETS))

CLAPNQ = "retrieval/clapnq.jsonl.gz"
RGB = "robustness/rgb_en_fact.jsonl.gz"
MTRAG = "robustness/mtrag_un.jsonl.gz"
# The sets that training/verifier/passages.py fits on, but for the fold that it keeps out.
COMBINED = ("CLAPnq answerable questions",)
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
    judge: JudgeUnderTest,
    records: Sequence[Record],
    title: str,
    cases: Callable[[Sequence[Record]], list[Case]],
) -> list[Figure]:
    """AUROC of the metric context relevance, and of the sentence that helps most."""
    all_cases = cases(records)
    samples = [Sample(id=c.id, question=c.question, contexts=c.contexts) for c in all_cases]
    scores = judge.outcomes(ContextRelevance(), samples)
    by_share = [None if score is None else score.value for score in scores]
    note = fitted(judge).removeprefix("; ") if title in COMBINED else ""
    figures = [_contexts(f"{title}, AUROC of context relevance", all_cases, by_share, note)]
    best = _best_sentences(judge, all_cases)
    return [*figures, _contexts(f"{title}, AUROC of the best sentence", all_cases, best)]


def _best_sentences(judge: JudgeUnderTest, cases: Sequence[Case]) -> list[float | None]:
    texts = [[s for context in case.contexts for s in sentences(context)] for case in cases]
    pairs = [(c.question, s) for c, sentences in zip(cases, texts, strict=True) for s in sentences]
    scores = iter(ranked(judge, pairs))
    best: list[float | None] = []
    for sentences_of_case in texts:
        of_sentences = [score for _ in sentences_of_case if (score := next(scores)) is not None]
        best.append(max(of_sentences) if of_sentences else None)
    return best


def _contexts(
    name: str, cases: Sequence[Case], scores: Sequence[float | None], note: str = ""
) -> Figure:
    judged = answered(cases, scores)
    labels = np.array([case.answerable for case, _ in judged], bool)
    rules: Mapping[str, Callable[[Case], float]] = {
        "share of the question's words": lambda c: shared_words(c.question, " ".join(c.contexts)),
        "longer contexts": lambda c: float(sum(map(len, c.contexts))),
    }
    return figure(
        name,
        stats.auroc([score for _, score in judged], labels),
        [case.question for case, _ in judged],
        {rule: stats.auroc([rate(c) for c, _ in judged], labels) for rule, rate in rules.items()},
        note=note,
        labels=labels,
    )


def measure_references(judge: JudgeUnderTest, records: Sequence[Record]) -> list[Figure]:
    """Whether it sees that contexts do not hold what a reference says."""
    answers = {r["question"]: known_answer(r) for r in records}
    cases = rgb(records)
    samples = [
        Sample(id=c.id, question=c.question, contexts=c.contexts, reference=answers[c.question])
        for c in cases
    ]
    judged = answered(cases, judge.outcomes(ContextRecall(), samples))
    labels = [{part.label for part in score.parts} for _, score in judged]
    words_held = [shared_words(answers[c.question], " ".join(c.contexts)) for c, _ in judged]
    return flags(
        "RGB references",
        ["unsupported" in part_labels for part_labels in labels],
        [not case.answerable for case, _ in judged],
        [case.question for case, _ in judged],
        {"share of the reference's words": -np.array(words_held)},
        uncertain=["uncertain" in part_labels for part_labels in labels],
    )


def mtrag(data: Data) -> list[Record]:
    """Replies that people wrote or put right, to questions with and without an answer."""
    kinds = ("ANSWERABLE", "UNANSWERABLE")
    records = data.rows(MTRAG)
    return [r for r in records if r["labels"]["answerability"] in kinds and r["ground_truth"]]


def measure_refusals(judge: JudgeUnderTest, records: Sequence[Record]) -> list[Figure]:
    """Balanced accuracy of calling a reply one that declines."""
    ratings = judge.answers([RateAnswer(r["question"], known_answer(r)) for r in records])
    judged = answered(records, ratings)
    labels = np.array([r["labels"]["answerability"] == "UNANSWERABLE" for r, _ in judged], bool)
    declines = np.array([rating.noncommittal for _, rating in judged], bool)
    negated = np.array([not NEGATIONS.isdisjoint(words(known_answer(r))) for r, _ in judged], bool)
    figure_of = partial(figure, clusters=[record["id"] for record, _ in judged], labels=labels)
    baselines = {
        "holds a word of negation": stats.balanced(negated, labels),
        "one class for all": stats.balanced(np.ones(len(judged)), labels),
    }
    words_f1 = {"holds a word of negation": stats.f1(negated, labels)}
    name = "MTRAG-UN replies that decline"
    return [
        figure_of(
            f"{name}, balanced accuracy", stats.balanced(declines, labels), baselines=baselines
        ),
        figure_of(f"{name}, F1", stats.f1(declines, labels), baselines=words_f1),
    ]


ANSWERABLE_SETS = (
    Benchmark(
        name="clapnq",
        family="answerable",
        about="whether a passage answers a question (CLAPnq)",
        files=(CLAPNQ,),
        licence="Apache-2.0",
        measure=partial(measure_contexts, title="CLAPnq answerable questions", cases=clapnq),
        tasks=(SelectSentences,),
    ),
    Benchmark(
        name="rgb",
        family="answerable",
        about="whether passages answer a question, or only seem to (RGB)",
        files=(RGB,),
        licence="CC BY-NC-SA 4.0",
        measure=partial(measure_contexts, title="RGB answerable questions", cases=rgb),
        tasks=(SelectSentences,),
    ),
    Benchmark(
        name="rgb_references",
        family="answerable",
        about="whether passages hold what a reference says (RGB)",
        files=(RGB,),
        licence="CC BY-NC-SA 4.0",
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

TELEQUAD: Final = "retrieval/TeleQuAD-v4-full.json.gz"
DEPTHS: Final = (1, 3, 5)


def corpus(data: Data) -> tuple[dict[str, str], list[Record]]:
    """(passages by id, questions with reference and the id of their passage)."""
    try:
        file = json.loads(data.text(TELEQUAD))
        paragraphs = [
            paragraph for document in file["data"] for paragraph in document["paragraphs"]
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{TELEQUAD} is not a SQuAD-like file: {error}") from error
    passages, questions = {}, []
    for number, paragraph in enumerate(paragraphs):
        passages[f"p{number}"] = in_one_line(paragraph["context"])
        for qa in paragraph["qas"]:
            if qa["answers"] and qa["answers"][0]["text"].strip():
                text = qa["answers"][0]["text"]
                questions.append(asked(qa["id"], qa["question"], text, f"p{number}"))
    return passages, questions


def in_one_line(text: str) -> str:
    """The text without its breaks."""
    return re.sub(r"\s+", " ", text).strip()


def asked(name: str, question: str, reference: str, gold: str) -> Record:
    """A question as a row of a data set, with the passage that it was asked about."""
    return {
        "id": name,
        "question": question,
        "reference": reference,
        "reference_context_ids": [gold],
        "group": gold,
    }


def drawn(questions: Sequence[Record], most: int | None = None) -> list[Record]:
    """So many questions, the same every time, each text once."""
    return list({row["question"]: row for row in thinned(questions, None)}.values())[:most]


def by_words(passages: Sequence[str], questions: Sequence[str]) -> Floats:
    """BM25 of every question (rows) and passage."""
    index = BM25(passages)
    return np.stack([index.scores(question) for question in questions])


def ranks(scores: Floats, right: Iterable[Collection[int]]) -> Floats:
    """How many passages stand before the first right one, of each question; ties count half.

    Args:
        scores: Of every question (rows) and passage.
        right: The places of each question's right passages, one at least.
    """
    ranks_of_best = []
    for row, right_indices in zip(scores, map(list, right), strict=True):
        best, other_scores = row[right_indices].max(), np.delete(row, right_indices)
        ranks_of_best.append(float((other_scores > best).sum() + (other_scores == best).sum() / 2))
    return np.array(ranks_of_best)


def telequad_rows(data: Data) -> list[Record]:
    """Questions and passages; every passage is searched, whatever the limit."""
    passages, questions = corpus(data)
    texts = [{"id": name, "passage": text} for name, text in passages.items()]
    return [*drawn(questions), *texts]


def _telequad_kind(record: Record) -> str:
    """A question or a passage."""
    return "passage" if "passage" in record else "question"


def measure_telequad(judge: JudgeUnderTest, records: Sequence[Record]) -> list[Figure]:
    """The share of questions whose passage is among the first one, three and five."""
    passages = {r["id"]: r["passage"] for r in records if _telequad_kind(r) == "passage"}
    questions = [record for record in records if _telequad_kind(record) == "question"]
    texts = [*passages.values()]
    vectors = judge.answers([Embed(q["question"]) for q in questions])
    known = judge.answers([Embed(text) for text in texts])
    if any(vector is None for vector in known):
        raise InputError("a passage has no embedding, so nothing can be searched")
    embedded = answered(questions, vectors)
    if not embedded:
        return [figure(_name(depth), stats.mean([]), []) for depth in DEPTHS]
    names = list(passages)
    gold = [[names.index(q["reference_context_ids"][0])] for q, _ in embedded]
    cosines: Floats = (
        _unit([vector for _, vector in embedded]) @ _unit([v for v in known if v is not None]).T
    )
    judge_ranks = ranks(cosines, gold)
    word_ranks = ranks(by_words(texts, [q["question"] for q, _ in embedded]), gold)
    return [
        figure(
            _name(depth),
            stats.mean(judge_ranks < depth),
            [question["group"] for question, _ in embedded],
            {"words (BM25)": stats.mean(word_ranks < depth)},
            note=f"among {len(texts)} passages; {judge.identity(Embed)}",
        )
        for depth in DEPTHS
    ]


def _name(depth: int) -> str:
    return f"TeleQuAD retrieval, hit rate at {depth}"


def _unit(vectors: Sequence[Sequence[float]]) -> Floats:
    rows: Floats = np.asarray(vectors, dtype=float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


TELEQUAD_SET = Benchmark(
    name="telequad",
    family="retrieval",
    about="the passage that answers a question, found by embeddings (TeleQuAD)",
    files=(TELEQUAD,),
    licence="CC BY-ND 4.0",
    rows=telequad_rows,
    measure=measure_telequad,
    tasks=(Embed,),
    kinds={"question": 1000, "passage": None},
    kind=_telequad_kind,
    whole=("passage",),
)
