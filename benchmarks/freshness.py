"""Does `check_freshness` tell what an edit does to a question? Seeded edits of assay's own pages.

    python -m benchmarks.freshness [--seeds 11 12 13] [--wrong]

A hundred sentences of docs/ get a question each, whose reference is the sentence or a number in it;
half of the questions name their paragraph. Ten edits of each of ten kinds are made at once. What
each does to its question is known by its kind. Seed 0 was looked at while the rules were made.
"""

import argparse
import random
import re
import textwrap
from collections import Counter
from dataclasses import dataclass
from typing import Any

from assay._text.sentences import spans
from assay._text.words import content_words
from assay.testset import Document, QuestionFreshness, check_freshness, read_documents
from benchmarks.data import ROOT

KINDS = {
    "number changed": "invalidated",
    "word changed": "invalidated",
    "denied": "invalidated",
    "removed": "invalidated",
    "clause added": "drifted",
    "other word changed": "drifted",
    "moved": "valid",
    "re-wrapped": "valid",
    "marked up": "valid",
    "neighbour changed": "valid",
}
EACH = 10
STATES = ("invalidated", "drifted", "valid")
_NUMBER = re.compile(r"(?<![\w.,-])(\d{1,4})(?![\w.,%-])")
_VERB = re.compile(r"\b(?:is|are|was|were|can|has)\b(?! not)")
_PARAGRAPH = re.compile(r"(?:[^\n]|\n(?!\n))+")


@dataclass(frozen=True)
class Place:
    """A sentence of a page, in its paragraph."""

    page: str
    start: int
    end: int
    paragraph: tuple[int, int]
    text: str


def places(page: Document) -> list[Place]:
    """Its plain sentences: of prose, in paragraphs of two or more."""
    found, fenced = [], False
    for paragraph in _PARAGRAPH.finditer(page.text):
        text = paragraph.group()
        inside, fenced = fenced, fenced ^ (text.count("```") % 2 == 1)
        if inside or "```" in text or re.search(r"^\s*(?:[-*#|>`<]|\d+\.)", text, re.MULTILINE):
            continue
        own = [(paragraph.start() + a, paragraph.start() + b) for a, b in spans(text)]
        for start, end in own if len(own) > 1 else ():
            said = page.text[start:end]
            if 8 <= len(said.split()) <= 30 and said.endswith(".") and said[0].isupper():
                found.append(Place(page.id, start, end, paragraph.span(), said))
    return found


def fits(place: Place, kind: str) -> bool:
    if kind in ("number changed", "other word changed"):
        return bool(_NUMBER.search(place.text))
    return kind != "denied" or bool(_VERB.search(place.text))


def row(place: Place, kind: str, number: int, page: str) -> dict[str, Any]:
    """The question about a sentence."""
    short = _NUMBER.search(place.text) if fits(place, "number changed") else None
    if kind in ("word changed", "denied"):  # which concern the whole of it
        short = None
    said = " ".join(place.text.split())
    if short:
        question = f"Which number fills the gap: {' '.join(_NUMBER.sub('...', said, 1).split())}"
    else:
        question = f"What holds for {' '.join(content_words(said)[:4])}?"
    made = {"id": f"{number}", "question": question, "reference": short[1] if short else said}
    if number % 2:
        made["reference_contexts"] = [page[slice(*place.paragraph)]]
    return made


def edited(place: Place, kind: str, page: str, others: list[str], chance: random.Random) -> str:
    """What stands in place of the paragraph."""
    start, end = place.paragraph
    before, after = page[start : place.start], page[place.end : end]
    said = place.text
    if kind == "number changed":
        said = _NUMBER.sub(lambda found: str(int(found[1]) + chance.randint(1, 9)), said, count=1)
    elif kind in ("word changed", "other word changed"):
        said = said.replace(longest(said), chance.choice(others))
    elif kind == "denied":
        said = _VERB.sub(lambda found: f"{found.group()} not", said, count=1)
    elif kind in ("removed", "moved"):
        said = ""
    elif kind == "clause added":
        said = f"As a rule and by intention, {said[0].lower()}{said[1:-1]}, whoever looks at it."
    elif kind == "marked up":
        said = f"\n\n- **{said}**\n\n"
    elif kind == "re-wrapped":
        return textwrap.fill(" ".join(page[start:end].split()), chance.choice((40, 60, 80)))
    else:
        side = after if len(after) > len(before) else before
        changed = side.replace(longest(side), chance.choice(others))
        before, after = (before, changed) if side is after else (changed, after)
    return before + said + after


def longest(text: str) -> str:
    return max(re.findall(r"[a-z]+", text), key=len)


def measured(seed: int) -> list[tuple[str, QuestionFreshness]]:
    """Kind of edit and what was found, for each question."""
    chance = random.Random(seed)
    pages = {page.id: page.text for page in read_documents(ROOT / "docs")}
    among = [place for name, text in pages.items() for place in places(Document(name, text))]
    times = Counter(place.text for place in among)
    whole = "\n".join(pages.values())
    among = [place for place in among if times[place.text] == whole.count(place.text) == 1]
    chance.shuffle(among)
    others = sorted({word for text in pages.values() for word in re.findall(r"[a-z]{6,}", text)})
    taken, chosen = set[tuple[str, tuple[int, int]]](), list[tuple[str, Place]]()
    for kind in [kind for kind in KINDS for _ in range(EACH)]:
        place = next(p for p in among if fits(p, kind) and (p.page, p.paragraph) not in taken)
        taken.add((place.page, place.paragraph))
        chosen.append((kind, place))
    rows = [row(place, kind, n, pages[place.page]) for n, (kind, place) in enumerate(chosen)]
    after = dict(pages)
    for kind, place in sorted(chosen, key=lambda pair: -pair[1].start):
        text = edited(place, kind, pages[place.page], others, chance)
        start, end = place.paragraph
        after[place.page] = after[place.page][:start] + text + after[place.page][end:]
    for kind, place in chosen:
        if kind == "moved":
            after[chance.choice(sorted(pages))] += f"\n\n{place.text}\n"
    before = [Document(*page) for page in pages.items()]
    found = check_freshness(rows, before=before, after=[Document(*page) for page in after.items()])
    return [(kind, each) for (kind, _), each in zip(chosen, found.questions, strict=True)]


def table(found: list[tuple[str, QuestionFreshness]]) -> str:
    """Precision and recall of each state, then what was found for each kind of edit."""
    pairs = Counter((KINDS[kind], each.state) for kind, each in found)
    lines = ["| state | questions | precision | recall |", "|---|---:|---:|---:|"]
    for state in STATES:
        right, true = pairs[state, state], sum(n for (t, _), n in pairs.items() if t == state)
        told = sum(n for (_, s), n in pairs.items() if s == state)
        precision = f"{right / told:.2f}" if told else "-"
        lines.append(f"| {state} | {true} | {precision} | {right / true:.2f} |")
    columns = (*STATES, "untraced")
    lines += ["", f"| edit | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
    for kind in KINDS:
        told = Counter(each.state for name, each in found if name == kind)
        lines.append(f"| {kind} | {' | '.join(str(told[state]) for state in columns)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[11, 12, 13])
    parser.add_argument("--wrong", action="store_true", help="print what was told wrongly")
    options = parser.parse_args()
    found = [pair for seed in options.seeds for pair in measured(seed)]
    print(table(found))
    for kind, each in found if options.wrong else ():
        if each.state != KINDS[kind]:
            print(f"{kind}: {each.state}: {each.reason}\n  ? {each.question}")
            print(f"  - {each.before}\n  + {each.after}")


if __name__ == "__main__":
    main()
