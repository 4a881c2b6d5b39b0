"""The short form of replies beside the long one: the same verdicts, and what they cost.

    python -m benchmarks.recorded.short

`short.jsonl.gz` has 30 answers of RAGTruth and what a strong model replied about each: the split
and the check of its statements in the long form (`--reasons all`), and in the short one. A sentence
is supported where all statements taken from it are. A token is four characters.
`contexts.jsonl.gz` has the replies in the short form about the usefulness of the sentences of
CLAP NQ, whose long form is in the main record; `again.jsonl.gz` has verdicts on statements once
more, of the 30 answers and of 30 other prompts on record, drawn at random: the model read each
prompt anew without its former reply.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from assay._text.sentences import spans
from assay.bench.benchmark import Figure, figure
from assay.judge import Reasons
from assay.stats.agreement import auroc
from assay.stats.raters import cohen_kappa
from assay.tasks import JudgeContexts, SplitStatements, Statement, Verdict, VerifyStatements
from assay.tasks.verification import CONTRADICTED, UNSUPPORTED
from benchmarks.recorded.replay import Recorded, lines, rows, shown

Found: TypeAlias = tuple[tuple[Statement, ...], Sequence[Verdict]]
# By name, what is compared: the answer it belongs to, and what is said of it first and then.
Pairs: TypeAlias = dict[str, list[tuple[str, bool, bool]]]

# The answer that accounts for nearly half of the sentences on which the forms differ.
STEPS: Final = "ragtruth:14396-llama-2-7b-chat"


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


def contexts() -> dict[str, float]:
    """Of contexts: kappa of the two forms, and by each the AUROC of what people found useful."""
    long, short = Recorded(), Recorded({r["key"]: r["reply"] for r in lines("contexts.jsonl.gz")})
    template = JudgeContexts.template_for("all")
    before, after, labels = [], [], []
    for row in rows("clapnq"):
        task = JudgeContexts(row["question"], row["reference"], tuple(row["contexts"]))
        before += [v.useful for v in task.read(long.ask("".join(task.pieces(template))))]
        after += [v.useful for v in task.read(short.ask(task.prompt()))]
        labels += [text in row["people"]["relevant"] for text in row["contexts"]]
    kappa = cohen_kappa(before, after)
    return {
        f"kappa ({len(labels)})": float(kappa(np.ones(len(labels)))),
        "AUROC of the long form": _auroc(before, labels),
        "AUROC of the short form": _auroc(after, labels),
    }


def _auroc(useful: Sequence[bool], labels: Sequence[bool]) -> float:
    return float(auroc([*map(float, useful)], labels)(np.ones(len(labels))))


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


def _agreeing(row: dict[str, Any], one: Found, other: Found) -> Pairs:
    """What the two say of the statements that both have, of each sentence, and of the answer."""
    before = {s.text: v.supported for s, v in zip(*one, strict=True)}
    same = [(s, v) for s, v in zip(*other, strict=True) if s.text in before]
    first, second = (by_sentence(row["answer"], form) for form in (one, other))
    whole = [all(v.supported for v in form[1]) for form in (one, other)]
    return {
        "statements": [(row["id"], before[s.text], v.supported) for s, v in same],
        "sentences": [(row["id"], first[n], second[n]) for n in first if n in second],
        "answers": [(row["id"], whole[0], whole[1])],
    }


def _kappas(made: Iterable[Pairs]) -> dict[str, Figure]:
    """Kappa by name, with the number of pairs."""
    pairs: dict[str, list[tuple[str, bool, bool]]] = {}
    for one in made:
        for name, found_pairs in one.items():
            pairs.setdefault(name, []).extend(found_pairs)
    kappas = {}
    for name, known in pairs.items():
        groups, first, second = zip(*known, strict=True)
        kappas[f"{name} ({len(known)})"] = figure(name, cohen_kappa(first, second), groups)
    return kappas


def compared(without: str = "") -> dict[str, Figure]:
    """Kappa of the two forms by statement that both have, by sentence and by answer.

    Args:
        without: An answer that is left out.
    """
    answers = [row for row in lines("short.jsonl.gz") if row["id"] != without]
    return _kappas(_agreeing(row, found(row, "long"), found(row, "short")) for row in answers)


def again() -> dict[str, Figure]:
    """Kappa of the model with itself: verdicts on the same statements from the same prompts."""
    second = {line["key"]: line["reply"] for line in lines("again.jsonl.gz")}
    made: list[Pairs] = []
    for row in lines("short.jsonl.gz"):
        statements, verdicts = found(row, "short")
        check = VerifyStatements(statements, tuple(row["contexts"]))
        later = check.read(second[_key(check.prompt())])
        made.append(_agreeing(row, (statements, verdicts), (statements, later)))
    for line in lines("replies.jsonl.gz"):
        if line["key"] in second:
            before, after = (_supported(raw) for raw in (line["reply"], second[line["key"]]))
            pairs = [(line["key"], before[name], after[name]) for name in before]
            made.append({"statements of other prompts": pairs})
    return _kappas(made)


def _supported(reply: str) -> dict[str, bool]:
    verdicts = json.loads(reply)["verdicts"]
    return {name: said not in (UNSUPPORTED, CONTRADICTED) for name, *_, said in verdicts}


def _key(prompt: str) -> str:
    return hashlib.sha256(prompt.encode()).hexdigest()[:12]


def main() -> None:
    """Print kappa and tokens."""
    for what, kappas in (
        ("of the two forms", compared()),
        ("of the two forms without the answer of many steps", compared(STEPS)),
        ("of the same asked twice", again()),
    ):
        for name, kappa in kappas.items():
            print(f"kappa {what} by {name}: {shown(kappa)}")
    for name, value in contexts().items():
        print(f"usefulness of contexts, {name}: {value:.2f}")
    kinds: tuple[Reasons, ...] = ("all", "failures")
    for reasons in kinds:
        answers = lines("short.jsonl.gz")
        sums = sum((tokens(row, reasons) for row in answers), Counter())
        print(reasons, {name: round(letters / 4 / len(answers)) for name, letters in sums.items()})


if __name__ == "__main__":
    main()
