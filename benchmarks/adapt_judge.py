"""The embedded judge adapted to three domains, beside what ships, on labels of people.

    python -m benchmarks.adapt_judge DOMAIN --data DATA --data2 DATA2 --out FOLDER

The network learns from synthetic cases of documents that no measured case is about; coefficients
are fitted to 50 labels of other sources. A domain is telecom, contracts or medical.
"""

import argparse
import gzip
import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from assay.experiments.judge_adaptation import FITTED, JudgeAdapting, train_network
from assay.experiments.judge_cases import KINDS, Case, synthetic, windows
from assay.experiments.judge_comparison import COEFFICIENTS, Compared, beside, measure_all, refit
from assay.judges.embedded.inference import NETWORK, Adapted
from assay.judges.embedded.reader import Reader
from assay.judges.embedded.verification import Fitted
from assay.testset.passages import Corpus, Passage

LABELS = 50
MOST = 100  # measured pairs of a kind
Json = dict[str, Any]


def rows(path: Path) -> list[Json]:
    """Of a file in JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def telecom(data: Path, _: Path) -> tuple[list[Json], list[Case]]:
    """TeleQuAD: people's questions and answers; wrong is the answer to another of a paragraph."""
    with gzip.open(data / "retrieval" / "TeleQuAD-v4-full.json.gz", "rt", encoding="utf-8") as file:
        paragraphs = [p for one in json.load(file)["data"] for p in one["paragraphs"]]
    texts = [p["context"] for p in paragraphs]
    asked = [
        (n, qa["question"], qa["answers"][0]["text"], [o["answers"][0]["text"] for o in p["qas"]])
        for n, p in enumerate(paragraphs)
        for qa in p["qas"]
        if qa["answers"]
    ]
    return _halves(texts, asked)


def medical(data: Path, _: Path) -> tuple[list[Json], list[Case]]:
    """PubMedQA's abstracts, questions and conclusions; SciFact's claims about abstracts."""
    found = rows(data / "retrieval" / "pubmedqa.jsonl.gz")
    texts = ["\n\n".join(row["contexts"]) for row in found]
    asked: list[Any] = [
        (n, row["question"], row["ground_truth"], []) for n, row in enumerate(found)
    ]
    documents, cases = _halves(texts, asked)
    claims = rows(data / "claims" / "scifact_rte.jsonl.gz")
    return documents, [case for case in cases if case.kind != "faithfulness"] + _claims(claims)


def contracts(_: Path, data2: Path) -> tuple[list[Json], list[Case]]:
    """ContractNLI: the texts of half the contracts, the hypotheses about the others."""
    folder = data2 / "documents"
    taught = rows(folder / "contractnli_train.jsonl.gz")
    texts = sorted({row["contexts"][0] for row in taught})
    learnt = set(texts[::2])
    found = [row for row in taught if row["contexts"][0] not in learnt]
    found += rows(folder / "contractnli_dev.jsonl.gz")
    return [{"text": text} for text in sorted(learnt)], _claims(found)


def _claims(found: Sequence[Json]) -> list[Case]:
    return [
        Case(
            "faithfulness",
            "\n".join(row["contexts"]),
            "",
            tuple(row["contexts"]),
            row["claim"],
            bool(row["labels"]["supported"]),
        )
        for row in found
    ]


def _halves(texts: Sequence[str], asked: Sequence[Any]) -> tuple[list[Json], list[Case]]:
    """Documents to learn from, and cases about the others."""
    corpus = Corpus([Passage(str(n), 1, "", text, 0, len(text)) for n, text in enumerate(texts)])
    order = list(range(len(texts)))
    random.Random(0).shuffle(order)
    measured = set(order[: len(order) // 2])
    mine = [one for one in asked if one[0] in measured]
    random.Random(0).shuffle(mine)
    answers = {one[0]: one[2] for one in asked}
    made = [case for one in mine[: MOST + 2 * LABELS] for case in _pairs(one, corpus, answers)]
    return [{"text": text} for n, text in enumerate(texts) if n not in measured], made


def _pairs(one: Any, corpus: Corpus, answers: dict[int, str]) -> Iterator[Case]:
    """A right and a wrong case of each kind, from a question and its answer."""
    place, question, answer, others = one
    group, text = str(place), corpus.passages[place].text
    near = next(
        (
            other
            for other in corpus.nearest(question, 9, [place])
            if answer.lower() not in corpus.passages[other].text.lower()
        ),
        place - 1,
    )
    others = others or [answers[near]]
    wrong = next((o for o in others if o not in answer and answer not in o), "")
    beside_it = corpus.passages[near].text
    yield Case("context_relevance", group, question, (text,), "", good=True)
    yield Case("context_relevance", group, question, (beside_it,), "", good=False)
    yield Case("answer_relevance", group, question, (), answer, good=True)
    if wrong:
        yield Case("answer_relevance", group, question, (), wrong, good=False)
        yield Case("faithfulness", group, "", (text,), f"{question} {answer}", good=True)
        yield Case("faithfulness", group, "", (text,), f"{question} {wrong}", good=False)


DOMAINS: dict[str, Callable[[Path, Path], tuple[list[Json], list[Case]]]] = {
    "telecom": telecom,
    "contracts": contracts,
    "medical": medical,
}


def _drawn(cases: Sequence[Case], seed: int) -> tuple[list[Case], list[Case]]:
    """About 50 labels, and cases of other sources to measure with."""
    groups = sorted({case.group for case in cases})
    random.Random(seed).shuffle(groups)
    labels: list[Case] = []
    while len(labels) < LABELS:
        group = groups.pop()
        labels += [case for case in cases if case.group == group][: LABELS - len(labels)]
    return labels, [case for case in cases if case.group in set(groups)][: 2 * MOST]


def compare(
    cases: Sequence[Case], adapted: Adapted | None, settings: JudgeAdapting
) -> list[Compared]:
    """Every candidate beside the base."""
    readers = {"shipped": Reader(settings.threads)}
    if adapted:
        readers["trained"] = Reader(settings.threads, adapted)
    found = []
    for kind in KINDS:
        mine = [case for case in cases if case.kind == kind]
        if not mine:
            continue
        labels, measured = _drawn(mine, settings.seed)
        base = Fitted.load(*COEFFICIENTS[kind])
        before, first = np.zeros(0), []
        for name, reader in readers.items():
            rows = measure_all(reader, measured, kind)
            if name == "shipped":
                first, before = rows, np.array([one.probability(base) for one in rows])
            else:
                after = np.array([one.probability(base) for one in rows])
                found.append(beside(first, before, after, ("people", name), settings.level))
            made = refit(measure_all(reader, labels, kind), kind)
            after = np.array([one.probability(made) for one in rows])
            found.append(beside(first, before, after, ("people", name + FITTED), settings.level))
    return found


def main() -> None:
    """Train, compare, print and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("domain", choices=DOMAINS)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--data2", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--share", type=float, default=0.5)
    parser.add_argument("--most", type=int, default=600, help="passages, and questions")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bfloat16", action="store_true")
    options = parser.parse_args()
    settings = JudgeAdapting(
        steps=options.steps,
        rate=options.rate,
        share=options.share,
        seed=options.seed,
        bfloat16=options.bfloat16,
        threads=1,
    )
    documents, cases = DOMAINS[options.domain](options.data, options.data2)
    adapted = None
    if settings.steps:
        folder = (
            options.out / f"{options.domain}-{settings.steps}-{settings.rate:g}-{settings.share:g}"
        )
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / NETWORK).exists():
            learnt = windows(synthetic(documents, limit=options.most))
            print(f"{len(documents)} documents, {len(learnt)} windows", flush=True)
            train_network(learnt, folder / "run.pt", folder / NETWORK, settings, _say)
        adapted = Adapted(folder, str(folder))
    found = compare(cases, adapted, settings)
    for one in found:
        print(_line(one), flush=True)
    report = options.out / f"{options.domain}-{settings.steps}-{settings.seed}.json"
    report.write_bytes(msgspec.json.format(msgspec.json.encode(found)))


def _say(done: int, total: int) -> None:
    if done % 10 == 0:
        print(f"{done}/{total}", flush=True)


def _line(one: Compared) -> str:
    ends = one.brier.interval
    brier = f"{one.brier.before:.3f} {one.brier.after:.3f}"
    brier += f" ({ends.low:+.3f} to {ends.high:+.3f})" if ends else ""
    lead = f" ({one.lead.low:+.3f} to {one.lead.high:+.3f})" if one.lead else ""
    floors = ", ".join(f"{name} {value:.2f}" for name, value in one.floors.items())
    return (
        f"{one.kind:17} {one.candidate:22} n {one.good}+{one.bad} Brier {brier}, missed "
        f"{one.missed.base:.2f} {one.missed.candidate:.2f}, alarms {one.alarms.base:.2f} "
        f"{one.alarms.candidate:.2f}, AUROC {one.auroc.base:.3f} {one.auroc.candidate:.3f}{lead}, "
        f"{floors}: {one.verdict}"
    )


if __name__ == "__main__":
    main()
