"""The questions of a test set as rows of data, and rules about their words."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import cycle
from typing import Any, ClassVar, Final

from assay._text.questions import about_a_text
from assay._text.refusals import is_plain_refusal
from assay._text.words import STOP_WORDS, content_words, recall, stems, words
from assay.sample import Sample
from assay.testset import checks
from assay.testset.checks import points_at_text
from assay.testset.passages import Passage
from assay.testset.plan import Kind

# ruff: noqa: SIM905 - word lists read better as prose

_BESIDE = re.compile(
    r"\b(?:text|passage|excerpt|paragraph|snippet|document|article|section|table|figure)s?\s+"
    r"(?:above|below)\b|\baforementioned\b",
    re.IGNORECASE,
)
_PERSONS: Final = frozenset(("he", "she", "him", "her", "his", "hers", "them", "their"))
# "They" is left out: "where did they film it" is said of nobody in particular.
_THINGS: Final = frozenset(("it", "its"))
# "What does it take", "how is it possible": nothing is meant by "it".
_EXPLETIVE = re.compile(
    r"\bit(?:'s)?\s+(?:(?:is|was|be|to|so|not|ever|really|usually|also)\s+)*"
    r"(?:takes?|took|taken|means?|meant|costs?|rains?|snows?|feel|called|possible|impossible|"
    r"necessary|important|common|wise|worth|worthwhile|normal|okay|ok|fine|safe|legal|illegal|"
    r"likely|better|best|true|that|when|if|to|been since|came|comes?|determined|decided|shown|"
    r"like|about|for|said|known|believed|thought|estimated|daylight|time)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(r"\W*(?:who\w*|what|which|when|where|why|how)\b", re.IGNORECASE)
_ASKING: Final = frozenset(
    "much many long often far old kind type sort name happen happened happens".split()
)
_KINDS: Final = (
    (
        "comparison",
        re.compile(
            r"\b(?:differences?|similarit\w+) (?:between|from|to)\b|\bdiffer(?:s|ed|ent)?\b.*\b"
            r"(?:from|between)\b|\bcompar(?:e|ed|ing|ison)\b|\b(?:versus|vs)\b\.?|"
            r"\b(?:more|less|\w+er) than\b|^which\b.*\bor\b"
        ),
    ),
    (
        "aggregation",
        re.compile(
            r"\bhow many\b|\bwhat is the total\b|\b(?:list|name|give)\b.*\ball\b|\bwhich of\b|"
            r"\bwhat are (?:all )?the (?:\w+ )?(?:types|kinds|steps|names|parts|reasons)\b"
        ),
    ),
    (
        "procedure",
        re.compile(
            r"\bhow (?:do|can|should|would|could) (?:i|you|we|one)\b|\bhow to\b|\bsteps?\b.*\bto\b"
        ),
    ),
    (
        "yes or no",
        re.compile(
            r"^(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may|must)\b"
            r"(?!.*\bor\b)"
        ),
    ),
    (
        "definition",
        re.compile(
            r"^what (?:is|are|was|were) (?:an? )?[\w-]+(?: [\w-]+)?$|"
            r"\bwhat does .*\b(?:mean|stand for)\b|^define\b|\bdefinition of\b|\bmeaning of\b"
        ),
    ),
)
# Columns in which HotpotQA, MuSiQue, ragas and assay say what kind of question it is.
_KIND_COLUMNS: Final = ("kind", "type", "question_type", "evolution_type", "synthesizer_name")
_MULTI_HOP: Final = re.compile(r"multi[-_ ]?(?:hop|context)|^bridge$|^inference_query$")
_ONE_HOLDS: Final = 0.8  # of what the sources hold of a reference, so that one source is enough
_CHOICE = re.compile(r"^(?:which|who|is|are|was|were|do|does|did|has|have|can)\b.*\bor\b")
_YES_NO: Final = frozenset(("yes", "no", "true", "false"))

_EMAIL = re.compile(r"\b[\w.+-]{1,64}@(?:[\w-]+\.)+[a-z]{2,}\b", re.IGNORECASE)
_SAMPLE_MAIL = re.compile(r"@(?:[\w-]+\.)*(?:example\.(?:com|org|net)|\w+\.(?:example|test))$")
_PHONE = re.compile(r"(?<![\w+.-])(?:\+\d{1,3}[ ./-]?(?:\(\d+\)[ ./-]?)?\d+(?:[ ./-]\d+)+)(?!\w)")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
# Payment cards by how their issuers' numbers begin, in groups or in one piece.
_CARD = re.compile(
    r"(?<![\w.,-])(?:(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|35\d\d|6011|65\d\d)(?:[ -]?\d{4}){3}"
    r"|3[47]\d\d[ -]?\d{6}[ -]?\d{5})(?![\w-])"
)


def is_unanswerable(sample: Sample) -> bool:
    """Whether the row says that nothing answers its question, or its reference does."""
    if sample.answerable is not None:
        return not sample.answerable
    return bool(sample.reference) and is_plain_refusal(sample.reference or "")


def kind_of(sample: Sample) -> str:
    """What kind of question it is: by its sources, else by rules for English."""
    if is_unanswerable(sample):
        return "unanswerable"
    if sample.turns:
        return "conversation"
    if _is_multi_hop(sample):
        return "multi-hop"
    if sample.metadata.get("template") in {"definition", "glossary"}:
        return "definition"
    question = " ".join((sample.question or "").lower().split()).strip(" ?.!")
    return next((kind for kind, pattern in _KINDS if pattern.search(question)), "fact")


def _is_multi_hop(sample: Sample) -> bool:
    """Whether a column says so, or no single one of the named sources holds the reference."""
    kinds = {str(sample.metadata.get(column, "")).lower() for column in _KIND_COLUMNS}
    if any(_MULTI_HOP.search(kind) for kind in kinds):
        return True
    sources = [set(stems(text)) for text in sample.reference_contexts or ()]
    reference_stems = set(stems(sample.reference or "")).intersection(set[str]().union(*sources))
    return len(sources) > 1 and max(
        len(reference_stems & source) for source in sources
    ) < _ONE_HOLDS * len(reference_stems)


def dangling(question: str) -> str:
    """The words by which a question leans on something that is not in it; "" if it stands alone."""
    if about_a_text(question):
        return question.strip()
    match = _BESIDE.search(question)
    if match:
        return match.group()
    return points_at_text(question) or _pronoun(question)


def _pronoun(question: str) -> str:
    """A pronoun before which nothing stands that it could mean, and beside which no name does."""
    names = any(word[:1].isupper() and word != "I" for word in question.split()[1:])
    asks = question.rstrip().endswith("?") or _ASKS.match(question)
    if not asks or _EXPLETIVE.search(question):  # keywords and titles ask nothing
        return ""
    for word in words(question):
        if word in _PERSONS | _THINGS and not names:
            return word
        if word not in STOP_WORDS and word not in _ASKING:
            return ""
    return ""


def gives_answer(sample: Sample) -> bool:
    """Whether the reference stands in the question, word for word, where no choice is offered."""
    answer, question = (sample.reference or "").strip(" .\n"), sample.question or ""
    offered = {"or", "between"} & set(words(question))
    offered |= {"yes or no", "comparison", "unanswerable"} & {kind_of(sample)}
    if offered or not content_words(answer) or set(words(answer)) <= _YES_NO:
        return False
    # A part of a name is not the name: "Tesla" in "Tesla Electric", "Nchf" in "Nchf_Charging".
    standing = rf"(?<![\w'\u2019/-])(?i:{re.escape(answer)})(?![\w'\u2019/-]|\s+[A-Z])"
    return bool(re.search(standing, question))


def is_guessable(sample: Sample) -> bool:
    """Whether a question offers two answers: yes or no, or one of two that it names."""
    if kind_of(sample) == "yes or no":
        return True
    question = (sample.question or "").lower()
    return bool(_CHOICE.search(question)) and not is_unanswerable(sample)


def personal_data(text: str) -> Iterator[tuple[str, str]]:
    """Kind and words of what looks like an address, a telephone number, an account or a card."""
    for mail in _EMAIL.findall(text):
        if not _SAMPLE_MAIL.search(mail.lower()):
            yield "e-mail address", mail
    for match in _PHONE.finditer(text):
        if 8 <= sum(char.isdigit() for char in match.group()) <= 15:
            yield "telephone number", match.group()
    for match in _IBAN.finditer(text):
        if _is_iban(match.group().replace(" ", "")):
            yield "IBAN", match.group()
    for match in _CARD.finditer(text):
        if _is_card(re.sub(r"\D", "", match.group())):
            yield "card number", match.group()


def _is_iban(number: str) -> bool:
    """Whether its check digits are right (ISO 13616)."""
    turned = number[4:] + number[:4]
    return int("".join(str(int(char, 36)) for char in turned)) % 97 == 1


def _is_card(digits: str) -> bool:
    """Whether the check digit is that of a payment card (ISO/IEC 7812, Luhn)."""
    doubled = [2 * int(digit) for digit in digits[-2::-2]]
    total = sum(map(int, digits[-1::-2])) + sum(n - 9 if n > 9 else n for n in doubled)
    return total % 10 == 0


@dataclass(frozen=True, slots=True)
class Question:
    """A question that passed every check: a row of a data set.

    Attributes:
        id: Its kind and the passage that it was written about.
        kind: What it takes to answer it.
        question: The question.
        reference: The answer; `NO_ANSWER` for a question that the documents do not answer.
        passages: What it was written about; they hold the answer, if there is one.
        quotes: Stretches of the passages that bear the answer out, as they stand there.
        overlap: Share of the question's content words that its passages hold, in [0, 1].
        template: By which rule it was made, "" if a language model wrote it.
        traits: Style, persona and difficulty, as far as the plan gave any.
        before: The messages before it, of user and assistant in turn; none but for a follow-up.
        standalone: What a follow-up asks, in full; "" for any other question.
        closed_book: The judge's answer without any text, where that is right; "" where it is not,
            None if it was not asked.
    """

    id: str
    kind: Kind
    question: str
    reference: str
    passages: tuple[Passage, ...]
    quotes: tuple[str, ...] = ()
    overlap: float = 0.0
    template: str = ""
    traits: Mapping[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    standalone: str = ""
    closed_book: str | None = None

    @property
    def in_full(self) -> str:
        """What is asked, for whoever does not know the messages before it."""
        return self.standalone or self.question

    @property
    def answerable(self) -> bool:
        """Whether the documents hold an answer."""
        return self.kind != "unanswerable"

    def row(self) -> dict[str, Any]:
        """The row for `evaluate` and for the system under test, which is to add its answer."""
        return {
            "id": self.id,
            "question": self.question,
            "reference": self.reference,
            "reference_contexts": [p.text for p in self.passages] if self.answerable else [],
            "answerable": self.answerable,
            "group": self.passages[0].document,
            "kind": self.kind,
            "quotes": list(self.quotes),
            "evidence": list(self._evidence()),
            "overlap": round(self.overlap, 3),
            "source": [
                {"document": p.document, "start": p.start, "end": p.end} for p in self.passages
            ],
            **({"template": self.template} if self.template else {}),
            **self.traits,
            **self._conversation(),
            **({} if self.closed_book is None else {"closed_book": self.closed_book}),
        }

    def _conversation(self) -> dict[str, Any]:
        """What a follow-up leans on; nothing for any other question."""
        if not self.before:
            return {}
        roles = ("user", "assistant")
        messages = zip(cycle(roles), (*self.before, self.question), strict=False)
        turns = [{"role": role, "content": text} for role, text in messages]
        return {"standalone": self.standalone, "turns": turns}

    def _evidence(self) -> Iterator[dict[str, Any]]:
        """Where the quotes stand in the documents, in whatever mark-up they stand there."""
        for quote in self.quotes:
            for passage in self.passages:
                if spans := checks.places(quote, passage.text):
                    for start, end in spans:
                        range_ = {"start": passage.start + start, "end": passage.start + end}
                        yield {"document": passage.document, **range_}
                    break


@dataclass(frozen=True, slots=True)
class Rejected:
    """What was written and not taken, and why.

    Attributes:
        kind: What it was to be.
        why: Which check it failed: "empty", "not standalone", "no quote", "one is enough",
            "example data", "no sentence", "too easy", "unanswered", "unsupported", "answered",
            "answer given", "ambiguous", "repeated", "stands alone", "asks for something else" or
            "judge failed".
        detail: What the check found.
        question: The question, "" if none was written.
        answer: Its answer.
        passages: Ids of the passages it was written about.
    """

    kind: Kind
    why: str
    detail: str
    question: str
    answer: str
    passages: tuple[str, ...]

    def row(self) -> dict[str, Any]:
        """As plain values."""
        return {**asdict(self), "passages": list(self.passages)}


@dataclass(frozen=True, slots=True)
class Testset:
    """The questions, and an account of how they came about.

    Attributes:
        questions: Those that passed all checks, in the order in which they were asked for.
        rejected: Those that did not.
        wanted: How many of each kind were asked for.
        documents: How many documents there are.
        passages: How many passages they were cut into.
        calls: Replies that the judge was asked for.
        known: Replies that were in the store already.
        tokens_in: Prompt tokens of `calls`.
        tokens_out: Reply tokens of `calls`.
        money: What these cost, None without a price.
        stopped: Why it ended early, "" if it did not.
        by_rules: Whether rules made them, as the judge cannot write: then `wanted` is a maximum.
    """

    __test__: ClassVar = False  # by its name pytest would take it for a test

    questions: tuple[Question, ...]
    rejected: tuple[Rejected, ...]
    wanted: Mapping[Kind, int]
    documents: int
    passages: int
    calls: int = 0
    known: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float | None = None
    stopped: str = ""
    by_rules: bool = False

    def rows(self) -> list[dict[str, Any]]:
        """A row for each question: data for `evaluate`, as they are or with a system's answers."""
        return [question.row() for question in self.questions]

    def written(self) -> dict[Kind, int]:
        """How many questions there are of each kind that was asked for."""
        counts = Counter(question.kind for question in self.questions)
        return {kind: counts[kind] for kind in self.wanted}

    @property
    def overlap(self) -> float | None:
        """Mean overlap of the answerable questions, None if there are none."""
        shares = [q.overlap for q in self.questions if q.answerable]
        return sum(shares) / len(shares) if shares else None

    def quality(self) -> dict[str, float]:
        """What can be told of the questions without asking anybody, each a share in [0, 1].

        "kept" of the drafts passed all checks; "unique" of what was asked does not repeat another
        question; "boilerplate" of the questions begin with the three words with which most do;
        "documents" and "passages" have a question; "closed_book", where that was asked, of the
        answerable questions are answered right without any text. Empty if nothing was drafted.
        """
        drafts = len(self.questions) + len(self.rejected)
        if not drafts:
            return {}
        n_asked = len(self.questions) + sum(1 for draft in self.rejected if draft.question)
        repeated = sum(1 for draft in self.rejected if draft.why == "repeated")
        openings = Counter(" ".join(words(q.question)[:3]) for q in self.questions)
        most_frequent = max(openings.values(), default=0)
        passages = {passage.id for q in self.questions for passage in q.passages}
        documents = {passage.document for q in self.questions for passage in q.passages}
        verdicts = [q.closed_book for q in self.questions if q.closed_book is not None]
        return {
            "kept": len(self.questions) / drafts,
            "unique": 1 - repeated / max(n_asked, 1),
            "boilerplate": most_frequent / len(self.questions) if most_frequent > 1 else 0.0,
            "documents": len(documents) / self.documents,
            "passages": len(passages) / self.passages,
            **({"closed_book": sum(map(bool, verdicts)) / len(verdicts)} if verdicts else {}),
        }

    def jsonl(self) -> str:
        """The rows as JSONL."""
        return lines(self.rows())


@dataclass(frozen=True, slots=True)
class Progress:
    """Who is told of each draft, and how far the test set is.

    Attributes:
        wanted: How many questions are wanted.
        on_progress: Called with (questions, `wanted`).
        on_draft: Called with the draft.
    """

    wanted: int = 0
    on_progress: Callable[[int, int], None] | None = None
    on_draft: Callable[[Question | Rejected], None] | None = None

    def __call__(self, draft: Question | Rejected, done: int) -> None:
        """A draft was kept or rejected; so many questions are there by now."""
        if self.on_draft:
            self.on_draft(draft)
        if self.on_progress:
            self.on_progress(done, self.wanted)


def overlap(question: str, texts: Iterable[str]) -> float:
    """The share of a question's content words that texts hold, in [0, 1]."""
    return recall(stems(question), {stem for text in texts for stem in stems(text)})


def lines(rows: list[dict[str, Any]]) -> str:
    """Rows as JSONL."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
