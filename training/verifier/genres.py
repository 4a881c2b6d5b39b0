"""What to expect on a genre never seen: the same short run with and without each genre.

    python -m training.verifier.genres --examples people.pkl documents.pkl pairs.pkl --base base \
        --work genres [--steps 400]

Every run begins at the base weights, takes as many steps of as many tokens, and is kept in `--work`
with a checkpoint: a run that was cut off goes on. The votes of the network alone are measured, on
kept-out sources of training files and on development sets (`benchmarks.judge.development`).
"""

from __future__ import annotations

import argparse
import pickle
import random
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import torch
from benchmarks.judge import development

from assay.bench.data import HELD_OUT, fold_of
from assay.experiments.reader_training import Batch, Plan, Run, Verifier, batches, votes
from assay.experiments.reader_windows import Example, Row, examples
from assay.judges.embedded.reader import ABSENT
from assay.stats.agreement import auroc

# Tokens of each genre in a run in which none is left out, in parts, and the sets of it.
GENRES: Final = {
    "records and tables": (5, ["infotabs", "tabfact_pairs", "quintd1", "llm_spans", "rotowire"]),
    "answers": (
        5,
        ["ragtruth_qa", "expertqa_claims", "factcheckgpt_stance", "halueval_qa500", "begin"],
    ),
    "claims": (4, ["foolmetwice", "fever_symmetric", "conjnli", "breaking_nli", "written/claim"]),
    "dialogues and contracts": (4, ["diasumfact", "dialogue", "contractnli"]),
    "other": (
        6,
        [
            *("written", "pairs", "pairs/said", "written/said_part", "written/covered_part"),
            *("factcg_doc", "wice_claims", "ragtruth_summary", "summedits_dev"),
        ],
    ),
}
DEVELOPMENT: Final = {
    "records and tables": ["pubhealthtab", "scitab"],
    "answers": ["attribution_dev"],
    "claims": ["sick", "anli", "healthver", "covidfact"],
    "dialogues and contracts": [],
}
# Genres that a run leaves out; those left out together have little to do with each other.
RUNS: Final = (
    ("records and tables",),
    ("answers",),
    ("claims", "dialogues and contracts"),
)
TOKENS: Final = 2048  # of a batch
MOST: Final = {"breaking_nli": 0.06}  # share of a set's windows; nearly all of it is refuted
STATEMENTS: Final = 300  # of a set, measured
ELSEWHERE: Final = 100  # of each set of the other genres, for the threshold
TURN: Final = re.compile(r"(?:^|[\s.>])[A-Z][\w.]*(?: \([^)]*\))?: ")
RESAMPLES: Final = 1_000


class Scores(NamedTuple):
    """Of a set's statements: votes, share of known words, whether supported, source."""

    votes: np.ndarray
    floor: np.ndarray
    labels: np.ndarray
    source: np.ndarray


def genre_sets(paths: Sequence[Path]) -> dict[str, list[Example]]:
    """All windows by set; texts beside a dialogue are a set of their own."""
    sets: dict[str, list[Example]] = defaultdict(list)
    known = {name for _, names in GENRES.values() for name in names}
    for path in paths:
        for example in pickle.loads(path.read_bytes()):
            name = example.data
            if name in ("summedits_dev", "written", "pairs", "pairs/said") or "_part" in name:
                if len(TURN.findall(example.group)) > 2:
                    name = "dialogue"
                elif example.group.count("|") > 5 or example.group[:1] in "{[":
                    continue  # a record or a table among texts
            if name in known:
                sets[name].append(example)
    return dict(sets)


def plan(sets: dict[str, list[Example]], without: Sequence[str], steps: int) -> list[list[Example]]:
    """As many batches, with the genres that are left in the same proportions."""
    rng = random.Random(7)
    parts = {name: share for name, (share, _) in GENRES.items() if name not in without}
    windows: list[Example] = []
    for genre, share in parts.items():
        rows = [
            e
            for name in GENRES[genre][1]
            for e in sets.get(name, [])
            if fold_of(e.group) != HELD_OUT and rng.random() < MOST.get(name, 1)
        ]
        room = 1.2 * steps * TOKENS * share / sum(parts.values())
        while room > 0:  # a small genre is repeated
            rng.shuffle(rows)
            for example in rows:
                room -= len(example.ids)
                windows.append(example)
                if room <= 0:
                    break
    return list(batches(windows, rng, TOKENS))[:steps]


def kept_out(sets: dict[str, list[Example]], name: str) -> list[Example]:
    """Labelled windows of a set that no run sees."""
    if name in development.CLAIMS:
        return list(_development(name))
    rows = [e for e in sets.get(name, []) if fold_of(e.group) == HELD_OUT]
    rows = [e for e in rows if any(label >= 0 for *_, label in e.parts)]
    random.Random(3).shuffle(rows)
    return rows


def _development(name: str) -> Iterator[Example]:
    for row in development.rows(development.CLAIMS[name], STATEMENTS):
        supported, text = row["labels"].get("supported"), row.get("claim") or row["answer"]
        if supported is None or not text or not row["contexts"]:
            continue
        label = "supported" if supported else "unsupported"
        contexts = tuple(c if isinstance(c, str) else c["text"] for c in row["contexts"])
        yield from examples([Row(name, str(row["id"]), "", contexts, text, label, None)])


def scores(model: Verifier, windows: Sequence[Example], most: int) -> Scores:
    """Of at most so many statements, each window alone."""
    rows: list[tuple[float, float, bool, str]] = []
    with torch.no_grad():
        for e in windows:
            if len(rows) >= most:
                break
            batch = Batch([e], [e.data], _Never())
            out = model(batch.ids, batch.types, batch.positions, batch.visible)
            logits = votes(out, batch.parts)[:, :3]
            margin = logits[:, 0] - torch.logsumexp(logits[:, 1:], 1)
            for (first, last, label), value in zip(e.parts, margin.tolist(), strict=True):
                flags = e.types[first:last]
                share = float((flags != ABSENT).mean())
                if label >= 0:
                    rows.append((value, share, label == 0, e.group))
    return Scores(*(np.array(column) for column in zip(*rows, strict=True)))


class _Never(random.Random):
    """No flag is hidden."""

    def random(self) -> float:
        """Above every share."""
        return 1.0


def area(values: np.ndarray, labels: np.ndarray) -> float:
    """AUROC."""
    return float(auroc(values, labels)(np.ones(len(labels))))


def threshold(every: Sequence[Scores]) -> float:
    """Where balanced accuracy over the sets is best."""
    cuts = np.quantile(np.concatenate([one.votes for one in every]), np.linspace(0.05, 0.95, 91))

    def balanced(cut: float) -> float:
        found = [
            np.mean((o.votes >= cut)[o.labels]) - np.mean((o.votes >= cut)[~o.labels])
            for o in every
            if 0 < o.labels.sum() < len(o.labels)
        ]
        return float(np.mean(found))

    return float(max(cuts, key=balanced))


def gap(seen: Scores, unseen: Scores) -> tuple[float, float]:
    """The 95 % interval of the difference between two AUROCs of the same rows, by sources."""
    rng = np.random.default_rng(0)
    names, place = np.unique(seen.source, return_inverse=True)
    found = []
    for _ in range(RESAMPLES):
        weights = np.bincount(rng.integers(len(names), size=len(names)), minlength=len(names))
        each = weights[place].astype(float)
        if 0 < (each * seen.labels).sum() < each.sum():
            one, other = (auroc(s.votes, s.labels)(each) for s in (seen, unseen))
            found.append(float(other) - float(one))
    low, high = np.quantile(found, (0.025, 0.975))
    return float(low), float(high)


def trained(name: str, steps: list[list[Example]], options: argparse.Namespace) -> Verifier:
    """The network after its run."""
    run = Run(
        Plan(
            steps=steps,
            out=options.work / f"{name}.pt",
            rate=2e-4,
            seed=7,
            bfloat16=options.bfloat16,
        ),
        None,
        options.base,
    )
    started = time.time()

    def show(run: Run) -> None:
        if run.done % 20 == 0:
            loss = ", ".join(f"{k} {v:.3f}" for k, v in run.sums.items())
            print(
                f"{name}: {run.done}/{len(steps)} {loss} {time.time() - started:.0f} s", flush=True
            )

    run.train(show)
    run.model.eval()
    return run.model


def measured(
    without: Sequence[str], sets: dict[str, list[Example]], options: argparse.Namespace
) -> dict[str, Scores]:
    """Every set, those of other genres in part; kept, since it costs time."""
    name = ", ".join(without) or "nothing"
    path = options.work / f"{name}.scores.pkl"
    if path.exists():
        found: dict[str, Scores] = pickle.loads(path.read_bytes())
        return found
    model = trained(name, plan(sets, without, options.steps), options)
    found = {}
    for genre, (_, names) in GENRES.items():
        whole = genre in without or not without
        most = STATEMENTS if whole and genre != "other" else ELSEWHERE
        more = DEVELOPMENT.get(genre, []) if most == STATEMENTS else []
        for each in names + more:
            windows = kept_out(sets, each)
            if windows:
                found[each] = scores(model, windows, most)
    path.write_bytes(pickle.dumps(found))
    return found


def main() -> None:
    """Run after run, then the table."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--examples", type=Path, nargs="+", required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--bfloat16", action="store_true", help="where that is faster")
    parser.add_argument("--steps", type=int, default=400)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    sets = genre_sets(options.examples)
    print({name: len(windows) for name, windows in sets.items()}, flush=True)
    whole = measured((), sets, options)
    for genres in RUNS:
        without = measured(genres, sets, options)
        for genre in genres:
            for line in table(genre, whole, without):
                print(line, flush=True)


def table(genre: str, whole: dict[str, Scores], without: dict[str, Scores]) -> Iterator[str]:
    """Markdown rows of the sets of a genre."""
    own = GENRES[genre][1] + DEVELOPMENT[genre]
    others = [
        name for name in without if name not in own and len(without[name].labels) >= ELSEWHERE
    ]
    cut = {id(each): threshold([each[name] for name in others]) for each in (whole, without)}
    for name in own:
        if name not in without or not 0 < without[name].labels.sum() < len(without[name].labels):
            continue
        seen, unseen = whole[name], without[name]
        low, high = gap(seen, unseen)
        wrong = [
            f"{np.mean(s.votes[s.labels] < c):.2f}, {np.mean(s.votes[~s.labels] >= c):.2f}"
            for s, c in ((seen, cut[id(whole)]), (unseen, cut[id(without)]))
        ]
        yield (
            f"| {genre} | {name} | {len(seen.labels)} | {area(seen.floor, seen.labels):.2f} "
            f"| {area(seen.votes, seen.labels):.2f} | {area(unseen.votes, unseen.labels):.2f} "
            f"| {low:+.2f} to {high:+.2f} | {wrong[0]} | {wrong[1]} |"
        )


if __name__ == "__main__":
    main()
