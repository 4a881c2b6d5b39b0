"""The screen on which people label: one item, what it rests on, and a key for each reply."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from assay._analysis.label_pool import Key, LabelItem, Progress
from assay._analysis.labelling import Labelling
from assay._report import numbers
from assay._report.labels import BETTER, HOW_GOOD, label_question, meaning
from assay._store.labels import HumanLabel
from assay._text.sentences import spans
from assay._text.words import WORD, inverse_frequency, stem, stems, weighted_recall
from assay.score import Part, Score
from assay.view.labelling import Queue, Session
from assay.view.texts import differences, in_lines, rendered

_NEAR: Final = 0.3  # of its words by weight: a sentence that shares less is not near
_LINE: Final = 0.1  # the same of a line of a record: a sentence says what several lines hold
_MOST_CLAIMS: Final = 24
_MOST_ALIKE: Final = 3  # sentences that are as near as the nearest
_SAME: Final = 1e-9
_MOST_SENTENCES: Final = 1500
_LONG: Final = 1400  # characters of all contexts from which on those that say nothing are folded
_HEAD: Final = 110


@dataclass(frozen=True, slots=True)
class Stretch:
    """A run of a text: "" as it is, "near" in a passage that is near, "word" a word they share."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """A context to be read.

    Attributes:
        number: From 1.
        runs: Its text in runs.
        near: Whether a passage of it is near.
        folded: Whether it is folded away behind its beginning.
        head: Its beginning.
    """

    number: int
    runs: tuple[Stretch, ...]
    near: bool
    folded: bool
    head: str


def laid_out(claim: str, contexts: Sequence[str]) -> list[Context]:
    """The contexts, each sentence of a claim leading to those of them that are nearest.

    It goes by the words that they share, and knows nothing of what the judge says.

    Args:
        claim: What is to be labelled.
        contexts: Whatever it may rest on.
    """
    records = [in_lines(text) for text in contexts]
    is_record = [record != text for text, record in zip(contexts, records, strict=True)]
    contexts = records
    sentences = [
        (n, span)
        for n, text in enumerate(contexts)
        for span in (_spans_of_lines(text) if is_record[n] else spans(text))
    ][:_MOST_SENTENCES]
    stems_of = [frozenset(stems(contexts[n][a:b])) for n, (a, b) in sentences]
    weights = inverse_frequency(stems_of)
    claims = [frozenset(stems(claim[a:b])) for a, b in spans(claim)[:_MOST_CLAIMS]]
    shared_words: dict[int, set[str]] = {}
    for claim_words in filter(None, claims):
        shares = [weighted_recall(claim_words, words, weights) for words in stems_of]
        largest = max(shares, default=0.0)
        most_alike = [
            index for index, share in enumerate(shares) if share >= max(largest - _SAME, _NEAR)
        ]
        lines = [
            index
            for index, share in enumerate(shares)
            if is_record[sentences[index][0]] and share >= _LINE
        ]
        best = sorted(lines, key=lambda index: -shares[index])[:_MOST_ALIKE]
        for index in {*most_alike[:_MOST_ALIKE], *best}:
            shared_words.setdefault(index, set()).update(claim_words & stems_of[index])
    long = sum(map(len, contexts)) > _LONG and bool(shared_words)
    return [
        _context(
            n,
            text,
            {
                sentences[index][1]: shared_words[index]
                for index in shared_words
                if sentences[index][0] == n
            },
            long=long,
        )
        for n, text in enumerate(contexts)
    ]


def _spans_of_lines(record: str) -> list[tuple[int, int]]:
    """The sentences of a record, none of which goes beyond its line."""
    lines = re.finditer(r"[^\n]+", record)
    return [(x.start() + a, x.start() + b) for x in lines for a, b in spans(x[0])]


def within(text: str, span: tuple[int, int] | None) -> tuple[Stretch, ...]:
    """A text with one part of it picked out."""
    if span is None or not 0 <= span[0] < span[1] <= len(text):
        return (Stretch(text),)
    start, end = span
    runs = Stretch(text[:start]), Stretch(text[start:end], "near"), Stretch(text[end:])
    return tuple(run for run in runs if run.text)


def _context(
    n: int, text: str, shared_words: dict[tuple[int, int], set[str]], *, long: bool
) -> Context:
    runs: list[Stretch] = []
    ends = sorted({0, len(text), *(end for span in shared_words for end in span)})
    for a, b in pairwise(ends):
        shared = shared_words.get((a, b))
        runs += [Stretch(text[a:b])] if shared is None else _passage(text[a:b], shared)
    head = " ".join(text[: 2 * _HEAD].split())
    head = head if len(head) <= _HEAD else head[:_HEAD].rsplit(" ", 1)[0] + " …"
    return Context(
        n + 1,
        tuple(runs),
        bool(shared_words),
        long and not shared_words and len(text) > _HEAD,
        head,
    )


def _passage(text: str, shared: set[str]) -> list[Stretch]:
    """A passage that is near, the words that it shares picked out."""
    runs, last = [], 0
    for match in WORD.finditer(text):
        if shared.isdisjoint(stems(match[0])) and stem(match[0].lower()) not in shared:
            continue
        if match.start() > last:
            runs.append(Stretch(text[last : match.start()], "near"))
        runs.append(Stretch(match[0], "word"))
        last = match.end()
    return [*runs, *([Stretch(text[last:], "near")] if last < len(text) else [])]


GRADES: Final = ("unusable", "poor", "fair", "good", "flawless")
# Offered where nobody has named kinds of error yet.
TAGS: Final = ("made up", "contradicts the contexts", "incomplete", "beside the question")
_MOST_TAGS: Final = 8
_TELLING: Final = 0.5  # of an answer: where more of it differs, marks say nothing


@dataclass(frozen=True, slots=True)
class Choice:
    """One reply: the label, its words, its keys, the first of which is shown, and its tone."""

    value: float
    words: str
    keys: str
    tone: str = ""
    chosen: bool = False

    @property
    def key(self) -> str:
        """The key that is shown."""
        return self.keys.partition(" ")[0].upper()


@dataclass(frozen=True, slots=True)
class Side:
    """One answer of a pair: its letter, its text in pieces, and the contexts of its own."""

    letter: str
    pieces: Sequence[tuple[str, bool]]
    contexts: Sequence[Context]
    judged: str


@dataclass(frozen=True, slots=True)
class Last:
    """What was decided last: about what, what was said, what the judge says, whether they agree.

    `bar` says from which score on the judge calls an answer good, where it is said that they agree;
    `before` what the same person had decided before, perhaps in another window.
    """

    key: Key
    decision: str
    judged: str
    agree: bool | None
    bar: str = ""
    before: str = ""


def question(queue: Queue, part: Part | None) -> str:
    """What a label replies to, in plain words."""
    if queue.what == "pair":
        return BETTER
    if queue.what == "rubric":
        return HOW_GOOD
    return label_question(queue.metric, part.kind if part else None)


def choices(queue: Queue, item: LabelItem, decision: HumanLabel | None) -> list[Choice]:
    """The labels that can be given."""
    value = decision.value if decision else None
    if queue.what == "pair":
        first, second = (side.value for side in item.sides)
        names_and_keys = ("A is better", "a 1"), ("Tie", "0 e"), ("B is better", "b 2")
        options = zip((first, 0.5, second), names_and_keys, strict=True)
        return [Choice(v, words, keys, "", v == value) for v, (words, keys) in options]
    if queue.what == "rubric":
        return [
            Choice(float(n), words, str(n), "", value == n) for n, words in enumerate(GRADES, 1)
        ]
    yes = Choice(1.0, "Yes", "1 y", "good", value == 1)
    return [yes, Choice(0.0, "No", "0 n", "bad", value == 0)]


def in_words(queue: Queue, item: LabelItem, label: HumanLabel) -> str:
    """A decision in words."""
    if label.kind == "skip":
        return "skipped"
    if label.value is None:
        return "unsure"
    choice = next((choice for choice in choices(queue, item, label) if choice.chosen), None)
    if choice is None:
        return f"{label.value:g}"
    return f"{label.value:g}, {choice.words}" if queue.what == "rubric" else choice.words


def judged(queue: Queue, item: LabelItem) -> str:
    """What the judge says, "" while it is kept back."""
    if queue.what == "pair":
        scores = [side.outcome.value for side in item.sides if isinstance(side.outcome, Score)]
        if len(scores) < 2:
            return ""
        return f"A {numbers.score(scores[0])}, B {numbers.score(scores[1])}"
    if item.outcome is None:
        return ""
    part = _statement_part(item)
    if part is not None:
        return meaning(part.label) or numbers.score(part.value)
    return numbers.score(item.outcome.value) if isinstance(item.outcome, Score) else "no score"


def render(session: Session, item: LabelItem, *, settle: bool = False) -> str:
    """The page of an item, to be labelled or to be settled."""
    queue, labelling = session.queue, session.labelling
    decision = labelling.decision(item.key)
    part = _judged_part(labelling, item)
    sides = _pair_sides(item)
    answer = within(item.answer, part.span if part else None)
    return session.render(
        "label.html",
        item=item,
        row=session.site.store.sample(item.run, item.sample)[0],
        ask=question(queue, part),
        doc=session.run.config["about"][queue.metric]["doc"],
        part=part,
        answer=answer,
        placed=part is not None and len(answer) > 1,
        rendered=None if part or sides else rendered(item.answer),
        contexts=[] if sides else laid_out(item.text, item.contexts),
        sides=sides,
        shared_contexts=_shared(item),
        choices=choices(queue, item, decision),
        decision=decision,
        judged=judged(queue, item),
        tags=_tags_offered(labelling, decision),
        settle=settle,
        others=_other_opinions(queue, labelling, item) if settle else [],
        near=_neighbours(labelling, item.key),
        n_parts=0 if part is None else len(labelling.scored(item.run, item.sample)[1]),
        **margin(session),
    )


def margin(session: Session) -> dict[str, Any]:
    """What stands above every screen: how far it is, what it tells, what was said last."""
    queue, labelling = session.queue, session.labelling
    progress = labelling.progress()
    return {
        "progress": progress,
        "full": _share_done(progress),
        "last": _last_decision(queue, labelling),
        "good": "" if queue.what in ("statement", "pair") else _good_range(labelling),
        "n_mine": len(labelling.decided()),
    }


def _share_done(progress: Progress) -> float:
    """How much of what is needed is labelled, from 0 to 1."""
    if progress.enough:
        return 1.0
    needed = progress.total - progress.labelled if progress.needed is None else progress.needed
    return progress.labelled / max(progress.labelled + needed, 1)


def _last_decision(queue: Queue, labelling: Labelling) -> Last | None:
    decided = labelling.decided()
    label = labelling.decision(decided[-1]) if decided else None
    if label is None or (queue.what == "pair" and label.sample not in labelling.pool.place_of):
        return None
    item = labelling.item(*label.item)
    judge, person = labelling.verdicts(label.item)
    agree = None if judge is None or person is None else judge == person
    texts = in_words(queue, item, label), judged(queue, item)
    scored = agree is not None and item.statement is None and not item.sides
    bar = f"(it calls {_good_range(labelling)})" if scored else ""
    replaced = labelling.replaced(label.item)
    changed = replaced is not None and (replaced.kind, replaced.value) != (label.kind, label.value)
    was = in_words(queue, item, replaced) if replaced is not None and changed else ""
    return Last(label.item, *texts, agree, bar, was)


def _good_range(labelling: Labelling) -> str:
    bound = "down to" if labelling.pool.first.falling else "from"
    return f"good {bound} {numbers.score(labelling.threshold)}"


def _neighbours(labelling: Labelling, key: Key) -> tuple[Key | None, Key | None]:
    """(what was decided before this, what after it); the latter None for the queue's next."""
    decided = labelling.decided()
    if key not in decided:
        return (decided[-1] if decided else None), None
    index = decided.index(key)
    previous = decided[index - 1] if index else None
    return previous, decided[index + 1] if index + 1 < len(decided) else None


def _judged_part(labelling: Labelling, item: LabelItem) -> Part | None:
    """The statement that is labelled, as the judge found it."""
    if item.statement is None:
        return None
    _, parts = labelling.scored(item.run, item.sample)
    return parts[item.statement]


def _statement_part(item: LabelItem) -> Part | None:
    if item.statement is None or item.outcome is None:
        return None
    parts = [part for part in item.outcome.parts if part.value is not None]
    return parts[item.statement]


def _pair_sides(item: LabelItem) -> list[Side]:
    if not item.sides:
        return []
    first, second = item.sides
    pieces = differences(first.answer, second.answer)
    if sum(len(text) for text, differs in pieces[1] if differs) > _TELLING * len(second.answer):
        pieces = [(first.answer, False)], [(second.answer, False)]
    shared = _shared(item) is not None
    return [
        Side(
            letter,
            answer_pieces,
            [] if shared else laid_out(side.answer, side.contexts),
            numbers.score(side.outcome.value) if isinstance(side.outcome, Score) else "",
        )
        for letter, side, answer_pieces in zip("AB", item.sides, pieces, strict=True)
    ]


def _shared(item: LabelItem) -> Sequence[Context] | None:
    """The contexts of both answers, where they are the same."""
    if not item.sides or item.sides[0].contexts != item.sides[1].contexts:
        return None
    both_answers = "\n\n".join(side.answer for side in item.sides)
    return laid_out(both_answers, item.sides[0].contexts)


def _tags_offered(labelling: Labelling, decision: HumanLabel | None) -> list[tuple[str, bool]]:
    """Kinds of error that are offered, the usual ones of this run first, and which are chosen."""
    used = Counter(tag for label in labelling.labels() for tag in label.tags)
    own_tags = decision.tags if decision else ()
    names = dict.fromkeys([*own_tags, *(tag for tag, _ in used.most_common(_MOST_TAGS)), *TAGS])
    return [(name, name in own_tags) for name in list(names)[: max(_MOST_TAGS, len(own_tags))]]


def _other_opinions(
    queue: Queue, labelling: Labelling, item: LabelItem
) -> list[tuple[HumanLabel, str]]:
    """What annotators said who disagree about an item."""
    disputes = {
        (dispute.run, dispute.sample, dispute.statement): dispute
        for dispute in labelling.disputes()
    }
    dispute = disputes.get(item.key)
    labels = dispute.labels if dispute else ()
    return [(label, in_words(queue, item, label)) for label in labels]
