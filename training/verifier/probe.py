"""What a first user would try, and other rows that nothing is trained or fitted on.

    python -m training.verifier.probe

Measures the judge as it lies in the package, to choose between candidates without looking at the
benchmarks: statements and answers written for this (`unseen.jsonl`), statements about parallel
facts in one sentence, of which the false ones exchange values (`parallel.jsonl`; those of its first
25 contexts were looked at while rules were written), sentences of answers to everyday questions
(`everyday.jsonl`; of each second row the verdicts were looked at), a "No" or "Yes" with a few words
(`yes_or_no.jsonl`), AttributionBench's dev part, and verdicts that a stray sentence in the contexts
turns.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay.bench import benchmark, claims
from assay.bench.data import Data
from assay.bench.judge import Checked, JudgeUnderTest, Text
from training.data import DATA
from training.verifier.logistic import auroc, balanced

UNSEEN = Path(__file__).with_name("unseen.jsonl")
PARALLEL = Path(__file__).with_name("parallel.jsonl")
LOOKED_AT = 25  # contexts of it
YES_OR_NO = Path(__file__).with_name("yes_or_no.jsonl")
EVERYDAY = Path(__file__).with_name("everyday.jsonl")
STRAYS = Path(__file__).with_name("foreign.txt").read_text("utf-8").splitlines()
HOSTS = ("foolmetwice", "factcheckgpt", "expertqa", "fever_symmetric")
PLANTED = 400  # rows with a stray sentence


def main() -> None:
    """Print all of it."""
    judge = JudgeUnderTest(assay.backend("embedded"))
    unseen = [json.loads(line) for line in UNSEEN.read_text("utf-8").splitlines()]
    for asked in (False, True):
        mine = [record for record in unseen if ("question" in record) is asked]
        _show("sentences of answers" if asked else "statements", judge, _texts(mine), _truth(mine))
    parallel = [json.loads(line) for line in PARALLEL.read_text("utf-8").splitlines()]
    for seen, mine in (("looked at", parallel[:LOOKED_AT]), ("not seen", parallel[LOOKED_AT:])):
        _show(f"parallel facts, {seen}", judge, _texts(mine), _truth(mine))
    everyday = [json.loads(line) for line in EVERYDAY.read_text("utf-8").splitlines()]
    for seen, mine in (("looked at", everyday[1::2]), ("not seen", everyday[::2])):
        _show(f"answers to everyday questions, {seen}", judge, _texts(mine), _truth(mine))
    replies = [json.loads(line) for line in YES_OR_NO.read_text("utf-8").splitlines()]
    for seen in (True, False):
        mine = [record for record in replies if record["looked_at"] is seen]
        texts = [Text(each["question"], each["answer"], tuple(each["contexts"])) for each in mine]
        name = f"yes or no and a few words, {'looked at' if seen else 'not seen'}"
        _show(name, judge, texts, [each["label"] == "supported" for each in mine])
    data = Data(DATA)
    dev = list(data.rows("attribution/attributionbench_dev.jsonl.gz"))
    labels = [bool(claims.supported(record)) for record in dev]
    _show("AttributionBench dev", judge, [claims.text(record) for record in dev], labels)
    _strays(judge, data)


def _texts(records: Sequence[dict[str, Any]]) -> list[Text]:
    """Sentences of an answer together, other statements each alone."""
    found = []
    for record in records:
        said = [each["text"] for each in record["statements"]]
        contexts = tuple(record["contexts"])
        if "question" in record:
            ends = np.cumsum([len(text) + 1 for text in said])
            parts = tuple(
                (int(e) - len(t) - 1, int(e) - 1) for t, e in zip(said, ends, strict=True)
            )
            found.append(Text(record["question"], " ".join(said), contexts, parts))
        else:
            found += [Text.claim(text, contexts) for text in said]
    return found


def _truth(records: Sequence[dict[str, Any]]) -> list[bool]:
    return [each["label"] == "supported" for record in records for each in record["statements"]]


def _show(name: str, judge: JudgeUnderTest, texts: Sequence[Text], labels: Sequence[bool]) -> None:
    found = [_known(checked).probabilities for checked in judge.check(texts)]
    # A text without parts is one answer, which its weakest statement decides.
    by_text = [p if text.parts else [min(p)] for text, p in zip(texts, found, strict=True)]
    scores = np.array([probability for each in by_text for probability in each])
    truth = np.array(labels, bool)
    words = 1 - np.array(_new_words(texts))
    yes = scores >= 0.5
    print(f"{name}: n {len(truth)}, right {(yes == truth).sum()}, ", end="")
    print(f"AUROC {auroc(scores, truth):.3f} (words {auroc(words, truth):.3f}), ", end="")
    print(f"balanced {balanced(scores, truth):.3f}, found {yes[truth].mean():.2f} of ", end="")
    print(f"the supported, {(~yes)[~truth].mean():.2f} of the others", flush=True)


def _known(checked: Checked | None) -> Checked:
    assert checked is not None, "the embedded judge answers everything"
    return checked


def _new_words(texts: Sequence[Text]) -> list[float]:
    said = [
        (text.text[start:end], text.contexts)
        for text in texts
        for start, end in text.parts or ((0, len(text.text)),)
    ]
    return [benchmark.share_of_new_words(statement, contexts) for statement, contexts in said]


def _strays(judge: JudgeUnderTest, data: Data) -> None:
    """Shares of verdicts that one stray sentence in the contexts turns."""
    rows = claims.rows(data, HOSTS)
    rows = rows[:: max(1, len(rows) // PLANTED)]
    texts = [replace(text, parts=((0, len(text.text)),)) for text in map(claims.text, rows)]
    planted = [
        claims.hostile(text, STRAYS[i % len(STRAYS)], "contexts", i) for i, text in enumerate(texts)
    ]
    before, after = (
        [_known(c).verdicts[0].supported for c in judge.check(t)] for t in (texts, planted)
    )
    was, now = np.array(before), np.array(after)
    gained, lost = (now & ~was).sum() / (~was).sum(), (was & ~now).sum() / was.sum()
    print(f"a stray sentence in the contexts: n {len(was)}, ", end="")
    print(f"turns {gained:.3f} of the unsupported verdicts, {lost:.3f} of the supported")


if __name__ == "__main__":
    main()
