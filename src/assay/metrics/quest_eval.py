"""How much of what the reference tells can be learnt from the answer, question by question?"""

from dataclasses import dataclass

from assay.judge import Judge
from assay.metrics.base import Metric
from assay.metrics.evidence import blank
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import AnswerQuestions, AskAboutFacts, ShortAnswer
from assay.text.words import overlap, token_pair

CRUD = "Lyu et al. 2024, CRUD-RAG (arXiv 2401.17043), RAGQuestEval"


@dataclass(frozen=True)
class QuestEvalRecall(Metric):
    """Share of the questions about the reference that the answer answers.

    R = questions that the answer answers / questions, in [0, 1] (CRUD-RAG's RAGQuestEval). The
    questions ask for the facts of the reference one by one; one that the reference itself does not
    answer is left out. It does not measure whether the answer's answers are right;
    crud:quest_eval_precision does. An empty answer scores 0. Undefined if no question is left (0 in
    CRUD-RAG). Needs an LLM.
    """

    name = "crud:quest_eval_recall"
    source = CRUD
    needs = ("answer", "reference")
    tasks = (AskAboutFacts, AnswerQuestions)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask about the reference, answer from both texts."""
        asked = await _asked(sample, judge)
        if not asked:
            return Unscored("undefined", "the reference answers no question")
        parts = tuple(_part(*item, float(item[2] is not None)) for item in asked)
        return Score(sum(part.value or 0.0 for part in parts) / len(parts), parts)


@dataclass(frozen=True)
class QuestEvalPrecision(Metric):
    """Mean word overlap of the answer's and the reference's answers to the same questions.

    P = mean F1 of the words of the two short answers, over the questions that both texts answer, in
    [0, 1] (CRUD-RAG's RAGQuestEval, which splits Chinese into words with jieba; here words are
    those of token_f1: every Chinese or Japanese character is one where both have some, punctuation
    and articles are none). 0 if the answer answers no question, as in CRUD-RAG. Undefined if the
    reference answers none (0 in CRUD-RAG). Needs an LLM.
    """

    name = "crud:quest_eval_precision"
    revision = 2
    source = CRUD
    needs = ("answer", "reference")
    tasks = (AskAboutFacts, AnswerQuestions)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask about the reference, answer from both texts, compare the answers."""
        asked = await _asked(sample, judge)
        if not asked:
            return Unscored("undefined", "the reference answers no question")
        parts = tuple(_part(*item, _f1(item[2], item[1], sample.language)) for item in asked)
        values = [part.value for part in parts if part.value is not None]
        return Score(sum(values) / len(values) if values else 0.0, parts)


async def _asked(sample: Sample, judge: Judge) -> list[tuple[str, str, str | None]]:
    """(question, answer by the reference, answer by the answer) of every good question."""
    answer, reference = sample.answer or "", sample.reference or ""
    questions = () if blank(reference) else await judge(AskAboutFacts(reference))
    if not questions:
        return []
    texts = [reference] if blank(answer) else [reference, answer]
    right, *mine = await judge.each([AnswerQuestions(questions, text) for text in texts])
    given = mine[0] if mine else [ShortAnswer(r.id, None) for r in right]
    rows = zip(questions, right, given, strict=True)
    return [(q, r.answer, g.answer) for q, r, g in rows if r.answer is not None]


def _f1(mine: str | None, right: str, language: str | None) -> float | None:
    if mine is None:
        return None
    given, wanted = token_pair(mine, right, language)
    return overlap(given or _bare(mine), wanted or _bare(right)).f1


def _bare(text: str) -> list[str]:
    """The words of an answer that is nothing but an article or a mark: "A", "+"."""
    return text.lower().rstrip(".").split()


def _part(question: str, right: str, mine: str | None, value: float | None) -> Part:
    said = "no answer" if mine is None else f"'{mine}'"
    label = "not answered" if mine is None else "answered"
    return Part("fact question", question, label, value, f"reference: '{right}'; answer: {said}")


METRICS: tuple[type[Metric], ...] = (QuestEvalRecall, QuestEvalPrecision)
