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
from assay.tasks.split_statements import Statement
from assay.tasks.verify_statements import Verdict

INSUFFICIENT = "Insufficient Information"

_BULLET = re.compile(r"^\s*(?:[-*\u2022]|\(?\d+[.)]|statement\s*\d*\s*[:.])\s*", re.IGNORECASE)
_YES_NO = re.compile(r"\b(yes|no)\b", re.IGNORECASE)
_FINAL = re.compile(r"final verdicts?\b(?:[^:\n]*:)?", re.IGNORECASE)
_EACH = re.compile(r"\bverdict\W{1,4}(yes|no)\b", re.IGNORECASE)
_HEADING = re.compile(r"^[^.!?]*:\s*$")


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
        """One statement a line, without bullets, numbers and headings."""
        texts = dict.fromkeys(lines(raw))
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
        """The context and the numbered statements."""
        numbered = enumerate(self.statements, start=1)
        listing = "\n".join(f"statement [{n}]: {s.text}" for n, s in numbered)
        return (Material("context", self.context), Material("statements", listing))

    def read(self, raw: str) -> tuple[Verdict, ...]:
        """Final verdicts in order, else one "verdict: yes/no" a statement; the count must fit."""
        final = list(_FINAL.finditer(raw))
        answers = _YES_NO.findall(raw[final[-1].end() :]) if final else []
        if len(answers) != len(self.statements):
            answers = _EACH.findall(raw)
        if len(answers) != len(self.statements):
            raise Unreadable(f"{len(answers)} of {len(self.statements)} verdicts", raw=raw)
        reasons = _explanations(raw, len(self.statements))
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
            return re.sub(r"^\W*question\W*:\s*", "", (asked or found)[0], flags=re.IGNORECASE)
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
        if any(INSUFFICIENT.lower() in line.lower() for line in found):
            return ()
        return found


def lines(raw: str) -> tuple[str, ...]:
    """The lines of a free-text reply without bullets, numbers, headings and blank ones."""
    text = re.sub(r"<think>.*?</think>", "", raw, flags=re.DOTALL)
    bare = (_BULLET.sub("", line).strip().strip('"').strip() for line in text.splitlines())
    return tuple(line for line in bare if line and not _HEADING.match(line))


def _explanations(raw: str, n: int) -> list[str]:
    # The paper fixes no form for the explanations: they are shown only where they can be told
    # apart, one line for each statement before the final verdicts.
    final = list(_FINAL.finditer(raw))
    found = lines(raw[: final[-1].start()] if final else raw)
    return list(found) if len(found) == n else [""] * n
