"""The settings of a run, beside data, metrics and judge."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from os import PathLike
from typing import Any, Literal, TypeAlias, get_args

from assay._middleware.budget import Budget
from assay._middleware.cache import SharedLimits
from assay._runner.progress import Progress
from assay._store.runs import Description, Value
from assay.data import passages
from assay.errors import InputError
from assay.judge import Limits, Reasons
from assay.judges.embedded.card import Quality
from assay.prompt import Template

Engine: TypeAlias = Literal["local", "ray"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a run reads its data and asks its judge.

    Attributes:
        mapping: Column of the data by field of the sample, where it is not found by itself.
        limit: Take only the first rows.
        contexts: What becomes of contexts that are one text: "auto" splits them where the first
            rows show that passages were joined, and says so; "whole" never does; "numbered" splits
            at numbers and labels; anything else is the text between passages.
        skip_invalid: Leave invalid rows out and write them to this file, instead of stopping.
        prompts: Templates that replace the built-in ones, by kind of task.
        reasons: Which verdicts on statements a language model gives a reason for: "failures" (those
            on what is not supported), "none", or "all", each with a quote: longer replies.
            Where it gives no quote, the sentence that shares most words is shown.
        tries: Draws that an unreadable or incomplete reply is worth in all.
        together: Whether metrics of a sample that split texts, or check statements against the same
            contexts, ask in one call (of a language model): a third of the calls and of the tokens
            less, but what one metric finds may depend on which others are computed with it; the
            signatures say so.
        concurrency: Most calls at the same time to each backend, short for the same of `limits`,
            before which it goes.
        limits: Concurrent calls, rates, time-out and retries of each backend.
        budget: What this start of the run may spend on the judge, and what tokens cost.
        engine: Where judges compute: "local" in this process, "ray" on the workers of a Ray
            cluster. The scores are the same.
        workers: How many workers; None for as many as the cluster has room for.
        cores: Cores of each worker whose judge computes by itself.
        probe: Whether to ask the fixed probes that tell when the model behind a judge's name has
            changed; None to ask them where it costs little (`assay._runner.probes.LEAST_SCORES`).
        measured: How well metrics by this judge tell bad from good, as measured on labelled sets;
            reports print it beside the scores (`quality` of `assay.bench.card.read(FILE)`).
        name: What the run is called: reports show it, and commands take it in the place of its id.
        tags: What the run is one of: "nightly", "release".
        note: What is to be known of the run, in words.
        params: What was set of the system that is evaluated: {"k": 5}; `assay history --by k` shows
            the scores by it. Like name, tags and note it changes neither scores nor signatures.
        on_progress: Called after every score and about twice a second.
    """

    mapping: Mapping[str, str] = field(default_factory=dict)
    limit: int | None = None
    contexts: str = passages.AUTO
    skip_invalid: str | PathLike[str] | None = None
    prompts: Mapping[str, Template] = field(default_factory=dict)
    reasons: Reasons = "failures"
    tries: int = 3
    together: bool = True
    concurrency: int | None = None
    limits: Limits = field(default_factory=Limits)
    budget: Budget = field(default_factory=Budget)
    engine: Engine = "local"
    workers: int | None = None
    cores: int = 1
    probe: bool | None = None
    measured: Mapping[str, Quality] = field(default_factory=dict)
    name: str = ""
    tags: Sequence[str] = ()
    note: str = ""
    params: Mapping[str, Value] = field(default_factory=dict)
    on_progress: Callable[[Progress], None] | None = None
    # What this run shares with others, before it or at the same time: limits, and what is spent.
    _shared: SharedLimits | None = None
    # The command that was given, without what may be secret: kept with the run, to be given again.
    _command: str = ""

    def __post_init__(self) -> None:
        for name in ("limit", "tries", "concurrency", "workers", "cores"):
            _check_whole(name, getattr(self, name))
        passages.check(self.contexts)
        setting: Any = self.skip_invalid
        if setting is not None and not isinstance(setting, str | PathLike):
            raise InputError(f"skip_invalid is {setting!r}", "name the file that takes such rows")
        setting = self.on_progress
        if setting is not None and not callable(setting):
            remedy = "give a function of one argument, how far the run is, or None"
            raise InputError(f"on_progress is {setting!r}", remedy)
        if self.concurrency is not None:
            changed = replace(self.limits, concurrency=self.concurrency)
            object.__setattr__(self, "limits", changed)
        _check_choice("engine", self.engine, get_args(Engine))
        _check_choice("reasons", self.reasons, get_args(Reasons))
        if self.tries < 1:
            raise InputError(f"tries is {self.tries}", "give 1 or more")
        for name in ("workers", "cores"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{name} is {value}", "give 1 or more")
        _ = self.description  # which raises

    @property
    def description(self) -> Description:
        """Name, tags, note and parameters of the run."""
        return Description(self.name, self.tags, self.note, self.params)


def _check_whole(name: str, value: Any) -> None:
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if value is not None and not is_whole:
        raise InputError(f"{name} is {value!r}", "give a whole number")


def _check_choice(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise InputError(f"{name} is '{value}'", f"one of {', '.join(known)}")


def shared_limits(settings: Settings) -> SharedLimits:
    """Limits and budget of a run, which it may share with others."""
    return settings._shared or SharedLimits()  # noqa: SLF001 - internal, and so not public


def chosen(settings: Settings | None) -> Settings:
    """The settings that were given, or those that hold where none were.

    Raises:
        InputError: If something else was given.
    """
    value: Any = Settings() if settings is None else settings
    if not isinstance(value, Settings):
        raise InputError(f"settings is {value!r}", "such as settings=assay.Settings(limit=20)")
    return value
