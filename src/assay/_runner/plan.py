"""The plan of a run, checked before any call, and the signatures that identify its numbers."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from typing import Any, Final

import msgspec

from assay._middleware.wrapper import Route
from assay._runner.retrieved import RetrievedCount
from assay._runner.settings import Settings, chosen
from assay._runner.stack import choose, coalesced_metrics
from assay._store import Run
from assay._text.language_id import language_name, other_language
from assay._text.text_kinds import KINDS, PASSAGES, kind_of_texts, on_texts
from assay._version import __version__
from assay.data import Samples, read, samples
from assay.data.rows import Row
from assay.errors import InputError, Problem
from assay.judge import Backend, Task
from assay.judges.code_digest import class_digest
from assay.judges.embedded.card import Quality
from assay.judges.specs import DEFAULT, backend
from assay.metrics import METRICS, Metric, resolve
from assay.metrics.base import is_shipped
from assay.sample import Sample, Turn
from assay.score import Outcome, Score
from assay.tasks import TASKS, Embed, EmbedTokens, MeasureLikelihood

UNMEASURED: Final = "unmeasured_language"  # among the details of a score
NEVER_MEASURED: Final = "was never measured"
_TAG: Final = re.compile("[a-z]{2,3}")  # of BCP 47, where that is what the data hold


def language_of(sample: Sample) -> str:
    """The language other than English that a sample says or surely is in; "" if unclear.

    A row may be about English documents in another language, or the other way round.
    """
    tag = (sample.language or "").partition("-")[0].lower()
    if _TAG.fullmatch(tag):
        return "" if tag == "en" else tag
    joined = (" ".join(sample.contexts or ()), sample.reference)
    return other_language(text for text in (sample.answer, sample.question, *joined) if text)


def marked(outcome: Outcome, sample: Sample, judges: Iterable[Backend]) -> Outcome:
    """A score with the sample's language, where a judge that it rests on was not measured in it."""
    measured = [backend.capabilities.languages for backend in judges]
    if not isinstance(outcome, Score) or not any(measured):
        return outcome
    language = language_of(sample)
    if not language or all(language in languages for languages in measured if languages):
        return outcome
    return replace(outcome, details={**outcome.details, UNMEASURED: language_name(language)})


class LanguageCount:
    """Counts the rows of a run in languages in which a judge of it was never measured.

    Attributes:
        rows: How many rows were looked at.
    """

    def __init__(self, metrics: Iterable[Metric], route: Route) -> None:
        served = {
            route.to(kind.kind)
            for metric in metrics
            for kind in metric.asks(route.serves)
            if route.serves(kind)
        }
        self._judges = {backend.name: backend.capabilities.languages for backend in served}
        self._counts: Counter[tuple[str, str]] = Counter()
        self.rows = 0

    def add(self, sample: Sample) -> None:
        """Look at one row."""
        self.rows += 1
        if not any(self._judges.values()):
            return
        language = language_of(sample)
        for name, measured in self._judges.items():
            if language and measured and language not in measured:
                self._counts[name, language] += 1

    def notes(self) -> Iterator[str]:
        """A remark on each judge, with all its languages: a sentence without its full stop."""
        languages: dict[str, list[tuple[str, int]]] = {}
        for (judge, language), n in self._counts.most_common():
            languages.setdefault(judge, []).append((language_name(language), n))
        for judge, counts in languages.items():
            name = judge.partition(":")[0]
            (main_language, n), *other_counts = counts
            first = f"{n:,} of {self.rows:,} rows {'is' if n == 1 else 'are'} in {main_language}"
            other_texts = [f"{n:,} in {language}" for language, n in other_counts]
            yield (
                f"{', '.join([first, *other_texts])}, in which the {name} judge {NEVER_MEASURED}: "
                "do not rely on what scores it gives there before `assay agree` has measured them "
                "on your labels, or name an LLM as judge"
            )


_MANY_QUESTIONS = 50_000  # of more the intervals are narrow whatever is repeated
_REPEATED = 10  # rows; fewer have wide intervals all the same


class QuestionCount:
    """Counts rows by the kind of their texts, and different questions.

    Attributes:
        kinds: Rows by `KINDS`; there once all are read. Whether a kind matters depends on what is
            known of the judge, so there is no note on them.
    """

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()
        self._questions: set[int] = set()
        self._grouped = False

    def add(self, sample: Sample) -> None:
        """Look at one row."""
        kind = kind_of_texts(sample.question, sample.contexts)
        self.kinds[kind] += 1
        self._grouped = self._grouped or sample.group is not None
        if sample.question and len(self._questions) <= _MANY_QUESTIONS:
            # "Summarize the article" asks of each article something else.
            contexts = () if kind == PASSAGES else sample.contexts
            self._questions.add(hash((sample.question, contexts)))

    def notes(self) -> Iterator[str]:
        """That intervals take for independent what is not, if most questions are repeated."""
        n, rows = len(self._questions), self.kinds.total()
        # One question for all rows is an order about their texts.
        if self._grouped or not 1 < n <= _MANY_QUESTIONS:
            return
        if rows >= max(2 * n, _REPEATED):
            yield (
                f"{rows:,} rows ask {n:,} different questions: answers to one question tell less "
                "than answers to several, so the intervals are too narrow; give rows of one "
                "question the same value in a column 'group'"
            )


# What a judge reads of a sample.
_JUDGED = ("question", "answer", "contexts", "reference", "reference_contexts", "turns")
# No model reads a million tokens at once, of four characters each, or reads them well.
PER_TOKEN = 4
MAX_CHARACTERS = 1_000_000 * PER_TOKEN
# The embedded judge reads so many characters in a second on two cores, several times for some
# metrics: a sample may take a minute at most.
READ_PER_S = 20_000
MAX_LOCAL_CHARACTERS = 60 * READ_PER_S


@dataclass(frozen=True)
class Plan:
    """What a run is going to do."""

    metrics: tuple[Metric, ...]  # what is computed
    route: Route  # who answers which kind of task
    samples: Samples  # the data, read and checked as they are iterated
    settings: Settings  # everything else
    texts: Mapping[str, int]  # rows by the kind of their texts; there once all are read


def plan(
    data: Any,
    metrics: Iterable[str | Metric] | str | Metric,
    judge: Any,
    embedder: Any,
    settings: Settings | None,
) -> Plan:
    """The plan that the arguments of `evaluate` describe. No row is read yet.

    Raises:
        InputError: If metrics, judge or settings cannot be used, or there are no such data.
    """
    settings = chosen(settings)
    resolved = resolve(metrics)
    route = choose(judge, embedder, settings)
    _check(resolved, route, settings)
    mapping, limit, contexts = settings.mapping, settings.limit, settings.contexts
    samples_read = samples(
        read(data, mapping=mapping, limit=limit, contexts=contexts),
        needs={metric.label: metric.needs for metric in resolved},
        skip_invalid=settings.skip_invalid,
        instead={metric.label: metric.instead for metric in resolved},
    )
    samples_read.refusing(_too_long(resolved, route))
    questions = QuestionCount()
    samples_read.watchers += [LanguageCount(resolved, route), RetrievedCount(resolved), questions]
    return Plan(resolved, route, samples_read, settings, questions.kinds)


def _check(metrics: tuple[Metric, ...], route: Route, settings: Settings) -> None:
    """Name every task that the judge cannot do and every missing package, before any call.

    Raises:
        InputError: If there is one.
    """
    problems = [
        Problem(
            f"{metric.label} asks for {kind.kind}, which {route.to(kind.kind).name} cannot do",
            who_can(kind),
            sent="choose a metric that the list of metrics calls available",
        )
        for metric in metrics
        for kind in metric.asks(route.serves)
        if not route.serves(kind)
    ]
    problems += [
        Problem(f"{metric.label} needs {package}", "pip install 'assay[text]'")
        for metric in metrics
        for package in metric.packages
        if find_spec(package) is None
    ]
    if settings.engine == "ray" and find_spec("ray") is None:
        problems.append(Problem("the engine ray needs Ray", "pip install 'assay[ray]'"))
    if problems:
        raise InputError(problems)


def _too_long(metrics: tuple[Metric, ...], route: Route) -> Callable[[Row], list[Problem]]:
    """Names samples that no judge can read, or a judge in this process not in good time."""
    kinds = {kind for metric in metrics for kind in metric.asks(route.serves)}
    judges = [route.to(kind.kind) for kind in kinds]
    local = any(judge.capabilities.local for judge in judges)
    return refuse_too_long(local=local) if judges else lambda _: []


def refuse_too_long(*, local: bool) -> Callable[[Row], list[Problem]]:
    """Names samples that are too long for any judge, or for one in this process."""

    def problems(row: Row) -> list[Problem]:
        length = sum(_length(row.fields.get(name)) for name in _JUDGED)
        if length <= (MAX_LOCAL_CHARACTERS if local else MAX_CHARACTERS):
            return []
        remedy = "give the passages that were retrieved, not whole documents"
        name = max(_JUDGED, key=lambda name: _length(row.fields.get(name)))
        if local:
            would = f"would keep the judge in this process busy for {length / READ_PER_S:,.0f} s"
        else:
            would = f"would be {length / PER_TOKEN / 1e6:,.1f} million tokens for the judge"
        fault = f"the sample has {length / 1e6:,.1f} million characters, which {would}"
        return [Problem(fault, f"{remedy}, or leave the row out", row=row.number, field=name)]

    return problems


def is_long_for_local(sample: Sample) -> bool:
    """Whether a judge in this process refuses to read it."""
    return sum(_length(getattr(sample, name)) for name in _JUDGED) > MAX_LOCAL_CHARACTERS


def _length(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Turn):
        return len(value.text) + _length(value.contexts)
    return sum(map(_length, value)) if isinstance(value, tuple) else 0


def who_can(kind: type[Task[Any]]) -> str:
    """Who could do what the judge cannot."""
    if backend(DEFAULT).identity(kind) is not None:
        return f"let the embedded judge do the rest: --judge JUDGE+{DEFAULT}"
    if issubclass(kind, MeasureLikelihood):
        return (
            f"add one that tells likelihoods: --judge {kind.kind}=gguf:FILE (or openai:MODEL on "
            "vLLM, SGLang or llama-cpp-python)"
        )
    return (
        f"choose another judge (openai:MODEL), or mix: --judge {kind.kind}=JUDGE; "
        "`assay metrics` lists what each metric asks"
    )


def config(metrics: tuple[Metric, ...], route: Route, settings: Settings) -> Mapping[str, Any]:
    """What a run is, beside its samples, in words that outlive the objects.

    Raises:
        InputError: If all that is known of judges is about others than those of the run.
    """
    coalesced = coalesced_metrics(metrics, route) if settings.together else []
    price = settings.budget.price
    quality = _quality(metrics, route, settings.measured)
    leaves = route.backends
    return {
        "judge": route.default.name,
        "routes": {kind: leaf.name for kind, leaf in sorted(route.kinds.items())},
        "local": sorted({leaf.name for leaf in leaves if leaf.capabilities.local}),
        "metrics": {metric.label: signature(metric, route, coalesced) for metric in metrics},
        "price": price.config() if price else None,
        "quality": quality,
        "unmeasured": _unmeasured(metrics, route, quality),
        "embedder": route.identity(Embed),
        "about": {metric.label: _metric_facts(metric, route) for metric in metrics},
    }


def _quality(
    metrics: tuple[Metric, ...], route: Route, measured: Mapping[str, Quality]
) -> dict[str, Any]:
    """How well each metric's scores by these judges tell bad from good, where that is known.

    By its label, and on texts of other kinds by `on_texts` of it.
    """
    by_metric = {metric.label: asked(metric, route) for metric in metrics}
    if measured and not any(_same_judge(name, route) for name in measured):
        judge = measured[min(measured)].judge
        fault = (
            f"the judge card is of another judge, of other prompts or of another version: {judge}"
        )
        raise InputError(fault, "measure this one: assay bench --judge JUDGE --out card.json")
    known = {
        on_texts(label, kind): measured.get(on_texts(name, kind))
        or _quality_of_metric(label, kind, route)
        for label, name in by_metric.items()
        for kind in KINDS
    }
    return {label: msgspec.to_builtins(quality) for label, quality in known.items() if quality}


def texts_of(run: Run) -> Mapping[str, int]:
    """Samples of a run by the kind of their texts."""
    return run.config.get("texts") or {PASSAGES: run.n_samples}


def quality_of(run: Run, kind: str = "") -> Mapping[str, Any]:
    """How well a metric's scores, by its label, tell bad from good, where that was measured.

    On texts of this kind, or of the one that most samples have; where that was not measured, on
    answers from passages.
    """
    kind = kind or max(texts_of(run), key=lambda kind: texts_of(run)[kind])
    known = run.config.get("quality", {})
    best = {label: known.get(on_texts(label, kind), known.get(label)) for label in run.metrics}
    return {label: quality for label, quality in best.items() if quality}


def trust_in(run: Run, label: str) -> dict[str, Any]:
    """What is measured of a metric's judge, as plain values; `quality_on` has each kind of text."""
    on = {kind: quality_of(run, kind).get(label) for kind in texts_of(run)}
    return {"quality": quality_of(run).get(label), "quality_on": on}


def unmeasured_judges(run: Run) -> list[str]:
    """The judges of whose agreement with people nothing is known."""
    measured = {quality["judge"] for quality in quality_of(run).values()}
    return [name for name in run.config.get("unmeasured", ()) if name not in measured]


def _same_judge(name: str, route: Route) -> bool:
    """Whether those who were measured are asked by this run, for the same kinds of task."""
    _, *tasks = name.split("|")
    return tasks == [_judge_name(route, TASKS[task.partition("=")[0]]) for task in tasks]


def _quality_of_metric(label: str, kind: str, route: Route) -> Quality | None:
    """What a judge says of its own scores; None where another one judges as well."""
    metric = METRICS.get(label)
    judges = {route.to(kind.kind) for kind in metric().asks(route.serves)} if metric else set()
    if len(judges) != 1:
        return None
    quality = judges.pop().quality(on_texts(label, kind))
    return quality if isinstance(quality, Quality) else None


def _unmeasured(metrics: tuple[Metric, ...], route: Route, quality: Mapping[str, Any]) -> list[str]:
    """The judges of none of whose scores it is known how often they are wrong."""
    known: dict[str, bool] = {}
    for metric in metrics:
        for kind in metric.asks(route.serves):
            if kind not in (Embed, EmbedTokens):
                server = route.to(kind.kind)
                measured = metric.label in quality or server.capabilities.has_card
                known[server.name] = known.get(server.name, False) or measured
    return [name for name, measured in known.items() if not measured]


def asked(metric: Metric, route: Backend) -> str:
    """A metric and whom it asks for what, in one line; embeddings do not count as asking."""
    kinds = metric.asks(lambda kind: route.identity(kind) is not None)
    tasks = [_judge_name(route, kind) for kind in kinds if kind not in (Embed, EmbedTokens)]
    return "|".join([metric.label, *tasks])


def _judge_name(route: Backend, kind: type[Task[Any]]) -> str:
    return f"{kind.kind}={route.identity(kind)}"


def _metric_facts(metric: Metric, route: Route) -> Mapping[str, Any]:
    """What a reader of the scores needs to know of a metric, one of the user's own included."""
    doc = (type(metric).__doc__ or "").strip().partition("\n")[0]
    return {
        "doc": doc,
        "letters": _letters(metric, doc),
        "source": metric.source,
        "range": metric.ends(),
        "higher_is_better": metric.higher_is_better,
        "guide": metric.guide,
        "unit": metric.unit,
        "cosine": Embed in metric.asks(route.serves),
        "compares": "other_answer" in metric.needs,
    }


def _letters(metric: Metric, doc: str) -> str:
    """The values of the letters in its name and in the line that defines it: ``k = 5``."""
    words = set(re.findall("[a-z]+", f"{metric.name.replace('_', ' ')} {doc}"))
    letters = [field.name for field in fields(metric) if len(field.name) == 1]
    return ", ".join(f"{name} = {getattr(metric, name)}" for name in letters if name in words)


def signature(metric: Metric, route: Route, coalesced: Sequence[str] = ()) -> str:
    """All that could change a metric's number, in one line: two that are equal are comparable.

    Args:
        metric: The metric.
        route: Who judges.
        coalesced: Metrics that check statements in one call.
    """
    tasks = [_judge_name(route, kind) for kind in metric.asks(route.serves)]
    # A metric of the user's own has no version but its code.
    own_parts = [] if is_shipped(metric) else [f"code={class_digest(type(metric))}"]
    if metric.label in coalesced:
        tasks.append(f"together={'+'.join(coalesced)}")
    if metric.revision > 1:
        own_parts.append(f"revision={metric.revision}")
    return "|".join([metric.label, *tasks, *own_parts, f"assay={__version__}"])
