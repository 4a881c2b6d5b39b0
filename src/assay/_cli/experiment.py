"""What `assay sweep`, `assay robustness` and `assay watch` share: options, groups, a request."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import click

from assay._cli import options
from assay._runner.settings import Engine

F = TypeVar("F", bound=Callable[..., Any])

HOW_ASKED: Final = (
    *("target_body", "target_headers", "target_replies", "target_version"),
    *("target_concurrency", "target_timeout", "target_retries", "target_rpm", "draws"),
)
JUDGES: Final = (
    *("judges", "embedder", "base_url", "api_key", "timeout", "window"),
    *("prompts", "reasons", "together"),
)
PACE: Final = ("concurrency", "rpm", "tpm", "retries")
_READ: Final = ("maps", "contexts", "limit", "skip_invalid")


def groups(
    *varied: str,
    comes_out: Sequence[str],
    costs: Sequence[str] = (),
    pace: Sequence[str] = (),
) -> Mapping[str, Sequence[str]]:
    """The headings of an experiment's help, each with its options.

    Args:
        varied: What is varied, and scored.
        comes_out: What comes out.
        costs: What the judge may cost, if that can be said.
        pace: What else sets the pace.
    """
    return {
        "What is varied, and scored": ("target", *varied, "metrics", *_READ),
        "Who judges": JUDGES,
        "How the system is asked": HOW_ASKED,
        **({"What it may cost": costs} if costs else {}),
        "Pace": (*pace, *PACE),
        "What the runs are called": ("name", "tags", "note", "params"),
        "What comes out": comes_out,
    }


@dataclass(frozen=True, kw_only=True)
class ExperimentRequest(options.RunRequest):
    """What an experiment is asked for: a system that answers in several ways, in one process."""

    level: float
    judge_cards: tuple[str, ...] = ()
    engine: Engine = "local"
    workers: int | None = None
    worker_cores: int = 1
    probe: bool | None = None
    no_progress: bool = True


def metrics(*, required: bool) -> Callable[[F], F]:
    """The metrics, named as for `assay run`."""
    return click.option(
        "-m",
        "--metric",
        "metrics",
        multiple=True,
        required=required,
        metavar="METRIC",
        help="What to compute, as for `assay run`: repeatable or separated by commas.",
    )


# How the judge is asked, and how fast.
judging = options.all_of(
    options.prompts,
    options.reasons,
    options.concurrency,
    options.together,
    options.retries,
    options.rpm,
    options.tpm,
)
# Names of the runs, and how data and judge are read.
runs = options.all_of(
    options.description,
    options.store,
    options.maps,
    options.contexts,
    options.limit,
    options.skip_invalid,
    judging,
)
