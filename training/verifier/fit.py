"""Fit what combines the trained reader with words, numbers and names, on rows it never saw.

    python -m training.verifier.fit --asked FILE
    python -m training.verifier.fit --judge FOLDER --most 80     # support alone, of another judge

Everything is measured with the int8 model that ships, through the package's own code. The rows are
those of the fold kept out of training. FoolMeTwice, SummEdits, FEVER-Symmetric, Factcheck-GPT and
ExpertQA are benchmarks on that fold: they are shown, never fitted on.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from assay._text import sentences
from assay.bench import hard_negatives
from assay.bench.data import HELD_OUT, Data, dataset, fold_of
from assay.experiments.judge_cases import swapped
from assay.experiments.reader_windows import Asked, Row
from assay.judges.embedded import relevance, verification
from assay.judges.embedded.embedding import Encoder
from assay.judges.embedded.evidence import prepare
from assay.judges.embedded.inference import Adapted
from assay.judges.embedded.judge import BASE
from assay.judges.embedded.reader import Reader
from assay.judges.embedded.verification import Fitted
from training.data import DATA
from training.verifier import documents, people
from training.verifier.examples import asked
from training.verifier.logistic import auroc, balanced, contents, fit, predict
from training.verifier.passages import fit_passages
from training.verifier.removed import removed
from training.verifier.retrieved import retrieved
from training.verifier.written import pages, pairs, references, reports
from training.verifier.written import rows as written

PACKAGE = Path(verification.__file__).parent
# Sets to fit on and their weights; the nearer to a RAG answer the heavier.
FITTED = {
    "ragtruth_qa": 10.0,
    "ragtruth_summary": 1.0,
    "wice_claims": 1.0,
    "wice_nonsupported_tokens": 0.3,
    "begin": 0.5,
    "conjnli": 0.3,
    "swapped": 1.0,
    "evouna_recall": 1.0,
    "evouna_precision": 1.0,
    "mistaken": 2.0,
    "written": 2.0,
    reports.WHOLE: 2.0,
    "pairs": 3.0,
    "pairs/said": 2.0,
    "quintd1": 1.0,
    "llm_spans": 1.0,
    "factcg_doc": 0.5,
    "infotabs": 0.5,
    "tabfact_pairs": 0.5,
    "contractnli": 0.3,
    "retrieved/ragtruth_qa": 3.0,
    "retrieved/begin": 0.5,
    "retrieved/written": 2.0,
    "retrieved/written/report": 1.0,
}
WRITTEN = "written"
# Single statements and whole texts of what is written; its other rows say the same once more.
SHOWN = (
    WRITTEN,
    reports.WHOLE,
    reports.LISTS,
    pages.WHOLE,
    references.SAID,
    references.COVERED,
    *pairs.STATED,
)
LABELLED = ("ragtruth_qa", "ragtruth_summary")  # people marked the words
# Their intercept is the one that ships.
ANSWERS = (*LABELLED, "evouna_recall", "evouna_precision", "mistaken", reports.WHOLE)
PRIOR = 0.7  # share of the weight on supported rows; of RAGTruth's sentences it is 0.86
HELPFUL = 0.4  # ... on helpful sentences
ADDRESSED = 0.75  # ... on answers that address the question, as most of a system do
MOST = 420  # rows measured of one set
PACKED = 6  # how many times fewer of those that hold a dozen statements
SUPPORT_SIGNS = {
    "votes": 1, "recall_all": 1, "recall_window": 1,
    "recall_best": 1, "bigrams_all": 1, "numbers_missing_all": -1,
    "numbers_missing_window": -1, "names_missing_all": -1, "names_missing_window": -1,
    "calendar_missing": -1, "negation_differs": -1, "opposites": -1, "grammar_agrees": 1,
    "roles_differ": -1, "polarity_differs": -1, "direction_differs": -1,
    "phrase_missing": -1, "table_agrees": 1, "table_differs": -1,
}  # fmt: skip
# Texts as they come hardly ever hold what these tell of, so the fit leaves them little or nothing.
# Where statements differ in little they decide; at these weights no set loses (training/NOTES.md).
WEAKEST = {
    "numbers_missing_all": -0.19, "numbers_missing_window": -0.18, "negation_differs": -0.65,
    "opposites": -2.87, "table_differs": -1.8,
}  # fmt: skip
NEAR_SIGNS = {"helps": 1, "cosine": 1, "cosine_below_best": -1, "recall": 0, "kind": 1}
ANSWER_SIGNS = {"answers": 1, "helps": 1, "kind": 1, "about": 1}
# Answers that people gave, beside those to like questions: share of the weight, rows of a set.
GIVEN, PEOPLES, PEOPLES_MOST = "given", 0.25, 200
# Sentences: those that people marked, whole contexts beside a like question's, and "" all others.
MARKED, ALIKE = "marked", "alike"
SENTENCES = {MARKED: 0.25, ALIKE: 0.35, "": 0.4}
_COSINE = relevance.FEATURES.index("cosine")


class Measured(NamedTuple):
    """One segment of a row."""

    data: str
    supported: bool
    features: tuple[float, ...]
    contrary: float  # reader's log-odds of refuted against neutral
    label: str
    judged: verification.Judged
    marks: tuple[tuple[int, int], ...] | None  # labelled characters of the segment


def held_out(*, clean: bool = False, most: int = MOST) -> Iterator[Row]:
    """The rows that the reader was not trained on, thinned, and more that are made of right ones.

    `clean` leaves out what holds text of MS MARCO.
    """
    found: dict[str, list[Row]] = defaultdict(list)
    apart = (people.rows, written.rows, reports.rows)
    made = (written.rows, reports.rows, reports.lists, pages.rows, references.rows, pairs.rows)
    beside_others = retrieved(row for rows in apart for row in rows())
    stated = (row for rows in made for row in rows() if row.data in SHOWN)
    for row in chain(people.rows(), documents.rows(), stated, beside_others):
        if fold_of(row.group) == HELD_OUT and not (clean and row.msmarco):
            found[row.data].append(row)
    for answer in found["ragtruth_qa"]:
        found["swapped"] += [
            replace(answer, answer=answer.answer[start:end])
            for start, end, label in people.segments(answer)
            if label == "supported"
        ]
    apart = (people.rows, written.rows, reports.rows)
    for row in retrieved(row for rows in apart for row in rows()):
        if fold_of(row.group) == HELD_OUT and not (clean and row.msmarco):
            found[row.data].append(row)
    whole = (*LABELLED, reports.WHOLE, pages.WHOLE)
    twins = list(removed([row for name in whole for row in found[name]], most // 2))
    twins += swapped(_thinned(found.pop("swapped", []), most // 2))
    right = [row for row in found["evouna_recall"] if row.label == "supported"]
    twins += mistaken(_thinned(right, most // 4))
    for rows in found.values():
        yield from _thinned(rows, most // PACKED if rows[0].cuts else most)
    yield from twins


def mistaken(good: list[Row]) -> Iterator[Row]:
    """Right answers to short questions, each followed by the answer to another question."""
    phrases = [row.answer.removeprefix(row.question).strip() for row in good]
    for i, row in enumerate(good):
        context = "\n".join(row.contexts).lower()
        others = phrases[i + 1 :] + phrases[:i]
        wrong = next((other for other in others if other.lower() not in context), "")
        if wrong and row.answer.startswith(row.question):
            yield replace(row, data="mistaken")
            changed = f"{row.question} {wrong}"
            yield replace(row, data="mistaken", answer=changed, label="unsupported", spans=None)


def _thinned(rows: list[Row], most: int) -> list[Row]:
    return rows[:: max(1, -(-len(rows) // most))]


def measure(reader: Reader, *, clean: bool = False, most: int = MOST) -> list[Measured]:
    """Every labelled segment, or the whole text where only that is labelled."""
    found = []
    for row in held_out(clean=clean, most=most):
        evidence = prepare(row.contexts)
        if not evidence.pieces:
            continue
        cuts = people.segments(row)
        judged = verification.measure([row.answer[a:b] for a, b, _ in cuts], evidence, reader)
        if cuts[0][2] is None:  # a summary: its worst sentence stands for it
            worst = min(judged, key=lambda j: j.features[0])
            labelled = [(worst, row.label or "", None)]
        else:
            labelled = [
                (j, label or "", _marks(row, start, end))
                for j, (start, end, label) in zip(judged, cuts, strict=True)
            ]
        for one, label, marks in labelled:
            _, refuted, neutral = one.reading.votes[:3]
            contrary = float(refuted - neutral)
            good = label == "supported"
            found.append(Measured(row.data, good, one.features, contrary, label, one, marks))
    return found


def _marks(row: Row, start: int, end: int) -> tuple[tuple[int, int], ...] | None:
    if row.spans is None:
        return None
    met = [(max(s, start), min(e, end)) for s, e, _ in row.spans if s < end and start < e]
    return tuple((s - start, e - start) for s, e in met)


def weigh(names: np.ndarray, labels: np.ndarray, shares: dict[str, float]) -> np.ndarray:
    """Each set by its share, `PRIOR` of it on its supported rows; 1 a row on average."""
    weights = np.zeros(len(names))
    for name, share in shares.items():
        for label, part in ((True, PRIOR), (False, 1 - PRIOR)):
            mine = (names == name) & (labels == label)
            weights[mine] = share * part / max(1, mine.sum())
    return weights / weights.mean()


def fit_support(rows: list[Measured], start: Fitted | None = None) -> dict[str, object]:
    """The coefficients of support, and a table of every set.

    From a `start` only three numbers are fitted, for which few rows do: what its coefficient of
    the votes is multiplied by, and all its others, and the intercept.
    """
    names = np.array([row.data for row in rows])
    labels = np.array([row.supported for row in rows])
    features = np.array([row.features for row in rows])
    signs = np.array([SUPPORT_SIGNS.get(name, 0) for name in verification.FEATURES])
    kept = np.isin(names, list(FITTED))
    apart = [name for name in FITTED if name not in ANSWERS]
    columns = np.stack([names == name for name in apart], axis=1).astype(float)
    weights = weigh(names[kept], labels[kept], FITTED)
    inputs = features[kept]
    if start:
        old = np.array(start.coefficients)
        inputs = np.stack([inputs[:, 0] * old[0], inputs[:, 1:] @ old[1:]], axis=1)
        signs = np.ones(2)
    solution = fit(inputs, labels[kept], weights, signs, columns[kept])
    if start:
        votes, others, intercept = solution
        solution = np.array([votes * old[0], *others * old[1:], intercept])
    place = verification.FEATURES.index
    for name, least in WEAKEST.items():
        solution[place(name)] = min(solution[place(name)], least)
    scores = predict(solution, features)
    print(f"{'set':26} {'n':>5} {'good':>5} {'AUROC':>6} {'reader':>6} {'words':>6} {'bal.':>6}")
    for name in dict.fromkeys(names.tolist()):
        mine = names == name
        values = [
            auroc(part[mine], labels[mine])
            for part in (scores, features[:, 0], features[:, place("recall_all")])
        ]
        star = "" if name in FITTED else " (not fitted on)"
        print(
            f"{name:26} {mine.sum():5} {labels[mine].mean():5.2f} "
            + " ".join(f"{v:6.3f}" for v in values)
            + f" {balanced(scores[mine], labels[mine]):6.3f}{star}"
        )
    told = np.array([row.label in ("refuted", "neutral") for row in rows])
    refuted = np.array([row.label == "refuted" for row in rows])
    contrary = np.array([row.contrary for row in rows])
    for name in dict.fromkeys(names[told].tolist()):
        mine = told & (names == name)
        if refuted[mine].all() or not refuted[mine].any():
            continue
        value = auroc(contrary[mine], refuted[mine])
        print(f"refuted against neutral, {name}: AUROC {value:.3f}, n {mine.sum()}")
    limit = fit_spans(rows, scores)
    return contents(verification.FEATURES, solution, doubt=limit)


def fit_spans(rows: list[Measured], scores: np.ndarray) -> float:
    """The doubt from which on a word is marked: best F1 of characters on RAGTruth's answers."""
    best = (0.0, 0.0)
    for limit in np.arange(-3.0, 2.5, 0.25):
        hit = said = true = 0
        for row, score in zip(rows, scores, strict=True):
            if row.data not in LABELLED or row.marks is None:
                continue
            wanted = {c for s, e in row.marks for c in range(s, e)}
            spans = verification.doubtful_spans(row.judged, float(limit)) if score < 0.5 else ()
            found = {c for s, e in spans for c in range(s, e)}
            hit, said, true = hit + len(wanted & found), said + len(found), true + len(wanted)
        value = 2 * hit / max(1, said + true)
        print(f"doubt {limit:5.2f}: span F1 {value:.3f} (precision {hit / max(1, said):.2f})")
        best = max(best, (value, float(limit)))
    return best[1]


def fit_relevance(
    path: Path, encoder: Encoder, reader: Reader, *, clean: bool = False
) -> dict[str, dict[str, object]]:
    """The coefficients of sentences that help and of answers that answer."""
    # What is told without the question's words was made for the reader to learn from.
    rows = [
        row
        for row in asked(path)
        if fold_of(row.group) == HELD_OUT
        and not (clean and row.msmarco)
        and "unechoed" not in row.data
    ]
    found = {"relevance.json": _fit_near(rows, encoder, reader)}
    _write(found)  # the next fit reads it
    Fitted.load.cache_clear()
    found["answering.json"] = _fit_answers(rows, encoder, reader)
    return found


def _fit_near(rows: Sequence[Asked], encoder: Encoder, reader: Reader) -> dict[str, object]:
    near, near_names, truth = [], [], []
    contexts = [row for row in rows[::3] if row.answers is None] + list(_chosen())
    for row in contexts:
        measured = relevance.read(row.question, [row.texts], encoder, reader)
        for features, label in zip(measured, _known(row, measured), strict=True):
            if label in (0.0, 1.0):
                near.append(features)
                truth.append(bool(label))
                near_names.append(row.data)
    inputs, labels, names = np.array(near), np.array(truth), np.array(near_names)
    kinds = np.where(np.isin(names, (MARKED, ALIKE)), names, "")
    weights = np.zeros(len(labels))
    for name, share in SENTENCES.items():
        for label, part in ((True, HELPFUL), (False, 1 - HELPFUL)):
            mine = (kinds == name) & (labels == label)
            weights[mine] = share * part / max(1, mine.sum())
    signs = np.array([NEAR_SIGNS[name] for name in relevance.FEATURES])
    solution = fit(inputs, labels, weights / weights.mean(), signs)
    _table("helps", names, labels, inputs, predict(solution, inputs))
    return contents(relevance.FEATURES, solution)


def _known(row: Asked, measured: Sequence[Sequence[float]]) -> Sequence[float | None]:
    """What helps; of contexts of which people said no more than that they answer, the nearest."""
    if row.data != ALIKE or row.helps[0] is not None:
        return row.helps
    cosines = [features[_COSINE] for features in measured]
    return [1.0 if value == max(cosines) else None for value in cosines]


def _chosen() -> Iterator[Asked]:
    """Sentences that people marked, and contexts beside the question most like theirs."""
    records = hard_negatives.rows_with_contexts(Data(DATA), fitting=True)
    for name in sorted({dataset(record) for record in records}):
        mine = [record for record in records if dataset(record) == name][:PEOPLES_MOST]
        one = hard_negatives.SETS[name]
        cases = (
            [(MARKED, case) for case in hard_negatives.marked_sentences(mine)] if one.marked else []
        )
        cases += (
            [(ALIKE, case) for case in hard_negatives.alike_contexts(mine)] if one.alike else []
        )
        for data, case in cases:
            helps = tuple(None if told is None else float(told) for told in case.helps)
            yield Asked(data, case.question, case.question, case.sentences, helps, None)


def _fit_answers(rows: Sequence[Asked], encoder: Encoder, reader: Reader) -> dict[str, object]:
    # Written bad answers are all on the subject: with them what an answer is about counts for
    # nothing, and whatever is of the asked-for kind passes.
    graded = [row for row in rows if row.answers is not None and not _is_written(row)][::3]
    graded += _given()
    inputs = np.array(
        [relevance.measure_answer(r.question, r.texts, encoder, reader)[0] for r in graded]
    )
    target = np.array([r.answers for r in graded])
    names = np.array([r.data for r in graded])
    signs = np.array([ANSWER_SIGNS[name] for name in relevance.ANSWER_FEATURES])
    wholly, people = target >= 0.85, names == GIVEN
    weights = np.zeros(len(target))
    for mine, share in ((people, PEOPLES), (~people, 1 - PEOPLES)):
        for side, part in ((mine & wholly, ADDRESSED), (mine & ~wholly, 1 - ADDRESSED)):
            weights[side] = share * part / side.sum()
    solution = fit(inputs, target, weights / weights.mean(), signs)
    clear = wholly | (target <= 0.5)
    scores = predict(solution, inputs)
    _table("answers", names[clear], wholly[clear], inputs[clear], scores[clear])
    return contents(relevance.ANSWER_FEATURES, solution)


def _is_written(row: Asked) -> bool:
    return row.data.startswith(f"{WRITTEN}/")


def _given() -> Iterator[Asked]:
    """Answers that people gave, beside the question and beside the one most like it."""
    records = hard_negatives.rows_with_answers(Data(DATA), fitting=True)
    for name in sorted({dataset(record) for record in records}):
        mine = [record for record in records if dataset(record) == name][:PEOPLES_MOST]
        for question, answer, own in hard_negatives.answer_pairs(mine):
            parts = tuple(sentences.sentences(answer))
            yield Asked(GIVEN, question, question, parts, (None,) * len(parts), float(own))


def _table(
    title: str, names: np.ndarray, labels: np.ndarray, inputs: np.ndarray, scores: np.ndarray
) -> None:
    print(
        f"{title}: n {len(labels)}, AUROC {auroc(scores, labels):.3f}, reader alone "
        f"{auroc(inputs[:, 0], labels):.3f}, balanced accuracy {balanced(scores, labels):.3f}"
    )
    makers = np.array([name.partition("/")[0] for name in names])
    for maker in dict.fromkeys(makers.tolist()):
        mine = makers == maker
        print(f"  {maker}: n {mine.sum()}, AUROC {auroc(scores[mine], labels[mine]):.3f}")


def _write(files: dict[str, dict[str, object]], folder: Path = PACKAGE) -> None:
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Fit, show and store the coefficients."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    judge = parser.add_mutually_exclusive_group(required=True)
    judge.add_argument("--asked", type=Path)
    judge.add_argument("--judge", type=Path, metavar="FOLDER", help="support of this one alone")
    parser.add_argument("--most", type=int, default=MOST, help="rows measured of one set")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--clean", action="store_true", help="without text of MS MARCO")
    options = parser.parse_args()
    clean: bool = options.clean
    if options.judge:
        reader = Reader(options.threads, Adapted.at(options.judge, BASE))
        rows = measure(reader, clean=clean, most=options.most)
        start = Fitted.load("support.json", verification.FEATURES)
        _write({"support.json": fit_support(rows, start)}, options.judge)
        return
    encoder, reader = Encoder(options.threads), Reader(options.threads)
    _write({"support.json": fit_support(measure(reader, clean=clean, most=options.most))})
    _write(fit_relevance(options.asked, encoder, reader, clean=clean))
    Fitted.load.cache_clear()  # what follows reads it
    _write({"passage.json": fit_passages(encoder, reader)})


if __name__ == "__main__":
    main()
