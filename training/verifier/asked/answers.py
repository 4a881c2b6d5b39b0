"""Rows about whole answers: do they answer, wholly, in part or not at all?"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from assay._text import entities, numbers, questions, refusals
from assay.experiments.reader_windows import Asked
from training.verifier.asked import forms, phrases
from training.verifier.asked.contexts import Drawn, split
from training.verifier.asked.lexical import Neighbours, Weights, stems
from training.verifier.asked.plain import plain
from training.verifier.asked.sources import LONGEST, Answer, Item
from training.verifier.asked.values import PLACED, Found, locate, other_kind, vague

Pair = tuple[str, float | None]
SHORT = 6  # words of an answer that names nothing of the question
_NUMERIC = {"time", "number"}
_NAMED = {"person", "place"}
_LACKS = re.compile(
    r"\bthere (?:is|are|was|were) no\b|\bthere (?:isn't|aren't|wasn't)"
    r"|\b(?:need|want|best) to check\b|\bdoesn't have\b|\bit is unclear\b|\bnot (?:clear|known)\b",
    re.IGNORECASE,
)
EASY = 0.15  # share of the question's words; what has less is mostly told by that alone


class Builder:
    """Everything the generators share about one side (training or measured)."""

    def __init__(self, items: Sequence[Item], weights: Weights, rng: random.Random) -> None:
        self.items = items
        self.weights = weights
        self.rng = rng
        near = Neighbours([item.question for item in items], weights)
        self.near = [near.of(i) for i in range(len(items))]
        self.styled = [forms.styled(item.question, rng) for item in items]
        self.drawn = [Drawn(item, weights) if item.contexts else None for item in items]
        self._refused: Counter[str] = Counter()

    def row(
        self, place: int, kind: str, found: Sequence[Pair], answers: float | None, asked: str = ""
    ) -> Asked:
        """A row of the item there."""
        item = self.items[place]
        texts, helps = zip(*found, strict=True)
        return Asked(
            data=f"{item.data}/{kind}",
            group=item.group,
            question=asked or self.styled[place],
            texts=texts,
            helps=helps,
            answers=answers,
            msmarco=item.msmarco,
        )

    # Answers as they were given.

    def good(self, place: int) -> list[Answer]:
        """The answers that address the question, right or wrong."""
        item = self.items[place]
        kind = questions.kind_of(item.question)
        return [
            a
            for a in item.answers
            if a.declines == "no"
            and a.size <= LONGEST
            and (a.correct or a.size > 3 or questions.holds(kind, a.text, item.question))
            and (item.data != "expertqa" or a.value is not None)
            and not _LACKS.search(a.text)
            and (a.correct is not False or self._says_something(item.question, a.text))
        ]

    def _says_something(self, question: str, text: str) -> bool:
        """Whether a wrong answer names something new, and so answers all the same."""
        if questions.kind_of(question) == "yes or no":
            return True
        known = stems(question)
        new = [name for name in entities.names(text) if stems(name) - known]
        few = len(text.split()) <= SHORT
        return bool(new or few or set(numbers.numbers(text)) - set(numbers.numbers(question)))

    def pairs(self, place: int, given: Answer) -> list[Pair]:
        """The sentences of an answer that addresses the question."""
        item = self.items[place]
        if given.helps:
            return list(zip(given.parts, given.helps, strict=True))
        if len(given.parts) == 1:
            return [(given.text, 1.0)]
        drawn = self.drawn[place]
        found: list[Pair] = []
        for part in given.parts:
            label: float | None = None
            if locate(part, item.truths):
                label = 1.0
            elif refusals.is_plain_refusal(part) or _frames(part):
                label = 0.0
            elif drawn and item.msmarco and drawn.label(part) == 1.0:
                label = 1.0
            found.append((part, label))
        return found

    def given(self, place: int) -> Iterator[Asked]:
        """Answers that address the question, and those that decline."""
        item, rng = self.items[place], self.rng
        good = self.good(place)
        short = [a for a in good if a.size <= 4]
        long = [a for a in good if a.size > 4]
        chosen = rng.sample(long, min(len(long), 1 if item.data == "nq" else 2))
        if short and rng.random() < (0.55 if item.data == "nq" else 0.6):
            chosen.append(rng.choice(short))
        for given in chosen:
            value = given.value if given.value is not None else 1.0
            yield self.row(place, "answered", self.pairs(place, given), value)
        declined = [a for a in item.answers if a.declines == "yes" and a.size < 60]
        if declined:
            one = rng.choice(declined)
            self._refused[one.text] += 1
            if self._refused[one.text] <= 25:
                yield self.row(place, "declined", [(p, 0.0) for p in one.parts], 0.0)

    # Answers to something else.

    def unlike(self, place: int, text: str) -> bool:
        """Whether a text says nothing that answers the question."""
        item = self.items[place]
        if locate(text, item.truths):
            return False
        own = [a for a in item.answers if a.declines != "yes"]
        said = frozenset().union(*(stems(a.text) for a in own)) - stems(item.question)
        new = stems(text) - stems(item.question)
        if item.data in {"nq", "hotpot"}:
            return all(
                self.weights.share(stems(a.text) - stems(item.question), new) < 0.35 for a in own
            )
        return self.weights.share(new, said) < 0.3

    def elsewhere(self, place: int, least: int = 0, most: int = 999) -> Answer | None:
        """An answer to a like question, one of those that share most with this one."""
        question = self.items[place].question
        kind = questions.kind_of(question)
        found: list[tuple[float, int, Answer]] = []
        for j, likeness in self.near[place]:
            other = questions.kind_of(self.items[j].question)
            # A name alone may answer any question for a name, a number any for a time.
            apart = (kind in _NAMED and other in _NUMERIC) or (kind in _NUMERIC and other in _NAMED)
            if likeness > 0.7:
                continue
            for given in self.good(j):
                if not least <= given.size <= most or (given.size <= SHORT and not apart):
                    continue
                if self.unlike(place, given.text):
                    share = self.weights.overlap(question, given.text)
                    score = share + self.rng.random() * 0.2 + (kind == other) * 0.1
                    found.append((score, -len(found), given))
        return max(found)[2] if found else None

    def other_question(self, place: int) -> Iterator[Asked]:
        """Whole answers to like questions."""
        low, high = self.rng.choice(((0, 4), (5, 25), (5, 25), (26, 999)))
        given = self.elsewhere(place, low, high) or self.elsewhere(place)
        if not given:
            return
        share = self.weights.overlap(self.items[place].question, given.text)
        if share >= EASY or given.size <= SHORT or self.rng.random() < 0.3:
            yield self.row(place, "other", [(p, 0.0) for p in given.parts], 0.0)

    # About the subject, without what was asked for.

    def background(self, place: int) -> Iterator[Asked]:
        """Sentences about the subject that do not answer."""
        item, rng = self.items[place], self.rng
        drawn = self.drawn[place]
        pool: list[str] = []
        if item.msmarco and drawn:
            for context in item.contexts:
                pool += [s for s in split(context) if drawn.label(s) == 0.0 and len(s.split()) > 4]
        elif item.data == "nq":
            for given in item.answers:
                held = [bool(locate(p, item.truths)) for p in given.parts]
                if given.correct and any(held) and given.declines == "no":
                    pool += [
                        p
                        for p, holds in zip(given.parts, held, strict=True)
                        if not holds and self._beside(item.question, p)
                    ]
        elif item.data == "hotpot" and " or " not in item.question:
            pool = [
                s
                for c in item.contexts
                for s in split(c)
                if item.truths[0].lower() not in s.lower() and len(item.truths[0]) > 3
            ]
        pool = sorted(dict.fromkeys(pool), key=lambda s: -self.weights.overlap(item.question, s))
        if pool:
            chosen = pool[: rng.randint(1, 8 if item.msmarco else 3)]
            found: list[Pair] = [(s, None if item.data == "hotpot" else 0.0) for s in chosen]
            yield self.row(place, "background", found, 0.0)

    def _beside(self, question: str, text: str) -> bool:
        """Whether a sentence that does not name the accepted value names no other either."""
        kind = questions.kind_of(question)
        if len(text.split()) <= 4 or _frames(text):
            return False
        match kind:
            case "person":
                named = set(entities.names(text)) and self.weights.overlap(question, text) > 0.4
                return not named and not re.search(r"\bby\b", text)
            case "time" | "number":
                return not questions.holds(kind, text, question)
            case "place":
                return not PLACED.search(text)
        return False

    # Evasions.

    def filled(self, place: int, text: str) -> str:
        """A phrase with the question or its subject put in."""
        question = self.items[place].question.strip()
        topic = forms.topic(question)
        named = {"q": question, "t": topic, "T": topic[:1].upper() + topic[1:]}
        return " ".join(text.format(**named).split())

    def evasive(self, place: int) -> Iterator[Asked]:
        """Refusals, hedges, counter-questions, promises: nothing that was asked for."""
        rng = self.rng
        kinds = [
            phrases.REFUSALS,
            phrases.HEDGES,
            phrases.COUNTER,
            phrases.CONSULT,
            phrases.PROMISES,
            phrases.EMPTY,
        ]
        count = rng.choice((1, 1, 2, 2, 3, 4, 5))
        chosen: list[str] = []
        for _ in range(count):
            text = self.filled(place, rng.choice(rng.choice(kinds)))
            if text not in chosen:
                chosen.append(text)
        yield self.row(place, "evasive", [(s, 0.0) for s in chosen], 0.0)

    def framed(self, place: int) -> Iterator[Asked]:
        """Answers that hedge or greet, and answer all the same."""
        rng = self.rng
        good = [a for a in self.good(place) if a.size <= 60 and a.value is None]
        if not good:
            return
        found = self.pairs(place, rng.choice(good))
        first = found[0][0]
        way = rng.random()
        if way < 0.5 and not re.match(r"(?:According|Based|Yes|No)\b", first):
            openings = phrases.OPENINGS
            if len(first.split()) <= SHORT or re.match(r"[^.]{0,60}:", first):
                openings = tuple(o for o in openings if not o.endswith(("that", "but")))
            found[0] = (f"{rng.choice(openings)} {forms.lowered(first)}", found[0][1])
            yield self.row(place, "hedged", found, 1.0)
        elif way < 0.75:
            found.insert(0, (rng.choice(phrases.FRAMES_BEFORE), 0.0))
            yield self.row(place, "framed", found, 0.95)
        else:
            found.append((rng.choice(phrases.FRAMES_AFTER), 0.0))
            yield self.row(place, "framed", found, 0.95)

    # In words of their own.

    def unechoed(self, place: int) -> Iterator[Asked]:
        """Answers without the question's words, and what does not answer, treated alike."""
        good = [a for a in self.good(place) if a.size > SHORT and a.value is None]
        other = self.elsewhere(place, SHORT + 1, 80)
        if good:
            given = self.rng.choice(good)
            yield from self._plain(place, "unechoed", self.pairs(place, given), 1.0)
        if other:
            yield from self._plain(place, "unechoed_other", [(p, 0.0) for p in other.parts], 0.0)
        for row in self.background(place):
            pairs = list(zip(row.texts, row.helps, strict=True))
            yield from self._plain(place, "unechoed_background", pairs, 0.0)

    def _plain(self, place: int, kind: str, found: list[Pair], answers: float) -> Iterator[Asked]:
        made = [(plain(text, self.items[place].question, self.rng), h) for text, h in found]
        kept = [(text, h) for text, h in made if text]
        if kept and (len(kept) == len(found) or len(kept) > 1):
            yield self.row(place, kind, kept, answers)

    # Too much.

    def padded(self, place: int) -> Iterator[Asked]:
        """An answer among sentences that belong to another question."""
        good = [a for a in self.good(place) if a.size <= 80]
        other = self.elsewhere(place, 8, 70)
        if not good or not other:
            return
        given = self.rng.choice(good)
        own = self.pairs(place, given)
        added: list[Pair] = [(p, 0.0) for p in other.parts[: self.rng.randint(1, 3)]]
        alien = sum(len(p.split()) for p, _ in added)
        share = given.size / (given.size + alien)
        cut = self.rng.choice((0, len(own), len(own), self.rng.randint(0, len(own))))
        found = own[:cut] + added + own[cut:]
        base = given.value if given.value is not None else 1.0
        yield self.row(place, "padded", found, round(base * (0.6 + 0.35 * share), 3))

    def repeated(self, place: int) -> Iterator[Asked]:
        """An answer that says the same again."""
        good = [a for a in self.good(place) if 4 < a.size <= 50 and a.value is None]
        if not good:
            return
        given = self.rng.choice(good)
        found = self.pairs(place, given)
        same = [
            a for a in good if a.correct and given.correct and a is not given and len(a.parts) == 1
        ]
        again = self.rng.choice(same).text if same else given.parts[-1]
        if not same or self.rng.random() < 0.5:
            again = f"{self.rng.choice(phrases.AGAIN)} {forms.lowered(again)}"
        found.append((again, None))
        yield self.row(place, "repeated", found, 0.85)

    # Too little.

    def valued(self, place: int) -> Found | None:
        """A right answer of one sentence and the place of the value in it."""
        item = self.items[place]
        kind = questions.kind_of(item.question)
        options = [
            found
            for given in item.answers
            if given.correct and given.declines == "no" and given.size > 4
            for part in given.parts[:1]
            for found in [locate(part, item.truths)]
            if found and kind != "yes or no"
        ]
        return self.rng.choice(options) if options else None

    def vague(self, place: int) -> Iterator[Asked]:
        """The asked-for value made vague, left out or narrowed, or beside vague words."""
        found = self.valued(place)
        if not found:
            return
        kind = questions.kind_of(self.items[place].question)
        made = vague(found, kind, self.items[place].question, self.items[place].truths, self.rng)
        if made:
            name, text, answers = made
            helps = None if answers else 0.0
            yield self.row(place, name, [(text, 1.0 if answers == 1.0 else helps)], answers)

    def wrong_kind(self, place: int) -> Iterator[Asked]:
        """A place for a time and the other way round; the questions turned round as well."""
        found = self.valued(place)
        if not found:
            return
        made = other_kind(found, self.items[place].question, self.rng)
        if not made:
            return
        asked, text = made
        asked = forms.styled(asked, self.rng) if asked else ""
        yield self.row(place, "wrong_kind", [(text, 0.0)], 0.0)
        if asked:
            yield self.row(place, "turned", [(text, 1.0)], 1.0, asked)
            yield self.row(place, "turned", [(found.text, 0.0)], 0.0, asked)

    def lists(self, place: int) -> Iterator[Asked]:
        """Lists and steps cut short, introductions that nothing follows."""
        rng = self.rng
        for given in self.good(place):
            starts = [i for i, mark in enumerate(given.listed) if mark]
            if len(starts) < 3 or not 0 < starts[0] <= 2:
                continue
            found = self.pairs(place, given)
            intro = found[: starts[0]]
            kind = questions.kind_of(self.items[place].question)
            bare = not any(locate(p, self.items[place].truths) for p, _ in intro)
            if rng.random() < 0.3 and kind in {"open", "reason", "person"} and bare:
                yield self.row(place, "intro", [(p, 0.0) for p, _ in intro], 0.0)
            kept = rng.randint(1, max(1, len(starts) // 2))
            part = found[: starts[kept]]
            value = round(0.25 + 0.5 * kept / len(starts), 3)
            yield self.row(place, "cut", part, value)
            return

    def misled(self, place: int) -> Iterator[Asked]:
        """The right introduction, and then what answers another question."""
        own = [a for a in self.good(place) if len(a.parts) > 2 and a.parts[0].endswith(":")]
        other = self.elsewhere(place, 30, LONGEST)
        if own and other:
            body = other.parts[1:] if len(other.parts) > 2 else other.parts
            found: list[Pair] = [(self.rng.choice(own).parts[0], 0.0), *((p, 0.0) for p in body)]
            yield self.row(place, "misled", found, 0.0)

    def compound(self, place: int) -> Iterator[Asked]:
        """Two questions in one; both, one or none of them answered."""
        rng, item = self.rng, self.items[place]
        if not forms.asks(item.question) or len(item.question.split()) > 12:
            return
        for j, likeness in self.near[place][:8]:
            other = self.items[j]
            if likeness > 0.7 or not forms.asks(other.question) or other.msmarco != item.msmarco:
                continue
            ours = [a for a in self.good(place) if a.size < 50]
            theirs = [a for a in self.good(j) if a.size < 50]
            if not ours or not theirs or len(other.question.split()) > 12:
                continue
            joint = rng.choice((" and ", ", and ", "? And "))
            asked = forms.styled(f"{item.question.rstrip(' ?')}{joint}{other.question}", rng)
            one, two = rng.choice(ours), rng.choice(theirs)
            first, second = self.pairs(place, one), self.pairs(j, two)
            yield self.row(place, "compound", first + second, 1.0, asked)
            half = rng.choice((first, second))
            yield self.row(place, "compound", half, 0.5, asked)
            third = self.elsewhere(place, 5, 60)
            if third and not locate(third.text, other.truths) and self.unlike(j, third.text):
                yield self.row(place, "compound", [(p, 0.0) for p in third.parts], 0.0, asked)
            return


def _frames(text: str) -> bool:
    return text.endswith(":") or bool(
        re.search(
            r"\b(?:I hope this|let me know|happy to help|here(?:'s| is| are)|if you have any|"
            r"good question|great question|to answer your|as of my|knowledge cutoff)\b",
            text,
            re.IGNORECASE,
        )
    )
