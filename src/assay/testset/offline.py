"""Test questions without a language model: made by rules, checked by a judge that only reads."""

import asyncio
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final

from assay._text.markup import clean
from assay._text.sentences import sentences, spans
from assay._text.statements import statements
from assay._text.words import recall, stems
from assay.errors import Denied, InputError, JudgeError, OverBudget
from assay.judge import Backend, Judge
from assay.sample import Sample
from assay.tasks import SelectSentences, Statement, VerifyStatements
from assay.tasks.contexts import Passage as Numbered
from assay.testset import checks
from assay.testset.passages import Corpus
from assay.testset.question_rules import dangling, gives_answer
from assay.testset.questions import KINDS, NO_ANSWER, Kind, Plan, Question, Rejected
from assay.testset.sentence_questions import facts
from assay.testset.structure_questions import found_in

_BOILERPLATE: Final = 2  # options; what more of them say is the same for all commands
_KINDS: Final[Mapping[Kind, float]] = {"single_hop": 0.7, "multi_hop": 0.1, "unanswerable": 0.2}
_MOST_PASSAGES: Final = 1500  # of more, as many are drawn evenly
_ATTEMPTS, _EXTRA_ATTEMPTS = 12, 20  # drafts that are checked for each question that is wanted
_AT_ONCE: Final = 8  # drafts that are checked together
_NEAREST: Final = 4  # other passages that may answer a question as well
_ANSWERS: Final = 0.5  # probability from which on a sentence answers a question
_ALSO_ANSWERS: Final = 0.8  # ... from which on another passage does
_SHARE: Final = 0.25  # of the questions are made by one rule, or half if others make too few
_SAME_ANSWER: Final = 0.6  # of the words of an answer another one has
_SHARED: Final = 0.08  # of the passages have a word that two things share which are of one kind
_RARE: Final = 0.03  # of the passages have a word that says what is meant
# What names one thing: "TS 23.501", "max_delay", "`--seed`", "4G", "Rome" behind the first word.
_NAME: Final = re.compile(
    r"`[^`]+`|“[^”]+”|\b\w*(?:[A-Z]\w*[A-Z0-9]|\d[A-Za-z]|[a-z]_[a-z])\w*|(?<=\s)[A-Z][\w-]+"
)
_YEAR: Final = re.compile(r"\bin ((?:1\d|20)\d\d)\b")
_ACRONYM: Final = re.compile(r"(?<=[a-z] )[A-Z]{3,5}(?= [a-z]|[.,;)]\s)")
_LEAST_USES: Final = 2  # of an abbreviation
_ROMAN: Final = re.compile(r"[IVXLCDM]+")


@dataclass(frozen=True, slots=True)
class _Draft:
    """A question that a rule made.

    Attributes:
        template: The rule.
        question: The question.
        answer: What answers it, in a few words.
        reference: The answer in full sentences.
        passages: Numbers of the passages that it is about.
        quotes: Stretches of them that bear the answer out, one of each.
        subject: What it is about.
        predicate: What is said of that.
        other: The same question in other words, "" if there are none.
        sure: Whether the form of the text says that it is the answer, so that no judge is asked.
    """

    template: str
    question: str
    answer: str
    reference: str
    passages: tuple[int, ...]
    quotes: tuple[str, ...]
    subject: str = ""
    predicate: str = ""
    other: str = ""
    sure: bool = False


def offline_plan(plan: Plan) -> Plan:
    """The plan without what takes a language model: questions of reasoning.

    Raises:
        InputError: If nothing is left.
    """
    if plan.kinds == KINDS:
        return replace(plan, kinds=_KINDS)
    kinds: dict[Kind, float] = {k: n for k, n in plan.kinds.items() if k != "reasoning"}
    if not sum(kinds.values()):
        what = "questions of reasoning take a language model that writes them"
        raise InputError(what, "name one: --judge openai:MODEL, ollama:MODEL or gguf:PATH")
    return replace(plan, kinds=kinds)


@dataclass
class Offline:
    """The questions of a test set that rules make, on their way."""

    corpus: Corpus
    plan: Plan
    tries: int
    on_progress: Callable[[int, int], None] | None = None
    questions: list[Question] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    _drafts: "_Drafts" = field(init=False)

    async def work(self, backend: Backend) -> None:
        """Make drafts, check them, and keep as many as are wanted; there may be fewer."""
        self._drafts = await asyncio.to_thread(_Drafts, self.corpus, self.plan.seed)
        judge = Judge(backend, tries=self.tries)
        for kind, wanted in self.plan.wanted().items():
            await self._write(kind, wanted, self._drafts.of(kind), judge)

    async def _write(self, kind: Kind, wanted: int, drafts: Sequence[_Draft], judge: Judge) -> None:
        """As many questions of a kind as are wanted, no rule before its turn."""
        waiting, used = list(drafts), Counter[str]()
        tried, most = 0, _ATTEMPTS * wanted + _EXTRA_ATTEMPTS
        limit = max(2, round(_SHARE * wanted))
        while waiting and wanted > used.total() and tried < most:
            open_ = [draft for draft in waiting if used[draft.template] < limit]
            if not open_:
                if limit >= max(2, wanted // 2):
                    break
                limit = max(2, wanted // 2)
                continue
            batch = open_[: min(_AT_ONCE, max(2, wanted - used.total()))]
            tried += len(batch)
            waiting = [draft for draft in waiting if draft not in batch]
            faults = await asyncio.gather(*(self._fault(kind, draft, judge) for draft in batch))
            for draft, fault in zip(batch, faults, strict=True):
                if reason := fault or self._repeats(draft):
                    self.rejected.append(self._rejected(kind, draft, reason))
                elif used.total() < wanted and used[draft.template] < limit:
                    used[draft.template] += 1
                    self.questions.append(self._question(kind, draft))
                else:
                    waiting.append(draft)
            if self.on_progress:
                self.on_progress(len(self.questions), self.plan.n)

    def _repeats(self, draft: _Draft) -> checks.Fault | None:
        twin = checks.repeated(draft.question, (q.question for q in self.questions))
        return ("repeated", twin) if twin else None

    async def _fault(self, kind: Kind, draft: _Draft, judge: Judge) -> checks.Fault | None:
        """What is wrong with a draft, None if it passes all checks; the free ones come first."""
        if fault := self._drafts.fault(kind, draft):
            return fault
        try:
            if draft.sure:
                return (
                    await self._unsupported(draft, judge)
                    if draft.reference and kind != "unanswerable"
                    else None
                )
            if kind == "unanswerable":
                near = self.corpus.nearest(draft.question, _NEAREST)
                said = await self._answering(draft.question, near, judge, _ANSWERS)
                return ("answered", said[0]) if said else None
            if kind == "multi_hop":
                return await self._one_enough(draft, judge)
            return await self._unfit(draft, judge)
        except (Denied, OverBudget):
            raise
        except JudgeError as error:
            return "judge failed", str(error)

    async def _unfit(self, draft: _Draft, judge: Judge) -> checks.Fault | None:
        """What the judge finds wrong with a question that one passage answers."""
        said = await self._answering(draft.question, draft.passages, judge, _ANSWERS)
        quote = checks.comparable(draft.quotes[0])
        if not any(
            checks.comparable(one) in quote or quote in checks.comparable(one) for one in said
        ):
            return "unanswered", "the judge does not find the answer in the passage"
        if fault := await self._unsupported(draft, judge):
            return fault
        near = self.corpus.nearest(draft.question, _NEAREST, draft.passages)
        for one in await self._answering(draft.question, near, judge, _ALSO_ANSWERS):
            if recall(set(stems(draft.answer)), set(stems(one))) < _SAME_ANSWER:
                return "ambiguous", one
        return None

    async def _one_enough(self, draft: _Draft, judge: Judge) -> checks.Fault | None:
        if fault := await self._unsupported(draft, judge):
            return fault
        for number in draft.passages:
            text = checks.comparable(self.corpus.passages[number].text)
            if all(checks.comparable(quote) in text for quote in draft.quotes):
                return "one is enough", self.corpus.passages[number].id
        return None

    async def _unsupported(self, draft: _Draft, judge: Judge) -> checks.Fault | None:
        texts = tuple(self.corpus.passages[number].text for number in draft.passages)
        parts = [Statement(f"s{n}", one) for n, one in enumerate(sentences(draft.reference), 1)]
        verdicts = await judge(VerifyStatements(tuple(parts), texts))
        left = [part.text for part, one in zip(parts, verdicts, strict=True) if not one.supported]
        return ("unsupported", left[0]) if left else None

    async def _answering(
        self, question: str, passages: Iterable[int], judge: Judge, least: float
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
        chosen = await judge(SelectSentences(question, rows))
        return [
            numbered[one.id] for one in chosen if one.chosen and (one.probability or 1.0) >= least
        ]

    def _question(self, kind: Kind, draft: _Draft) -> Question:
        passages = tuple(self.corpus.passages[number] for number in draft.passages)
        held = {stem for passage in passages for stem in stems(passage.text)}
        rng = random.Random(f"{self.plan.seed} {draft.question}")  # noqa: S311 - no secret
        asked = rng.choice([draft.question, draft.other]) if draft.other else draft.question
        name = f"{kind}:{'+'.join(p.id for p in passages)}"
        taken = sum(q.id.partition(":~")[0] == name for q in self.questions)
        return Question(
            f"{name}:~{taken + 1}" if taken else name,
            kind,
            asked,
            draft.reference if kind != "unanswerable" else NO_ANSWER,
            passages,
            draft.quotes if kind != "unanswerable" else (),
            recall(stems(asked), held),
            draft.template,
        )

    def _rejected(self, kind: Kind, draft: _Draft, fault: checks.Fault) -> Rejected:
        ids = tuple(self.corpus.passages[number].id for number in draft.passages)
        return Rejected(kind, *fault, draft.question, draft.reference, ids)


class _Drafts:
    """All questions that the rules make of a corpus."""

    def __init__(self, corpus: Corpus, seed: int) -> None:
        self.corpus, self.seed = corpus, seed
        self._rng = random.Random(seed)  # noqa: S311 - no secret
        self._text = "\n\n".join(passage.text for passage in corpus.passages)
        self._small = _written_small(self._text)
        order = corpus.evenly(seed)
        numbers = [next(order) for _ in range(min(len(corpus.passages), _MOST_PASSAGES))]
        self._spread = Counter(stem for p in corpus.passages for stem in set(stems(p.text)))
        self.facts: list[_Draft] = []
        for number in numbers:
            mine = [*self._of_structure(number), *self._of_sentences(number)]
            self._rng.shuffle(mine)
            self.facts += mine
        told = Counter((draft.predicate, draft.answer) for draft in self.facts if draft.sure)
        self.facts = [
            draft
            for draft in self.facts
            if draft.template != "option" or told[draft.predicate, draft.answer] <= _BOILERPLATE
        ]
        self._answers: dict[str, list[str]] = defaultdict(list)
        for draft in self.facts:
            if draft.answer:
                self._answers[checks.comparable(draft.question)].append(draft.answer)

    def of(self, kind: Kind) -> list[_Draft]:
        """The drafts of a kind, in the order in which they are tried: one of each passage first."""
        if kind == "multi_hop":
            return list(self._joined())
        if kind == "unanswerable":
            made = [
                *(*self._unexpanded(), *self._without_default()),
                *(*self._other_subject(), *self._other_year(), *self._undated()),
            ]
            self._rng.shuffle(made)
            return made
        turn = Counter[tuple[int, ...]]()
        turns: list[tuple[int, int]] = []
        for place, draft in enumerate(self.facts):
            if draft.template == "undated":
                continue
            turns.append((turn[draft.passages], place))
            turn[draft.passages] += 1
        return [self.facts[place] for _, place in sorted(turns)]

    def fault(self, kind: Kind, draft: _Draft) -> checks.Fault | None:
        """What is wrong with a draft as far as words tell."""
        if leaning := dangling(draft.question):
            return "not standalone", f"'{leaning}'"
        if kind == "unanswerable":
            return None
        if not self._names_something(draft):
            return "not standalone", "it names nothing that only one thing is called"
        if gives_answer(Sample(id="", question=draft.question, reference=draft.answer)):
            return "answer given", draft.answer
        for answer in self._answers[checks.comparable(draft.question)]:
            mine, theirs = set(stems(draft.answer)), set(stems(answer))
            if max(recall(mine, theirs), recall(theirs, mine)) < _SAME_ANSWER:
                return "ambiguous", answer
        return None

    def _names_something(self, draft: _Draft) -> bool:
        """Whether the question has a name, or its subject rare words without "the"."""
        if re.fullmatch(r"the [a-z]+", draft.subject):  # "the city"
            return False
        if _NAME.search(draft.question.split(" ", 1)[1]):
            return True
        named = stems(draft.subject)
        rare = any(self._is_rare(stem, _RARE) for stem in named)
        return not draft.subject.startswith("the ") and len(named) > 1 and rare

    def _is_rare(self, stem: str, share: float) -> bool:
        return self._spread[stem] <= max(2, share * len(self.corpus.passages))

    def _of_structure(self, number: int) -> Iterator[_Draft]:
        passage = self.corpus.passages[number]
        for one in found_in(passage.text, passage.title.split(" > "), self._small):
            quote = passage.text[one.start : one.end]
            yield _Draft(
                one.template,
                one.question,
                one.answer,
                one.reference,
                (number,),
                (quote,),
                one.subject,
                one.predicate,
                one.other,
                sure=True,
            )

    def _of_sentences(self, number: int) -> Iterator[_Draft]:
        text = self.corpus.passages[number].text
        ends = spans(text)
        for statement in statements(text):
            plain = clean(statement.text)
            for fact in facts(plain, self._small):
                start, end = next(
                    (s for s in ends if s[0] <= statement.start < s[1]),
                    (statement.start, statement.end),
                )
                reference = f"{plain.rstrip('.')}."
                yield _Draft(
                    fact.template,
                    fact.question,
                    fact.answer,
                    reference,
                    (number,),
                    (text[start : max(end, statement.end)],),
                    fact.subject,
                    fact.predicate,
                    fact.other,
                )

    def _joined(self) -> Iterator[_Draft]:
        """Two facts of one kind about things whose names share a word, of two passages."""
        kinds: dict[tuple[str, str], list[_Draft]] = defaultdict(list)
        for draft in self.facts:
            if draft.template in _JOINTS and self._names_something(draft):
                kinds[draft.template, draft.predicate].append(draft)
        pairs = [pair for same in kinds.values() for pair in combinations(same, 2)]
        self._rng.shuffle(pairs)
        used = set[str]()
        for first, second in pairs:
            mine, theirs = set(stems(first.subject)), set(stems(second.subject))
            rare = any(len(s) > 1 and self._is_rare(s, _SHARED) for s in mine & theirs)
            near = rare and 2 * len(mine & theirs) >= min(len(mine), len(theirs))
            apart = first.passages != second.passages and mine - theirs and theirs - mine
            joined = f" {first.subject} {second.subject} "
            question = _JOINTS[first.template](first, second)
            if not (near and apart and question) or " and " in joined:
                continue
            if checks.comparable(first.answer) == checks.comparable(second.answer):
                continue
            if not used.isdisjoint((first.question, second.question)):
                continue
            used |= {first.question, second.question}
            yield _Draft(
                first.template,
                question,
                f"{first.answer}; {second.answer}",
                f"{first.reference} {second.reference}",
                (*first.passages, *second.passages),
                (*first.quotes, *second.quotes),
                first.subject,
                first.predicate,
            )

    def _unexpanded(self) -> Iterator[_Draft]:
        """What abbreviations stand for that no text spells out."""
        holders: dict[str, list[int]] = defaultdict(list)
        for number, passage in enumerate(self.corpus.passages):
            for short in _ACRONYM.findall(passage.text):
                holders[short].append(number)
        for short, numbers in sorted(holders.items()):
            common = short in _WORDS or short.lower() in self._small or _ROMAN.fullmatch(short)
            spelled = r"[\s/-]+(?:(?:of|and|for|the|in|to)\s+)?".join(rf"{c}\w*" for c in short)
            if (
                len(numbers) < _LEAST_USES
                or common
                or re.search(rf"\b{spelled}\b", self._text, re.I)
            ):
                continue
            if not re.search(rf"\b{short}\s*[:(=]|\(\s*{short}", self._text):
                question = f"What does {short} stand for?"
                yield _Draft("abbreviation", question, "", "", (numbers[0],), (), short, sure=True)

    def _without_default(self) -> Iterator[_Draft]:
        """The defaults of options of which no text tells one."""
        options = [draft for draft in self.facts if draft.template == "option"]
        known = {draft.subject for draft in options if draft.predicate == "default"}
        for draft in options:
            quote = draft.quotes[0]
            if (
                draft.subject not in known
                and _TAKES_NUMBER.search(quote)
                and not _OPEN.search(quote)
            ):
                question = f"What is the default of {draft.subject}?"
                yield replace(draft, question=question, other="", sure=True)

    def _other_subject(self) -> Iterator[_Draft]:
        """What the texts say of one thing, asked of another of which they do not say it."""
        specifies = any(draft.predicate in _SPECIFIED for draft in self.facts)
        said = [one.lower() for one in sentences(self._text)]
        for fact in self.facts:
            named = _NAME.search(f" {fact.subject}") and not _PHRASE.search(fact.subject)
            if fact.template not in _SWAPPED or not named:
                continue
            person = fact.question.startswith("Who ")
            if not (person or specifies):
                continue
            told = re.compile(r"\b(?:born|birth)" if person else r"\b(?:defin|specif|describ)")
            if any(fact.subject.lower() in one and told.search(one) for one in said):
                continue
            be = {"does": "is", "do": "are"}.get(auxiliary := fact.question.split()[1], auxiliary)
            end = "born" if person else "defined"
            question = f"Where {be} {fact.subject} {end}?"
            yield replace(fact, template="place", question=question, other="", sure=False)

    def _undated(self) -> Iterator[_Draft]:
        """When something was done, of which no text tells a date."""
        said = [one.lower() for one in sentences(self._text) if re.search(r"\d", one)]
        for draft in self.facts:
            if draft.template == "undated" and _NAME.search(draft.question.split(" ", 1)[1]):
                held = set(stems(draft.subject))
                if not any(held <= set(stems(one)) for one in said):
                    yield replace(draft, template="time")

    def _other_year(self) -> Iterator[_Draft]:
        """A fact of a year, asked of another year."""
        for draft in self.facts:
            found = _YEAR.search(draft.question)
            if found is None or draft.template == "time":
                continue
            year = int(found[1])
            years = [
                y
                for y in range(year - 9, year + 10)
                if y != year and y < _NOW and str(y) not in self._text
            ]
            if years:
                other = str(self._rng.choice(years))
                question = draft.question.replace(found[1], other)
                yield replace(draft, question=question, other="", sure=False)


_NOW: Final = 2020
_SWAPPED: Final = frozenset(("definition", "purpose"))
_PHRASE: Final = re.compile(r"\s(?:of|at|by|in|for|and|from|to|with)\s")
_SPECIFIED: Final = frozenset(("defined", "specified", "described"))
_TAKES_NUMBER: Final = re.compile(r"--[\w-]+ (?:N|SHARE|SECONDS|VALUE|NUMBER|SIZE|TOKENS|WIDTH)\b")
_OPEN: Final = re.compile(r"\bdefault|\bnot given|\bif none|\bwithout", re.IGNORECASE)
_WORDS: Final = frozenset("THE AND FOR NOT ALL ANY NOTE TODO WITH FROM THIS USA JSON".split())  # noqa: SIM905


def _difference(first: _Draft, second: _Draft) -> str:
    return f"What is the difference between {first.subject} and {second.subject}?"


def _both(first: _Draft, second: _Draft) -> str:
    """One question of two that only differ in their subject; "" where they differ in more."""
    before, _, behind = first.question.partition(first.subject)
    if second.question != f"{before}{second.subject}{behind}" or not behind.strip(" ?"):
        return ""
    plural = {"does": "do", "is": "are", "was": "were", "did": "did", "do": "do", "are": "are"}
    *lead, auxiliary = before.split()
    if auxiliary not in plural:
        return ""
    return " ".join((*lead, plural[auxiliary], first.subject, "and", f"{second.subject}{behind}"))


_JOINTS: Final = {
    "definition": _difference,
    "glossary": _difference,
    "object": _both,
    "purpose": _both,
    "place": _both,
    "time": _both,
    "number": _both,
}


def _written_small(text: str) -> frozenset[str]:
    """The words that a text writes small, within its sentences, as often as with a capital."""
    small = Counter(re.findall(r"\b[a-z]+\b", text))
    capital = Counter(word.lower() for word in re.findall(r"(?<=[a-z,] )[A-Z][a-z]+\b", text))
    return frozenset(word for word, n in small.items() if n >= capital[word])
