"""How did the RAGAS paper ask? Its prompts word for word, its replies in free text.

Source: Es et al. 2023, "RAGAS: Automated Evaluation of Retrieval Augmented Generation"
(arXiv 2309.15217), section 3. The prompts define the paper's metrics, so they are quoted as
printed; a reply that does not keep to the asked-for form is unreadable, never guessed at.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import Material, Template
from assay.tasks.reading import spoken
from assay.tasks.split_statements import Statement
from assay.tasks.verify_statements import Verdict
from assay.text.sentences import spans

# The asked-for words alone or before a reason, no sentence that begins with them.
_NOTHING = re.compile(r"\W*insufficient information\W*(?:$|[.:;,!(\u2013\u2014-])", re.IGNORECASE)
# The same after a reason: "The context does not say. Insufficient Information."
_NOTHING_SO = re.compile(r"[.:;!?]\W*insufficient information\W*$", re.IGNORECASE)

# White space after a bullet or number, or "-5 degrees" and "3.5 million" would lose their figures.
_BULLET = re.compile(
    r"^\s*(?:[-*+\u2022]\s+|(?:\*\*)?\(?(?:\d{1,3}[.)]|(?:[a-z]|[ivx]{2,5})\))(?:\*\*)?\s+"
    r"|(?:\*\*)?statement\s*\[?\d*\]?\s*(?:\*\*)?[:.](?:\*\*)?\s*)",
    re.IGNORECASE,
)
# Such as "Statements:" and "Sure! Here they are:".
_HEADING = re.compile(r"^(?:[^.!?]{1,20}[.!]\s+)?[^.!?]*:\s*$")
_FINAL = re.compile(r"final verdicts?\b(?:[^:\n]*:)?", re.IGNORECASE)
_VERDICT = re.compile(r"\bverdict\W{1,4}(yes|no)\b", re.IGNORECASE)
# The prompt's own "(Yes/No)", repeated in a reply, is no verdict.
_CHOICE = re.compile(r"\W?\byes\s*(?:/|or)\s*no\b\W?", re.IGNORECASE)
# "2. No", "Statement 2: **No**", "No, it ...": a verdict at the beginning of a line, maybe with its
# number, and a sign after it: "No further statement was given" is none.
_NUMBER = r"(?:statement\W*)?[\[(]?\d{1,3}[\])]?\W{1,6}"
_ONE = re.compile(rf"\W*(?:{_NUMBER})?(yes|no)\b(?=\s*(?:$|[^\w\s]))", re.IGNORECASE)
_NUMBERED = re.compile(rf"\W*(?:{_NUMBER}(?:yes|no)\b[\W_]*(?:and\b\W*)?)+", re.IGNORECASE)
_PLAIN = re.compile(r"\W*(?:(?:yes|no)\b(?:[.,;|\s*()\[\]]+|$)(?:and\b\s*)?)+", re.IGNORECASE)
# "Statement 2: No", and the verdict right behind a statement that is repeated word for word.
_STATEMENT = re.compile(
    r"^\W*statement\W*(\d{1,3})\b\W{1,6}(yes|no)\b(?=\s*(?:$|[^\w\s]))",
    re.IGNORECASE | re.MULTILINE,
)
_AFTER = re.compile(r"[\W_]{1,8}(yes|no)\b(?=\s*(?:$|[^\w\s]))", re.IGNORECASE | re.MULTILINE)
_YES_NO = re.compile(r"\b(yes|no)\b", re.IGNORECASE)


@dataclass(frozen=True)
class PaperStatements(Task[tuple[Statement, ...]]):
    """The paper's first step of faithfulness: statements of an answer."""

    question: str
    answer: str

    template = Template(
        instruction=(
            "Given a question and answer, create one or more statements from each sentence in "
            "the given answer.\nquestion: [question]\nanswer: [answer]"
        ),
        verbatim=True,
    )

    def material(self) -> Sequence[Material]:
        """The question and the answer."""
        return (Material("question", self.question), Material("answer", self.answer))

    def read(self, raw: str) -> tuple[Statement, ...]:
        """One statement an item of the list; in running text, one a sentence.

        Beside items, other lines are headings, repeated sentences or words to the reader; but what
        is indented belongs to an item.
        """
        said = spoken(raw).splitlines()
        if any(map(_BULLET.match, said)):
            items = (line for line in said if line[:1].isspace() or _BULLET.match(line))
            found = lines("\n".join(items))
        else:
            found = tuple(line[a:b] for line in lines(raw) for a, b in spans(line))
        texts = dict.fromkeys(found)
        if not texts and self.answer.strip():
            raise Unreadable("no statement in the reply", raw=raw)
        return tuple(Statement(f"s{n}", text) for n, text in enumerate(texts, start=1))


@dataclass(frozen=True)
class PaperVerdicts(Task[tuple[Verdict, ...]]):
    """The paper's second step of faithfulness: a verdict for each statement, in order."""

    statements: tuple[Statement, ...]
    context: str

    template = Template(
        instruction=(
            "Consider the given context and following statements, then determine whether they "
            "are supported by the information present in the context. Provide a brief "
            "explanation for each statement before arriving at the verdict (Yes/No). Provide a "
            "final verdict for each statement in order at the end in the given format. Do not "
            "deviate from the specified format.\ncontext: [context]\n[statements]"
        ),
        verbatim=True,
    )

    def material(self) -> Sequence[Material]:
        """The context and the statements."""
        listing = "\n".join(f"statement: {s.text}" for s in self.statements)
        return (Material("context", self.context), Material("statements", listing))

    def read(self, raw: str) -> tuple[Verdict, ...]:
        """Final verdicts in order, else one tied to each statement; there must be one for each."""
        text = _CHOICE.sub(" ", spoken(raw))
        answers = _verdicts(text, [s.text for s in self.statements])
        if len(answers) != len(self.statements):
            raise Unreadable(f"{len(answers)} of {len(self.statements)} verdicts", raw=raw)
        reasons = _explanations(text, len(self.statements))
        return tuple(
            Verdict(s.id, answer.lower() == "yes", reason)
            for s, answer, reason in zip(self.statements, answers, reasons, strict=True)
        )


@dataclass(frozen=True)
class PaperQuestion(Task[str]):
    """The paper's step of answer relevance: a question for the answer (n draws of it)."""

    answer: str

    template = Template(
        instruction="Generate a question for the given answer.\nanswer: [answer]", verbatim=True
    )

    def material(self) -> Sequence[Material]:
        """The answer."""
        return (Material("answer", self.answer),)

    def read(self, raw: str) -> str:
        """The question: the first line that ends with a question mark, else the only line."""
        found = lines(raw)
        asked = [line for line in found if line.rstrip("\"'*").endswith(("?", "\uff1f"))]
        if asked or len(found) == 1:
            return re.sub(r"^\W*question\W*:[\s*]*", "", (asked or found)[0], flags=re.IGNORECASE)
        raise Unreadable("no question in the reply", raw=raw)


@dataclass(frozen=True)
class PaperExtraction(Task[tuple[str, ...]]):
    """The paper's context relevance: sentences copied from the context, one a line."""

    question: str
    context: str

    template = Template(
        instruction=(
            "Please extract relevant sentences from the provided context that can potentially "
            "help answer the following question. If no relevant sentences are found, or if you "
            "believe the question cannot be answered from the given context, return the phrase "
            '"Insufficient Information". While extracting candidate sentences you\'re not '
            "allowed to make any changes to sentences from given context.\n"
            "question: [question]\ncontext: [context]"
        ),
        verbatim=True,
    )

    def material(self) -> Sequence[Material]:
        """The question and the context."""
        return (Material("question", self.question), Material("context", self.context))

    def read(self, raw: str) -> tuple[str, ...]:
        """The lines that were copied; none for "Insufficient Information"."""
        found = lines(raw)
        if not found:
            raise Unreadable("an empty reply", raw=raw)
        # Only as a line of its own: a sentence of the context may hold these words.
        if any(_NOTHING.match(line) for line in found):
            return ()
        after_reason = len(found) == 1 and _NOTHING_SO.search(found[0])
        return () if after_reason and found[0] not in self.context else found


def lines(raw: str) -> tuple[str, ...]:
    """The lines of a free-text reply without bullets, numbers, headings and blank ones."""
    bare = (_BULLET.sub("", line).strip().strip('"').strip() for line in spoken(raw).splitlines())
    return tuple(line for line in bare if line and not _HEADING.match(line))


def _verdicts(text: str, statements: Sequence[str]) -> list[str]:
    # Models keep to the asked-for form in many ways. Each way read here ties a verdict to its
    # statement, by order, number or words; the first that has one for every statement counts.
    n = len(statements)
    ways = (_in_order(text, n), _by_number(text, n), _by_words(text, statements))
    return next((found for found in ways if len(found) == n), ways[0])


def _by_number(text: str, n: int) -> list[str]:
    said = {(int(number), answer.lower()) for number, answer in _STATEMENT.findall(text)}
    found = dict(said)
    wanted = range(1, n + 1)
    return [found[k] for k in wanted] if sorted(k for k, _ in said) == [*wanted] else []


def _by_words(text: str, statements: Sequence[str]) -> list[str]:
    places = [(text.rfind(s), len(s)) for s in statements]
    found = [_AFTER.match(text, at + length) for at, length in places if at >= 0]
    return [match[1] for match in found if match]


def _in_order(text: str, n: int) -> list[str]:
    final = list(_FINAL.finditer(text))
    if not final:
        bare = _YES_NO.findall(text) if _PLAIN.fullmatch(text) else []
        only = _said(text.strip().partition("\n")[0]) if n == 1 else []
        return bare or only or _VERDICT.findall(text)
    listed = [answer for line in text[final[-1].end() :].splitlines() for answer in _said(line)]
    if len(listed) == n:
        return listed
    if len(final) == n:  # one final verdict after each explanation
        said = [_said(text[at.end() :].partition("\n")[0]) for at in final]
        return [answers[0] for answers in said if len(answers) == 1]
    before = _VERDICT.findall(text[: final[0].start()])
    return before if len(before) == n else listed


def _said(line: str) -> list[str]:
    # A line of verdicts and nothing else, or one verdict with words after it: "yes" and "no"
    # within an explanation are words like any other.
    if _NUMBERED.fullmatch(line) or _PLAIN.fullmatch(line):
        return _YES_NO.findall(line)
    return _YES_NO.findall(found[0]) if (found := _ONE.match(line)) else []


def _explanations(text: str, n: int) -> list[str]:
    # The paper fixes no form for the explanations: they are shown only where they can be told
    # apart, one line for each statement before the final verdicts.
    final = list(_FINAL.finditer(text))
    found = lines(text[: final[-1].start()] if final else text)
    return list(found) if len(found) == n else [""] * n
