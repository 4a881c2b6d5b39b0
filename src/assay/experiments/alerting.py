"""Where alerts go: a file, and a webhook."""

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp

from assay._runner.event_loop import run_to_completion
from assay._store import Store
from assay._store.scores import StoredAlert
from assay._text.sanitize import redacted, remember
from assay.errors import InputError

FILE, WEBHOOK = "file", "webhook"
_TRIES: Final = 3
_TIMEOUT_S: Final = 10.0
_OK = range(200, 300)


@dataclass(frozen=True, kw_only=True)
class Channels:
    """Where alerts are sent.

    Attributes:
        file: A file that takes a line of JSON for each; "" for none.
        webhook: A URL that each is posted to as JSON; "" for none.
        pause: Seconds before the second try, twice as many before the third.
    """

    file: str = ""
    webhook: str = ""
    pause: float = 1.0

    def __post_init__(self) -> None:
        if not self.webhook:
            return
        remember(self.webhook, urlsplit(self.webhook).path.strip("/"))  # it often holds a key
        parts = urlsplit(self.webhook)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError("the webhook is no http(s) address", "such as https://host/path")

    @property
    def names(self) -> tuple[str, ...]:
        """Those that are set."""
        return tuple(name for name in (FILE, WEBHOOK) if getattr(self, name))


def deliver(store: str | Path, watch: str, channels: Channels) -> list[str]:
    """Send what was told and has not arrived; why something has not, in words.

    What does not arrive stays in the store and is sent with the next call. A file gets each alert
    once. A webhook may get one twice if the process is killed while it is answered: its header
    Idempotency-Key is then the same.
    """
    problems: dict[str, None] = {}
    with Store(store) as opened:
        for alert in opened.alerts.of(watch):
            for name in channels.names:
                if name not in alert.pending:
                    continue
                problem = _send(name, alert, channels)
                if problem:
                    problems[problem] = None
                else:
                    opened.alerts.sent(alert, name)
    return list(problems)


def _send(name: str, alert: StoredAlert, channels: Channels) -> str:
    """Send an alert; why it has not arrived, "" if it has."""
    key = f"{alert.watch}/{alert.look}/{alert.stream}"
    text = redacted(json.dumps({"id": key, **alert.body}, ensure_ascii=False))
    if name == FILE:
        return _append(Path(channels.file), key, text)
    return run_to_completion(_post(channels, key, text))


def _append(file: Path, key: str, text: str) -> str:
    try:
        with file.open("a+b") as opened:
            opened.seek(0)
            lines = opened.read().split(b"\n")
            if any(_id(line) == key for line in lines[:-1]):
                return ""
            torn = b"\n" if lines[-1] else b""  # of a process that was killed while it wrote
            opened.write(torn + text.encode() + b"\n")
            opened.flush()
            os.fsync(opened.fileno())
    except OSError as error:
        return f"an alert cannot be written to '{file}': {error.strerror}"
    return ""


def _id(line: bytes) -> str:
    try:
        read: Any = json.loads(line)
    except ValueError:
        return ""
    return str(read.get("id")) if isinstance(read, Mapping) else ""


async def _post(channels: Channels, key: str, text: str) -> str:
    headers = {"Content-Type": "application/json", "Idempotency-Key": redacted(key)}
    timeout = aiohttp.ClientTimeout(total=_TIMEOUT_S)
    why = ""
    async with aiohttp.ClientSession(timeout=timeout) as session:
        for attempt in range(_TRIES):
            if attempt:
                await asyncio.sleep(channels.pause * 2 ** (attempt - 1))
            try:
                async with session.post(
                    channels.webhook, data=text.encode(), headers=headers, allow_redirects=False
                ) as response:
                    if response.status in _OK:
                        return ""
                    why = f"it answered {response.status}"
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                why = type(error).__name__
    host = urlsplit(channels.webhook).hostname
    return f"an alert did not reach the webhook at {host} ({why}); it is kept, and sent next time"
