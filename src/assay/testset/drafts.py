"""Drafts of questions that rules make of a corpus, and of questions that it does not answer."""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from assay._text.markup import clean
from assay._text.sentences import sentences, spans
from assay._text.statements import statements
from assay._text.words import recall, stems
from assay.sample import Sample
from assay.testset import checks
from assay.testset.passages import Corpus
from assay.testset.plan import Kind
from assay.testset.questions import dangling, gives_answer
from assay.testset.sentence_questions import Fact, facts
from assay.testset.structure_questions import found_in

_BOILERPLATE: Final = 2  # options; what more of them say is the same for all commands
_MOST_PASSAGES: Final = 1500  # of more, as many are drawn evenly
SAME_ANSWER: Final = 0.6  # of the words of an answer another one has
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
class Draft:
    """A question that a rule made of some passages.

    Attributes:
        fact: What is asked.
        passages: Numbers of the passages that it is about.
        quotes: Stretches of them that bear the answer out, one of each.
        sure: Whether the form of the text says that it is the answer, so that it is not sought.
    """

    fact: Fact
    passages: tuple[int, ...]
    quotes: tuple[str, ...] = ()
    sure: bool = False

    def asking(self, question: str, template: str = "", *, sure: bool = True) -> "Draft":
        """Another question about the same place, which nothing answers."""
        template = template or self.fact.template
        fact = replace(self.fact, question=question, template=template, other="", reference="")
        return replace(self, fact=fact, sure=sure)


class Drafts:
    """All questions that the rules make of a corpus."""

    def __init__(self, corpus: Corpus, seed: int) -> None:
        self.corpus = corpus
        self._rng = random.Random(seed)  # noqa: S311 - no secret
        self._text = "\n\n".join(passage.text for passage in corpus.passages)
        self._small = _written_small(self._text)
        order = corpus.evenly(seed)
        numbers = [next(order) for _ in range(min(len(corpus.passages), _MOST_PASSAGES))]
        self._spread = Counter(stem for p in corpus.passages for stem in set(stems(p.text)))
        self.facts: list[Draft] = []
        for number in numbers:
            mine = [*self._of_structure(number), *self._of_sentences(number)]
            self._rng.shuffle(mine)
            self.facts += mine
        told = Counter(d.fact.predicate + d.fact.answer for d in self.facts if d.sure)
        self.facts = [
            draft
            for draft in self.facts
            if draft.fact.template != "option"
            or told[draft.fact.predicate + draft.fact.answer] <= _BOILERPLATE
        ]
        self._answers: dict[str, list[str]] = defaultdict(list)
        for draft in self.facts:
            if draft.fact.answer:
                self._answers[checks.comparable(draft.fact.question)].append(draft.fact.answer)

    def of(self, kind: Kind) -> list[Draft]:
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
            if draft.fact.template == "undated":
                continue
            turns.append((turn[draft.passages], place))
            turn[draft.passages] += 1
        return [self.facts[place] for _, place in sorted(turns)]

    def fault(self, kind: Kind, draft: Draft) -> checks.Fault | None:
        """What is wrong with a draft as far as words tell."""
        fact = draft.fact
        if leaning := dangling(fact.question):
            return "not standalone", f"'{leaning}'"
        if kind == "unanswerable":
            return None
        if not self._names_something(draft):
            return "not standalone", "it names nothing that only one thing is called"
        if gives_answer(Sample(id="", question=fact.question, reference=fact.answer)):
            return "answer given", fact.answer
        for answer in self._answers[checks.comparable(fact.question)]:
            mine, theirs = set(stems(fact.answer)), set(stems(answer))
            if max(recall(mine, theirs), recall(theirs, mine)) < SAME_ANSWER:
                return "ambiguous", answer
        return None

    def _names_something(self, draft: Draft) -> bool:
        """Whether the question has a name, or its subject rare words without "the"."""
        if draft.fact.template == "faq" or f"`{draft.fact.subject}`" in self._text:
            return True
        if _BRIEF.fullmatch(draft.fact.subject) or _ENDS_BRIEF.search(draft.fact.question):
            return False
        if draft.fact.template in _OF_THINGS and _FIRST_NAME.fullmatch(draft.fact.subject):
            texts = (self.corpus.passages[number].text for number in draft.passages)
            return not any(_SHE.search(text) for text in texts)
        whole = draft.fact.template != "object" or draft.fact.predicate in _PARTS_VERBS
        rare = any(self._is_rare(stem, _RARE) for stem in stems(draft.fact.subject))
        # "The UE" does a hundred things.
        if not (whole or (rare and _TECHNICAL.search(draft.fact.subject))):
            return False
        if _NAME.search(draft.fact.question.split(" ", 1)[1]):
            return True
        long = len(stems(draft.fact.subject)) > 1
        return not draft.fact.subject.startswith("the ") and long and rare

    def _is_rare(self, stem: str, share: float) -> bool:
        return self._spread[stem] <= max(2, share * len(self.corpus.passages))

    def _of_structure(self, number: int) -> Iterator[Draft]:
        passage = self.corpus.passages[number]
        for fact in found_in(passage.text, passage.title.split(" > "), self._small):
            quote = passage.text[fact.span[0] : fact.span[1]]
            yield Draft(fact, (number,), (quote,), sure=True)

    def _of_sentences(self, number: int) -> Iterator[Draft]:
        text = self.corpus.passages[number].text
        ends = spans(text)
        for statement in statements(text):
            plain = clean(statement.text)
            for fact in facts(plain, self._small):
                start, end = next(
                    (s for s in ends if s[0] <= statement.start < s[1]),
                    (statement.start, statement.end),
                )
                fact = replace(fact, reference=f"{plain.rstrip('.')}.")  # noqa: PLW2901
                yield Draft(fact, (number,), (text[start : max(end, statement.end)],))

    def _joined(self) -> Iterator[Draft]:
        """Two facts of one kind about things whose names share a word, of two passages."""
        kinds: dict[tuple[str, str], list[Draft]] = defaultdict(list)
        for draft in self.facts:
            if draft.fact.template in _JOINTS and self._names_something(draft):
                kinds[draft.fact.template, draft.fact.predicate].append(draft)
        pairs = [pair for same in kinds.values() for pair in combinations(same, 2)]
        self._rng.shuffle(pairs)
        used = set[str]()
        for first, second in pairs:
            one, other = first.fact, second.fact
            question = (
                _JOINTS[one.template](one, other) if self._are_of_one_kind(first, second) else ""
            )
            if question and used.isdisjoint((one.question, other.question)):
                used |= {one.question, other.question}
                fact = replace(
                    one,
                    question=question,
                    answer=f"{one.answer}; {other.answer}",
                    reference=f"{one.reference} {other.reference}",
                    other="",
                )
                passages = (*first.passages, *second.passages)
                yield Draft(fact, passages, (*first.quotes, *second.quotes))

    def _are_of_one_kind(self, first: Draft, second: Draft) -> bool:
        """Whether the names of two things share a rare word, and their facts differ."""
        named = stems(first.fact.subject), stems(second.fact.subject)
        one, other = map(set, named)
        if first.fact.template == "definition" and named[0][-1:] != named[1][-1:]:
            return False
        rare = any(len(s) > 1 and self._is_rare(s, _SHARED) for s in one & other)
        near = rare and 2 * len(one & other) >= min(len(one), len(other))
        apart = first.passages != second.passages and one - other and other - one
        answers = {checks.comparable(draft.fact.answer) for draft in (first, second)}
        listed = " and " in f"{first.fact.subject} {second.fact.subject}"
        return bool(near and apart and len(answers) > 1 and not listed)

    def _unexpanded(self) -> Iterator[Draft]:
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
                or re.search(rf"\b{spelled}\b", self._text, re.IGNORECASE)
            ):
                continue
            if not re.search(rf"\b{short}\s*[:(=]|\(\s*{short}", self._text):
                question = f"What does {short} stand for?"
                fact = Fact("abbreviation", question, "", short, "stands for")
                yield Draft(fact, (numbers[0],), sure=True)

    def _without_default(self) -> Iterator[Draft]:
        """The defaults of options of which no text tells one."""
        options = [draft for draft in self.facts if draft.fact.template == "option"]
        known = {draft.fact.subject for draft in options if draft.fact.predicate == "default"}
        for draft in options:
            quote, subject = draft.quotes[0], draft.fact.subject
            if subject not in known and _TAKES_NUMBER.search(quote) and not _OPEN.search(quote):
                yield draft.asking(f"What is the default of {subject}?")

    def _other_subject(self) -> Iterator[Draft]:
        """Where something is defined, or somebody was born, of which the texts do not say it."""
        specified = sum(draft.fact.predicate in _SPECIFIED for draft in self.facts)
        said = [one.lower() for one in sentences(self._text)]
        for draft in self.facts:
            subject, auxiliary = draft.fact.subject, draft.fact.question.split()[1]
            named = _NAME.search(f" {subject}") and not _PHRASE.search(subject)
            person = draft.fact.question.startswith("Who ")
            if (
                draft.fact.template not in _SWAPPED
                or not named
                or not (person or specified >= _LEAST_SPECIFIED)
            ):
                continue
            told = re.compile(r"\b(?:born|birth)" if person else r"\b(?:defin|specif|describ)")
            if not any(subject.lower() in one and told.search(one) for one in said):
                question = f"Where {auxiliary} {subject} {'born' if person else 'defined'}?"
                yield draft.asking(question, "place", sure=False)

    def _undated(self) -> Iterator[Draft]:
        """When something was done, of which no text tells a date."""
        said = [set(stems(one)) for one in sentences(self._text) if re.search(r"\d", one)]
        for draft in self.facts:
            asked = draft.fact.question
            if draft.fact.template == "undated" and _NAME.search(asked.split(" ", 1)[1]):
                held = set(stems(draft.fact.subject))
                if not any(held <= one for one in said):
                    yield draft.asking(asked, "time", sure=False)

    def _other_year(self) -> Iterator[Draft]:
        """A fact of a year, asked of another year."""
        for draft in self.facts:
            match = _YEAR.search(draft.fact.question)
            if match is None or draft.fact.template in {"time", "undated"}:
                continue
            year = int(match[1])
            near = [str(y) for y in range(year - 9, year + 10) if y != year]
            if years := [other for other in near if other not in self._text and int(other) < _NOW]:
                other = self._rng.choice(years)
                yield draft.asking(draft.fact.question.replace(match[1], other), sure=False)


# "What does Carl use?" is no question of everybody's, "What does Django use?" is.
_OF_THINGS: Final = frozenset(("object", "condition", "purpose"))
# "What does the Basic plan include?" is asked of anything that has a name; what something allows,
# defines or needs, of what is called by an abbreviation or by code.
_PARTS_VERBS: Final = frozenset(("include", "contain", "comprise", "consist", "require"))
_TECHNICAL: Final = re.compile(r"`|[A-Z][A-Z0-9]{2}|[A-Z0-9]{2}$|\w_\w|[a-z][A-Z]")
# "The city", "the Lady", "the Wall's demolition": known to whoever reads the text.
_BRIEF: Final = re.compile(r"the (?:[a-z]+|[A-Z][a-z]+(?: ?['\u2019]s\b.*)?)")
_ENDS_BRIEF: Final = re.compile(r"\b(?:of|in|by|from|at|to) the [A-Z][a-z]+\?$")
_FIRST_NAME: Final = re.compile(r"[A-Z][a-z]+")
_SHE: Final = re.compile(r"\b(?:he|she|his|her)\b")
_NOW: Final = 2020
_SWAPPED: Final = frozenset(("definition", "purpose"))
_PHRASE: Final = re.compile(r"\s(?:of|at|by|in|for|and|from|to|with)\s")
_LEAST_SPECIFIED: Final = 3  # facts, so that "Where is it defined?" is asked of these documents
_SPECIFIED: Final = frozenset(("defined", "specified", "described"))
_TAKES_NUMBER: Final = re.compile(r"--[\w-]+ (?:N|SHARE|SECONDS|VALUE|NUMBER|SIZE|TOKENS|WIDTH)\b")
_OPEN: Final = re.compile(r"\bdefault|\bnot given|\bif none|\bwithout", re.IGNORECASE)
_WORDS: Final = frozenset(
    "THE AND FOR NOT ALL ANY NOTE TODO WITH FROM THIS "  # noqa: SIM905 - reads better
    "USA JSON CPU GPU RAM ASCII URL HTML HTTP "
    "HIV AIDS DNA RNA NASA NATO BBC CNN CBS NBC FBI CIA IPCC UNESCO UNICEF GDP CEO PDF".split()
)


def _difference(first: Fact, second: Fact) -> str:
    return f"What is the difference between {first.subject} and {second.subject}?"


def _both(first: Fact, second: Fact) -> str:
    """One question of two that only differ in their subject; "" where they differ in more."""
    before, _, behind = first.question.partition(first.subject)
    if second.question != f"{before}{second.subject}{behind}" or not behind.strip(" ?"):
        return ""
    *lead, auxiliary = before.split()
    if auxiliary not in _PLURAL:
        return ""
    return " ".join((*lead, _PLURAL[auxiliary], first.subject, "and", f"{second.subject}{behind}"))


_PLURAL: Final = {"does": "do", "is": "are", "was": "were", "did": "did", "do": "do", "are": "are"}
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
