"""Short answers to questions: the right one, and others that stand in the passage as well.

Questions are HaluEval's with their right answers, and ones made from sentences of passages ("Who
founded it?"). Wrong answers are names or numbers of the same sort from the same passage.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from assay._text.words import stems
from assay.bench.data import group_of, held_out
from assay.experiments.reader_windows import Row
from training.data import read
from training.verifier.synthetic.corpus import Passage, passages
from training.verifier.synthetic.names import kind_of, names_in

_FORMS = (
    "{a}",
    "{a}",
    "{a}.",
    "The answer is {a}.",
    "It is {a}.",
    "According to the passage, it is {a}.",
)
_WHO = re.compile(
    r"^(?P<who>[A-Z][\w'\u2019-]+(?: [A-Z][\w'\u2019.-]*){1,3}) (?P<did>(?:was|is|became|won|"
    r"wrote|led|made|took|"
    r"founded|directed|received|played|served|joined|\w+ed)\b [^;:]{12,120})\.$"
)
_YEAR = re.compile(r"^(?P<rest>[A-Z][^;:]{20,140}) in (?P<year>1[5-9]\d\d|20[0-2]\d)\.$")


def generate(seed: int = 0) -> Iterator[Row]:
    """Questions of people, then questions made here."""
    yield from _asked(seed)
    for passage in passages():
        rng = random.Random(f"{seed}q{passage.text[:80]}")
        for sentence in rng.sample(passage.sentences, min(6, len(passage.sentences))):
            yield from _made(passage, sentence, rng)


def _asked(seed: int) -> Iterator[Row]:
    """HaluEval's questions with their right answers."""
    seen = set()
    for record in read("claims/halueval_qa500.jsonl.gz"):
        answer, question = record["ground_truth"], record["question"]
        if held_out(record) or question in seen or not isinstance(answer, str):
            continue
        seen.add(question)
        rng = random.Random(f"{seed}{question}")
        text = " ".join(record["contexts"])
        if answer.lower() in {"yes", "no"}:
            others = ["no" if answer.lower() == "yes" else "yes"]
        else:
            others = _others(answer, text, question)
        yield from _rows(group_of(record), question, tuple(record["contexts"]), answer, others, rng)


def _others(answer: str, text: str, question: str) -> list[str]:
    """Names or numbers of the same sort in the passage that are no part of answer or question."""
    if re.search(r"\d", answer):
        found = re.findall(r"\b\d[\d,]*\b", text)
        length = len(re.sub(r"\D", "", answer))
        return [
            n for n in dict.fromkeys(found) if n not in answer and len(n.replace(",", "")) == length
        ]
    words = set(stems(answer))
    return [
        name for name in names_in(text)
        if not words & set(stems(name)) and name not in question and len(name) > 3
        and (kind_of(name) == kind_of(answer) or kind_of(answer).startswith("other"))
    ]  # fmt: skip


def _made(passage: Passage, sentence: str, rng: random.Random) -> Iterator[Row]:
    """A question about the subject or the year of a sentence."""
    who, year = _WHO.match(sentence), _YEAR.match(sentence)
    if (
        who
        and kind_of(who["who"]) == "person"
        and not re.search(r"\b(?:he|she|his|her)\b", who["did"])
    ):
        question, answer = f"Who {who['did']}?", who["who"]
        others = [
            n for n in names_in(passage.text)
            if kind_of(n) == "person" and not set(n.split()) & set(answer.split())
            and n not in question
        ]  # fmt: skip
    elif year:
        rest = year["rest"]
        question, answer = f"In what year did the following happen: {rest}?", year["year"]
        found = re.findall(r"\b(?:1[5-9]\d\d|20[0-2]\d)\b", passage.text)
        others = [y for y in dict.fromkeys(found) if y not in sentence]
        others = others or [str(int(answer) + rng.choice([-4, -2, -1, 1, 3, 5]))]
    else:
        return
    yield from _rows(passage.group, question, (passage.text,), answer, others, rng)


def _rows(
    group: str, question: str, contexts: tuple[str, ...], answer: str, others: list[str],
    rng: random.Random,
) -> Iterator[Row]:  # fmt: skip
    """The right answer and one or two wrong ones, in the same form."""
    for other in rng.sample(others, min(2, len(others))):
        form = rng.choice(_FORMS) if answer.lower() not in {"yes", "no"} else "{a}"
        yield Row("qa", group, question, contexts, form.format(a=answer), "supported", ())
        start = form.index("{a}")
        span = (start, start + len(other), "refuted")
        yield Row("qa", group, question, contexts, form.format(a=other), "refuted", (span,))
