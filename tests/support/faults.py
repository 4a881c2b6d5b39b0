"""What goes wrong with a request to the scripted server? The same for the same request."""

import hashlib
import time
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Faults:
    """What goes wrong. Shares are of all requests, 0 to 1.

    Attributes:
        latency_s: Seconds a reply takes.
        jitter: Share of the latency by which it varies up or down.
        share_slow: Replies that take `slow_s` instead.
        slow_s: Seconds that a slow reply takes.
        share_429: Refused as too many, with `retry_after_s` in the header if it is set.
        retry_after_s: Seconds to wait that a 429 names.
        remaining_0_for_s: Every reply says that no request is left for so many seconds.
        share_500: Failed with status 500.
        share_cut: Bodies that end in the middle of the HTTP message.
        share_malformed: Replies cut short, so that their JSON cannot be read.
        share_missing_verdict: Replies that lack the last verdict.
        share_surplus_verdict: Replies with a verdict for an id that does not exist.
        share_fenced: Replies in a code fence, with a sentence before it.
        share_think: Replies behind a <think> block that holds other JSON.
        share_hang: Requests that are never answered.
        hang_on: Numbers of the requests (from 1) that are never answered.
        reject: Request fields, or forms ("json_schema", "json_object"), refused with status 400.
        deny: Every key is refused (401).
        quota: The quota is used up (429 with the code insufficient_quota).
        no_usage: Replies do not count tokens.
        seed: Another seed, other requests that fail.
    """

    latency_s: float = 0.0
    jitter: float = 0.0
    share_slow: float = 0.0
    slow_s: float = 1.0
    share_429: float = 0.0
    retry_after_s: float | None = None
    remaining_0_for_s: float = 0.0
    share_500: float = 0.0
    share_cut: float = 0.0
    share_malformed: float = 0.0
    share_missing_verdict: float = 0.0
    share_surplus_verdict: float = 0.0
    share_fenced: float = 0.0
    share_think: float = 0.0
    share_hang: float = 0.0
    hang_on: tuple[int, ...] = ()
    reject: tuple[str, ...] = ()
    deny: bool = False
    quota: bool = False
    no_usage: bool = False
    seed: int = 0


@dataclass(frozen=True)
class Call:
    """One request as it was served.

    Attributes:
        number: 1 for the first.
        kind: Kind of the task, "embed" for embeddings.
        status: HTTP status of the reply, 0 if there was none.
        attempt: 1 for the first request with this content.
        body: The request.
        headers: Its headers, names in lower case.
        at: When it had been served, on a monotonic clock.
    """

    number: int
    kind: str
    status: int
    attempt: int
    body: dict[str, Any]
    headers: dict[str, str]
    at: float = field(default_factory=time.monotonic)


class Luck:
    """Fair dice for one request: what they show depends on its content and attempt only."""

    def __init__(self, seed: int, content: str, attempt: int) -> None:
        self._of = f"{seed} {content} {attempt} "

    def roll(self, what: str) -> float:
        """A number from 0 to 1, another for every `what`."""
        digest = hashlib.blake2b((self._of + what).encode(), digest_size=8).digest()
        return int.from_bytes(digest) / 2**64

    def strikes(self, what: str, share: float) -> bool:
        """Whether this request is one of the share that `what` befalls."""
        return share > 0 and self.roll(what) < share
