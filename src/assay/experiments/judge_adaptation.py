"""`adapt_judge`: the embedded judge fitted to a domain, measured beside what ships."""

import contextlib
import hashlib
import json
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from assay.errors import InputError
from assay.experiments.adapt import missing_libraries, refuse_filled
from assay.experiments.judge_cases import KINDS, Case, Kind, labelled, synthetic, windows
from assay.experiments.judge_comparison import (
    COEFFICIENTS,
    Compared,
    Measured,
    beside,
    measure_all,
    out_of_fold,
    refit,
)
from assay.experiments.reader_windows import Example
from assay.judges.embedded.inference import CARD, MANIFEST, NETWORK, Adapted
from assay.judges.embedded.inference import folder as shipped_folder
from assay.judges.embedded.judge import BASE
from assay.judges.embedded.reader import Reader
from assay.judges.embedded.verification import Fitted
from assay.stats.intervals import LEVEL

_LEAST_LABELS: Final = 20  # of a kind, and 3 of each class, or nothing is fitted to them
_LEAST_OF_CLASS: Final = 3
_MOST_HELD_OUT: Final = 300  # synthetic cases of a kind that are measured
FITTED: Final = ", refitted"
_NETWORKS: Final = ("shipped", "trained")


@dataclass(frozen=True, kw_only=True)
class JudgeAdapting:
    """How a judge is adapted and measured.

    Attributes:
        steps: Steps of training, of 4,096 tokens; 0: only coefficients are fitted, to labels.
        rate: Learning rate at its highest.
        share: Share of the trained weights in what is used; the rest are those that ship.
        held_out: Share of the sources whose synthetic cases only measure.
        seconds: After how many to end the training; None: after all steps.
        bfloat16: Whether to multiply in bfloat16: faster on processors that have it.
        threads: Cores to use; all that there are if None.
        seed: Chooses passages and what is held out, and the order of training.
        level: Nominal coverage of the intervals.
    """

    steps: int = 200
    rate: float = 5e-5
    share: float = 0.5
    held_out: float = 0.3
    seconds: float | None = None
    bfloat16: bool = False
    threads: int | None = None
    seed: int = 0
    level: float = LEVEL


@dataclass(frozen=True, slots=True)
class JudgeAdaptation:
    """What came of it.

    Attributes:
        base: The judge that it began with.
        folder: The adapted judge; None if nothing better than the base was found.
        network: Which network it has: "shipped" or "trained".
        fitted: For which kinds its coefficients were fitted to labels.
        steps: Steps of training that were made.
        windows: Windows that there were to learn from.
        labels: How many labels of people there were, by kind.
        left_out: Cases that the judge cannot read, or that ask for work on a text.
        compared: Every candidate, on every kind of cases.
        level: Nominal coverage; of each interval it is higher, so that it holds for all candidates.
    """

    base: str
    folder: str | None
    network: str
    fitted: tuple[Kind, ...]
    steps: int
    windows: int
    labels: Mapping[str, int]
    left_out: int
    compared: tuple[Compared, ...]
    level: float


def adapt_judge(
    corpus: Any = None,
    questions: Any = None,
    labels: str | Path | None = None,
    *,
    out: str | Path,
    settings: JudgeAdapting | None = None,
    on_progress: Callable[[int, int], None] = lambda n_done, total: None,  # noqa: ARG005
) -> JudgeAdaptation:
    """Fit the embedded judge to a domain, and keep it if it is better than what ships.

    Args:
        corpus: As for `read_documents`; what the network learns from, None without training.
        questions: A data set of questions with references; None: those that rules make.
        labels: Cases that people labelled: see `labelled`.
        out: The folder to write, for ``embedded:FOLDER``.
        settings: How it is done.
        on_progress: Called with (steps of the training that are done, all).

    Raises:
        InputError: If anything cannot be used; told before the training begins.

    Source:
        Saad-Falcon et al. 2024, ARES (NAACL 2024), for synthetic cases, a small judge fine-tuned
        on them, and labels of people that it is measured with.
    """
    settings, out = settings or JudgeAdapting(), Path(out)
    _check(out, settings, corpus, labels)
    people = _human_cases(labels, settings)
    cases = synthetic(corpus, questions, seed=settings.seed) if settings.steps else []
    train, held_out = split_sources(cases, settings)
    learnt = windows(train) if settings.steps else []
    if settings.steps and not learnt:
        fault = "the documents say nothing that a rule can make a case of"
        raise InputError(fault, "give more of them, or --questions with references")
    checkpoint = _checkpoint(out, learnt, settings)
    with tempfile.TemporaryDirectory() as name:
        readers = {"shipped": Reader(settings.threads)}
        steps = 0
        if settings.steps:
            steps = train_network(learnt, checkpoint, Path(name) / NETWORK, settings, on_progress)
            readers["trained"] = Reader(settings.threads, Adapted(Path(name), f"trained for {out}"))
        comparisons, left_out, labelled_rows = _compare(readers, people, held_out, settings)
        network, fitted = _chosen(comparisons)
        better = network == "trained" or bool(fitted)
        adaptation = JudgeAdaptation(
            base=BASE,
            folder=str(out) if better else None,
            network=network,
            fitted=fitted,
            steps=steps,
            windows=len(learnt),
            labels={kind: sum(case.kind == kind for case in people) for kind in KINDS},
            left_out=left_out,
            compared=tuple(comparisons),
            level=settings.level,
        )
        if better:
            coefficients = {kind: refit(labelled_rows[network, kind], kind) for kind in fitted}
            _write(out, adaptation, coefficients, Path(name) / NETWORK)
    checkpoint.unlink(missing_ok=True)
    return adaptation


def _check(folder: Path, settings: JudgeAdapting, corpus: object, labels: object) -> None:
    refuse_filled(folder)
    if not settings.steps and labels is None:
        fault = "without training there is nothing to fit but coefficients, to labels of people"
        raise InputError(fault, "give --labels FILE, or leave out --steps 0")
    if settings.steps and corpus is None:
        fault = "there are no documents to learn from"
        raise InputError(fault, "name them, or fit coefficients alone: --steps 0 --labels FILE")
    if settings.steps and (missing := missing_libraries()):
        fault = f"training a judge needs {', '.join(missing)}"
        remedy = "pip install 'assay[adapt]', or fit coefficients alone: --steps 0 --labels FILE"
        raise InputError(fault, remedy)


def _human_cases(labels: str | Path | None, settings: JudgeAdapting) -> list[Case]:
    cases = labelled(labels) if labels is not None else []
    if not settings.steps and not any(_are_enough(_cases_of_kind(cases, kind)) for kind in KINDS):
        minimum = f"{_LEAST_LABELS} labels, {_LEAST_OF_CLASS} of them right and as many wrong"
        raise InputError(f"no kind of case has {minimum}", "label more: assay label")
    return cases


def split_sources(cases: Sequence[Case], settings: JudgeAdapting) -> tuple[list[Case], list[Case]]:
    """Cases to learn from, and cases of other sources."""
    groups = sorted({case.group for case in cases})
    random.Random(settings.seed).shuffle(groups)  # noqa: S311 - no secret
    held_out_groups = set(groups[: max(1, round(settings.held_out * len(groups)))])
    held_out = [case for case in cases if case.group in held_out_groups]
    random.Random(settings.seed).shuffle(held_out)  # noqa: S311 - no secret
    measured = [case for kind in KINDS for case in _cases_of_kind(held_out, kind)[:_MOST_HELD_OUT]]
    return [case for case in cases if case.group not in held_out_groups], measured


def _cases_of_kind(cases: Sequence[Case], kind: Kind) -> list[Case]:
    return [case for case in cases if case.kind == kind]


def _checkpoint(folder: Path, learnt: Sequence[Example], settings: JudgeAdapting) -> Path:
    """Where training stands: a run that was cut off goes on only where it would do the same."""
    digest = hashlib.sha256(repr((BASE, settings.rate, settings.seed, settings.steps)).encode())
    for example in learnt:
        digest.update(example.ids.tobytes())
    return Path(f"{folder}.{digest.hexdigest()[:8]}.pt")


def train_network(
    learnt: Sequence[Example],
    checkpoint: Path,
    graph: Path,
    settings: JudgeAdapting,
    on_progress: Callable[[int, int], None],
) -> int:
    """Train, mix with what ships, write the graph; the steps that were made."""
    import torch

    from assay.experiments import reader_training
    from assay.experiments.reader_training import Plan, Run, batches

    torch.manual_seed(settings.seed)
    if settings.threads is not None:
        torch.set_num_threads(settings.threads)
    rng = random.Random(settings.seed)  # noqa: S311 - no secret
    steps: list[list[Example]] = []
    while len(steps) < settings.steps:
        steps += batches(learnt, rng)
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    network = reader_training.Verifier()
    network.load(reader_training.restored(shipped_folder("reader").joinpath(NETWORK).read_bytes()))
    start = {name: value.clone() for name, value in network.state_dict().items()}
    plan = Plan(
        steps=steps[: settings.steps],
        out=checkpoint,
        rate=settings.rate,
        seed=settings.seed,
        bfloat16=settings.bfloat16,
        save_every=60,
        seconds=settings.seconds,
    )
    run = Run(plan, start)
    run.train(lambda run: on_progress(run.done, settings.steps))
    trained = {name: value.cpu() for name, value in run.model.state_dict().items()}
    reader_training.save(reader_training.mean(start, trained, settings.share), graph)
    return run.done


def _compare(
    readers: Mapping[str, Reader],
    people: Sequence[Case],
    held_out: Sequence[Case],
    settings: JudgeAdapting,
) -> tuple[list[Compared], int, dict[tuple[str, Kind], list[Measured]]]:
    """Every candidate beside the base; how many cases cannot be read; people's, by network."""
    comparisons, left_out = [], 0
    labelled_rows: dict[tuple[str, Kind], list[Measured]] = {}
    level = 1 - (1 - settings.level) / 3  # Bonferroni: of three candidates the best is chosen
    for kind in KINDS:
        base = Fitted.load(*COEFFICIENTS[kind])
        for origin, cases in (("people", people), ("synthetic", held_out)):
            measured = {name: measure_all(reader, cases, kind) for name, reader in readers.items()}
            if origin == "people":
                labelled_rows |= {(name, kind): rows for name, rows in measured.items()}
            first = measured["shipped"]
            left_out += len(_cases_of_kind(cases, kind)) - len(first)
            if not _are_enough([measured.case for measured in first]):
                continue
            before = np.array([measured.probability(base) for measured in first])
            for name, rows in measured.items():
                after = np.array([measured.probability(base) for measured in rows])
                if name != "shipped":
                    comparisons.append(beside(first, before, after, (origin, name), level))
                if origin == "people":
                    after = out_of_fold(rows, kind)
                    comparisons.append(beside(first, before, after, (origin, name + FITTED), level))
    return comparisons, left_out, labelled_rows


def _are_enough(cases: Sequence[Case]) -> bool:
    good = sum(case.good for case in cases)
    return len(cases) >= _LEAST_LABELS and _LEAST_OF_CLASS <= good <= len(cases) - _LEAST_OF_CLASS


def _chosen(comparisons: Sequence[Compared]) -> tuple[str, tuple[Kind, ...]]:
    """The network, and for which kinds coefficients are fitted; what ships if none is better.

    People's labels decide where there are any. The trained network serves all kinds: it is taken
    if it is better for one and worse for none, and no worse than coefficients alone.
    """
    plans = []
    for network in _NETWORKS:
        fitted: list[Kind] = []
        gains = 0.0
        verdicts = []
        for kind in KINDS:
            candidates = [
                comparison
                for comparison in _decisive(comparisons, kind)
                if comparison.candidate.startswith(network)
            ]
            options = [
                comparison
                for comparison in candidates
                if network == "trained" or comparison.verdict == "better"
            ]
            if best := min(options, key=lambda comparison: comparison.brier.after, default=None):
                gains += best.brier.difference
                verdicts.append(best.verdict)
                if best.candidate.endswith(FITTED):
                    fitted.append(kind)
        if "better" in verdicts and "worse" not in verdicts:
            plans.append((gains, network, tuple(fitted)))
    _, network, kinds = min(plans, default=(0.0, "shipped", ()))
    return network, kinds


def _decisive(comparisons: Sequence[Compared], kind: Kind) -> Iterator[Compared]:
    of_kind = [comparison for comparison in comparisons if comparison.kind == kind]
    people = any(comparison.cases == "people" for comparison in of_kind)
    return (
        comparison
        for comparison in of_kind
        if comparison.cases == ("people" if people else "synthetic")
    )


def _write(
    folder: Path, adaptation: JudgeAdaptation, coefficients: Mapping[Kind, Fitted], graph: Path
) -> None:
    """The folder; whole or not at all."""
    work = Path(f"{folder}.writing")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    if adaptation.network == "trained":
        shutil.copyfile(graph, work / NETWORK)
    for kind, fitted in coefficients.items():
        file, names = COEFFICIENTS[kind]
        shipped = resources.files("assay.judges.embedded").joinpath(file).read_text("utf-8")
        content = json.loads(shipped) | {
            "coefficients": dict(zip(names, fitted.coefficients, strict=True)),
            "intercept": fitted.intercept,
        }
        (work / file).write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    (work / CARD).write_bytes(msgspec.json.format(msgspec.json.encode(adaptation)))
    (work / MANIFEST).write_bytes(msgspec.json.encode({"base": adaptation.base}))
    with contextlib.suppress(FileNotFoundError):
        folder.rmdir()
    work.replace(folder)
