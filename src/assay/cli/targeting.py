"""Which system do --target and its companions name, and how is it to be asked?"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from assay.cli import alone
from assay.cli.numbers import POSITIVE
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.runner.settings import Settings
    from assay.target import Asking
    from assay.target.system import System

F = TypeVar("F", bound=Callable[..., Any])

_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))", re.ASCII)
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # what HTTP lets a header be called

_COUNT = click.IntRange(min=1)
_OPTIONS = (
    click.option(
        "--target",
        metavar="URL|MODULE:FUNCTION|FILE.py:FUNCTION",
        help=(
            "Send the questions of DATA to this system first and evaluate its answers. Answers are "
            "stored, so the same command does not ask again."
        ),
    ),
    click.option(
        "--target-body",
        metavar="JSON",
        help="""Body of the request to a URL; default '{"question": "{question}"}'.""",
    ),
    click.option(
        "--target-header",
        "target_headers",
        multiple=True,
        metavar="NAME:VALUE",
        help="Request header; $NAME is read from the environment. Never stored. Repeatable.",
    ),
    click.option(
        "--target-reply",
        "target_replies",
        multiple=True,
        metavar="FIELD=PATH",
        help="Path of a field in its replies, if not its own name: answer=data.text. Repeatable.",
    ),
    click.option(
        "--target-version",
        default="",
        metavar="NAME",
        help="Version of the system; a new version is asked again.",
    ),
    click.option(
        "--target-concurrency",
        type=_COUNT,
        default=8,
        show_default=True,
        metavar="N",
        help="Maximum number of concurrent questions.",
    ),
    click.option(
        "--target-timeout",
        type=POSITIVE,
        default=120.0,
        show_default=True,
        metavar="SECONDS",
        help="Time limit for one answer.",
    ),
    click.option(
        "--target-retries",
        type=click.IntRange(min=0),
        default=2,
        show_default=True,
        metavar="N",
        help="How often to retry a question that got no reply.",
    ),
    click.option(
        "--target-rpm",
        type=POSITIVE,
        metavar="N",
        help="At most N questions a minute.",
    ),
    click.option(
        "--draws",
        type=_COUNT,
        default=1,
        show_default=True,
        metavar="N",
        help="Ask each question N times, for consistency metrics.",
    ),
)
_ALONE = (
    *("target_body", "target_headers", "target_replies", "target_version", "draws"),
    *("target_concurrency", "target_timeout", "target_retries", "target_rpm"),
)


def options(command: F) -> F:
    """The options that say which system is asked."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class Target:
    """A system and how it is asked."""

    system: "System"
    asking: "Asking"


def target(given: Mapping[str, Any], settings: "Settings") -> Target | None:
    """The system that the options name, None if they name none.

    Raises:
        InputError: If they cannot be understood.
    """
    if given["target"] is None:
        alone.refuse("needs a target, and none is given", "add --target URL", *_ALONE)
        return None
    from assay.cli.values import look_here
    from assay.middleware.limiter import Limits
    from assay.target import Asking, system
    from assay.target.system import Body

    look_here()
    body = Body.parse(given["target_body"]) if given["target_body"] else None
    headers = _headers(given["target_headers"])
    found = system(given["target"], version=given["target_version"], body=body, headers=headers)
    limits = Limits(
        concurrency=given["target_concurrency"],
        timeout=given["target_timeout"],
        retries=given["target_retries"],
        requests_per_minute=given["target_rpm"],
    )
    asking = Asking(
        draws=given["draws"],
        limits=limits,
        reply=_paths(given["target_replies"]),
        mapping=settings.mapping,
        limit=settings.limit,
        contexts=settings.contexts,
        skip_invalid=settings.skip_invalid,
    )
    return Target(found, asking)


def _headers(texts: Iterable[str]) -> dict[str, str]:
    found = {}
    for text in texts:
        name, colon, value = text.partition(":")
        if not colon or not _HEADER.fullmatch(name.strip()):
            # Whatever stands there may be a secret: nothing of it is shown.
            what = "a --target-header is not NAME:VALUE, or NAME is no valid header name"
            raise InputError(what, "such as X-Key:$KEY")
        name, value = name.strip(), _filled(name.strip(), value.strip())
        if not value.isprintable():
            raise InputError(f"--target-header '{name}' is not NAME:VALUE", "such as X-Key:$KEY")
        found[name] = value
    return found


def _filled(header: str, value: str) -> str:
    """The header's value with the environment's variables in it."""
    for braced, bare in _VARIABLE.findall(value):
        if (variable := braced or bare) not in os.environ:
            what = f"--target-header '{header}' takes ${variable}, which is not set"
            raise InputError(what, f"set it: export {variable}=...")
    return os.path.expandvars(value)


def _paths(texts: Iterable[str]) -> dict[str, str]:
    found = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals or not path.strip():
            what = f"--target-reply '{text}' is not FIELD=PATH"
            raise InputError(what, "such as --target-reply answer=data.text")
        found[name.strip()] = path.strip()
    return found
