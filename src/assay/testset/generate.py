"""Test sets: questions written from documents, checked, and collected until there are enough."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from assay._runner import STORE
from assay._runner.dry_run import Counts, DryRunBackend
from assay._runner.event_loop import run_to_completion
from assay._runner.settings import Settings, chosen
from assay._runner.stack import BackendStack, choose, opened_stack
from assay._store import Store
from assay._store.runs import TESTSET
from assay.errors import Denied, InputError, JudgeError, OverBudget
from assay.judge import Backend, Judge
from assay.sample import Sample
from assay.tasks import (
    AnswerClosedBook,
    AnswerQuestions,
    FollowUp,
    SelectSentences,
    SplitStatements,
    VerifyStatements,
    WriteFollowUp,
    WriteMultiHop,
    WriteQuestion,
    WriteReasoning,
    WriteSingleHop,
    WriteUnanswerable,
    Written,
)
from assay.tasks.contexts import NO_ANSWER
from assay.testset import checks
from assay.testset.checks import closed_book_answer
from assay.testset.documents import read_documents
from assay.testset.offline import Offline, demand_english, offline_plan
from assay.testset.passages import SHORTEST, Corpus, Passage, cut
from assay.testset.plan import Kind, Plan, PlanRow
from assay.testset.questions import (
    Progress,
    Question,
    Rejected,
    Testset,
    dangling,
    gives_answer,
    overlap,
)

TASKS: Final[Mapping[Kind, type[WriteQuestion]]] = {
    "single_hop": WriteSingleHop,
    "reasoning": WriteReasoning,
    "multi_hop": WriteMultiHop,
    "unanswerable": WriteUnanswerable,
}
# So many questions are tried for each that is wanted, and a few more.
_ATTEMPTS, _EXTRA_ATTEMPTS = 3, 5
# So many other passages are asked whether they answer what one of them leaves open.
_NEAREST = 4
_HARD = 0.6  # of a hard question's content words are in its passages, at most


async def agenerate(
    documents: Any,
    plan: Plan | None = None,
    *,
    judge: Any,
    store: str | Path = STORE,
    settings: Settings | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    on_draft: Callable[[Question | Rejected], None] | None = None,
) -> Testset:
    """Write questions about documents, with answers, and keep those that pass every check.

    Killed or stopped at any point, the same call goes on where it was and repeats no paid call.

    Args:
        documents: As for `read_documents`.
        plan: How many questions, of which kinds.
        judge: Who writes and checks them, as for `evaluate`; rules make them where it cannot
            write. ``"embedded+openai:MODEL"`` has answers checked by the embedded judge.
        store: The SQLite file that keeps all replies.
        settings: Limits, budget, prompts and tries.
        on_progress: Called with (questions, all that are wanted) now and then.
        on_draft: Called with each question and each rejected draft as soon as that is settled.

    Raises:
        InputError: If documents, plan or judge cannot be used; nothing was asked yet.
        Denied: If the judge refuses; what it replied is kept.
    """
    plan, settings = plan or Plan(), chosen(settings)
    corpus, n_documents = await asyncio.to_thread(_corpus, documents, plan)
    route = choose(judge, None, settings)
    stopped = ""
    round_ = _round(
        route, corpus, plan, settings, Progress(sum(plan.wanted().values()), on_progress, on_draft)
    )
    with Store(store) as opened:
        async with opened_stack(route, settings, opened, TESTSET) as stack:
            try:
                async with asyncio.timeout(plan.seconds) as limit:
                    await round_.work(stack.backend)
            except OverBudget as error:
                stopped = str(error)
            except TimeoutError:
                if not limit.expired():
                    raise
                stopped = f"the time limit of {plan.seconds:g} s was reached"
    return _result(round_, n_documents, stack, stopped, settings)


def generate(
    documents: Any,
    plan: Plan | None = None,
    *,
    judge: Any,
    store: str | Path = STORE,
    settings: Settings | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    on_draft: Callable[[Question | Rejected], None] | None = None,
) -> Testset:
    """`agenerate` run to completion."""
    return run_to_completion(
        agenerate(
            documents,
            plan,
            judge=judge,
            store=store,
            settings=settings,
            on_progress=on_progress,
            on_draft=on_draft,
        )
    )


def estimate(
    documents: Any,
    plan: Plan | None = None,
    *,
    judge: Any,
    store: str | Path = STORE,
    settings: Settings | None = None,
) -> Counts:
    """Count what `generate` would ask for at least, if every question passed; nobody is asked.

    Raises:
        InputError: As `generate` would.
    """
    plan, settings = plan or Plan(), chosen(settings)
    corpus, _ = _corpus(documents, plan)
    route = choose(judge, None, settings)
    round_ = _round(route, corpus, plan, settings, Progress())
    opened = Store(store) if Path(store).is_file() else None
    try:
        dry_run = DryRunBackend(route, opened)
        run_to_completion(round_.work(dry_run))
    finally:
        if opened:
            opened.close()
    return dry_run.counts


@dataclass(frozen=True, slots=True)
class _Job:
    """A question to be written, for a row of the plan."""

    row: int
    plan: PlanRow
    passages: tuple[int, ...]
    asked: tuple[str, ...]

    @property
    def kind(self) -> Kind:
        return self.plan.kind


@dataclass
class _Round:
    """The questions of a test set, on their way."""

    corpus: Corpus
    plan: Plan
    tries: int
    progress: Progress
    questions: list[Question] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    _asked: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    _attempts: Counter[int] = field(default_factory=Counter)  # by row of the plan
    _accepted: Counter[int] = field(default_factory=Counter)
    _order: Iterator[int] = field(init=False)

    def __post_init__(self) -> None:
        self._order = self.corpus.evenly(self.plan.seed)

    async def work(self, backend: Backend) -> None:
        """Ask for as many as are missing, and again for those that fail a check.

        Wave by wave, and within one in order, so that what is accepted does not depend on who
        answers first.
        """
        while jobs := self._wave():
            asked = tuple(q.in_full for q in self.questions)
            candidates = [
                asyncio.ensure_future(self._candidate(job, backend, asked)) for job in jobs
            ]
            # All are awaited, as they are paid for: what arrives counts even if some fail.
            errors = []
            try:
                for job, candidate in zip(jobs, candidates, strict=True):
                    (outcome,) = await asyncio.gather(candidate, return_exceptions=True)
                    if isinstance(outcome, BaseException):
                        errors.append(outcome)
                    else:
                        self._take_outcome(job, outcome)
            finally:
                for candidate in candidates:
                    candidate.cancel()
                await asyncio.gather(*candidates, return_exceptions=True)
            if errors:  # a bug before a refusal or a used-up budget
                raise min(errors, key=lambda error: isinstance(error, JudgeError))

    def _wave(self) -> list[_Job]:
        """What is asked for at the same time: about no passage twice."""
        jobs: list[_Job] = []
        while not jobs and (missing := self._missing()):
            used: set[int] = set()
            for row in missing[: len(self.corpus.passages)]:
                number = next(self._order)
                if number in used:  # the next round through the passages has begun
                    break
                used.add(number)
                self._attempts[row] += 1
                if (job := self._job(row, number)) is not None:
                    jobs.append(job)
        return jobs

    def _missing(self) -> list[int]:
        """The row of the plan of each question that is still wanted and may still be tried."""
        return [
            number
            for number, row in enumerate(self.plan.table())
            for _ in range(
                min(
                    row.n - self._accepted[number],
                    _ATTEMPTS * row.n + _EXTRA_ATTEMPTS - self._attempts[number],
                )
            )
        ]

    def _job(self, row: int, number: int) -> _Job | None:
        planned, numbers = self.plan.table()[row], [number]
        if planned.kind == "multi_hop":
            partner = self.corpus.partner(number)
            if partner is None:
                return None
            numbers.append(partner)
        return _Job(row, planned, tuple(numbers), tuple(self._asked[number]))

    async def _candidate(
        self, job: _Job, backend: Backend, known: Sequence[str]
    ) -> Question | Rejected:
        judge = Judge(backend, tries=self.tries)
        passages = tuple(self.corpus.passages[number] for number in job.passages)
        answerable = job.kind != "unanswerable"
        titles = tuple(passage.title for passage in passages)
        draft, follow_up = Written(""), FollowUp("")
        try:
            draft = await judge(
                TASKS[job.kind](tuple(p.text for p in passages), titles, job.asked, job.plan.asker)
            )
            if fault := _free_fault(job.plan, draft, passages, known):
                return _reject(job, fault, draft, passages)
            nearest = () if answerable else self._nearest_passages(job, draft)
            fault = await checks.fault(draft, passages, judge, answerable=answerable, near=nearest)
            if not fault and job.plan.style == "follow-up":
                follow_up = await judge(_follow_up_task(job, draft, passages))
                fault = await checks.follow_up_fault(follow_up, draft, passages, judge)
        except (Denied, OverBudget):
            raise
        except JudgeError as error:
            fault = "judge failed", str(error)
        if fault:
            return _reject(job, fault, draft, passages)
        question = _question(job, draft, passages, follow_up)
        if self.plan.closed_book and answerable:
            return replace(question, closed_book=await _closed_book(draft, judge))
        return question

    def _nearest_passages(self, job: _Job, draft: Written) -> list[Passage]:
        """Other passages that are most likely to answer a question."""
        text = f"{self.corpus.passages[job.passages[0]].title} {draft.question}"
        numbers = self.corpus.nearest(text, _NEAREST, job.passages)
        return [self.corpus.passages[number] for number in numbers]

    def _take_outcome(self, job: _Job, outcome: Question | Rejected) -> None:
        if isinstance(outcome, Question):
            twin = checks.repeated(outcome.in_full, (q.in_full for q in self.questions))
            if twin:
                ids = tuple(passage.id for passage in outcome.passages)
                outcome = Rejected(
                    job.kind, "repeated", twin, outcome.question, outcome.reference, ids
                )
        if isinstance(outcome, Rejected):
            self.rejected.append(outcome)
        else:
            self._accepted[job.row] += 1
            self.questions.append(outcome)
        self.progress(outcome, len(self.questions))
        if outcome.question:  # asked for again, a judge would write it again
            for number in job.passages:
                full = outcome.in_full if isinstance(outcome, Question) else outcome.question
                self._asked[number].append(full)


def _free_fault(
    plan: PlanRow, draft: Written, passages: Sequence[Passage], known: Sequence[str]
) -> checks.Fault | None:
    """What words alone tell is wrong with a question, before any judge is asked about it."""
    if not draft.question:
        return None
    if words := dangling(draft.question):
        return "not standalone", f"'{words}'"
    if twin := checks.repeated(draft.question, known):
        return "repeated", twin
    texts = [passage.text for passage in passages]
    if plan.difficulty == "hard" and (share := overlap(draft.question, texts)) > _HARD:
        return "too easy", f"{share:.0%} of its words are in the text"
    sample = Sample(id="", question=draft.question, reference=draft.answer)
    if plan.kind != "unanswerable" and gives_answer(sample):
        return "answer given", draft.answer
    return None


def _reject(
    job: _Job, fault: checks.Fault, draft: Written, passages: Sequence[Passage]
) -> Rejected:
    ids = tuple(passage.id for passage in passages)
    return Rejected(job.kind, *fault, draft.question, draft.answer, ids)


def _follow_up_task(job: _Job, draft: Written, passages: Sequence[Passage]) -> WriteFollowUp:
    persona = replace(job.plan, style="", difficulty="").asker
    return WriteFollowUp(draft.question, tuple(p.text for p in passages), persona)


async def _closed_book(draft: Written, judge: Judge) -> str | None:
    """The answer that needs no text, where it is right; None if the judge does not say."""
    try:
        return await closed_book_answer(draft.question, draft.answer, judge)
    except (Denied, OverBudget):
        raise
    except JudgeError:
        return None


def _question(
    job: _Job, draft: Written, passages: tuple[Passage, ...], follow_up: FollowUp
) -> Question:
    name = f"{job.kind}:{'+'.join(passage.id for passage in passages)}"
    name += f":{len(job.asked) + 1}" if job.asked else ""
    question = follow_up.question or draft.question
    return Question(
        name,
        job.kind,
        question,
        draft.answer if job.kind != "unanswerable" else NO_ANSWER,
        passages,
        draft.quotes,
        overlap(question, [passage.text for passage in passages]),
        traits=job.plan.traits,
        before=(follow_up.before, follow_up.answer) if follow_up.question else (),
        standalone=draft.question if follow_up.question else "",
    )


def _corpus(documents: Any, plan: Plan) -> tuple[Corpus, int]:
    texts = read_documents(documents)
    passages = [passage for document in texts for passage in cut(document, plan.words)]
    if not passages:
        fault = "the documents are too short to ask about"
        raise InputError(fault, f"give texts of {SHORTEST} words or more")
    return Corpus(passages), len(texts)


def _round(
    route: Backend,
    corpus: Corpus,
    plan: Plan,
    settings: Settings,
    progress: Progress,
) -> "_Round | Offline":
    """How the questions are written: by rules, where the judge cannot write."""
    if not by_rules(plan, route):
        tasks: list[type[Any]] = [TASKS[kind] for kind in plan.wanted()]
        styles = {row.style for row in plan.table()}
        tasks += [AnswerQuestions, SplitStatements, VerifyStatements]
        tasks += [WriteFollowUp] if "follow-up" in styles else []
        _check(route, [*tasks, AnswerClosedBook] if plan.closed_book else tasks)
        if "multi_hop" in plan.wanted() and len(corpus.passages) < 2:
            fault = "a question over two passages is wanted, and there is one passage"
            raise InputError(fault, "give more documents, shorter passages, or other kinds")
        return _Round(corpus, plan, settings.tries, progress)
    _check(route, [SelectSentences, VerifyStatements])
    demand_english(corpus)
    return Offline(corpus, offline_plan(plan), settings.tries, progress)


def by_rules(plan: Plan, route: Backend) -> bool:
    """Whether rules write the questions: the judge cannot."""
    return all(route.identity(TASKS[kind]) is None for kind in plan.wanted())


def _check(route: Backend, tasks: Sequence[type[Any]]) -> None:
    missing = [kind.kind for kind in tasks if route.identity(kind) is None]
    if missing:
        fault = f"the judge cannot do '{missing[0]}', which writing questions takes"
        raise InputError(fault, "name a language model: openai:MODEL, ollama:MODEL or gguf:PATH")


def _result(
    round_: _Round | Offline, documents: int, stack: BackendStack, stopped: str, settings: Settings
) -> Testset:
    usage: Sequence[Any] = stack.usages
    return Testset(
        tuple(round_.questions),
        tuple(round_.rejected),
        round_.plan.wanted(),
        documents,
        len(round_.corpus.passages),
        calls=stack.served.asked,
        known=stack.served.known,
        tokens_in=sum(u.tokens_in for u in usage),
        tokens_out=sum(u.tokens_out for u in usage),
        money=sum(u.money for u in usage) if settings.budget.price else None,
        stopped=stopped,
        by_rules=isinstance(round_, Offline),
    )
