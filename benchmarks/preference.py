"""Which metrics prefer a paraphrase of the reference to a wrong text that looks like it?

The preference test of MENLI (Chen and Eger 2023, section 4), with edits by our own rules: a
reference, a paraphrase of it, and the reference with one error: something added, words left out, a
negation, another number, another name, two words in the wrong order. A metric is right where it
scores the paraphrase higher; a tie counts half. Paraphrases are labelled by people: texts of two
systems about one WebNLG record, both rated correct and complete, and SICK's pairs of equal meaning.

    python -m benchmarks.preference [--pairs 100]
"""

import argparse
import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import assay
from assay._text.words import compare
from assay.bench.data import Data
from assay.stats.intervals import mean_interval
from benchmarks.data import DATA, Record, load, thinned

METRICS = (
    "bleu",
    "rouge",
    "token_f1",
    "bert_score",
    "answer_similarity",
    "nli_score(level=text,formula=e)",
    "nli_score(level=text,formula='-c')",
    "nli_score(level=text)",
    "nli_score",
    "menli_combined",
    "menli_combined(weight=0.8)",
    "factual_correctness",
)
GOOD = 90  # a rating from 0 to 100: this correct, and this complete
SAME = 4.8  # SICK's relatedness from 1 to 5
_VERB = re.compile(r"\b(is|are|was|were|has been|have been|can|will)\b(?! not| no\b)")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?!\w)")
_COUNT = re.compile(r"\b(?:two|three|four|five)\b", re.IGNORECASE)
# Capitalised words that do not begin a sentence.
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w'.-]*\w(?: [A-Z][\w'.-]*\w)*")


class Pair(NamedTuple):
    """Two texts that people call equal in meaning, and where they are from."""

    source: str
    reference: str
    paraphrase: str


def add(text: str, other: str, chance: Random) -> str | None:
    """A name or noun of another text, joined to a word of this one."""
    strange = [w for w in re.findall(r"\b\w{4,}\b", other) if w.lower() not in text.lower()]
    words = text.split()
    places = [n for n, word in enumerate(words[:-1]) if word.isalpha() and len(word) > 3]
    if not strange or not places:
        return None
    at = chance.choice(places)
    return " ".join([*words[: at + 1], "and", chance.choice(strange), *words[at + 1 :]])


def omit(text: str, other: str, chance: Random) -> str | None:
    """A fifth of the words left out, one at least."""
    del other
    words = text.split()
    gone = set(chance.sample(range(len(words)), max(1, len(words) // 5)))
    return " ".join(w for n, w in enumerate(words) if n not in gone) if len(words) > 2 else None


def negation(text: str, other: str, chance: Random) -> str | None:
    """The first verb denied."""
    del other, chance
    denied = _VERB.sub(r"\1 not", text, count=1)
    return denied if denied != text else None


def number(text: str, other: str, chance: Random) -> str | None:
    """One number replaced by another one of as many digits, or a small count by another."""
    del other
    if counts := list(_NUMBER.finditer(text)):
        found = chance.choice(counts)
        digits = found[0]
        return _put(text, found, _other_digits(digits, chance))
    if counts := list(_COUNT.finditer(text)):
        found = chance.choice(counts)
        new = chance.choice([w for w in ("two", "three", "six", "nine") if w != found[0].lower()])
        return _put(text, found, new.capitalize() if found[0][0].isupper() else new)
    return None


def _other_digits(digits: str, chance: Random) -> str:
    at = chance.choice([n for n, c in enumerate(digits) if c.isdigit()])
    new = chance.choice([d for d in "123456789" if d != digits[at]])
    return digits[:at] + new + digits[at + 1 :]


def name(text: str, other: str, chance: Random) -> str | None:
    """One name replaced by a name of another text."""
    own, strange = list(_NAME.finditer(text)), _NAME.findall(other)
    strange = [n for n in strange if n not in text]
    return _put(text, chance.choice(own), chance.choice(strange)) if own and strange else None


def fluency(text: str, other: str, chance: Random) -> str | None:
    """Two neighbouring words, neither the first nor the last, change places."""
    del other
    words = text.split()
    places = [n for n in range(1, len(words) - 2) if words[n] != words[n + 1]]
    if not places:
        return None
    at = chance.choice(places)
    words[at], words[at + 1] = words[at + 1], words[at]
    return " ".join(words)


def _put(text: str, found: re.Match[str], new: str) -> str:
    return text[: found.start()] + new + text[found.end() :]


EDITS: Mapping[str, Callable[[str, str, Random], str | None]] = {
    edit.__name__: edit for edit in (add, omit, negation, number, name, fluency)
}


def webnlg(most: int) -> list[Pair]:
    """Of the good texts about each record, the two that share the fewest words."""
    folder = Data(DATA.folder.parent / "data2")
    by_record: dict[str, list[str]] = defaultdict(list)
    for row in thinned(folder.rows("records/webnlg2020_dev.jsonl.gz"), None):
        ratings = row["labels"]["ratings"]
        if min(ratings["Correctness"], ratings["DataCoverage"]) >= GOOD:
            by_record[row["meta"]["source_id"]].append(row["answer"])
    pairs = []
    for texts in by_record.values():
        reference, *others = dict.fromkeys(texts)
        if others:
            other = min(others, key=lambda text: compare(text, reference).f1)
            pairs.append(Pair("webnlg", reference, other))
    return pairs[:most]


def sick(most: int) -> list[Pair]:
    """Sentences that entail each other's meaning, by people."""
    rows = [
        row
        for row in load("claims/sick.jsonl.gz")
        if row["labels"]["supported"] and row["meta"]["relatedness"] >= SAME
    ]
    return [Pair("sick", _context(row), row["claim"]) for row in thinned(rows, most)]


def _context(row: Record) -> str:
    contexts = row["contexts"]
    return str(
        (json.loads(contexts.replace("'", '"')) if isinstance(contexts, str) else contexts)[0]
    )


def questions(pairs: Sequence[Pair]) -> list[dict[str, str]]:
    """Rows to be scored: each paraphrase and each edit against its reference."""
    rows = []
    for n, pair in enumerate(pairs):
        other = pairs[n - 1].reference
        texts = {edit: make(pair.reference, other, Random(n)) for edit, make in EDITS.items()}
        texts["paraphrase"] = pair.paraphrase
        rows += [
            {
                "id": f"{pair.source}-{n} {what}",
                "question": "What is the case?",
                "answer": text,
                "reference": pair.reference,
            }
            for what, text in texts.items()
            if text is not None and (what == "paraphrase" or text != pair.reference)
        ]
    return rows


def preferences(scores: Mapping[str, float]) -> dict[str, list[float]]:
    """By edit: 1 where the paraphrase scores higher, 0.5 for a tie."""
    right: dict[str, list[float]] = defaultdict(list)
    for key, value in scores.items():
        row, what = key.rsplit(" ", 1)
        if what != "paraphrase" and f"{row} paraphrase" in scores:
            gap = scores[f"{row} paraphrase"] - value
            right[what].append(0.5 if abs(gap) < 1e-9 else float(gap > 0))
    return right


def report(result: assay.Result) -> None:
    """The table: share of pairs right per edit, with the interval of all of them."""
    print(f"| metric | {' | '.join(EDITS)} | all | 95 % |")
    print(f"|---|{'---:|' * (len(EDITS) + 2)}")
    for metric in METRICS:
        scores = {s.id: o.value for s, o in result.outcomes(metric) if isinstance(o, assay.Score)}
        right = preferences(scores)
        every = [value for edit in EDITS for value in right[edit]]
        groups = [n for edit in EDITS for n in range(len(right[edit]))]
        interval = mean_interval(every, groups=groups, low=0.0, high=1.0)
        cells = [f"{sum(right[e]) / len(right[e]):.2f}" if right[e] else "-" for e in EDITS]
        spread = f"{interval.low:.2f} to {interval.high:.2f}" if interval else "-"
        mean = sum(every) / len(every)
        print(f"| {metric} | {' | '.join(cells)} | {mean:.2f} | {spread} |")


def paraphrases(result: assay.Result) -> None:
    """Which paraphrases are below 0, and what the judge says of them."""
    for metric in ("nli_score", "nli_score(level=text)"):
        found = [(s, o) for s, o in result.outcomes(metric) if s.id.endswith("paraphrase")]
        scored = [(s, o) for s, o in found if isinstance(o, assay.Score)]
        low = [(s, o) for s, o in scored if o.value < 0]
        print(f"\n{metric}: {len(low)} of {len(scored)} paraphrases score below 0")
        parts = [part for _, o in low for part in o.parts if (part.value or 0) < 0]
        reasons = Counter(part.reason.partition(";")[0] for part in parts)
        for reason, n in reasons.most_common(8):
            print(f"{n:4}  {reason}")
        for sample, outcome in low[:5]:
            print(f"      {outcome.value:.2f}  {sample.answer} | {sample.reference}")


def main() -> None:
    """Make the pairs, score them, show the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=100, help="of each source")
    pairs_each = parser.parse_args().pairs
    pairs = [*webnlg(pairs_each), *sick(pairs_each)]
    rows = questions(pairs)
    counts = Counter(row["id"].rsplit(" ", 1)[1] for row in rows)
    print(f"{len(pairs)} references ({dict(Counter(p.source for p in pairs))}); {dict(counts)}\n")
    with tempfile.TemporaryDirectory() as folder:
        result = assay.evaluate(rows, METRICS, store=Path(folder) / "preference.db")
        report(result)
        paraphrases(result)


if __name__ == "__main__":
    main()
