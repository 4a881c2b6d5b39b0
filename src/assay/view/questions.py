"""Test questions under review: the list of them, and one with its passages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from multidict import MultiMapping

from assay.errors import InputError
from assay.view.site import NotThere, Place, Site
from assay.view.texts import Piece, differences

if TYPE_CHECKING:
    from assay.testset import Review, ReviewedQuestion

SIZE: Final = 50  # questions on a page
STATES: Final = {"open": "open", "keep": "kept", "edit": "edited", "drop": "dropped"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which questions are listed.

    Attributes:
        text: Words that stand in question, answer or document.
        state: "open", "keep", "edit" or "drop"; "" for all.
        kind: What it takes to answer them.
        number: The page.
    """

    text: str = ""
    state: str = ""
    kind: str = ""
    number: int = 1

    @classmethod
    def read(cls, query: MultiMapping[str], number: int = 1) -> "Wanted":
        """What an address asks for."""
        text, state, kind = (query.get(name, "").strip() for name in ("q", "state", "kind"))
        return cls(text[:500], state if state in STATES else "", kind, number)

    def query(self, **changes: Any) -> str:
        """Its part of an address, with these otherwise."""
        changed = replace(self, **changes)
        pairs = {"q": changed.text, "state": changed.state, "kind": changed.kind}
        return urlencode({name: value for name, value in pairs.items() if value})

    def fits(self, question: "ReviewedQuestion") -> bool:
        """Whether a question is one of them."""
        if self.state and self.state != (question.decision or "open"):
            return False
        if self.kind and self.kind != question.row.get("kind"):
            return False
        text = f"{question.id} {question.question} {question.reference}"
        text += "".join(f" {question.row.get(name) or ''}" for name in ("group", "standalone"))
        return all(word in text.casefold() for word in self.text.casefold().split())


@dataclass(frozen=True, slots=True)
class Tally:
    """How many questions there are, and how many of them are decided, by decision."""

    total: int
    by_state: Mapping[str, int]

    @classmethod
    def of(cls, questions: Sequence["ReviewedQuestion"]) -> "Tally":
        """Counted."""
        states: list[str] = [question.decision or "open" for question in questions]
        return cls(len(states), {name: states.count(name) for name in STATES})

    @property
    def decided(self) -> int:
        """How many are not open."""
        return self.total - self.by_state["open"]

    @property
    def out(self) -> int:
        """How many stand in the data set that comes out."""
        return self.by_state["keep"] + self.by_state["edit"]


def review(site: Site) -> "Review":
    """What is reviewed.

    Raises:
        NotThere: If nothing is.
    """
    if site.review is None:
        raise NotThere("no test questions are shown", "start with `assay view --questions FILE`")
    return site.review


def render(site: Site, place: Place, wanted: Wanted) -> str:
    """The list."""
    reviewed = review(site)
    questions = reviewed.questions()
    fitting = [(n, q) for n, q in enumerate(questions, 1) if wanted.fits(q)]
    pages = max(1, -(-len(fitting) // SIZE))
    if wanted.number > pages:
        raise NotThere(f"there is no page {wanted.number}", f"the last one is page {pages}")
    start = (wanted.number - 1) * SIZE
    return site.render(
        "questions.html",
        place,
        review=reviewed,
        questions=fitting[start : start + SIZE],
        n=len(fitting),
        wanted=wanted,
        query=wanted.query(),
        tally=Tally.of(questions),
        states=STATES,
        kinds=sorted({kind for q in questions if (kind := str(q.row.get("kind") or ""))}),
        next_open=_next_open(questions, 0),
        number=wanted.number,
        pages=pages,
    )


def render_one(site: Site, place: Place, number: int, wanted: Wanted, form_token: str = "") -> str:
    """One question.

    Raises:
        NotThere: If there is no such question.
    """
    reviewed = review(site)
    questions = reviewed.questions()
    if not 1 <= number <= len(questions):
        raise NotThere(f"there is no question {number}", f"the file has {len(questions):,}")
    fitting = [n for n, q in enumerate(questions, 1) if wanted.fits(q) or n == number]
    index = fitting.index(number)
    question = questions[number - 1]
    return site.render(
        "question.html",
        place,
        review=reviewed,
        q=question,
        number=number,
        tally=Tally.of(questions),
        states=STATES,
        before=fitting[index - 1] if index else None,
        after=fitting[index + 1] if index + 1 < len(fitting) else None,
        position=index + 1,
        n=len(fitting),
        wanted=wanted,
        query=wanted.query(),
        changed=_changed(question),
        passages=_passages(question.row),
        form_token=form_token,
        undoable=any(question.decision for question in questions),
    )


def decide(site: Site, number: int, form: Mapping[str, Any]) -> str:
    """Keep what a form says of a question; the path of what comes next.

    Raises:
        InputError: If it says nothing, or it cannot be kept.
    """
    reviewed, decision = review(site), str(form.get("decision", ""))
    question, reference, reason = (
        str(form.get(name, "")).replace("\r\n", "\n")
        for name in ("question", "reference", "reason")
    )
    if decision == "undo":
        undone = reviewed.undo()
        return f"questions/{number if undone is None else undone + 1}"
    if decision == "keep":
        reviewed.keep(number - 1)
    elif decision == "drop":
        reviewed.drop(number - 1, reason)
    elif decision == "edit":
        reviewed.edit(number - 1, question=question, reference=reference)
    else:
        raise InputError("the form holds no decision", "keep, edit or drop the question")
    following = _next_open(reviewed.questions(), number)
    return "questions" if following is None else f"questions/{following}"


def _next_open(questions: Sequence["ReviewedQuestion"], after: int) -> int | None:
    """The number of the next one that is open, from the beginning once the end is reached."""
    numbers = [*range(after + 1, len(questions) + 1), *range(1, after + 1)]
    return next((n for n in numbers if questions[n - 1].decision is None), None)


def _changed(question: "ReviewedQuestion") -> dict[str, tuple[Sequence[Piece], Sequence[Piece]]]:
    """(before, after) of the texts that were edited, what differs marked."""
    if question.decision != "edit":
        return {}
    pairs = {
        "question": (str(question.row["question"]), question.question),
        "reference": (str(question.row.get("reference") or ""), question.reference),
    }
    return {name: differences(*pair) for name, pair in pairs.items() if pair[0] != pair[1]}


def _passages(row: Mapping[str, Any]) -> list[tuple[str, list[Piece]]]:
    """(document, text in pieces) of what it was written of; quoted words are marked."""
    texts = [str(text) for text in row.get("reference_contexts") or ()]
    sources = [source for source in row.get("source") or () if isinstance(source, Mapping)]
    quotes = [str(quote) for quote in row.get("quotes") or () if quote]
    names = [str(source.get("document", "")) for source in sources]
    names += [""] * (len(texts) - len(names))
    return [
        (name, list(_mark_quotes(text, quotes))) for name, text in zip(names, texts, strict=False)
    ]


def _mark_quotes(text: str, quotes: Sequence[str]) -> Iterator[Piece]:
    spans = ((text.find(quote), len(quote)) for quote in quotes)
    position = 0
    for start, length in sorted((start, length) for start, length in spans if start >= 0):
        if start < position:
            continue
        if start > position:
            yield text[position:start], False
        yield text[start : start + length], True
        position = start + length
    if position < len(text):
        yield text[position:], False
