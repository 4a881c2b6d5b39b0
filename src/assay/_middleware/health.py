"""What failed calls tell: when one is retried, when all pause, and when a server is given up."""

import math
from collections import deque
from dataclasses import dataclass
from typing import TypeGuard

from assay._middleware.concurrency import AimdLimit, Call
from assay.errors import Denied, TimedOut, Unavailable
from assay.judge import Limits

# A call that timed out was maybe paid for, and most likely hangs again.
TIMEOUT_RETRIES = 1
# ... of a call that waited behind others: each time half as many are on their way.
CROWDED_RETRIES = 8
# A call that is refused while others are served is made again this many times as often as usual.
UNLUCKY = 10
# A call that fails by chance hardly does so again after so many retries.
HURRIED = 2


@dataclass(frozen=True, slots=True)
class Sent:
    """A call that was sent."""

    number: int  # how many were sent before it
    at: float  # when; all times are of one clock


@dataclass
class Attempts:
    """The tries of a call that brought nothing."""

    counted: int = 0  # those that count against the retries
    timeouts: int = 0  # those that took too long
    crowded: int = 0  # those that took too long as they waited behind others
    # Those that say nothing of the call: nobody was served, or others were meanwhile.
    refused: int = 0

    @property
    def hurries(self) -> bool:
        """Whether the next one goes before calls that wait for their first.

        What keeps on failing does not: it would take the turns of all others, and soon be given up.
        Nor does what got no reply in time: a server that hangs has to be told by other calls.
        """
        return not self.late and 0 < self.counted + self.refused <= HURRIED

    @property
    def late(self) -> int:
        """All that took too long."""
        return self.timeouts + self.crowded

    def record(self, error: Unavailable, *, unlucky: bool) -> None:
        """Take note of one; `unlucky` if it says nothing of this call."""
        waited = False
        if unlucky:
            self.refused += 1
        elif isinstance(error, TimedOut):
            waited = error.crowded and self.crowded < CROWDED_RETRIES
            self.timeouts += not waited
            self.crowded += waited
        self.counted += not (unlucky or waited)

    def exhausted(self, retries: int) -> bool:
        """Whether no further one is to be made."""
        late = self.timeouts > TIMEOUT_RETRIES
        return late or self.counted > retries or self.refused > UNLUCKY * retries


def hung(error: Unavailable) -> TypeGuard[TimedOut]:
    """Whether it took too long to answer, and not to be reached."""
    return isinstance(error, TimedOut) and not error.unreached


# A pause that brought nothing is followed by one so many times as long. With the usual limits
# (half a second at first, five times again) they are a minute together, and so are most limits.
GROWTH = 3.0
LONGEST_S = 60.0


class Pauses:
    """Pauses that all calls make while nobody is served.

    Each is as long as the server asks for; where it does not say, longer than the one before. All
    times are of one clock.

    Args:
        first: Seconds of the first.
        max_pauses: How many in a row.
        max_losses: Refusals in a row without a pause after that, before all begins anew.
    """

    def __init__(self, first: float, max_pauses: int, max_losses: int) -> None:
        self._max_pauses, self._max_losses = max_pauses, max_losses
        self._seconds = [min(LONGEST_S, first * GROWTH**n) for n in range(max_pauses)]
        self._row: list[float] = []
        self._advised = 0.0

    @property
    def fruitless(self) -> int:
        """Refusals in a row; those of calls that were on their way together count once."""
        return len(self._row)

    @property
    def since(self) -> float:
        """When the first of them came."""
        return self._row[0] if self._row else math.inf

    @property
    def until(self) -> float:
        """When the pause ends that the last of them began."""
        if not self._row or self.exhausted:
            return -math.inf
        seconds = self._seconds[min(self.fruitless, self._max_pauses) - 1]
        return self._row[-1] + (self._advised or seconds)

    @property
    def exhausted(self) -> bool:
        """Whether there are no more: so many were made, for as long as they take by themselves."""
        waited = self.fruitless > 0 and self._row[-1] - self._row[0] >= sum(self._seconds)
        return self.fruitless > self._max_pauses and waited

    @property
    def given_up(self) -> bool:
        """Whether refusals went on after the last of them."""
        return self.exhausted and self.fruitless >= self._max_pauses + self._max_losses

    def refused(self, sent: float, now: float, advised: float = 0.0) -> bool:
        """Take note of a refusal of a call that was sent at `sent`, and the seconds it names.

        Returns:
            Whether it comes after those in the row, and begins a pause.
        """
        if self._row and sent < self._row[-1]:
            self._advised = max(self._advised, advised)
            return False
        if self.given_up:
            self._row.clear()
        self._row.append(now)
        self._advised = advised
        return True

    def replied(self, sent: float) -> None:
        """Take note of a reply to a call that was sent at `sent`."""
        self._row = [time for time in self._row if time > sent]


# Refusals tell of all calls where they befell three in four of those sent last, up to the last one
# refused. One on its way counts as taken: a server is quicker to refuse than to answer.
NEARLY_ALL = 3 / 4
# So many refusals, or as many as may be on their way, are no bad luck of theirs: where one in five
# calls is refused by chance, that befalls one run in a thousand.
ENOUGH = 12
# With few on their way a pause costs little, and so many are enough; after a pause they always are.
STILL = 3


class Losses:
    """Which of the last calls sent brought nothing."""

    def __init__(self) -> None:
        self._numbers: deque[int] = deque(maxlen=2 * ENOUGH)
        self._since = 0  # number of the first call sent after the last pause

    def forget(self, sent: int) -> None:
        """Look at calls from this number on only."""
        self._numbers.clear()
        self._since = sent

    def add(self, number: int) -> bool:
        """Take note that the call with this number was lost; whether that is news."""
        if number < self._since:  # it was on its way when all began to pause
            return False
        self._numbers.append(number)
        return True

    def of_all(self, minimum: int) -> bool:
        """Whether nearly all calls up to the last one lost were, and so many at least."""
        if len(self._numbers) < minimum:
            return False
        last = max(self._numbers)
        first = max(self._since, last + 1 - round(minimum / NEARLY_ALL))
        n_lost = sum(n >= first for n in self._numbers)
        return n_lost >= max(minimum, (last + 1 - first) * NEARLY_ALL)


# So many calls in a row without a reply, and none with one: there is nobody there.
HOPELESS = 8
# So many calls lost since the last reply, or as many as there may be, are no bad luck of theirs if
# they are nearly all that were sent.
SILENT = 5
# A server that answers one call after the other and was sent too many brings nothing for up to two
# and a half time-outs, while they become fewer.
STALLED = 3
# Of so many calls it is told how many met which trouble, from such a share on.
LATELY, WORTH_TELLING = 100, 0.005
GOES_ON = "run the same command later: it goes on from there"
# Nobody was ever reached for so many seconds: there is nobody there. Two connections that nobody
# takes or refuses are given up in that time, one after the other.
ABSENT_S = 30.0


class Health:
    """What the ends of all calls to a server tell of it. All times are of one clock.

    Args:
        name: What messages call the server.
        pace: How many calls may be on their way at once.
        limits: How long a call may take, and how often and how long all calls pause.
    """

    def __init__(self, name: str, pace: AimdLimit, limits: Limits) -> None:
        self._name, self._pace = name, pace
        self._patience = limits.patience
        self._silence = LONGEST_S + STALLED * limits.timeout
        self._pauses = Pauses(limits.backoff, limits.retries, HOPELESS)
        self._refusals, self._failures = Losses(), Losses()
        self._sent = 0
        self._absence = Unreachable()
        self._answered_at = -math.inf
        self._given_up = 0  # calls, before anybody answered
        self._unserved: set[int] = set()  # calls lost since the last reply
        self._unanswered = 0  # calls that were sent since the last reply, and hung
        self._troubles = Troubles()

    @property
    def paused_until(self) -> float:
        """When calls may go on: nobody is served for now."""
        return self._pauses.until

    def trouble(self, now: float) -> str:
        """What goes wrong of late, in words; "" if nothing does."""
        if self._pauses.fruitless and not self._troubles.is_absent:
            wait_s = max(0.0, self._pauses.until - now)
            retry = f", asked again in {wait_s:.0f} s" if wait_s >= 1 else ""
            return f"refuses every call for {now - self._pauses.since:.0f} s{retry}"
        return self._troubles.words(now)

    def sent(self, now: float) -> Sent:
        """Take note of a call that is sent now."""
        self._sent += 1
        return Sent(self._sent - 1, now)

    def replied(self, sent: Sent, now: float) -> None:
        """Take note of a reply to a call."""
        self._absence.reached()
        self._troubles.add("")
        self._unserved.clear()
        self._answered_at, self._unanswered = now, 0
        self._pauses.replied(sent.at)

    def failed(
        self, error: Unavailable, call: Call, sent: Sent, now: float, *, again: bool
    ) -> None:
        """Take note of a call that brought nothing; `again` if it had taken too long before."""
        self._absence.record(error, sent.at)
        self._troubles.add(_trouble_name(error), sent.at)
        if hung(error):
            self._unanswered += not again and sent.at > self._answered_at
        elif error.permanent:
            self._unserved.clear()
        elif not error.throttled:
            self._unserved.add(id(call))
            self._failures.add(sent.number)
        if error.throttled and self._refusals.add(sent.number):
            self._pace.refused()
        if self._is_gone(error) or (error.throttled and self._refuses_all()):
            advised = min(error.retry_after or 0.0, self._patience)
            begun = self._pauses.refused(sent.at, now, advised)
            if begun and error.throttled and self._pauses.fruitless > 1:
                self._pace.paused()
            self._refusals.forget(self._sent)

    def unreachable(self, now: float) -> Unavailable | None:
        """How the last call failed, if nobody was ever there; else None."""
        return self._absence.verdict(now)

    def is_down(self, error: Unavailable) -> bool:
        """Whether it serves nobody for now: it refuses them all, or is gone.

        It is asked too much, or was there before and is not now: it may be starting anew.
        """
        return (error.throttled and self._pauses.fruitless > 0) or self._is_gone(error)

    def has_replied_since(self, at: float) -> bool:
        """Whether anybody was served since then."""
        return self._answered_at > at

    def is_hopeless(self, error: Unavailable, now: float) -> bool:
        """Whether it would serve nobody any more, so that no call is worth another try."""
        fruitless = self.is_down(error) and self._pauses.exhausted
        return fruitless or self._is_silent(error, now) or self._absence.verdict(now) is not None

    def _is_gone(self, error: Unavailable) -> bool:
        is_lost = not (error.throttled or error.permanent or error.retry_after or hung(error))
        enough = max(2, min(SILENT, self._pace.allowed))
        # Failing is quicker than answering: of 64 calls sent at once the few that fail come first.
        no_chance = len(self._unserved) >= enough and self._failures.of_all(enough)
        return is_lost and self._answered and no_chance

    def _refuses_all(self) -> bool:
        """Whether it refuses all calls for now."""
        allowed = self._pace.allowed
        still = min(STILL, allowed)
        minimum = still if self._pauses.fruitless else max(STILL, min(ENOUGH, allowed))
        return self._refusals.of_all(minimum)

    def given_up(self, error: Unavailable, now: float) -> Denied | None:
        """Take note of a call that is given up; why all others are to be, too, if they are."""
        wait = error.retry_after or 0.0
        if self.is_down(error) and wait > self._patience:
            fault = f"{self._name} refuses every call and asks to wait {wait:,.0f} s"
            return _denial(fault, error, GOES_ON)
        refused = self.is_down(error) and self._pauses.given_up
        if refused or self._is_silent(error, now):
            behaviour = "refused every call" if error.throttled else "answered no call"
            since = self._pauses.since if refused else self._answered_at
            fault = f"{self._name} has {behaviour} for {now - since:.0f} s"
            return _denial(fault, error, GOES_ON)
        if self._answered or error.throttled or error.permanent:
            return None
        self._given_up += 1
        absent = self._absence.verdict(now) is not None
        if self._given_up < HOPELESS and not absent:
            return None
        return self._never_answered(error, now, absent=absent)

    def _never_answered(self, error: Unavailable, now: float, *, absent: bool) -> Denied:
        calls = f"{self._given_up} calls"
        if hung(error):
            fault = f"{calls} to {self._name} took too long"
            remedy = "raise --timeout, or lower --concurrency"
        elif error.cost is None:
            always = f"every call failed for {now - self._absence.since:.0f} s"
            fault = f"cannot reach {self._name}: {always if absent else f'{calls} brought nothing'}"
            remedy = "check that the server runs and that the address is right"
        else:  # somebody is there and answers
            fault = f"{calls} to {self._name} brought nothing usable"
            remedy = "check the model, and that this address serves what is asked of it"
        return _denial(fault, error, remedy)

    @property
    def _answered(self) -> bool:
        return self._answered_at > -math.inf

    def _is_silent(self, error: Unavailable, now: float) -> bool:
        """Whether all hang since the last reply: for a minute, and for several time-outs.

        Calls that were on their way with that reply prove nothing: they may be those that always
        take too long, left over at the end.
        """
        heard_nothing = now - self._answered_at >= self._silence
        return self._answered and hung(error) and heard_nothing and self._unanswered >= HOPELESS


REFUSES, FAILS, LATE, ABSENT = "refuses", "fails at", "is too slow for", "is not reached by"


def _trouble_name(error: Unavailable) -> str:
    """What the trouble with a call is called."""
    if error.throttled:
        return REFUSES
    if error.unreached:
        return ABSENT
    return LATE if hung(error) else FAILS


class Troubles:
    """Which share of the calls met which trouble of late.

    Attributes:
        is_absent: Whether the last call found nobody.
    """

    def __init__(self) -> None:
        self.is_absent = False
        self._shares: dict[str, float] = {}
        self._n = 0
        self._absent_since = math.inf

    def add(self, trouble: str, sent: float = math.inf) -> None:
        """Take note of the end of a call that was sent then, "" for a reply."""
        self._n = min(self._n + 1, LATELY)
        if trouble:
            self._shares.setdefault(trouble, 0.0)
        for known, share in self._shares.items():
            self._shares[known] = share + ((known == trouble) - share) / self._n
        self.is_absent = trouble == ABSENT
        self._absent_since = min(self._absent_since, sent) if self.is_absent else math.inf

    def words(self, now: float) -> str:
        """Which, and how many."""
        if self.is_absent:
            return f"unreachable for {now - self._absent_since:.0f} s"
        troubles = ((name, share) for name, share in self._shares.items() if share >= WORTH_TELLING)
        return ", ".join(f"{name} {share:.0%}".replace("%", " %") for name, share in troubles)


class Unreachable:
    """Whether nobody was ever there.

    Attributes:
        since: When the first call was sent; infinity before, and once anybody was reached.
    """

    def __init__(self) -> None:
        self.since = math.inf
        self._reached_once = False
        self._last: Unavailable | None = None

    def reached(self) -> None:
        """Somebody was reached."""
        self._reached_once, self.since = True, math.inf

    def record(self, error: Unavailable, sent: float) -> None:
        """Take note of a call, sent at `sent`, that brought nothing."""
        self._last = error
        if not error.unreached:
            self.reached()
        elif not self._reached_once:
            self.since = min(self.since, sent)

    def verdict(self, now: float) -> Unavailable | None:
        """How the last call failed, if it is not worth while to look on; else None."""
        return self._last if now - self.since >= ABSENT_S else None


def _denial(fault: str, error: Unavailable, remedy: str) -> Denied:
    return Denied(f"{fault}, the last one: {error} -> {remedy}")
