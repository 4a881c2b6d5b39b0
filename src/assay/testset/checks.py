"""The checks that a written question has to pass, and what runs and judges show of questions."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from assay._middleware.wrapper import Route
from assay._runner import STORE
from assay._runner.event_loop import run_to_completion
from assay._runner.settings import Settings, chosen
from assay._runner.stack import choose, opened_stack
from assay._store import Store
from assay._store.runs import TESTSET
from assay._text.quotes import comparable, holds_quote, pieces
from assay._text.words import recall, stems
from assay.errors import Denied, InputError, JudgeError, OverBudget
from assay.judge import Judge
from assay.metrics.correctness import FactualCorrectness
from assay.metrics.groundedness import Faithfulness
from assay.sample import Sample
from assay.score import Score, Unscored
from assay.tasks import (
    AnswerClosedBook,
    AnswerQuestions,
    FollowUp,
    SplitStatements,
    VerifyStatements,
    Written,
)
from assay.testset.passages import Passage

_SUPPORTED = _RIGHT = 0.5  # from such a probability on
_LONG, _AGREES = 8, 0.2  # words of a reference, and the F1 of an answer that is right beside it
K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
Flag: TypeAlias = Literal["all right", "all wrong", "inverted"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the design of a test set lacks.

    Attributes:
        check: Which check found it.
        level: "fault" if the rows have to be changed, "note" if it is something to know.
        text: What was found.
        remedy: What to do about it.
        rows: Ids of the rows concerned with what was found there; empty if it is about the whole.
    """

    check: str
    level: Literal["fault", "note"]
    text: str
    remedy: str
    rows: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RunEvidence:
    """What runs over the same questions show of them.

    Attributes:
        metric: Label of the metric.
        runs: How many runs.
        deviation: Standard deviation of the difference between two systems' scores of a question:
            of pairs of runs the median; of a single run as if the scores of two systems had
            nothing to do with each other, which is more than usual.
        loss: What a question loses that a system fails altogether; 0 if that is not known.
        flags: By question: all systems get it right, all wrong, or better ones get it wrong and
            worse ones right ("inverted": its key may be wrong).
        difficulty: By question, in logits of item response theory; empty without a fit.
    """

    metric: str
    runs: int
    deviation: float | None
    loss: float = 0.0
    flags: Mapping[str, Flag] = field(default_factory=dict)
    difficulty: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JudgeEvidence:
    """What a judge says of the rows, by their ids.

    Attributes:
        judge: Who was asked.
        unsupported: What of a reference its sources do not support.
        leaked: The right answer that the judge gave to a question closed-book, without any source.
        checked: How many references were compared with their sources.
        asked: How many questions were asked closed-book; 0 if the judge writes no answers.
        failed: Rows that the judge said nothing usable of, and why.
        stopped: Why it was not asked for all, "" if it was.
    """

    judge: str
    unsupported: Mapping[str, str]
    leaked: Mapping[str, str]
    checked: int
    asked: int
    failed: Mapping[str, str]
    stopped: str = ""


def ask(
    rows: Sequence[Sample],
    sources: Mapping[str, Sequence[str]],
    *,
    judge: Any,
    store: str | Path = STORE,
    settings: Settings | None = None,
) -> JudgeEvidence:
    """Ask a judge whether sources support the references, and what it answers closed-book.

    Args:
        rows: Answerable questions with references.
        sources: The texts that each row's reference comes from, by its id.
        judge: As for `evaluate`. One that cannot answer questions only checks references.
        store: The SQLite file that keeps all replies.
        settings: Limits, budget, prompts and tries.

    Raises:
        InputError: If the judge cannot be used.
        Denied: If it refuses.
    """
    return run_to_completion(_ask(rows, sources, judge, store, chosen(settings)))


async def _ask(
    rows: Sequence[Sample],
    sources: Mapping[str, Sequence[str]],
    spec: Any,
    store: str | Path,
    settings: Settings,
) -> JudgeEvidence:
    route = choose(spec, None, settings)
    for kind in (SplitStatements, VerifyStatements):
        if route.identity(kind) is None:
            raise InputError(f"the judge cannot do '{kind.kind}'", "name one that can: embedded")
    writes = route.identity(AnswerClosedBook) is not None
    sourced = [sample for sample in rows if sources.get(sample.id)]

    def jobs(judge: Judge) -> dict[tuple[str, str], Awaitable[str]]:
        """What is asked of each row: its support, and its answer without any source."""
        texts = {row.id: tuple(sources[row.id]) for row in sourced}
        return {
            **{("support", row.id): _unsupported(row, texts[row.id], judge) for row in sourced},
            **{("closed book", row.id): _leaked(row, judge) for row in rows if writes},
        }

    outcomes, failed, stopped = await ask_each(jobs, route, store, settings)
    texts_by_kind = {
        kind: {
            row: text for (asked_kind, row), text in outcomes.items() if asked_kind == kind and text
        }
        for kind in ("support", "closed book")
    }
    name = route.name.partition("+")[0]  # the embedded judge's goes on with its models
    counts = (len(sourced), len(rows) if writes else 0)
    reasons = {row: reason for (_, row), reason in failed.items()}
    return JudgeEvidence(
        name, texts_by_kind["support"], texts_by_kind["closed book"], *counts, reasons, stopped
    )


async def ask_each(
    jobs: Callable[[Judge], Mapping[K, Awaitable[T]]],
    route: Route,
    store: str | Path,
    settings: Settings,
) -> tuple[dict[K, T], dict[K, str], str]:
    """What a judge says to each job, why it says nothing usable, and why not all were asked.

    Args:
        jobs: Given the judge, what is asked, by whatever names it.
        route: Who is asked.
        store: The SQLite file that keeps all replies.
        settings: Limits, budget, prompts and tries.

    Raises:
        Denied: If the judge refuses.
    """
    replies, failed, stopped = dict[K, T](), dict[K, str](), ""
    with Store(store) as opened:
        async with opened_stack(route, settings, opened, TESTSET) as stack:
            asked_jobs = jobs(Judge(stack.backend, tries=settings.tries))
            outcomes = await asyncio.gather(*asked_jobs.values(), return_exceptions=True)
    for name, outcome in zip(asked_jobs, outcomes, strict=True):
        if isinstance(outcome, OverBudget):
            stopped = str(outcome)
        elif isinstance(outcome, JudgeError) and not isinstance(outcome, Denied):
            failed[name] = str(outcome)
        elif isinstance(outcome, BaseException):
            raise outcome
        else:
            replies[name] = outcome
    return replies, failed, stopped


async def _unsupported(sample: Sample, texts: tuple[str, ...], judge: Judge) -> str:
    """What of the reference the sources do not support; "" if it states nothing."""
    answered = Sample(id="", question=sample.question, answer=sample.reference, contexts=texts)
    outcome = await Faithfulness().score(answered, judge)
    return "" if isinstance(outcome, Unscored) else _first_unsupported(outcome)


async def _leaked(sample: Sample, judge: Judge) -> str:
    """The answer that needs no source, where it is right."""
    return await closed_book_answer(sample.question or "", sample.reference or "", judge)


async def closed_book_answer(question: str, reference: str, judge: Judge) -> str:
    """What a judge answers without any source, where that is right; "" if it is not.

    Raises:
        JudgeError: If it says nothing usable.
    """
    answers = await judge(AnswerClosedBook(question))
    if not answers or not answers[0]:
        return ""
    if _says_much_of(answers[0], reference, question):
        return answers[0]
    sample = Sample(id="", question=question, answer=answers[0], reference=reference)
    outcome = await FactualCorrectness(mode="recall").score(sample, judge)
    right = not isinstance(outcome, Unscored) and outcome.value >= _RIGHT
    return answers[0] if right else ""


def _says_much_of(answer: str, reference: str, question: str) -> bool:
    """Whether a short answer agrees with a long reference, by the words that both add.

    It leaves most of what a long reference says unsaid, and is right all the same.
    """
    in_question = set(stems(question))
    reference_stems, stated = set(stems(reference)) - in_question, set(stems(answer)) - in_question
    shared = 2 * len(reference_stems & stated) / max(len(reference_stems) + len(stated), 1)
    return len(reference_stems) >= _LONG and shared >= _AGREES


# Questions that nobody asks who has not just read the text.
_POINTS = re.compile(
    r"\b(?:(?:in|to|by|from|on|does|do|did)\s+(?:the|this|these|that)\s+(?:\w+ed\s+|above\s+|"
    r"following\s+|previous\s+)?(?:text|passage|excerpt|paragraph|snippet|document|article|section|author)s?\b"
    r"|(?:this|these|that|given|provided|following|above|preceding)\s+(?:text|passage|excerpt|"
    r"paragraph|snippet|context|document|article)s?\b"
    r"|(?:based on|according to)\s+(?:the|this|these)\s+(?:\w+\s+)?(?:information|details|context)"
    r"|(?:text|passage)s?\s+[12]|(?:first|second|both|two)\s+(?:text|passage)s?"
    r"|(?:mentioned|described|listed|shown|given)\s+(?:above|below)\b)",
    re.IGNORECASE,
)
# "In the article about tides" and "the author of Emma" say which one is meant.
_NAMED = re.compile(r"\s+(?:of|by|about|on|for|that|which|who|titled|called|named|\d|[A-Z])")
# Two words of a quote: mark-up and links' addresses. No word holds "_", so that a long line of it
# is read in one way.
_BETWEEN = r"(?:\]\([^()\s]*\)|[\W_])+"
# Two questions of which one holds so much of the other's words ask the same.
_SAME = 0.9
_ALONE = 0.7  # of the full question's words, from which on a follow-up leaves nothing out
_AGAIN = 0.5  # of a short answer's words are those of the reference, if it answers the same


Fault: TypeAlias = tuple[str, str]  # which check a question fails, and what that check found


async def fault(
    written: Written,
    passages: Sequence[Passage],
    judge: Judge,
    *,
    answerable: bool,
    near: Sequence[Passage] = (),
) -> Fault | None:
    """What is wrong with a question, None if it passes all checks; the free ones come first.

    Args:
        written: The question with its answer and quotes.
        passages: What it was written about.
        judge: Who checks what words cannot tell.
        answerable: Whether the passages are to answer it.
        near: Other passages, none of which is to answer a question that is unanswerable.

    Raises:
        JudgeError: If the judge does not say.
    """
    if not written.question:
        return "empty", "nothing to ask about, says the judge"
    if words := points_at_text(written.question):
        return "not standalone", f"'{words}'"
    if not answerable:
        questions = (written.question, f"How can one find out: {written.question}")
        answer = await answered(questions, [*passages, *near], judge)
        return ("answered", answer) if answer else None
    if reason := unquoted(written, passages):
        return "no quote", reason
    if quote := from_code(written, passages):
        return "example data", f"only code says '{quote}'"
    return await _unfit(written, passages, judge)


async def follow_up_fault(
    follow_up: FollowUp, written: Written, passages: Sequence[Passage], judge: Judge
) -> Fault | None:
    """What is wrong with a question as the second one of a conversation; the free checks first.

    Args:
        follow_up: The conversation.
        written: The question in full, which passed its own checks; no answer: it has none.
        passages: What it was written about.
        judge: Who answers the follow-up from the passages and the conversation.

    Raises:
        JudgeError: If the judge does not say.
    """
    if not (follow_up.before and follow_up.answer and follow_up.question):
        return "empty", "no conversation leads to it, says the judge"
    if recall(stems(written.question), stems(follow_up.question)) > _ALONE:
        return "stands alone", follow_up.question
    reference = set(stems(written.answer))
    if reference and recall(reference, stems(follow_up.answer)) >= _SAME:
        return "answer given", follow_up.answer
    return await _unanswered_then(follow_up, written, passages, judge) if reference else None


async def _unanswered_then(
    follow_up: FollowUp, draft: Written, passages: Sequence[Passage], judge: Judge
) -> Fault | None:
    """Whether a follow-up, with the messages before it, is not answered by what it should be."""
    messages = (
        f"user: {follow_up.before}\nassistant: {follow_up.answer}\nuser: {follow_up.question}"
    )
    texts = "\n\n".join(passage.titled for passage in passages)
    text = f"{texts}\n\nThe conversation so far:\n{messages}"
    (reply,) = await judge(AnswerQuestions((follow_up.question,), text))
    if reply.answer is None:
        return "unanswered", f"asked as '{follow_up.question}', the judge finds no answer"
    evidence = set(stems(draft.answer)).union(*map(stems, draft.quotes))
    if recall(stems(reply.answer), evidence) < _AGAIN:
        return "asks for something else", f"'{follow_up.question}' is answered by '{reply.answer}'"
    return None


async def _unfit(draft: Written, passages: Sequence[Passage], judge: Judge) -> Fault | None:
    """What a judge finds wrong with a question that is to be answerable."""
    if len(passages) > 1 and (answer := await answered((draft.question,), passages, judge)):
        return "one is enough", answer
    if await unanswered(draft.question, passages, judge):
        return "unanswered", "the judge, asked again, finds no answer"
    statement = await unsupported(draft, passages, judge)
    return ("unsupported", statement) if statement else None


def points_at_text(question: str) -> str:
    """The words of a question that only make sense beside its text, "" if there are none."""
    for pointing in _POINTS.finditer(question):
        if not _NAMED.match(question, pointing.end()):
            return pointing.group()
    return ""


def unquoted(written: Written, passages: Sequence[Passage]) -> str:
    """What is wrong with the quotes of an answer, "" if each stands in a passage.

    Every passage must be quoted. Case, white space, punctuation and mark-up do not count, and dots
    may stand for words that were left out.
    """
    if not written.quotes:
        return "the answer quotes nothing"
    texts = [comparable(passage.text) for passage in passages]
    unused = set(range(len(texts)))
    for quote in written.quotes:
        holders = {n for n, text in enumerate(texts) if holds_quote(text, quote)}
        if not holders:
            return f"'{quote}' is not in the text"
        unused -= holders
    return f"nothing is quoted from {passages[min(unused)].id}" if unused else ""


def from_code(written: Written, passages: Sequence[Passage]) -> str:
    """A quote that stands in a block of code alone, "" if each stands in prose as well."""
    prose = [_without_code(passage) for passage in passages]
    in_code = (quote for quote in written.quotes if not any(places(quote, text) for text in prose))
    return next((quote for quote in in_code if any(places(quote, p.text) for p in passages)), "")


def _without_code(passage: Passage) -> str:
    text = passage.text
    for start, end in reversed(passage.code):
        text = text[:start] + "\n|\n" + text[end:]
    return text


def places(quote: str, text: str) -> list[tuple[int, int]]:
    """Where each piece of a quote first stands in a text, mark-up aside; [] if one does not."""
    if (start := text.find(quote)) >= 0:
        return [(start, start + len(quote))]
    spans = []
    for words in filter(None, (re.findall(r"[^\W_]+", piece) for piece in pieces(quote))):
        pattern = _BETWEEN.join(re.escape(word) for word in words)
        match = re.search(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE)
        if match is None:
            return []
        spans.append(match.span())
    return spans


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
    return _first_unsupported(outcome)


def _first_unsupported(score: Score) -> str:
    return next((part.text for part in score.parts if (part.value or 0.0) < _SUPPORTED), "")


async def unanswered(question: str, passages: Sequence[Passage], judge: Judge) -> bool:
    """Whether the passages together do not answer a question, asked without its answer.

    Raises:
        JudgeError: If the judge does not say.
    """
    text = "\n\n".join(passage.titled for passage in passages)
    (reply,) = await judge(AnswerQuestions((question,), text))
    return reply.answer is None


async def answered(questions: tuple[str, ...], passages: Sequence[Passage], judge: Judge) -> str:
    """What one of the passages answers to one of the questions, "" if none does.

    Raises:
        JudgeError: If the judge does not say.
    """
    tasks = [AnswerQuestions(questions, passage.titled) for passage in passages]
    for passage, replies in zip(passages, await judge.each(tasks), strict=True):
        for reply in replies:
            if reply.answer is not None:
                return f"{passage.id}: {reply.answer}"
    return ""


def repeated(question: str, others: Iterable[str]) -> str:
    """The question among the others that asks the same in nearly the same words, "" if none."""
    own_stems = set(stems(question))
    for other in others:
        other_stems = set(stems(other))
        if min(recall(own_stems, other_stems), recall(other_stems, own_stems)) >= _SAME:
            return other
    return ""
