"""Rows about the sentences of contexts: which of them help?"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from assay._text import sentences as cut
from assay.bench.data import HELD_OUT, fold_of, group_of
from assay.experiments.reader_windows import Asked
from training.data import read
from training.verifier.asked import forms
from training.verifier.asked.lexical import Neighbours, Weights, stems
from training.verifier.asked.plain import plain
from training.verifier.asked.sources import Item

MOST = 8  # sentences of a row
WORDS = 140  # and its words

# A step that no answer took up may help all the same: "Submerge the corn", "3 Cut the top off".
_STEP = re.compile(
    r"(?:\d+[.)]?\s+)?(?:\w+ly\s+)?(?!(?:The|A|An|This|That|These|Those|It|He|She|They|There|In|On|At|"
    r"As|All|Some|Many|Most|One|My|Our|His|Its|You|We|I)\b)[A-Z][a-z]+\s+(?:the|a|an|your|it|in|to|"
    r"with|on|off|up|out|at|and|for|from|into|them|over|some|all|each|any|down|until|one|two|about)\b"
    r"|\d+[.)]?\s+[A-Z]|(?:If|When|Once|After)\b.*, \w+ (?:the|a|an|your|it)\b"
)

UNECHOED = "_unechoed"  # how the rows without a question's words are named
Labelled = list[tuple[str, float | None]]


def _row(data: str, group: str, question: str, found: Labelled, *, msmarco: bool = False) -> Asked:
    texts, helps = zip(*found, strict=True)
    return Asked(data, group, question, texts, helps, None, msmarco)


def fitting(found: Labelled) -> Iterator[Labelled]:
    """Stretches that are short enough; a stretch without any known label is left out."""
    part: Labelled = []
    size = 0
    for text, label in found:
        words = len(text.split())
        if part and (len(part) == MOST or size + words > WORDS):
            yield part
            part, size = [], 0
        part.append((text, label))
        size += words
    if part:
        yield part


def split(text: str) -> list[str]:
    """The sentences of a context, white space made plain."""
    return [" ".join(s.split()) for s in cut.sentences(text)]


class Drawn:
    """What the answers to one question say beyond the question's own words."""

    def __init__(self, item: Item, weights: Weights) -> None:
        self._asked = stems(item.question)
        self._weights = weights
        self._how = bool(re.match(r"(?:how|ways?|steps?|tips)\b", item.question, re.IGNORECASE))
        self.said: list[list[frozenset[str]]] = []
        for given in item.answers:
            if given.declines == "yes":
                continue
            found = [
                stems(part) - self._asked
                for part, sound in zip(given.parts, given.sound, strict=True)
                if sound
            ]
            self.said.append([s for s in found if len(s) >= 3])

    def label(self, sentence: str) -> float | None:
        """1 if at least two answers draw on a sentence, 0 if none comes near it."""
        own = stems(sentence) - self._asked
        if len(own) < 2 or len(self.said) < 3:
            return None
        step = self._how and _STEP.match(sentence)
        votes, nearest = 0, 0.0
        for answer in self.said:
            best = 0.0
            for said in answer:
                both = own & said
                there = self._weights.share(said, own)
                back = self._weights.share(own, said)
                nearest = max(nearest, (there + back) / 2, back)
                if len(both) >= 3 or (len(both) == 2 and len(own) <= 4):
                    best = max(best, there * 0.5 + back * 0.5, back * 0.95)
            votes += best >= 0.5
        if votes >= 2:
            return 1.0
        return 0.0 if nearest < 0.25 and not votes and not step else None


def drawn_on(items: Sequence[Item], weights: Weights, rng: random.Random) -> Iterator[Asked]:
    """Passages of RAGTruth: sentences that answers draw on, and those of like questions."""
    drawn = {item.group: Drawn(item, weights) for item in items}
    sides = [[i for i in items if i.measured is side] for side in (True, False)]
    for side in sides:
        near = Neighbours([i.question for i in side], weights)
        for place, item in enumerate(side):
            question = forms.styled(item.question, rng)
            own: list[Labelled] = []
            for context in item.contexts:
                found = [(s, drawn[item.group].label(s)) for s in split(context)]
                own += [p for p in fitting(found) if any(label is not None for _, label in p)]
            rng.shuffle(own)
            for part in own[:2]:
                yield _row("ragtruth/passage", item.group, question, part, msmarco=True)
            foreign = _foreign(item, side, near.of(place), drawn[item.group], weights)
            if not foreign:
                continue
            best = [pair for part in own for pair in part if pair[1] == 1.0]
            if best and rng.random() < 0.6:
                mixed = foreign[:3] + rng.sample(best, min(len(best), 2))
                rng.shuffle(mixed)
                yield _row("ragtruth/mixed", item.group, question, mixed, msmarco=True)
            else:
                yield _row("ragtruth/foreign", item.group, question, foreign, msmarco=True)


def _foreign(
    item: Item, side: list[Item], near: list[tuple[int, float]], drawn: Drawn, weights: Weights
) -> Labelled:
    """The sentences of another question's passage that share most with this question."""
    found: list[tuple[float, int, Labelled]] = []
    for j, likeness in near[:12]:
        if likeness > 0.6:
            continue
        for context in side[j].contexts:
            part: Labelled = [
                (s, 0.0) for s in split(context) if drawn.label(s) == 0.0 and len(s.split()) > 4
            ]
            if len(part) >= 2:
                part = next(fitting(part))
                text = " ".join(s for s, _ in part)
                found.append((weights.overlap(item.question, text), -len(found), part))
    return max(found)[2] if found else []


def bridged(items: Sequence[Item], weights: Weights, rng: random.Random) -> Iterator[Asked]:
    """HotpotQA: the facts that lead to the answer among those of like questions."""
    for side in ([i for i in items if i.measured is s] for s in (True, False)):
        near = Neighbours([i.question for i in side], weights)
        for place, item in enumerate(side):
            found: Labelled = [(s, 1.0) for c in item.contexts for s in split(c)][:4]
            others: list[tuple[float, str]] = []
            for j, likeness in near.of(place, 8):
                facts = [s for c in side[j].contexts for s in split(c)]
                truth = item.truths[0].lower()
                if likeness < 0.6:
                    others += [
                        (weights.overlap(item.question, s), s)
                        for s in facts
                        if truth not in s.lower() and s not in dict(found)
                    ]
            others.sort(reverse=True)
            found += [(s, 0.0) for _, s in others[: rng.randint(1, 4)]]
            rng.shuffle(found)
            question = forms.styled(item.question, rng)
            for part in fitting(found):
                yield _row("hotpot/facts", item.group, question, part)


def fooled(weights: Weights, rng: random.Random) -> Iterator[Asked]:
    """FoolMeTwice: the evidence of a claim among that of other claims about the same page."""
    pages: dict[str, list[dict]] = defaultdict(list)
    for record in read("claims/foolmetwice.jsonl.gz"):
        pages[record["meta"]["page"]].append(record)
    for page, records in pages.items():
        title = stems(page)
        for record in records:
            claim = record["claim"]
            own = stems(claim) - title
            gold = [" ".join(c.split()) for c in record["contexts"]]
            least = max(weights.share(own, stems(g)) for g in gold)
            others = {
                " ".join(s.split()): False
                for other in records
                if weights.share(stems(other["claim"]) - title, own) < 0.3
                for s in other["contexts"]
            }
            others |= {" ".join(s.split()): True for s in record["meta"]["retrieved"]}
            bad = [
                (weights.overlap(claim, s), s)
                for s, shown in others.items()
                if s not in gold
                and len(s.split()) > 3
                and weights.share(own, stems(s)) < (min(0.45, least) if shown else 0.35)
                and all(weights.share(stems(s) - title, stems(g)) < 0.5 for g in gold)
            ]
            bad.sort(reverse=True)
            found: Labelled = [(g, 1.0) for g in gold]
            found += [(s, 0.0) for _, s in bad[: rng.randint(1, 4)]]
            rng.shuffle(found)
            yield _row("foolmetwice/evidence", page, forms.asked(claim, rng), next(fitting(found)))


def pages(weights: Weights, rng: random.Random) -> Iterator[Asked]:
    """WiCE: stretches of a web page around the sentences that support a claim, and others."""
    for record in read("claims/wice_claims.jsonl.gz"):
        lines = [" ".join(s.split()) for s in record["contexts"]]
        good = {i for chosen in record["meta"]["supporting_sentences"] for i in chosen}
        always = set.intersection(*map(set, record["meta"]["supporting_sentences"] or [[]]))
        claim, group = record["claim"].strip(), group_of(record)
        labels = [
            (1.0 if i in always or len(good) <= 3 else None) if i in good else 0.0
            for i in range(len(lines))
        ]
        used: set[int] = set()
        starts = [max(0, i - rng.randint(0, 4)) for i in sorted(good)]
        far = sorted(
            (i for i in range(len(lines)) if all(abs(i - g) > 6 for g in good)),
            key=lambda i: -weights.overlap(claim, lines[i]),
        )
        starts += [
            max(0, i - rng.randint(0, 3)) for i in far[: (rng.random() < 0.5) if good else 2]
        ]
        for start in starts:
            stretch = [
                i
                for i in range(start, min(len(lines), start + rng.randint(3, 6)))
                if i not in used and len(lines[i].split()) > 2 and "(meta data)" not in lines[i]
            ]
            if len(stretch) < 2 or len(used) > 3 * MOST:
                continue
            used |= set(stretch)
            part = next(fitting([(lines[i], labels[i]) for i in stretch]))
            if any(label is not None for _, label in part):
                yield _row("wice/page", group, forms.asked(claim, rng), part)


def checked(weights: Weights, rng: random.Random) -> Iterator[Asked]:
    """Factcheck-GPT: passages that bear on a claim, and those that only look so."""
    by_claim: dict[str, list[dict]] = defaultdict(list)
    for record in read("claims/factcheckgpt_stance.jsonl.gz"):
        by_claim[record["claim"]].append(record)
    for claim, records in by_claim.items():
        question = forms.asked(claim, rng)
        rows: list[tuple[float, float, Labelled]] = []
        for record in records:
            parts = [s for s in split(record["contexts"][0]) if len(s.split()) > 3]
            shares = [weights.overlap(claim, s) for s in parts]
            if not parts:
                continue
            bears = record["labels"]["label"] != "neutral"
            found: Labelled = []
            if bears:
                best = max(range(len(parts)), key=lambda i: shares[i])
                rest = sorted(shares)[-2] if len(parts) > 1 else 0.0
                sure = len(parts) == 1 or (shares[best] >= 0.3 and shares[best] - rest >= 0.1)
                for i, (s, share) in enumerate(zip(parts, shares, strict=True)):
                    far = sure and 0.15 < share < 0.25
                    found.append((s, 1.0 if sure and i == best else 0.0 if far else None))
                if not sure:
                    continue
                low = max(0, best - rng.randint(0, 3))
                found = next(fitting(found[low:]))
            else:
                found = [(s, 0.0 if v < 0.75 else None) for s, v in zip(parts, shares, strict=True)]
                best = max(range(len(parts)), key=lambda i: shares[i])
                found = next(fitting(found[max(0, best - rng.randint(0, 3)) :]))
            if any(label is not None for _, label in found):
                rows.append((float(bears), max(shares), found))
        good = [r for r in rows if r[0]]
        bad = sorted((r for r in rows if not r[0]), key=lambda r: -r[1])
        for _, _, found in good[:2] + bad[:1]:
            yield _row("factcheckgpt/passage", claim, question, found)


def symmetric(weights: Weights, rng: random.Random) -> Iterator[Asked]:
    """FEVER-symmetric: the evidence of a claim beside that of an unlike one."""
    records = list(read("claims/fever_symmetric.jsonl.gz"))
    sides: dict[bool, list[dict]] = defaultdict(list)
    for record in records:
        sides[fold_of(group_of(record)) == HELD_OUT].append(record)
    for side in sides.values():
        for record in side:
            if rng.random() < 0.75:  # few of its claims share a subject: easy
                continue
            claim = record["claim"]
            drawn = rng.sample(side, min(80, len(side)))
            others = [
                (weights.overlap(claim, other["contexts"][0]), other["contexts"][0])
                for other in drawn
                if weights.share(stems(claim), stems(other["claim"])) < 0.3
                and other["contexts"][0] != record["contexts"][0]
            ]
            others.sort(reverse=True)
            found: Labelled = [(record["contexts"][0], 1.0)]
            found += [(s, 0.0) for _, s in others[: rng.randint(1, 3)]]
            found = [(_joined(s), label) for s, label in found]
            rng.shuffle(found)
            question = forms.asked(_joined(claim), rng)
            yield _row("fever/evidence", group_of(record), question, next(fitting(found)))


def unechoed(rows: Iterable[Asked], rng: random.Random) -> Iterator[Asked]:
    """Rows whose sentences, helpful or not, take up no word of the question.

    Of a row with a helpful sentence that says too little without those words there is none.
    """
    for row in rows:
        asked = stems(row.question)
        said = [
            text if not stems(text) & asked else plain(text, row.question, rng)
            for text in row.texts
        ]
        kept = [
            (text, label) for text, label in zip(said, row.helps, strict=True) if text is not None
        ]
        lost = sum(label == 1.0 for label in row.helps) - sum(label == 1.0 for _, label in kept)
        if not lost and {0.0, 1.0} <= {label for _, label in kept}:
            texts, helps = zip(*kept, strict=True)
            yield replace(row, data=f"{row.data}{UNECHOED}", texts=texts, helps=helps)


def _joined(text: str) -> str:
    for token, written in (
        (" .", "."),
        (" ,", ","),
        (" 's", "'s"),
        ("-LRB- ", "("),
        (" -RRB-", ")"),
        (" ;", ";"),
        (" :", ":"),
        ("`` ", '"'),
        (" ``", '"'),
        (" ''", '"'),
        ("-LSB- ", "["),
        (" -RSB-", "]"),
    ):
        text = text.replace(token, written)
    return " ".join(text.split())
