"""Test questions without a language model: made by rules, checked by a judge that only reads."""

import asyncio
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NoReturn

from assay._text.language_id import language_name, other_language
from assay._text.markup import clean
from assay._text.quotes import comparable
from assay._text.sentences import sentences
from assay._text.words import STOP_WORDS, recall, stem, stems
from assay.errors import Denied, InputError, JudgeError, OverBudget
from assay.judge import Backend, Judge
from assay.tasks import SelectSentences, Statement, VerifyStatements
from assay.tasks.contexts import NO_ANSWER
from assay.tasks.contexts import Passage as Numbered
from assay.testset import checks
from assay.testset.drafts import SAME_ANSWER, Draft, Drafts, in_its_document
from assay.testset.passages import Corpus, as_printed
from assay.testset.plan import KINDS, Kind, Plan, Style
from assay.testset.questions import Progress, Question, Rejected, overlap

_KINDS: Final[Mapping[Kind, float]] = {"single_hop": 0.7, "multi_hop": 0.1, "unanswerable": 0.2}
_ATTEMPTS, _EXTRA_ATTEMPTS = 12, 20  # drafts that are checked for each question that is wanted
_AT_ONCE: Final = 8  # drafts that are checked together
_NEAREST: Final = 4  # other passages that may answer a question as well
_ANSWERS: Final = 0.5  # probability from which on a sentence answers a question
_ALSO_ANSWERS: Final = 0.8  # ... from which on another passage does
_SHARE: Final = 0.25  # of the questions are made by one rule, or half if others make too few
# "What does X stand for?" is right and dull, and ranks retrievers as no other question does.
_FEW: Final = {"abbreviation": 0.1}
# Asked in the words of one sentence, a question is found by every retriever; people's words are
# from all over a passage.
_AROUND: Final = 3  # words from around the answer among search keywords
_BY_FORM: Final = frozenset(("procedure", "setting"))  # whose answer is no sentence to be read
_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_ASKING: Final = frozenset(
    ("when", "where", "who", "whom", "why", "how", "many", "much", "not", "no", "without")
)


def offline_plan(plan: Plan) -> Plan:
    """The plan without what takes a language model: questions of reasoning.

    Raises:
        InputError: If nothing is left.
    """
    if any(row.traits.items() - {("style", "keywords")} for row in plan.rows):
        fault = "personas, difficulty and styles but keywords take a language model that writes"
        raise InputError(fault, "name one: --judge openai:MODEL, or leave those columns empty")
    if plan.closed_book:
        fault = "questions are answered closed-book by a language model only"
        raise InputError(fault, "name one, or ask without: --judge openai:MODEL")
    if plan.rows:
        rows = tuple(row for row in plan.rows if row.kind != "reasoning")
        return replace(plan, rows=rows or _no_rules())
    if plan.kinds == KINDS:
        return replace(plan, kinds=_KINDS)
    kinds: dict[Kind, float] = {k: n for k, n in plan.kinds.items() if k != "reasoning"}
    return replace(plan, kinds=kinds if sum(kinds.values()) else _no_rules())


def _no_rules() -> NoReturn:
    fault = "questions of reasoning take a language model that writes them"
    raise InputError(fault, "name one: --judge openai:MODEL, ollama:MODEL or gguf:PATH")


def demand_english(corpus: Corpus) -> None:
    """See that some passage may be in English, in which alone rules ask.

    Raises:
        InputError: If each is surely in another language.
    """
    languages = (other_language([passage.text]) for passage in corpus.passages)
    first = next(languages, "")
    if first and all(languages):
        fault = f"the documents are in {language_name(first)}, and rules write in English"
        raise InputError(fault, "name a language model that writes: --judge openai:MODEL")


@dataclass
class Offline:
    """The questions of a test set that rules make, on their way."""

    corpus: Corpus
    plan: Plan
    tries: int
    progress: Progress
    questions: list[Question] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    _drafts: "Drafts" = field(init=False)
    _asked: list[str] = field(default_factory=list)  # in whole sentences

    async def work(self, backend: Backend) -> None:
        """Make drafts, check them, and keep as many as are wanted; there may be fewer."""
        self._drafts = await asyncio.to_thread(Drafts, self.corpus, self.plan.seed)
        judge = Judge(backend, tries=self.tries)
        for kind, n_wanted in self.plan.wanted().items():
            await self._write(kind, n_wanted, self._drafts.of(kind), judge)

    async def _write(
        self, kind: Kind, n_wanted: int, drafts: Sequence[Draft], judge: Judge
    ) -> None:
        """As many questions of a kind as are wanted, no rule before its turn."""
        waiting, used = list(drafts), Counter[str]()
        styles = [row.style for row in self.plan.table() if row.kind == kind for _ in range(row.n)]
        random.Random(self.plan.seed).shuffle(styles)  # noqa: S311 - no secret
        tried, max_tries = 0, _ATTEMPTS * n_wanted + _EXTRA_ATTEMPTS
        limit = max(2, round(_SHARE * n_wanted))
        limits = {name: max(2, round(share * n_wanted)) for name, share in _FEW.items()}
        while waiting and n_wanted > used.total() and tried < max_tries:
            full = {name for name, n in used.items() if n >= limits.get(name, limit)} - {"faq"}
            open_ = [draft for draft in waiting if draft.fact.template not in full]
            if not open_:
                if limit >= max(2, n_wanted // 2):
                    break
                limit = max(2, n_wanted // 2)
                continue
            batch = open_[: min(_AT_ONCE, max(2, n_wanted - used.total()))]
            tried += len(batch)
            waiting = [draft for draft in waiting if draft not in batch]
            faults = await asyncio.gather(*(self._fault(kind, draft, judge) for draft in batch))
            for draft, fault in zip(batch, faults, strict=True):
                if reason := fault or self._repeats(draft):
                    self.rejected.append(self._reject(kind, draft, reason))
                    self.progress(self.rejected[-1], len(self.questions))
                elif used.total() < n_wanted and (
                    used[draft.fact.template] < limits.get(draft.fact.template, limit)
                    or draft.fact.template == "faq"
                ):
                    used[draft.fact.template] += 1
                    self.questions.append(self._question(kind, draft, styles.pop()))
                    self._asked.append(draft.fact.question)
                    self.progress(self.questions[-1], len(self.questions))
                else:
                    waiting.append(draft)

    def _repeats(self, draft: Draft) -> checks.Fault | None:
        twin = checks.repeated(draft.fact.question, self._asked)
        if not twin and not draft.sure and draft.quotes:  # a sentence is asked about once
            twin = next((q.question for q in self.questions if q.quotes == draft.quotes), "")
        return ("repeated", twin) if twin else None

    async def _fault(self, kind: Kind, draft: Draft, judge: Judge) -> checks.Fault | None:
        """What is wrong with a draft, None if it passes all checks; the free ones come first."""
        if fault := self._drafts.fault(kind, draft):
            return fault
        try:
            if draft.sure:
                prose = draft.fact.reference and draft.fact.template not in _BY_FORM
                return await self._unsupported(draft, judge) if prose else None
            if kind == "unanswerable":
                nearest = self.corpus.nearest(draft.fact.question, _NEAREST)
                answering = await self._answering(draft.fact.question, nearest, judge, _ANSWERS)
                return ("answered", answering[0]) if answering else None
            if kind == "multi_hop":
                return await self._is_one_enough(draft, judge)
            return await self._unfit(draft, judge)
        except (Denied, OverBudget):
            raise
        except JudgeError as error:
            return "judge failed", str(error)

    async def _unfit(self, draft: Draft, judge: Judge) -> checks.Fault | None:
        """What the judge finds wrong with a question that one passage answers."""
        answering = await self._answering(draft.fact.question, draft.passages, judge, _ANSWERS)
        quote = comparable(draft.quotes[0])
        answers = (comparable(answer) for answer in answering)
        if not any(answer in quote or quote in answer for answer in answers):
            return "unanswered", "the judge does not find the answer in the passage"
        if fault := await self._unsupported(draft, judge):
            return fault
        nearest = self.corpus.nearest(draft.fact.question, _NEAREST, draft.passages)
        for answer in await self._answering(draft.fact.question, nearest, judge, _ALSO_ANSWERS):
            if recall(stems(draft.fact.answer), stems(answer)) < SAME_ANSWER:
                return "ambiguous", answer
        return None

    async def _is_one_enough(self, draft: Draft, judge: Judge) -> checks.Fault | None:
        if fault := await self._unsupported(draft, judge):
            return fault
        for number in draft.passages:
            text = comparable(self.corpus.passages[number].text)
            if all(comparable(quote) in text for quote in draft.quotes):
                return "one is enough", self.corpus.passages[number].id
        return None

    async def _unsupported(self, draft: Draft, judge: Judge) -> checks.Fault | None:
        texts = tuple(self.corpus.passages[number].text for number in draft.passages)
        numbered = enumerate(sentences(draft.fact.reference), 1)
        statements = tuple(Statement(f"s{n}", text) for n, text in numbered)
        verdicts = await judge(VerifyStatements(statements, texts))
        left = [
            statement.text
            for statement, verdict in zip(statements, verdicts, strict=True)
            if not verdict.supported
        ]
        return ("unsupported", left[0]) if left else None

    async def _answering(
        self, question: str, passages: Iterable[int], judge: Judge, minimum: float
    ) -> list[str]:
        """The sentences of some passages that answer a question, says the judge."""
        numbered = {
            f"{n}.{m}": sentence
            for n, number in enumerate(passages, 1)
            for m, sentence in enumerate(sentences(self.corpus.passages[number].text), 1)
        }
        if not numbered:
            return []
        rows = tuple(Numbered(name, text) for name, text in numbered.items())
        choices = await judge(SelectSentences(question, rows))
        sure = {
            choice.id
            for choice in choices
            if choice.chosen and (choice.probability or 0.0) >= minimum
        }
        return [text for name, text in numbered.items() if name in sure]

    def _question(self, kind: Kind, draft: Draft, style: Style) -> Question:
        passages = tuple(self.corpus.passages[number] for number in draft.passages)
        rng = random.Random(f"{self.plan.seed} {draft.fact.question}")  # noqa: S311 - no secret
        question = rng.choice([text for text in (draft.fact.question, draft.fact.other) if text])
        if draft.quotes and not draft.sure and not style and len(passages) == 1:
            question = in_its_document(question, draft.fact, passages[0])
        if style == "keywords":
            texts = " ".join(passage.text for passage in passages)
            question = keywords(draft.fact.question, around(texts, draft), rng)
        name = f"{kind}:{'+'.join(p.id for p in passages)}"
        n_alike = sum((q.kind, q.passages) == (kind, passages) for q in self.questions)
        return Question(
            f"{name}:{n_alike + 1}" if n_alike else name,
            kind,
            question,
            draft.fact.reference if kind != "unanswerable" else NO_ANSWER,
            passages,
            draft.quotes if kind != "unanswerable" else (),
            overlap(question, [passage.text for passage in passages]),
            draft.fact.template,
            {"style": style} if style else {},
        )

    def _reject(self, kind: Kind, draft: Draft, fault: checks.Fault) -> Rejected:
        ids = tuple(self.corpus.passages[number].id for number in draft.passages)
        return Rejected(kind, *fault, draft.fact.question, draft.fact.reference, ids)


def around(text: str, draft: Draft) -> list[str]:
    """The words of content around the sentences that answer a question, none of its or theirs."""
    for quote in draft.quotes:
        text = text.replace(quote, "\n")
    fact = draft.fact
    told_stems = set(stems(f"{fact.question} {fact.reference} {' '.join(draft.quotes)}"))
    candidates = dict.fromkeys(_WORD.findall(clean(as_printed(text))))
    return [
        word
        for word in candidates
        if word.lower() not in STOP_WORDS and stem(word.lower()) not in told_stems
    ]


def keywords(question: str, near: Sequence[str], rng: random.Random) -> str:
    """A question as it is typed into a search: its words of content, and a few from around."""
    typed = question.translate(str.maketrans("", "", '“”?"')).split()
    typed[0] = typed[0].lower()
    telling = [word for word in typed if word in _ASKING or word.lower() not in STOP_WORDS]
    return " ".join([*telling, *rng.sample(near, min(_AROUND, len(near)))])
