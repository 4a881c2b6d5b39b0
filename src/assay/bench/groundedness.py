"""Answers and their sentences that contexts support or not: RAGTruth, QAGS, Fine-Grained RLHF.

RAGTruth (Niu et al. 2024): the official test set but for 243 rows; every positive row of QA and all
of Data2txt are there. QAGS: by the vote of three people. Fine-Grained RLHF's questions: people
marked the characters that are irrelevant, and those that the passages do not bear out; a sentence
counts as marked if at least half of it is (development data).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from assay._text.sentences import spans
from assay.bench import relevance
from assay.bench.benchmark import (
    UNFITTED,
    UNSUPPORTED,
    Benchmark,
    Figure,
    Rule,
    figure,
    flags,
    new_characters,
    share_of_new_words,
    shared_words,
    unsupported,
)
from assay.bench.data import Record, group_of
from assay.bench.judge import (
    Checked,
    JudgeUnderTest,
    Marks,
    Text,
    answered,
    flagged,
    hallucination,
    marked,
    uncertain,
    unfaithfulness,
    unsupported_characters,
)
from assay.stats import agreement as stats
from assay.stats.intervals import Statistic
from assay.tasks import RateAnswer, SelectSentences, SplitStatements, VerifyStatements

RAGTRUTH = "ragtruth/ragtruth_test.jsonl.gz"
TASKS: Mapping[str, int | None] = {"QA": None, "Summary": 300, "Data2txt": 300}
# The training set has no Data2txt rows and few summaries: what thresholds are taken from instead.
THRESHOLDS = {"QA": "ragtruth_qa", "Summary": "summaries", "Data2txt": "ragtruth_qa"}


def ragtruth_task(record: Record) -> str:
    """What the sampling and the figures go by: the task."""
    return str(record["meta"]["task_type"])


def ragtruth_text(record: Record) -> Text:
    """What is checked."""
    return Text(record["question"] or "", record["answer"], tuple(record["contexts"]))


def measure_ragtruth(judge: JudgeUnderTest, records: Sequence[Record]) -> list[Figure]:
    """Answers by AUROC and F1, characters by F1, for each task."""
    figures: list[Figure] = []
    for name in TASKS:
        task_records = [record for record in records if ragtruth_task(record) == name]
        checked = judge.check([ragtruth_text(record) for record in task_records])
        judged = answered(task_records, checked)
        figures += _answers(
            f"RAGTruth {name} answers", judge.thresholds.get(THRESHOLDS[name]), judged
        )
        figures.append(_characters(f"RAGTruth {name} spans, F1", judged))
    return figures


def _answers(
    name: str,
    thresholds: Mapping[str, float] | None,
    judged: Sequence[tuple[Record, Checked]],
) -> list[Figure]:
    labels = np.array([record["labels"]["hallucinated"] for record, _ in judged], bool)
    clusters = [group_of(record) for record, _ in judged]
    scores = np.array([hallucination(checked) for _, checked in judged])
    rules = unsupported((r["answer"], r["contexts"]) for r, _ in judged)
    baselines = {rule: stats.auroc(values, labels) for rule, values in rules.items()}
    mean = [unfaithfulness(checked) for _, checked in judged]
    fixed = thresholds or {}
    threshold = fixed.get("judge", 0.5)
    floors: dict[str, Statistic] = {"everything": stats.f1(np.ones(len(judged)), labels)}
    floors |= {r: stats.f1(v >= fixed[r], labels) for r, v in rules.items() if r in fixed}
    note = f"threshold {threshold:.3f}" + ("" if "judge" in fixed else f", not fitted: {UNFITTED}")
    figure_of = partial(figure, clusters=clusters, labels=labels)
    return [
        figure_of(f"{name}, AUROC", stats.auroc(scores, labels), baselines=baselines),
        figure_of(
            f"{name}, AUROC of 1 - faithfulness", stats.auroc(mean, labels), baselines=baselines
        ),
        figure_of(
            f"{name}, F1", stats.f1(scores >= threshold, labels), baselines=floors, note=note
        ),
        *flags(
            name,
            [flagged(checked) for _, checked in judged],
            labels,
            clusters,
            rules,
            uncertain=[uncertain(checked) for _, checked in judged],
        ),
    ]


def _characters(name: str, judged: Sequence[tuple[Record, Checked]]) -> Figure:
    """Micro F1 over the characters of all answers."""
    gold = [labelled(record) for record, _ in judged]
    marked_rows = [unsupported_characters(record["answer"], checked) for record, checked in judged]
    new = [new_characters(record["answer"], record["contexts"]) for record, _ in judged]
    baselines = {
        "new words": overlap(new, gold),
        "everything": overlap([np.ones_like(marks) for marks in gold], gold),
    }
    return figure(
        name, overlap(marked_rows, gold), [group_of(record) for record, _ in judged], baselines
    )


def labelled(record: Record) -> Marks:
    """The characters that people marked as hallucinated."""
    spans = [(span["start"], span["end"]) for span in record["labels"]["spans"]]
    return marked(len(record["answer"]), spans)


def overlap(marks: Sequence[Marks], gold: Sequence[Marks]) -> Statistic:
    """Micro F1 of marked characters."""
    hits = [int((s & g).sum()) for s, g in zip(marks, gold, strict=True)]
    return stats.micro_f1(hits, [int(s.sum()) for s in marks], [int(g.sum()) for g in gold])


RAGTRUTH_SET = Benchmark(
    name="ragtruth",
    family="ragtruth",
    about="hallucinated answers and characters, by task (RAGTruth test)",
    files=(RAGTRUTH,),
    licence="labels MIT; texts of MS MARCO and CNN/Daily Mail (research)",
    measure=measure_ragtruth,
    tasks=(SplitStatements, VerifyStatements),
    thresholds=tuple(dict.fromkeys(THRESHOLDS.values())),
    kinds=TASKS,
    kind=ragtruth_task,
    title=lambda kind: f"RAGTruth {kind} ",
)

QAGS = "faithfulness/qags.jsonl.gz"


def measure_qags(judge: JudgeUnderTest, records: Sequence[Record]) -> list[Figure]:
    """Sentences by AUROC, summaries by the correlation of faithfulness with the votes."""
    return [_sentences(judge, records), _summaries(judge, records)]


def _sentences(judge: JudgeUnderTest, records: Sequence[Record]) -> Figure:
    checked = judge.check([_in_sentences(record) for record in records])
    judged = [
        (record, sentence, 1 - chance)
        for record, verdicts in answered(records, checked)
        for sentence, chance in zip(
            record["labels"]["sentences"], verdicts.probabilities, strict=True
        )
    ]
    labels = np.array([not sentence["supported"] for _, sentence, _ in judged], bool)
    scores = [score for _, _, score in judged]
    baselines = {
        rule: stats.auroc(values, labels)
        for rule, values in unsupported((s["text"], r["contexts"]) for r, s, _ in judged).items()
    }
    clusters = [group_of(record) for record, _, _ in judged]
    statistic = stats.auroc(scores, labels)
    return figure("QAGS sentences, AUROC", statistic, clusters, baselines, labels=labels)


def _in_sentences(record: Record) -> Text:
    sentence_texts = [sentence["text"] for sentence in record["labels"]["sentences"]]
    ends = [
        sum(len(text) + 1 for text in sentence_texts[: i + 1]) - 1
        for i in range(len(sentence_texts))
    ]
    spans = tuple((end - len(text), end) for text, end in zip(sentence_texts, ends, strict=True))
    return Text("", " ".join(sentence_texts), tuple(record["contexts"]), spans)


def _summaries(judge: JudgeUnderTest, records: Sequence[Record]) -> Figure:
    texts = [Text(r["question"] or "", r["answer"], tuple(r["contexts"])) for r in records]
    judged = answered(records, judge.check(texts))
    votes = [record["labels"]["score"] for record, _ in judged]
    shares_of_known = [1 - share_of_new_words(r["answer"], r["contexts"]) for r, _ in judged]
    return figure(
        "QAGS summaries, Pearson of faithfulness",
        stats.pearson([1 - unfaithfulness(verdicts) for _, verdicts in judged], votes),
        [group_of(record) for record, _ in judged],
        {"share of known words": stats.pearson(shares_of_known, votes)},
    )


QAGS_SET = Benchmark(
    name="qags",
    family="qags",
    about="sentences and summaries that an article supports (QAGS)",
    files=(QAGS,),
    licence="none stated",
    measure=measure_qags,
    tasks=(SplitStatements, VerifyStatements),
    kinds={"cnndm": 120, "xsum": 120},
    kind=lambda record: str(record["meta"]["domain"]),
)

FINEGRAINED = "triad/finegrained_rlhf_qa_feedback.jsonl.gz"
BESIDE = ("Irrelevant", "Redundant")
UNFAITHFUL = ("Wrong-Grounding", "Unverifiable")


def measure_finegrained(judge: JudgeUnderTest, records: Sequence[Record]) -> list[Figure]:
    """AUROC of irrelevant and of unfaithful sentences, and of answers with something beside."""
    figures = [_irrelevant(judge, _answer_sentences(records)), _unfaithful(judge, records)]
    if judge.can(RateAnswer):
        figures += _rated(judge, records)
    return figures


def _irrelevant(judge: JudgeUnderTest, sentences: Sequence[tuple[Record, int, int]]) -> Figure:
    questions = [
        (record["question"], record["answer"][start:end]) for record, start, end in sentences
    ]
    scores = relevance.ranked(judge, questions)
    baselines: Mapping[str, Callable[[Record, str], float]] = {
        "share of the question's words": lambda r, text: -shared_words(r["question"], text),
        "later sentence": lambda r, text: float(r["answer"].find(text)),
    }
    return _finegrained_figure("irrelevant sentences", BESIDE, sentences, scores, baselines)


def _answer_sentences(records: Sequence[Record]) -> list[tuple[Record, int, int]]:
    return [(r, start, end) for r in records for start, end in spans(r["answer"])]


def _unfaithful(judge: JudgeUnderTest, records: Sequence[Record]) -> Figure:
    texts = [
        Text(r["question"], r["answer"], tuple(r["contexts"]), tuple(spans(r["answer"])))
        for r in records
    ]
    checked = list(zip(records, judge.check(texts), strict=True))
    sentences = _answer_sentences([record for record, verdicts in checked if verdicts is not None])
    scores = [
        chance
        for _, verdicts in checked
        if verdicts is not None
        for chance in verdicts.probabilities
    ]
    baselines = {name: partial(_by_rule, rule) for name, rule in UNSUPPORTED.items()}
    return _finegrained_figure("unfaithful sentences", UNFAITHFUL, sentences, scores, baselines)


def _by_rule(rule: Rule, record: Record, text: str) -> float:
    return rule(text, record["contexts"])


def _finegrained_figure(
    name: str,
    types: Sequence[str],
    sentences: Sequence[tuple[Record, int, int]],
    scores: Sequence[float | None],
    baselines: Mapping[str, Callable[[Record, str], float]],
) -> Figure:
    judged = answered(sentences, scores)
    labels = np.array([is_marked(sentence, types) for sentence, _ in judged], bool)
    trivial: dict[str, Statistic] = {
        rule: stats.auroc([floor(r, r["answer"][a:b]) for (r, a, b), _ in judged], labels)
        for rule, floor in baselines.items()
    }
    return figure(
        f"Fine-Grained RLHF {name}, AUROC",
        stats.auroc([-score for _, score in judged], labels),
        [sentence[0]["id"] for sentence, _ in judged],
        trivial,
        labels=labels,
    )


def is_marked(part: tuple[Record, int, int], types: Sequence[str]) -> bool:
    """Whether at least half of these characters bear errors of these types."""
    record, start, end = part
    errors = [(e["start"], e["end"]) for e in record["labels"]["errors"] if e["type"] in types]
    return bool(marked(len(record["answer"]), errors)[start:end].mean() >= 0.5)


def _rated(judge: JudgeUnderTest, records: Sequence[Record]) -> list[Figure]:
    ratings = judge.answers([RateAnswer(r["question"], r["answer"]) for r in records])
    judged = [(r, rating.rated) for r, rating in answered(records, ratings)]
    irrelevant = np.array([r["labels"]["irrelevant_fraction"] for r, _ in judged], float)
    scores = np.array([score for _, score in judged])
    shorter = [float(len(record["answer"])) for record, _ in judged]
    clusters = [record["id"] for record, _ in judged]
    return [
        figure(
            "Fine-Grained RLHF answers with something irrelevant, AUROC",
            stats.auroc(-scores, irrelevant > 0),
            clusters,
            {"longer answer": stats.auroc(shorter, irrelevant > 0)},
            labels=irrelevant > 0,
        ),
        figure(
            "Fine-Grained RLHF irrelevant share, Pearson of 1 - relevance",
            stats.pearson(-scores, irrelevant),
            clusters,
            {"longer answer": stats.pearson(shorter, irrelevant)},
        ),
    ]


FINEGRAINED_SET = Benchmark(
    name="finegrained",
    family="finegrained",
    about="sentences that are beside the point or wrong (Fine-Grained RLHF)",
    files=(FINEGRAINED,),
    licence="Apache-2.0",
    rows=lambda data: [row for row in data.rows(FINEGRAINED) if row["answer"].strip()],
    measure=measure_finegrained,
    tasks=(SelectSentences, VerifyStatements),
    kinds={"": 200},
)
