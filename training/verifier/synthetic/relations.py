"""Statements about who did what to whom, when, how many and whether at all, in invented situations.

Each situation states a few facts; the statements about it say the same in other words, with the
parts exchanged, or what was not said. `relations.txt` holds the ways to say one relation.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from assay.bench.data import HELD_OUT, fold_of
from assay.experiments.reader_windows import Row
from training.verifier.synthetic import lexicon

Said: TypeAlias = tuple[str, str]  # a statement and its label
Situation: TypeAlias = tuple[list[str], list[Said]]  # sentences of the context, statements
SITUATIONS: Final = 16_000


def _listed(text: str, between: str | None = "|") -> list[str]:
    """What is written one after the other."""
    return [" ".join(part.split()) if between == "|" else part for part in text.split(between)]


_S, _R, _N = "supported", "refuted", "neutral"
_SYLLABLES: Final = _listed(
    "ba be bo bra da del do dra fa fen ga gor ha hol ka kel ko la lin lo ma mar mi mo na nel no or "
    "pa per pi ra ren ri ro sa sel so ta tor tu va vel vi wa wil za zen",
    None,
)
_SURNAME_ENDS: Final = _listed("son,er,mann,sky,ez,ini,ova,berg,ley,ton,ard,ich,as,u,i,o", ",")
_PLACE_ENDS: Final = _listed("ford,burg,ville,mouth,dal,by,wick,stadt,a,o,heim,port,field", ",")
_BODY_ENDS: Final = _listed(
    " Systems, Group, Foods, Energy, Labs, Bank, Motors, Media, Pharma, Airlines, Ltd, Inc,"
    " Optics, Textiles, United",
    ",",
)
_THINGS: Final = _listed("""
the old pump|the new pump|the blue folder|the red folder|the router|the sensor|the oak table|the
steel shelf|the main valve|the safety valve|the front door|the side door|the copper wire|the brass
lamp|the water tank|the fuel tank|the diesel engine|the electric motor|the first printer|the second
printer|the display|the keyboard|the database|the web server|the backup server|the filter|the
compressor|the generator|the battery|the charger|the wooden bridge|the stone bridge|the chapel|the
library|the north tower|the south tower|the gate|the clock|the oven|the freezer|the mixer|the kettle
|the green tea|the black tea|the vaccine|the ointment|the driver|the firmware|the scheduler|the
parser|the gearbox|the clutch|the greenhouse|the barn|the tractor|the plough|the ferry|the cable car
|the glass roof|the slate roof|the sofa|the armchair|the camera|the tripod|the guitar|the violin
""")
_ADVERBS: Final = _listed("also now still already later just then finally actually indeed", None)
_TRADES: Final = _listed("""
a plumber|a lawyer|an engineer|a nurse|a painter|a retired judge|a pilot|a biologist|a baker|a poet
|an economist|a farmer|a sculptor|a conductor|a coach|a mayor|a librarian|a chemist|a widow|a singer
""")
_FIRMS: Final = _listed("""
a family firm|a listed company|a start-up|a cooperative|a supplier of tools|a private bank|a brewery
|a publisher|a telecoms operator|a shipping line|a maker of lenses|a chain of bakeries
""")
_MONTHS: Final = _listed(
    "January February March April May June July August September October November December", None
)


def _relations() -> list[tuple[tuple[str, str], bool, list[str], list[str]]]:
    found = []
    text = (Path(__file__).parent / "relations.txt").read_text("utf-8")
    lines = [line for line in text.split("\n") if not line.startswith("#")]
    for block in "\n".join(lines).strip().split("\n\n"):
        head, *forms = block.strip().split("\n")
        first, second, *both = head.split()
        true = [form for line in forms if line[0] != "?" for form in line.split(" | ")]
        open_ = [form[1:].strip() for form in forms if form.startswith("?")]
        found.append(((first, second), bool(both), true, open_))
    return found


RELATIONS: Final = _relations()


def _word(rng: random.Random, ends: Sequence[str]) -> str:
    stem = "".join(rng.choice(_SYLLABLES) for _ in range(rng.choice((1, 2, 2))))
    return (stem + rng.choice(ends)).capitalize()


def _first_names() -> list[str]:
    return sorted(lexicon.FIRST_NAMES)


def _named(kind: str, rng: random.Random) -> str:
    match kind:
        case "person":
            first = rng.choice(_first_names())
            how = rng.random()
            if how < 0.4:
                return first
            if how < 0.8:
                return f"{first} {_word(rng, _SURNAME_ENDS)}"
            return rng.choice(("Dr. ", "Ms. ", "Mr. ", "Professor ")) + _word(rng, _SURNAME_ENDS)
        case "body":
            return _word(rng, ("ix", "a", "co", "en", "is", "on", "um")) + rng.choice(_BODY_ENDS)
        case "place":
            return _word(rng, _PLACE_ENDS)
    return rng.choice(_THINGS).strip()


def _pair(kinds: tuple[str, str], rng: random.Random) -> tuple[str, str]:
    a, b = _named(kinds[0], rng), _named(kinds[1], rng)
    while b in a or a in b:
        b = _named(kinds[1], rng)
    return a, b


def _put(form: str, a: str, b: str) -> str:
    text = form.replace("{a}", a).replace("{b}", b).replace("s's ", "s' ")
    return _cap(text.replace("? the ", "? The "))


def _related(rng: random.Random) -> Situation:
    """Two to four relations, some between the same two or of the same kind."""
    told: list[str] = []
    said: list[Said] = []
    relation = rng.choice(RELATIONS)
    pairs: list[tuple[str, str]] = []
    repeated = False
    for _ in range(rng.choice((1, 2, 2, 3))):
        kinds, _, forms, _ = relation
        a, b = _pair(kinds, rng)
        if repeated and kinds[0] == kinds[1] and rng.random() < 0.5:
            a = pairs[-1][1]  # who was acted on acts
        if a == b or any(a in pair and b in pair for pair in pairs):
            continue
        full = [form for form in forms if "{a}" in form and "{b}" in form]
        if pairs and repeated and len({a, b, *pairs[-1]}) == 4:  # one of each pair: nothing says so
            for left, right in ((a, pairs[-1][1]), (pairs[-1][0], b)):
                other = _framed(rng.choice(full), kinds, rng)
                said.append((_put(other, left, right), "unsupported"))
        pairs.append((a, b))
        form = rng.choice(full)
        dated = _dated(forms[0]) and _dated(form) and rng.random() < 0.4
        when = f" in {rng.randint(1950, 2024)}" if dated else ""
        if not when:
            form = _framed(form, kinds, rng, 0.25)
        who, described = _described(kinds[0], a, rng) if form.startswith("{a}") else (a, "")
        told.append(_put(form[:-1] + when + ".", who, b))
        if described:
            said += [(f"{a} is {described}.", _S), (f"{_cap(b)} is {described}.", "unsupported")]
        said += _reworded(relation, form, (a, b), rng)
        if when:
            year = int(when[4:])
            other = year + rng.choice((-1, 1)) * rng.randint(1, 30)
            said.append((_put(form[:-1] + f" in {other}.", a, b), _R))
            said.append((_put(form[:-1] + when + ".", a, b), _S))
            said += [_before(_put(form, a, b), year, rng) for _ in range(2)]
        repeated = rng.random() < 0.5
        relation = relation if repeated else rng.choice(RELATIONS)
    return told, said


def _reworded(
    relation: tuple[tuple[str, str], bool, list[str], list[str]],
    told: str,
    pair: tuple[str, str],
    rng: random.Random,
) -> Iterator[Said]:
    """The relation in other words, with its parts exchanged, and what does not follow from it."""
    kinds, both, forms, open_ = relation
    a, b = pair
    others = [other for other in forms if other != told] or forms
    picked = rng.sample(others, min(len(others), rng.choice((1, 2, 2, 3))))
    twins = [_twin(form, kinds, rng) for form in picked]
    if not both and kinds[0] == kinds[1] and rng.random() < 0.2:
        twins[0] = f"{_lowered(picked[0])[:-1]}, not the other way round."
    yield from ((_put(twin, a, b), _S) for twin in twins)
    if both:
        yield _put(twins[0], b, a), _S
    elif kinds[0] == kinds[1]:
        yield from ((_put(twin, b, a), _R) for twin in twins)
        yield (_put(told, b, a), _R) if rng.random() < 0.5 else (_put(told, a, b), _S)
    if open_ and rng.random() < 0.5:
        yield _put(rng.choice(open_), a, b), _N


# A sentence that begins with one of the two, and what it says of that one.
_SUBJECT: Final = re.compile(
    r"\{([ab])\} (?!and |(?:is|was) (?:some|what|where|the person))((?:(?! and )[^,;])*)\."
)
_PRESENT: Final = re.compile(r"(?:no longer )?(?!was )(?:is|are|can|[a-z]+s) ")
_ONE: Final = {  # of each kind: its relative and question words, and a noun
    "person": ("who", "Who", "the person"),
    "body": ("that", "Which company", "the company"),
    "place": ("that", "Which place", "the place"),
    "thing": ("that", "What", "the thing"),
}
_REPORTED: Final = _listed("""
It is said that {}|According to the text, {}|The text says that {}|It is true that {}|One can read
that {}|As is stated, {}|It is a fact that {}
""")


def _framed(form: str, kinds: tuple[str, str], rng: random.Random, share: float = 0.35) -> str:
    """A share of the sentences as a cleft or as the answer to a question."""
    found = _SUBJECT.fullmatch(form)
    if not found or f"{{{found[1]}}}" in found[2] or rng.random() > share:
        return form
    who, does = f"{{{found[1]}}}", found[2]
    which, ask, noun = _ONE[kinds["ab".index(found[1])]]
    be = "is" if _PRESENT.match(does) else "was"
    frames = (
        f"It {be} {who} {which} {does}.",
        f"{_cap(noun)} {which} {does} {be} {who}.",
        f"The one {which} {does} {be} {who}.",
        f"{who} {be} {noun} {which} {does}.",
        f"{ask} {does}? {who}.",
        f"The answer to the question {ask.lower()} {does} is {who}.",
    )
    return rng.choice(frames)


def _twin(form: str, kinds: tuple[str, str], rng: random.Random) -> str:
    """Another form of a sentence, or the sentence as what is reported."""
    framed = _framed(form, kinds, rng)
    if framed != form or rng.random() > 0.15:
        return framed
    return rng.choice(_REPORTED).format(_lowered(form))


def _lowered(form: str) -> str:
    return form if form.startswith("{") else form[0].lower() + form[1:]


def _described(kind: str, name: str, rng: random.Random) -> tuple[str, str]:
    """The name with an apposition, and that."""
    if kind not in ("person", "body") or rng.random() < 0.7:
        return name, ""
    place = _named("place", rng)
    what = rng.choice(_TRADES).strip() if kind == "person" else rng.choice(_FIRMS).strip()
    described = rng.choice((what, f"{what} from {place}"))
    return f"{name}, {described},", described


def _dated(form: str) -> bool:
    verbs = (" is ", " lies ", " has ", " earns ", " costs ", " lives ", " reports ", " trusts ")
    return not any(verb in form for verb in verbs) and " before " not in form and "ed " in form


def _before(sentence: str, year: int, rng: random.Random) -> Said:
    other = year + rng.choice((-1, 1)) * rng.randint(1, 20)
    word, true = rng.choice((("before", year < other), ("after", year > other)))
    return f"{sentence[:-1]} {word} {other}.", _S if true else _R


_EVENTS: Final = _listed("""
the library opened|the bridge was finished|the strike began|the law was passed
|the school burned down|the factory closed|the museum was renovated|the team won its first title
|the vaccine was approved
|the dam broke|the train line was extended|the company went public|the satellite was launched
|the first edition appeared|the theatre was sold|the treaty was signed|the harbour froze over
|the hospital got a new wing|the software was released|the contract ran out|the mine was shut
|the orchestra gave its first concert|the airport was moved|the tower was painted
|the course was offered for the first time|the statue was stolen|the council resigned
""")


def _timed(rng: random.Random) -> Situation:
    """Events with dates: order, distance, ranges."""
    events = rng.sample(_EVENTS, rng.choice((2, 3, 3)))
    years = rng.sample(range(1890, 2025), len(events))
    told: list[str] = []
    for event, year in zip(events, years, strict=True):
        month = rng.choice(_MONTHS)
        day = rng.choice(
            (f"in {year}", f"in {month} {year}", f"on {rng.randint(1, 28)} {month} {year}")
        )
        told.append(_cap(rng.choice((f"{event} {day}.", f"{day}, {event}."))))
    said: list[Said] = []
    for _ in range(5):
        i, j = rng.sample(range(len(events)), 2)
        earlier = years[i] < years[j]
        gap, side = abs(years[i] - years[j]), rng.choice(("after", "before"))
        forms = [
            (f"{events[i]} before {events[j]}.", earlier),
            (f"{events[i]} after {events[j]}.", not earlier),
            (f"{events[i]} earlier than {events[j]}.", earlier),
            (f"{events[i]} later than {events[j]}.", not earlier),
            (f"when {events[j]}, that was {gap} years {side} {events[i]}.", None),
            (f"first {events[i]}, then {events[j]}.", earlier),
            (f"{events[j]} only after {events[i]}.", earlier),
            (f"{events[i]}; later, {events[j]}.", earlier),
            (f"it was after {events[i]} that {events[j]}.", earlier),
            (f"when {events[i]}, it had not yet happened that {events[j]}.", earlier),
            (f"of these two, the earlier is this: {events[i]}; the later: {events[j]}.", earlier),
            (f"in what year was it that {events[i]}? In {years[i]}.", True),
            (f"in what year was it that {events[i]}? In {years[j]}.", False),
            (f"{years[i]} is the year in which {events[i]}.", True),
            (f"{years[j]} is the year in which {events[i]}.", False),
            (f"it was in {years[i]} that {events[i]}.", True),
            (f"it was not in {years[i]} that {events[i]}.", False),
            (f"it was not until {years[i]} that {events[i]}.", True),
            (f"by the time {events[j]}, it was already so that {events[i]}.", earlier),
            (f"{events[i]} in the {_decade(years[i], rng)}.", None),
            (f"{events[i]} in the {_century(years[i])} century.", True),
            (f"{events[i]} in the {_century(years[i] + rng.choice((-100, 100)))} century.", False),
        ]
        text, true = rng.choice(forms)
        if true is None and "decade" not in text:
            if " years " in text:
                true = ("after" in text.split(" years ")[1][:6]) == earlier
            else:
                true = f"{years[i] // 10 * 10}s" in text
        said.append((_cap(text), _S if true else _R))
        said.append(_before(_cap(events[i]) + ".", years[i], rng))
    said.append((_cap(f"{events[0]} in {years[0]}."), _S))
    said.append((_cap(f"{events[0]} in {years[1]}."), _R))
    return told, said


def _decade(year: int, rng: random.Random) -> str:
    return f"{(year + rng.choice((0, 0, 10, -10, 20))) // 10 * 10}s"


def _century(year: int) -> str:
    n = (year - 1) // 100 + 1
    return {19: "19th", 20: "20th", 21: "21st", 18: "18th", 22: "22nd"}[n]


_OPEN: Final = _listed("""
the pharmacy|the pool|the reading room|the help desk|the market|the ticket office|the workshop|the
canteen|the museum shop|the clinic|the bakery|the repair service|the gym|the archive|the hotline
""")
_DAYS: Final = _listed("Monday Tuesday Wednesday Thursday Friday Saturday Sunday", None)


def _clock(hour: int, rng: random.Random) -> str:
    if rng.random() < 0.5:
        return f"{hour}:00"
    if hour == 12:
        return "noon"
    return f"{hour % 12 or 12} {'am' if hour < 12 else 'pm'}"


def _hours(rng: random.Random) -> Situation:
    """Opening hours and days."""
    place = rng.choice(_OPEN).strip()
    start, end = rng.randint(6, 11), rng.randint(14, 21)
    first, last = sorted(rng.sample(range(7), 2))
    told = [
        _cap(
            f"{place} is open from {_clock(start, rng)} to {_clock(end, rng)}, {_DAYS[first]} to "
            f"{_DAYS[last]}."
        )
    ]
    said: list[Said] = []
    for _ in range(3):
        hour = rng.choice([h for h in range(5, 23) if h not in (start, end)])
        inside = start < hour < end
        at = _clock(hour, rng)
        said += [(_cap(f"{place} is open at {at}."), _S if inside else _R)]
        said += [(_cap(f"{place} is closed at {at}."), _R if inside else _S)]
        day = rng.randrange(7)
        inside = first <= day <= last
        said += [
            (_cap(f"{place} is {'open' if rng.random() < 0.5 else 'closed'} on {_DAYS[day]}s."), "")
        ]
        said[-1] = (said[-1][0], _S if (" open " in said[-1][0]) == inside else _R)
    other = rng.choice([h for h in range(5, 23) if h not in (start, end)])
    said += [
        (_cap(f"{place} opens at {_clock(start, rng)}."), _S),
        (_cap(f"{place} closes at {_clock(end, rng)}."), _S),
        (_cap(f"{place} opens at {_clock(other, rng)}."), _R),
        (_cap(f"{place} closes at {_clock(start, rng)}."), _R),
        (_cap(f"{place} is open for {end - start} hours a day."), _S),
        (_cap(f"{place} is open for {end - start + rng.choice((-2, -1, 1, 2))} hours a day."), _R),
        (_cap(f"{place} is open every day of the week."), _S if last - first == 6 else _R),
        (_cap(f"entry to {place} is free."), _N),
    ]
    return told, said


_COUNTED: Final = _listed("""
members|students|trees|cars|books|visitors|patients|houses|jobs|bicycles|letters|votes|tickets|eggs
|chairs|buses|rooms|samples|errors|complaints|soldiers|pages|cows|islands|songs|orders|seats|nurses
""")
_HOLDERS: Final = _listed("""
the club|the school|the town|the hotel|the firm|the park|the clinic|the museum|the farm|the archive
|the port|the festival|the study|the survey|the library|the fleet|the village|the institute
""")
_SMALL: Final = _listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty",
    None,
)


def _figure(n: int, rng: random.Random) -> str:
    if n <= 20 and rng.random() < 0.6:
        return _SMALL[n]
    if n >= 1_000_000 and n % 100_000 == 0 and rng.random() < 0.6:
        return f"{n / 1_000_000:g} million"
    if 1_000_000 > n >= 1000 and n % 1000 == 0 and rng.random() < 0.4:
        return f"{n // 1000} thousand"
    return f"{n:,}" if n >= 1000 and rng.random() < 0.7 else str(n)


def _amount(rng: random.Random) -> int:
    return rng.choice(
        (
            rng.randint(3, 20),
            rng.randint(20, 99),
            rng.randint(100, 999),
            rng.randint(1, 90) * 1000,
            rng.randint(1001, 99_999),
            rng.randint(11, 95) * 100_000,
        )
    )


def _numbered(rng: random.Random) -> Situation:
    """How many: other forms of the same number, bounds, comparisons, changes, sums."""
    holder, what = rng.choice(_HOLDERS).strip(), rng.choice(_COUNTED).strip()
    other_holder = rng.choice([h for h in _HOLDERS if h.strip() != holder]).strip()
    n = _amount(rng)
    m = max(2, int(n * rng.choice((0.3, 0.5, 0.7, 0.8, 1.2, 1.4, 2, 3))))
    m = m + 1 if m == n else m
    said: list[Said] = []
    if rng.random() < 0.5:
        told = [_cap(f"{holder} has {_figure(n, rng)} {what}, {other_holder} {_figure(m, rng)}.")]
        for x, y, a, b in ((holder, other_holder, n, m), (other_holder, holder, m, n)):
            said += [
                (_cap(f"{x} has more {what} than {y}."), _S if a > b else _R),
                (_cap(f"{x} has fewer {what} than {y}."), _S if a < b else _R),
                (_cap(f"there are {_figure(a, rng)} {what} at {x}."), _S),
                (_cap(f"{x} has {_figure(b, rng)} {what}."), _R),
                (f"The number of {what} at {x} is {_figure(a, rng)}.", _S),
                (f"The number of {what} at {x} is {_figure(b, rng)}.", _R),
                (f"How many {what} does {x} have? {_cap(_figure(a, rng))}.", _S),
                (f"How many {what} does {x} have? {_cap(_figure(b, rng))}.", _R),
                (_cap(f"{x} outnumbers {y} in {what}."), _S if a > b else _R),
                (_cap(f"{x} does not have as many {what} as {y}."), _S if a < b else _R),
                (f"As for {what}, {x} is ahead of {y}.", _S if a > b else _R),
            ]
            said += [(_cap(text.format(x=x)), label) for text, label in _bounds(a, what, rng)]
        total = n + m
        wrong = total + rng.choice((-1, 1)) * max(1, total // rng.choice((5, 10)))
        said += [
            (f"Together they have {_figure(t, rng)} {what}.", label)
            for t, label in ((total, _S), (wrong, _R))
        ]
        return told, rng.sample(said, 14)
    first, second = sorted(rng.sample(range(1990, 2025), 2))
    up, places = m > n, (first, second)
    verb = rng.choice(("rose", "grew", "climbed") if up else ("fell", "dropped", "shrank"))
    told = [
        rng.choice(
            (
                _cap(
                    f"the number of {what} at {holder} {verb} from {_figure(n, rng)} in {first} to "
                    f"{_figure(m, rng)} in {second}."
                ),
                _cap(
                    f"in {first} {holder} had {_figure(n, rng)} {what}; in {second} it had "
                    f"{_figure(m, rng)}."
                ),
            )
        )
    ]
    for word in rng.sample(("rose", "grew", "increased", "went up", "became larger"), 2):
        said.append(
            (
                _cap(f"between {places[0]} and {places[1]} the number of {what} {word}."),
                _S if up else _R,
            )
        )
    for word in rng.sample(("fell", "decreased", "declined", "went down", "became smaller"), 2):
        said.append(
            (
                _cap(f"between {places[0]} and {places[1]} the number of {what} {word}."),
                _R if up else _S,
            )
        )
    said += [
        (_cap(f"{holder} had {_figure(n, rng)} {what} in {first}."), _S),
        (_cap(f"{holder} had {_figure(m, rng)} {what} in {second}."), _S),
        (_cap(f"{holder} had {_figure(m, rng)} {what} in {first}."), _R),
        (_cap(f"{holder} had {_figure(n, rng)} {what} in {second}."), _R),
        (_cap(f"{holder} had more {what} in {first} than in {second}."), _R if up else _S),
        (_cap(f"{holder} had fewer {what} in {first} than in {second}."), _S if up else _R),
        (f"The difference was {_figure(abs(m - n), rng)}.", _S),
        (_cap(f"{holder} saw the number of its {what} go up."), _S if up else _R),
        (_cap(f"{holder} saw the number of its {what} go down."), _R if up else _S),
        (f"There were more {what} at {holder} in {second} than in {first}.", _S if up else _R),
        (
            f"There was an increase in {what} at {holder} from {first} to {second}.",
            _S if up else _R,
        ),
        (f"There was a decrease in {what} at {holder} from {first} to {second}.", _R if up else _S),
    ]
    if m >= 2 * n:
        said.append((_cap(f"the number of {what} at least doubled."), _S))
    elif 2 * m <= n:
        said.append((_cap(f"the number of {what} was cut by half or more."), _S))
    else:
        said.append((_cap(f"the number of {what} doubled."), _R))
    return told, said


def _bounds(n: int, what: str, rng: random.Random) -> list[Said]:
    low = max(1, n - max(1, n // rng.choice((3, 5, 10))))
    high = n + max(1, n // rng.choice((3, 5, 10)))
    found = [
        (f"{{x}} has more than {_figure(low, rng)} {what}.", _S),
        (f"{{x}} has more than {_figure(high, rng)} {what}.", _R),
        (f"{{x}} has fewer than {_figure(high, rng)} {what}.", _S),
        (f"{{x}} has fewer than {_figure(low, rng)} {what}.", _R),
        (f"{{x}} has at least {_figure(low, rng)} {what}.", _S),
        (f"{{x}} has at most {_figure(low, rng)} {what}.", _R),
        (f"{{x}} has at least {_figure(high, rng)} {what}.", _R),
        (f"{{x}} has at most {_figure(high, rng)} {what}.", _S),
        (f"{{x}} has between {_figure(low, rng)} and {_figure(high, rng)} {what}.", _S),
        (f"{{x}} has no {what}.", _R),
    ]
    return rng.sample(found, 3)


# Past, base form, and other ways to say that it did not happen.
_DEEDS: Final = """
attended the meeting|attend the meeting|stayed away from the meeting|missed the meeting
paid the fine|pay the fine|refused to pay the fine|left the fine unpaid
signed the contract|sign the contract|declined to sign the contract|left the contract unsigned
passed the exam|pass the exam|failed the exam|
found the key|find the key|was unable to find the key|
finished the race|finish the race|dropped out of the race|gave up during the race
accepted the offer|accept the offer|rejected the offer|turned down the offer
kept the promise|keep the promise|broke the promise|
closed the window|close the window|left the window open|
answered the question|answer the question|left the question open|refused to answer the question
took the medicine|take the medicine|went without the medicine|
used sugar|use sugar|did without sugar|managed without sugar
wore a helmet|wear a helmet|rode without a helmet|
voted for the plan|vote for the plan|voted against the plan|
supported the strike|support the strike|opposed the strike|was against the strike
returned the book|return the book|kept the book|
visited the museum|visit the museum|never went to the museum|
received a reply|receive a reply|never got a reply|
knew the code|know the code|was unaware of the code|
remembered the date|remember the date|forgot the date|
caught the train|catch the train|missed the train|
ate meat|eat meat|avoided meat|
won a prize|win a prize|went home without a prize|
renewed the licence|renew the licence|let the licence expire|
tested the software|test the software|released the software untested|
locked the gate|lock the gate|left the gate unlocked|
told the truth|tell the truth|lied|
obeyed the order|obey the order|disobeyed the order|ignored the order
""".strip().split("\n")


# {who}, what was done ({did}) and its base form ({do}).
_DID: Final = _listed("""
{who} did {do}.|It is true that {who} {did}.|{who} was among those who {did}.|It was the case that
{who} {did}.|{who} did not fail to {do}.|It is not true that {who} did not {do}.|What {who} did was
to {do}.|That {who} {did} is a fact.|Did {who} {do}? Yes.|{who} indeed {did}.|{who} is one of the
people who {did}.|It would be wrong to say that {who} did not {do}.|There is no doubt that {who}
{did}.|The people who {did} include {who}.|Contrary to what one might think, {who} {did}.
""")
_DID_NOT: Final = _listed("""
{who} did not {do}.|{who} didn't {do}.|{who} never {did}.|{who} failed to {do}.|It is not true that
{who} {did}.|It is false that {who} {did}.|{who} was not among those who {did}.|At no point did
{who} {do}.|Not once did {who} {do}.|Did {who} {do}? No.|{who} is not one of the people who
{did}.|It would be wrong to say that {who} {did}.|It was not the case that {who} {did}.|The people
who {did} do not include {who}.|Contrary to what one might think, {who} did not {do}.|{who} did
anything but {do}.
""")
# {x} and its feature with and without an article.
_HAS: Final = _listed("""
{x} has {a}.|There is {a} at {x}.|{x} comes with {a}.|{x} offers {a}.|{x} is equipped with {a}.|At
{x} one finds {a}.|{x} is not without {a}.|{x} does have {a}.|Among what {x} has is {a}.|{x} does
not lack {a}.|Does {x} have {a}? Yes.|It is true that {x} has {a}.|{x} includes {a}.
""")
_HAS_NOT: Final = _listed("""
{x} has no {f}.|There is no {f} at {x}.|{x} comes without {a}.|{x} does not offer {a}.|{x} lacks
{a}.|{x} does not have {a}.|{x} is without {a}.|At {x} one looks in vain for {a}.|{x} doesn't have
{a}.|No {f} is to be found at {x}.|Does {x} have {a}? No.|What {x} does not have is {a}.|{x} is not
equipped with {a}.|It is not true that {x} has {a}.
""")
_PLACES: Final = _listed("""
the hotel|the flat|the school|the campsite|the office|the clinic|the station|the gym|the house|the
hostel|the restaurant|the ferry|the museum|the shop|the cabin
""")
_FEATURES: Final = _listed("""
a pool|a lift|a car park|a garden|a kitchen|a balcony|an alarm|a sauna|a playground|a first-aid
room|a charging point|a cloakroom|a back door|a fireplace|a safe|a ramp|a reading lamp|an air
conditioner
""")
_OPPOSITES: Final = [  # what is not the one is the other
    pair.split("/")
    for pair in _listed("""
open/closed|occupied/vacant|on/off|legal/illegal|present/absent|complete/incomplete|safe/unsafe
|visible/invisible|locked/unlocked|paid/unpaid|valid/invalid|allowed/forbidden|finished/unfinished
|known/unknown|possible/impossible|public/private|compulsory/optional|dead/alive|correct/incorrect
|temporary/permanent|included/excluded|reversible/irreversible|sober/drunk|true/false
""")
]


def _stated(rng: random.Random) -> Situation:
    """What there is and what there is not; states and their opposites."""
    told: list[str] = []
    said: list[Said] = []
    place, *others = rng.sample(_PLACES, 2)
    for feature in rng.sample(_FEATURES, rng.choice((2, 3))):
        words = {"x": place, "a": feature, "f": feature.partition(" ")[2]}
        there = rng.random() < 0.5
        told.append(_filled(rng.choice((_HAS if there else _HAS_NOT)[:6]), words))
        for forms, label in ((_HAS, there), (_HAS_NOT, not there)):
            said += [(_filled(form, words), _S if label else _R) for form in rng.sample(forms, 2)]
        said.append((_filled(rng.choice(_HAS), words | {"x": others[0]}), _N))
    one, other = rng.sample(rng.choice(_OPPOSITES), 2)
    subject = _named("thing", rng)
    told.append(_cap(rng.choice((f"{subject} is {one}.", f"{subject} is not {other}."))))
    for state, opposite, label in ((one, other, _S), (other, one, _R)):
        forms = (
            f"{subject} is {state}.",
            f"{subject} is not {opposite}.",
            f"It is not the case that {subject} is {opposite}.",
            f"{subject} is {state}, not {opposite}.",
            f"{subject} is {state} rather than {opposite}.",
            f"It would be wrong to call {subject} {opposite}.",
            f"Far from being {opposite}, {subject} is {state}.",
            f"Is {subject} {state}? Yes.",
            f"Is {subject} {opposite}? No.",
        )
        said += [(_cap(form), label) for form in rng.sample(forms, 2)]
    return told, said


def _filled(form: str, words: Mapping[str, str]) -> str:
    return _cap(form.format(**words))


def _denied(rng: random.Random) -> Situation:
    """What was done and what was not."""
    if rng.random() < 0.4:
        return _stated(rng)
    told: list[str] = []
    said: list[Said] = []
    people = rng.sample(_first_names(), 3)
    deeds = [deed.split("|") for deed in rng.sample(_DEEDS, 2)]
    for who, deed in zip(people, (*deeds, deeds[0]), strict=True):
        done, base, *otherwise = [part for part in deed if part]
        words = {"who": who, "did": done, "do": base}
        other_words = [f"{who} {other}." for other in otherwise]
        yes = [f"{who} {done}.", _filled(rng.choice(_DID), words)]
        no = [*(_filled(form, words) for form in rng.sample(_DID_NOT, 2)), *other_words]
        happened = rng.random() < 0.5
        plain = [_filled(form, words) for form in _DID_NOT[:4]]
        told.append(yes[0] if happened else rng.choice([*plain, *other_words]))
        said += [(text, _S if happened else _R) for text in yes]
        said += [(text, _R if happened else _S) for text in rng.sample(no, 2)]
        if happened and rng.random() < 0.3:
            said.append((f"{who} {done}, unlike {rng.choice(_first_names())}.", _N))
    if len({done for done, *_ in deeds}) == 2:
        (a, c), deed = (people[0], people[2]), deeds[0]
        a_did = _affirmed(told[0], deed)
        c_did = _affirmed(told[2], deed)
        said += [
            (f"Both {a} and {c} {deed[0]}.", _S if a_did and c_did else _R),
            (f"Neither {a} nor {c} {deed[0]}.", _S if not a_did and not c_did else _R),
            (f"Of {a} and {c}, only {a} {deed[0]}.", _S if a_did and not c_did else _R),
            (f"{a} {deed[0]}, but {c} did not.", _S if a_did and not c_did else _R),
        ]
    return told, said


def _affirmed(sentence: str, deed: Sequence[str]) -> bool:
    return sentence.endswith(f" {deed[0]}.") and " never " not in sentence


_PROPERTIES: Final = _listed("""
passed|were tested|are insured|have a balcony|came back|were painted|are empty|speak two languages
|were sold|are over fifty|agreed|were damaged|have a licence|live abroad|were delivered on time
""")
_GROUPS: Final = _listed("""
students|flats|drivers|samples|players|guests|boxes|clerks|machines|farmers|shops|windows|engineers
|passengers|panels|bottles|teachers|boats
""")


def _quantified(rng: random.Random) -> Situation:
    """All, most, some, none; may, should, must; only; unless."""
    if rng.random() < 0.35:
        return _modal(rng)
    group, prop = rng.choice(_GROUPS), rng.choice(_PROPERTIES)
    other = rng.choice([p for p in _PROPERTIES if p != prop])
    n = rng.randint(8, 90)
    kind = rng.choice(("all", "most", "few", "none", "count", "but one"))
    k = {"all": n, "none": 0, "but one": n - 1}.get(kind, rng.randint(2, n - 2))
    told = [
        _cap(
            {
                "all": rng.choice(
                    (
                        f"all {n} {group} {prop}.",
                        f"every one of the {n} {group} {prop}.",
                        f"the {n} {group} {prop}, without exception.",
                        f"there are {n} {group}, and all of them {prop}.",
                    )
                ),
                "none": rng.choice(
                    (f"none of the {n} {group} {prop}.", f"not one of the {n} {group} {prop}.")
                ),
                "but one": f"all but one of the {n} {group} {prop}.",
                "most": f"most of the {n} {group} {prop}.",
                "few": f"only a few of the {n} {group} {prop}.",
                "count": f"{k} of the {n} {group} {prop}.",
            }[kind]
        )
    ]
    share = {"most": 0.7, "few": 0.1}.get(kind, k / n)
    some, every = share > 0, share == 1
    said: list[Said] = [
        (f"All of the {group} {prop}.", _S if every else _R),
        (f"Some of the {group} {prop}.", _S if some else _R),
        (f"None of the {group} {prop}.", _R if some else _S),
        (f"Not all of the {group} {prop}.", _R if every else _S),
        (f"At least one of the {group} {prop}.", _S if some else _R),
        (f"Every one of the {group} {prop}.", _S if every else _R),
        (f"More than half of the {group} {prop}.", _S if share > 0.5 else _R),
        (f"Less than half of the {group} {prop}.", _S if share < 0.5 else _R),
        (f"Most of the {group} {other}.", _N),
        (f"There are {n} {group}.", _S),
        (f"There was not a single exception: the {group} {prop}.", _S if every else _R),
        (f"It is not true that all of the {group} {prop}.", _R if every else _S),
        (f"It is not true that none of the {group} {prop}.", _S if some else _R),
        (f"Only some of the {group} {prop}.", _S if some and not every else _R),
        (f"A majority of the {group} {prop}.", _S if share > 0.5 else _R),
        (f"Only a minority of the {group} {prop}.", _S if 0 < share < 0.5 else _R),
        (f"There are {group} that {prop}.", _S if some else _R),
        (f"There are no {group} that {prop}.", _R if some else _S),
        (f"Without exception, the {group} {prop}.", _S if every else _R),
        (f"At least one of the {group} is an exception to this: they {prop}.", _R if every else _S),
    ]
    if kind in ("count", "but one") and abs(share - 0.5) < 0.02:
        said = [one for one in said if " half " not in one[0] and "ority" not in one[0]]
    if kind == "count":
        said += [
            (
                f"{n - k} of the {group} did not."
                if prop in ("passed", "agreed", "came back")
                else f"{k} {group} {prop}.",
                _S,
            ),
            (f"{k + rng.choice((-1, 1, 2))} {group} {prop}.", _R),
        ]
    return told, rng.sample(said, min(len(said), 9))


_DUTIES: Final = _listed("""
wear gloves|bring a lunch|park in the yard|leave early|use the lift|submit a report|pay a deposit
|keep a dog|work from home|register in advance|show an identity card|take photographs|smoke on site
|open the cabinet|change the filter|cancel the order
""")


def _modal(rng: random.Random) -> Situation:
    who = rng.choice(
        ("Visitors", "Tenants", "Members", "Drivers", "Staff", "Students", "Customers")
    )
    duty, other = rng.sample(_DUTIES, 2)
    kind = rng.choice(("must", "may", "not", "unless"))
    told = [
        {
            "must": rng.choice((f"{who} must {duty}.", f"{who} are required to {duty}.")),
            "may": rng.choice((f"{who} may {duty}.", f"{who} are allowed to {duty}.")),
            "not": rng.choice((f"{who} must not {duty}.", f"{who} are not allowed to {duty}.")),
            "unless": f"{who} may not {duty} unless the manager agrees.",
        }[kind]
    ]
    labels = {  # must, need not, may, forbidden, with the manager's consent
        "must": (_S, _R, _S, _R, None),
        "may": (_R, _S, _S, _R, None),
        "not": (_R, None, _R, _S, None),
        "unless": (_R, None, None, None, _S),
    }[kind]
    forms = (
        (f"{who} have to {duty}.", f"It is mandatory for {who.lower()} to {duty}."),
        (f"{who} do not have to {duty}.", f"It is optional for {who.lower()} to {duty}."),
        (f"{who} are permitted to {duty}.", f"{who} can {duty}."),
        (f"{who} are forbidden to {duty}.", f"{who} are prohibited from doing this: to {duty}."),
        (
            f"With the manager's consent {who.lower()} can {duty}.",
            f"{who} need the manager's agreement to {duty}.",
        ),
    )
    said = [
        (text, label) for texts, label in zip(forms, labels, strict=True) if label for text in texts
    ]
    return told, [*said, (f"{who} must {other}.", _N)]


KINDS: Final[tuple[tuple[str, Callable[[random.Random], Situation], float], ...]] = (
    ("roles", _related, 0.45),
    ("time", _timed, 0.13),
    ("hours", _hours, 0.08),
    ("numbers", _numbered, 0.14),
    ("negation", _denied, 0.1),
    ("quantifiers", _quantified, 0.1),
)


def _cap(text: str) -> str:
    return text[0].upper() + text[1:]


def generate(seed: int = 0, guests: Sequence[str] = ()) -> Iterator[Row]:
    """One row a situation; no statement sees the others, so they share a window."""
    rng = random.Random(f"{seed} relations")
    weights = [weight for _, _, weight in KINDS]
    for number in range(SITUATIONS):
        name, make, _ = rng.choices(KINDS, weights)[0]
        told, said = make(rng)
        if rng.random() < 0.35:
            more, _ = make(rng) if rng.random() < 0.6 else rng.choice(KINDS)[1](rng)
            told = told + more if not _share_names(told, more) else told
        if rng.random() < 0.6:
            rng.shuffle(told)
        contexts = [" ".join(told)]
        if guests and rng.random() < 0.4:
            contexts.insert(rng.randrange(2), rng.choice(guests))
        group = f"relations {number} {told[0]}"
        if fold_of(group) == HELD_OUT:
            group += "."
        if fold_of(group) == HELD_OUT:
            continue
        yield _row(f"relations/{name}", group, contexts, _distinct(said), rng)


def _share_names(told: list[str], more: list[str]) -> bool:
    words = {word for text in told for word in text.split() if word[:1].isupper() or "the" in word}
    return len(words & {w for text in more for w in text.split() if w[:1].isupper()}) > 0


def _distinct(said: list[Said]) -> list[Said]:
    labels: dict[str, set[str]] = {}
    for text, label in said:
        labels.setdefault(text, set()).add(label)
    return [(text, next(iter(found))) for text, found in labels.items() if len(found) == 1]


def _row(name: str, group: str, contexts: list[str], said: list[Said], rng: random.Random) -> Row:
    rng.shuffle(said)
    text, cuts = "", list[tuple[int, int, str, bool]]()
    for statement, label in said[:14]:
        # Small words are in true statements as in false ones.
        put = _with_adverb(statement, rng) if rng.random() < 0.08 else statement
        start = len(text) + bool(text)
        text = f"{text}\n{put}".strip()
        cuts.append((start, len(text), label, False))
    return Row(name, group, "", tuple(contexts), text, None, (), cuts=tuple(cuts))


def _with_adverb(statement: str, rng: random.Random) -> str:
    if any(f" {adverb} " in statement for adverb in _ADVERBS):
        return statement
    for verb in (" is ", " are ", " was ", " were ", " has "):
        if verb in statement:
            return statement.replace(verb, f"{verb}{rng.choice(_ADVERBS)} ", 1)
    return statement
