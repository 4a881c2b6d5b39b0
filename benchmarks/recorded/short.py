"""The short form of splits beside the long one: the same verdicts, and what they cost.

    python -m benchmarks.recorded.short

`short.jsonl.gz` has 30 answers of RAGTruth and what a strong model replied about each: the split
and the check of its statements in the long form (`--reasons all`), and in the short one. A sentence
is supported where all statements taken from it are. A token is four characters.
"""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from assay._text.sentences import spans
from assay.judge import Reasons
from assay.stats.raters import cohen_kappa
from assay.tasks import SplitStatements, Statement, Verdict, VerifyStatements
from benchmarks.recorded.replay import lines

Found = tuple[tuple[Statement, ...], Sequence[Verdict]]


def found(row: dict[str, Any], form: str) -> Found:
    """The statements and verdicts of a row in the "long" or the "short" form."""
    statements = SplitStatements(row["question"], row["answer"]).read(row[f"{form}_split"])
    check = VerifyStatements(statements, tuple(row["contexts"]))
    return statements, check.read(row[f"{form}_verify"])


def by_sentence(answer: str, form: Found) -> dict[int, bool]:
    """Of each sentence with a statement whether all of them are supported."""
    judged: dict[int, bool] = {}
    for number, (start, end) in enumerate(spans(answer)):
        own = [
            v.supported
            for s, v in zip(*form, strict=True)
            if s.span and s.span[0] < end and start < s.span[1]
        ]
        judged |= {number: all(own)} if own else {}
    return judged


def tokens(row: dict[str, Any], reasons: Reasons) -> Counter[str]:
    """Tokens of the prompts with their schemas, and of the replies."""
    form = "long" if reasons == "all" else "short"
    split = SplitStatements(row["question"], row["answer"])
    check = VerifyStatements(found(row, form)[0], tuple(row["contexts"]))
    letters: Counter[str] = Counter()
    for name, task in (("split", split), ("verify", check)):
        template = task.template_for(reasons)
        letters["prompt"] += len("".join(task.pieces(template)))
        letters["prompt"] += len(json.dumps(task.schema_for(template)))
        letters[name] += len(row[f"{form}_{name}"])
    return letters


def compared() -> dict[str, float]:
    """Kappa of the two forms by statement that both have, by sentence and by answer."""
    pairs: dict[str, list[tuple[bool, bool]]] = {"statements": [], "sentences": [], "answers": []}
    for row in lines("short.jsonl.gz"):
        long, short = found(row, "long"), found(row, "short")
        before = {s.text: v.supported for s, v in zip(*long, strict=True)}
        same = [(s, v) for s, v in zip(*short, strict=True) if s.text in before]
        pairs["statements"] += [(before[s.text], v.supported) for s, v in same]
        first, second = (by_sentence(row["answer"], form) for form in (long, short))
        pairs["sentences"] += [(first[n], second[n]) for n in first if n in second]
        whole = [all(v.supported for v in form[1]) for form in (long, short)]
        pairs["answers"].append((whole[0], whole[1]))
    figures = {}
    for name, made in pairs.items():
        kappa = cohen_kappa([a for a, _ in made], [b for _, b in made])
        figures[f"{name} ({len(made)})"] = float(kappa(np.ones(len(made))))
    return figures


def main() -> None:
    """Print kappa and tokens."""
    for name, kappa in compared().items():
        print(f"kappa by {name}: {kappa:.2f}")
    kinds: tuple[Reasons, ...] = ("all", "failures")
    for reasons in kinds:
        rows = lines("short.jsonl.gz")
        sums = sum((tokens(row, reasons) for row in rows), Counter())
        print(reasons, {name: round(letters / 4 / len(rows)) for name, letters in sums.items()})


if __name__ == "__main__":
    main()
