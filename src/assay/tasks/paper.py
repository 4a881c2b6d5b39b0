"""Prompts of papers, word for word, and their replies in free text.

The prompts define the papers' metrics, so they are quoted as printed: Es et al. 2023, "RAGAS:
Automated Evaluation of Retrieval Augmented Generation" (arXiv 2309.15217), section 3; Roychowdhury
et al. 2024, "Evaluation of RAG Metrics for Question Answering in the Telecom Domain" (arXiv
2407.12873), appendix A.5. A reply that does not keep to the form is unreadable, never guessed at.
"""

# ruff: noqa: RUF001 - quotation marks are part of a prompt and of replies

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay._text.sentences import spans
from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import InputText, Template
from assay.tasks.base import without_thoughts
from assay.tasks.statements import Statement
from assay.tasks.verification import Verdict

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

    def read(self, raw: str) -> tuple[Statement, ...]:
        """One statement an item of the list; in running text, one a sentence.

        Beside items, other lines are headings, repeated sentences or words to the reader; but what
        is indented belongs to an item.
        """
        reply_lines = without_thoughts(raw).splitlines()
        if any(map(_BULLET.match, reply_lines)):
            items = (line for line in reply_lines if line[:1].isspace() or _BULLET.match(line))
            sentences = lines("\n".join(items))
        else:
            sentences = tuple(line[a:b] for line in lines(raw) for a, b in spans(line))
        texts = dict.fromkeys(sentences)
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

    def input_texts(self) -> Sequence[InputText]:
        """The context and the statements."""
        listing = "\n".join(f"statement: {s.text}" for s in self.statements)
        return (InputText("context", self.context), InputText("statements", listing))

    def read(self, raw: str) -> tuple[Verdict, ...]:
        """Final verdicts in order, else one tied to each statement; there must be one for each."""
        text = _CHOICE.sub(" ", without_thoughts(raw))
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

    def read(self, raw: str) -> str:
        """The question: the first line that ends with a question mark, else the only line."""
        candidates = lines(raw)
        questions = [line for line in candidates if line.rstrip("\"'*").endswith(("?", "\uff1f"))]
        if questions or len(candidates) == 1:
            return re.sub(
                r"^\W*question\W*:[\s*]*", "", (questions or candidates)[0], flags=re.IGNORECASE
            )
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

    def read(self, raw: str) -> tuple[str, ...]:
        """The lines that were copied; none for "Insufficient Information"."""
        copied = lines(raw)
        if not copied:
            raise Unreadable("an empty reply", raw=raw)
        # Only as a line of its own: a sentence of the context may hold these words.
        if any(_NOTHING.match(line) for line in copied):
            return ()
        after_reason = len(copied) == 1 and _NOTHING_SO.search(copied[0])
        return () if after_reason and copied[0] not in self.context else copied


def lines(raw: str) -> tuple[str, ...]:
    """The lines of a free-text reply without bullets, numbers, headings and blank ones."""
    bare_lines = (_unquoted(_BULLET.sub("", line)) for line in without_thoughts(raw).splitlines())
    return tuple(line for line in bare_lines if line and not _HEADING.match(line))


def _unquoted(line: str) -> str:
    # Marks around the whole line are the model's; those around its first word are the sentence's.
    text = line.strip()
    around = text.count('"') == 1 or (text.count('"') == 2 and text[:1] == '"' == text[-1:])
    return text.strip('"').strip() if around else text


def _verdicts(text: str, statements: Sequence[str]) -> list[str]:
    # Models keep to the asked-for form in many ways. Each way read here ties a verdict to its
    # statement, by order, number or words; the first that has one for every statement counts.
    n = len(statements)
    readings = (_in_order(text, n), _by_number(text, n), _by_words(text, statements))
    return next((verdicts for verdicts in readings if len(verdicts) == n), readings[0])


def _by_number(text: str, n: int) -> list[str]:
    numbered = {(int(number), answer.lower()) for number, answer in _STATEMENT.findall(text)}
    by_number = dict(numbered)
    expected = range(1, n + 1)
    return [by_number[k] for k in expected] if sorted(k for k, _ in numbered) == [*expected] else []


def _by_words(text: str, statements: Sequence[str]) -> list[str]:
    spans = [(text.rfind(s), len(s)) for s in statements]
    matches = [_AFTER.match(text, start + length) for start, length in spans if start >= 0]
    return [match[1] for match in matches if match]


def _in_order(text: str, n: int) -> list[str]:
    final = list(_FINAL.finditer(text))
    if not final:
        yes_or_no = _YES_NO.findall(text) if _PLAIN.fullmatch(text) else []
        only = _answers_in(text.strip().partition("\n")[0]) if n == 1 else []
        return yes_or_no or only or _VERDICT.findall(text)
    numbered = [
        answer for line in text[final[-1].end() :].splitlines() for answer in _answers_in(line)
    ]
    if len(numbered) == n:
        return numbered
    if len(final) == n:  # one final verdict after each explanation
        answers_after = [_answers_in(text[match.end() :].partition("\n")[0]) for match in final]
        return [answers[0] for answers in answers_after if len(answers) == 1]
    verdicts = _VERDICT.findall(text[: final[0].start()])
    return verdicts if len(verdicts) == n else numbered


def _answers_in(line: str) -> list[str]:
    # A line of verdicts and nothing else, or one verdict with words after it: "yes" and "no"
    # within an explanation are words like any other.
    if _NUMBERED.fullmatch(line) or _PLAIN.fullmatch(line):
        return _YES_NO.findall(line)
    return _YES_NO.findall(match[0]) if (match := _ONE.match(line)) else []


def _explanations(text: str, n: int) -> list[str]:
    # The paper fixes no form for the explanations: they are shown only where they can be told
    # apart, one line for each statement before the final verdicts.
    final = list(_FINAL.finditer(text))
    explanations = lines(text[: final[-1].start()] if final else text)
    return list(explanations) if len(explanations) == n else [""] * n


_NAMES = ("TP", "FP", "FN")
_LABEL = re.compile(
    r"(?<!\w)[*\"“”'‘’`]*(TP|FP|FN)[*\"“”'‘’`]*(?:\s*\([^()\n]*\))?[*\s]*:\**", re.IGNORECASE
)
# What may stand between a list and the next label.
_BETWEEN = re.compile(r"[\s,;{}*`\"“”'.]*")
_QUOTED = re.compile(
    r"\s*(?:“([^“”]+)”|\"([^\"]+)\"|‘((?:[^‘’]|’(?=\w))+)’|'((?:[^']|'(?=\w))+)')\s*(?:,|\Z)"
)
_LIST_MARK = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
# Unquoted statements in one line: commas are between them only where it is plain that they end.
_COMMA = re.compile(r",\s+")
_ENDED = re.compile(r".*[.!?。！？]|statement\s*\d+", re.DOTALL | re.IGNORECASE)
_NONE = frozenset({"none", "n/a", "nothing", "-", "empty"})
_DOTS = frozenset({"...", "…"})


@dataclass(frozen=True)
class Shared:
    """The statements of answer and ground truth, as a judge sorted them.

    Attributes:
        both: In the answer and in the ground truth: true positives.
        answer_only: In the answer alone: false positives.
        reference_only: In the ground truth alone: false negatives.
    """

    both: tuple[str, ...]
    answer_only: tuple[str, ...]
    reference_only: tuple[str, ...]


@dataclass(frozen=True)
class PaperCorrectness(Task[Shared]):
    """The telecom paper's one step of factual correctness: TP, FP and FN in one reply."""

    question: str
    answer: str
    reference: str

    template = Template(
        instruction=(
            "Extract following from given question and ground truth. “TP”: statements that are "
            "present in both the answer and the ground truth,“FP”: statements present in the "
            "answer but not found in the ground truth,“FN”: relevant statements found in the "
            "ground truth but omitted in the answer.\n"
            "question: [question], answer: [answer], ground truth: [ground truth answer],\n"
            "Extracted statements: “TP”: [statement 1, statement 4, ...], “FP”: [statement 2, "
            "...], “FN”: [statement 3, statement 5, statement 6, ...]"
        ),
        verbatim=True,
    )

    def input_texts(self) -> Sequence[InputText]:
        """The question, the answer and the ground truth."""
        return (
            InputText("question", self.question),
            InputText("answer", self.answer),
            InputText("ground truth answer", self.reference),
        )

    def read(self, raw: str) -> Shared:
        """Three lists, each once and each under its label; in brackets, or an item a line."""
        text = without_thoughts(raw)
        labels = list(_LABEL.finditer(text))
        names = [label[1].upper() for label in labels]
        if sorted(names) != sorted(_NAMES):
            labelled = ", ".join(names) or "none"
            raise Unreadable(f"not the three lists TP, FP and FN, each once: {labelled}", raw=raw)
        ends = [*(label.start() for label in labels[1:]), len(text)]
        lists = {}
        for name, label, end in zip(names, labels, ends, strict=True):
            items = _statements_in(text[label.end() : end], last=end == len(text))
            if items is None or _DOTS & set(items):
                raise Unreadable(f"it is not plain which statements are {name}", raw=raw)
            lists[name] = items
        return Shared(*(lists[name] for name in _NAMES))

    @staticmethod
    def reply(shared: Shared) -> str:
        """A reply in the form that is read."""
        lists = zip(_NAMES, (shared.both, shared.answer_only, shared.reference_only), strict=True)
        return ", ".join(f"“{n}”: {json.dumps(list(s), ensure_ascii=False)}" for n, s in lists)


def _statements_in(text: str, *, last: bool) -> tuple[str, ...] | None:
    """The statements of one list and what follows it; None if that is not plain."""
    stripped = text.strip()
    if not stripped.startswith("["):
        return _by_line(stripped)
    # A statement may hold a bracket itself: the list ends at the first one that fits.
    for close in re.finditer(r"\]", stripped):
        if last or _BETWEEN.fullmatch(stripped, close.end()):
            items = _items(stripped[1 : close.start()].strip())
            if items is not None:
                return items
    return None


def _items(inner: str) -> tuple[str, ...] | None:
    """What stands between the brackets of a list; None if it is not plain where an item ends."""
    inner = inner.removesuffix(",").rstrip()
    if inner[:1] in ("“", '"', "‘", "'"):
        quoted = _in_json(inner) or _in_quotes(inner)
        return _nonempty(quoted) if quoted else None
    if "\n" in inner:
        return _nonempty(map(_unmarked, inner.splitlines()))
    pieces = _COMMA.split(inner)
    plain = len(pieces) == 1 or all(map(_ENDED.fullmatch, pieces))
    return _nonempty(pieces) if plain else None


def _in_json(inner: str) -> list[str] | None:
    try:
        items = json.loads(f"[{inner}]")
    except ValueError:
        return None
    return items if all(isinstance(item, str) for item in items) else None


def _in_quotes(inner: str) -> list[str] | None:
    items, position = [], 0
    while position < len(inner):
        match = _QUOTED.match(inner, position)
        if match is None:
            return None
        items.append(next(filter(None, match.groups())))
        position = match.end()
    return items


def _by_line(text: str) -> tuple[str, ...] | None:
    """A list without brackets: a bullet or number before every item."""
    lines = [line for line in text.strip("{},;` \n").splitlines() if line.strip()]
    if lines and all(map(_LIST_MARK.match, lines)):
        return _nonempty(map(_unmarked, lines))
    return () if "".join(lines).strip(" .-").casefold() in {"", *_NONE} else None


def _nonempty(items: Iterable[str]) -> tuple[str, ...]:
    statements = tuple(stripped for item in items if (stripped := item.strip()))
    return (
        () if len(statements) == 1 and statements[0].casefold().rstrip(".") in _NONE else statements
    )


def _unmarked(line: str) -> str:
    """An item on a line of its own, without its bullet, its comma and its quotation marks."""
    text = _LIST_MARK.sub("", line, count=1).strip().removesuffix(",")
    marked = re.fullmatch(r"[\"“](.*)[\"”]", text)
    return marked[1] if marked else text
