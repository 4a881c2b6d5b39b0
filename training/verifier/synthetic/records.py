"""Record to text: made-up JSON records and descriptions of them, with up to three things wrong.

What may be wrong: a flag turned round, another value, an hour or a day, a null told as a fact, one
open day too many ("every day"), an opinion that no review holds, or that only some hold.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from assay.bench.data import HELD_OUT, fold_of
from assay.experiments.reader_windows import Row
from training.verifier.synthetic import domains, draws, lexicon
from training.verifier.synthetic.domains import DOMAINS, REVIEWS
from training.verifier.synthetic.draws import Domain, Field, Flag, Options

ANSWERS = 9_000
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MARK = re.compile(r"\[\[(.*?)\]\]")
_QUESTIONS = (
    "", "", "Describe this {noun}.", "Summarize the record.", "What can you tell me about {name}?",
    "Write a short description of the {noun} from the data.", "Give an overview of {name}.",
    "Turn the following structured data into text.", "Tell me about this {noun}.",
)  # fmt: skip
_LACKING = (
    "The record does not reveal [[{key}]].", "There is no information on [[{key}]].",
    "The data say nothing about [[{key}]].",
)  # fmt: skip


class Saying(NamedTuple):
    """Something to say about a record; `[[...]]` is wrong if `label` is not "supported"."""

    text: str
    label: str
    whole: bool = False  # a sentence of its own, not a predicate
    topic: str = ""  # an answer speaks of each only once, or it would contradict itself


class Record(NamedTuple):
    """What was made up."""

    domain: Domain
    name: str
    data: dict[str, Any]
    right: list[Saying]
    wrong: list[Saying]


def generate(seed: int = 0, count: int = ANSWERS) -> Iterator[Row]:
    """Descriptions of `count` records."""
    kinds = [kind for kind, (_, weight) in DOMAINS.items() for _ in range(weight)]
    for number in range(count):
        rng = random.Random(f"{seed}/records/{number}")
        group = f"records/{seed}/{number}"
        if fold_of(group) == HELD_OUT:
            continue
        record = make(DOMAINS[rng.choice(kinds)][0], rng)
        context = written(record.data, rng)
        if rng.random() < 0.2:  # a single claim
            saying = rng.choice(
                record.wrong if rng.random() < 0.5 and record.wrong else record.right
            )
            yield described(record, [saying], context, group, rng)
            continue
        sayings = _chosen(record, rng)
        yield described(record, sayings, context, group, rng)


def _chosen(record: Record, rng: random.Random) -> list[Saying]:
    """What an answer says: each topic once, up to three of the sayings wrong."""
    bad = rng.choice([0, 0, 0, 1, 1, 2, 3])
    size = rng.randint(max(3, bad), 9)
    found: dict[str, Saying] = {}
    for saying in rng.sample(record.wrong, len(record.wrong)):
        if len(found) < bad:
            found.setdefault(saying.topic, saying)
    for saying in rng.sample(record.right, len(record.right)):
        if len(found) < size:
            found.setdefault(saying.topic, saying)
    sayings = list(found.values())
    rng.shuffle(sayings)
    # Where it is and how it is rated come first in most descriptions.
    first = {"place": 0, "stars": 1, "hours": 3, "days": 3}
    return sorted(sayings, key=lambda s: first.get(s.topic, 4 if s.whole else 2) if size % 3 else 0)


# ---------------------------------------------------------------- making up


def make(domain: Domain, rng: random.Random) -> Record:
    """A record with what can rightly and wrongly be said of it."""
    record = Record(domain, domain.name(rng), {}, [], [])
    key = key_style(rng)
    record.data[key(rng.choice(["name", "title", "id"]) if domain.place else "name")] = record.name
    if domain.place:
        _place(record, key, rng)
    attributes: dict[str, Any] = {}
    count = rng.randint(min(5, len(domain.fields)), len(domain.fields))
    fields = rng.sample(domain.fields, count)
    for field in fields:
        _field(record, field, attributes, key, rng)
    absent = [f for f in domain.fields if f not in fields]
    for field in rng.sample(absent, min(2, len(absent))):
        _unknown(record, field, rng)
    if domain.hours or rng.random() < 0.5:
        record.data[key("attributes")] = attributes
    else:
        record.data.update(attributes)
    if domain.hours and rng.random() < 0.9:
        _hours(record, key, rng)
    if domain.reviews and rng.random() < 0.75:
        _reviews(record, REVIEWS[domain.reviews], key, rng)
    return record


def key_style(rng: random.Random) -> Callable[[str], str]:
    """How this record writes its keys."""
    return rng.choice([
        lambda key: key.replace(" ", "_"),
        lambda key: "".join(w.capitalize() for w in key.split()),
        lambda key: key.split()[0] + "".join(w.capitalize() for w in key.split()[1:]),
        lambda key: key.title(),
        lambda key: key.replace(" ", "_"),
    ])  # fmt: skip


def _place(record: Record, key: Callable[[str], str], rng: random.Random) -> None:
    city, other = rng.sample(lexicon.CITIES, 2)
    street = f"{rng.randint(1, 9800)} {rng.choice(lexicon.STREETS)}"
    region = rng.choice(domains.REGIONS)
    place = {key("address"): street, key("city"): city, key("state"): region}
    record.data.update(place)
    text = rng.choice(record.domain.place)
    record.right.append(
        Saying(text.format(city=city, street=street, region=region), "supported", topic="place")
    )
    record.wrong.append(
        Saying(text.format(city=other, street=street, region=region), "refuted", topic="place")
    )


def _field(
    record: Record, field: Field | Flag | Options, into: dict, key: Callable[[str], str],
    rng: random.Random,
) -> None:  # fmt: skip
    """Put a value in and say right and wrong things of it."""
    if rng.random() < 0.12:
        into[key(field.key)] = None
        _unknown(record, field, rng)
    elif isinstance(field, Flag):
        value = rng.random() < 0.5
        into[key(field.key)] = value
        right, wrong = (field.yes, field.no) if value else (field.no, field.yes)
        record.right.append(Saying(rng.choice(right), "supported", topic=field.key))
        record.wrong.append(Saying(f"[[{rng.choice(wrong)}]]", "refuted", topic=field.key))
    elif isinstance(field, Options):
        _options(record, field, into, key, rng)
    else:
        value, words = field.draw(rng)
        other = next((w for _, w in (field.draw(rng) for _ in range(20)) if w != words), None)
        into[key(field.key)] = value
        text = rng.choice(field.templates)
        record.right.append(Saying(text.replace("{v}", words), "supported", topic=field.key))
        if other and isinstance(value, list):
            new = [w for w in re.split(r", | and ", other) if w not in value]
            if new:
                bad = " and ".join([*rng.sample(value, 1), f"[[{new[0]}]]"])
                record.wrong.append(
                    Saying(text.replace("[[{v}]]", bad), "refuted", topic=field.key)
                )
        elif other:
            record.wrong.append(Saying(text.replace("{v}", other), "refuted", topic=field.key))


def _options(
    record: Record, field: Options, into: dict, key: Callable[[str], str], rng: random.Random
) -> None:
    names = rng.sample(list(field.options), rng.randint(3, len(field.options)))
    share = rng.choice([0.0, 0.3, 0.4])
    values = {name: rng.random() < share for name in names}
    into[key(field.key)] = values
    so, not_so = [n for n in names if values[n]], [n for n in names if not values[n]]
    text = rng.choice(field.templates)
    if so:
        said = rng.sample(so, rng.randint(1, min(2, len(so))))
        words = " and ".join(field.options[n] for n in said)
        record.right.append(Saying(text.replace("{v}", words), "supported", topic=field.key))
        record.wrong.append(Saying(f"[[{rng.choice(field.none)}]]", "refuted", topic=field.key))
    else:
        record.right.append(Saying(rng.choice(field.none), "supported", topic=field.key))
    if not_so:
        bad = field.options[rng.choice(not_so)]
        if so and rng.random() < 0.4:
            bad = f"{field.options[rng.choice(so)]} and [[{bad}]]"
            record.wrong.append(Saying(text.replace("[[{v}]]", bad), "refuted", topic=field.key))
        else:
            record.wrong.append(Saying(text.replace("{v}", bad), "refuted", topic=field.key))


def _unknown(record: Record, field: Field | Flag | Options, rng: random.Random) -> None:
    """Of what the record has as null or not at all, nothing may be said but that."""
    if isinstance(field, Flag):
        text = f"[[{rng.choice(rng.choice([field.yes, field.no]))}]]"
    elif isinstance(field, Options):
        text = rng.choice(field.templates).replace("{v}", rng.choice(list(field.options.values())))
    else:
        text = rng.choice(field.templates).replace("{v}", field.draw(rng)[1])
    record.wrong.append(Saying(text, "neutral", topic=field.key))
    if rng.random() < 0.3:
        text = rng.choice(_LACKING).replace("[[{key}]]", _asked(field, rng))
        record.right.append(Saying(text, "supported", whole=True, topic=field.key))


def _asked(field: Field | Flag | Options, rng: random.Random) -> str:
    if isinstance(field, Flag):
        return f"whether it {rng.choice(field.yes)}"
    return rng.choice([f"its {field.key}", f"the {field.key}"])


# ---------------------------------------------------------------- hours and reviews


def _hours(record: Record, key: Callable[[str], str], rng: random.Random) -> None:
    usual = (
        (rng.choice([6, 7, 8, 9, 10, 11]), rng.choice([0, 0, 30])),
        (rng.choice([15, 17, 18, 20, 21, 22, 23]), rng.choice([0, 0, 30])),
    )
    late = usual[0], (min(usual[1][0] + rng.choice([1, 2]), 24), 0)
    times = dict.fromkeys(_DAYS, usual)
    for day in rng.sample(_DAYS, rng.choice([0, 0, 1, 2])):
        times[day] = late
    if rng.random() < 0.4:
        times["Saturday"] = times["Sunday"] = late
    closed = rng.sample(["Sunday", "Monday", "Saturday", "Tuesday"], rng.choice([0, 0, 1, 1, 2]))
    for day in closed:
        del times[day]
    style = rng.choice(
        ["{0}:{1}-{2}:{3}", "{0:02d}:{1:02d}-{2:02d}:{3:02d}", "{0}:{1:02d} - {2}:{3:02d}"]
    )
    shown = {d: style.format(*t[0], t[1][0] % 24, t[1][1]) for d, t in times.items()}
    if rng.random() < 0.3:
        shown.update(dict.fromkeys(closed, "closed"))
    record.data[key("hours")] = {d: shown[d] for d in _DAYS if d in shown}
    _say_hours(record, times, closed, rng)


def _say_hours(record: Record, times: dict, closed: list[str], rng: random.Random) -> None:
    day = rng.choice(list(times))
    start, end = times[day]
    opening, closing = draws.in_words(*start, rng), draws.in_words(*end, rng)
    for moved, label in ((False, "supported"), (True, "refuted")):
        sayings = record.wrong if moved else record.right
        first = (
            draws.in_words(max(0, start[0] + rng.choice([-2, -1, 1, 2])), start[1], rng)
            if moved
            else opening
        )
        last = (
            draws.in_words(end[0] + rng.choice([-3, -2, -1, 1]), end[1], rng) if moved else closing
        )
        text = rng.choice([
            f"opens at [[{first}]] on {day}s", f"closes at [[{last}]] on {day}s",
            f"is open from {opening} to [[{last}]] on {day}s",
            f"stays open until [[{last}]] on {day}s",
            f"welcomes customers from [[{first}]] until {closing} on {day}s",
        ])  # fmt: skip
        sayings.append(Saying(text, label, topic="hours"))
    _say_days(record, times, closed, rng)
    _say_range(record, times, rng)


def _say_days(record: Record, times: dict, closed: list[str], rng: random.Random) -> None:
    every = rng.choice(
        [
            "is open [[every day]]",
            "is open [[seven days a week]]",
            "is open [[daily]]",
            "opens [[every day of the week]]",
        ]
    )
    if closed:
        record.right.append(
            Saying(
                f"is closed on {' and '.join(d + 's' for d in closed)}", "supported", topic="days"
            )
        )
        record.wrong.append(Saying(every, "refuted", topic="days"))
        record.wrong.append(
            Saying(f"is open on [[{rng.choice(closed)}s]]", "refuted", topic="days")
        )
    else:
        record.right.append(Saying(every, "supported", topic="days"))
    record.wrong.append(
        Saying(f"is [[closed on {rng.choice(list(times))}s]]", "refuted", topic="days")
    )


def _say_range(record: Record, times: dict, rng: random.Random) -> None:
    """Say "Monday through Friday" where all those days are alike, and where not."""
    runs = [
        (a, b) for a in range(7) for b in range(a + 2, 7)
        if len({times.get(_DAYS[d], _DAYS[d]) for d in range(a, b + 1)}) == 1
    ]  # fmt: skip
    if not runs:
        return
    first, last = max(runs, key=lambda run: run[1] - run[0])
    start, end = (draws.in_words(*t, rng) for t in times[_DAYS[first]])
    text = rng.choice(
        ["is open from {s} to {e}, {a} [[through {b}]]", "is open {a} [[to {b}]] from {s} to {e}"]
    )
    record.right.append(
        Saying(
            text.format(s=start, e=end, a=_DAYS[first], b=_DAYS[last]), "supported", topic="days"
        )
    )
    if last < 6:
        wrong = text.format(s=start, e=end, a=_DAYS[first], b=_DAYS[rng.randint(last + 1, 6)])
        record.wrong.append(Saying(wrong, "refuted", topic="days"))


def _reviews(record: Record, aspects: dict, key: Callable[[str], str], rng: random.Random) -> None:
    told: dict[str, set[bool]] = {aspect: set() for aspect in aspects}
    reviews = []
    for _ in range(rng.randint(1, 4)):
        mood = rng.random() < 0.6
        sentences = []
        for aspect in rng.sample(list(aspects), rng.randint(1, min(3, len(aspects)))):
            good = mood if rng.random() < 0.85 else not mood
            told[aspect].add(good)
            sentences.append(rng.choice(aspects[aspect][0 if good else 1]))
        stars = rng.choice([4, 5]) if mood else rng.choice([1, 2])
        reviews.append(
            {
                key("review stars"): stars,
                key("review date"): draws.day(2015)(rng)[0],
                key("review text"): " ".join(sentences),
            }
        )
    record.data[key(rng.choice(["reviews", "review info", "customer reviews"]))] = reviews
    for aspect, (_, _, praise, blame) in aspects.items():
        _opinion(record, aspect, told[aspect], rng.choice(praise), rng.choice(blame), rng)


def _opinion(
    record: Record, aspect: str, told: set[bool], praise: str, blame: str, rng: random.Random
) -> None:
    """What may be said of an aspect after these reviews."""
    praise, blame = f"{praise[0].upper()}{praise[1:]}.", f"{blame[0].upper()}{blame[1:]}."
    if told == {True}:
        record.right.append(Saying(praise, "supported", whole=True, topic=aspect))
        record.wrong.append(Saying(blame, "refuted", whole=True, topic=aspect))
    elif told == {False}:
        record.right.append(Saying(blame, "supported", whole=True, topic=aspect))
        record.wrong.append(Saying(praise, "refuted", whole=True, topic=aspect))
    elif not told:
        bad = rng.choice([praise, blame])
        record.wrong.append(Saying(f"[[{_bare(bad)[:-1]}]].", "neutral", whole=True, topic=aspect))
    else:
        mixed = f"{_bare(praise)[:-1]}, although others disagree."
        record.right.append(
            Saying(
                f"Opinions are divided: some say that {mixed[0].lower()}{mixed[1:]}",
                "supported",
                whole=True,
                topic=aspect,
            )
        )
        record.wrong.append(
            Saying(
                f"[[All reviewers agree]] that {_bare(praise)[0].lower()}{_bare(praise)[1:]}",
                "refuted",
                whole=True,
                topic=aspect,
            )
        )


# ---------------------------------------------------------------- writing


def written(data: dict, rng: random.Random) -> str:
    """The record as a text: JSON mostly."""
    way = rng.random()
    if way < 0.5:
        return json.dumps(data, ensure_ascii=False)
    if way < 0.65:
        return json.dumps(data, indent=2, ensure_ascii=False)
    if way < 0.8:
        return str(data)
    return "\n".join(f"{key}: {_shown(value)}" for key, value in data.items())


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    return "n/a" if value is None else str(value)


def described(
    record: Record, sayings: list[Saying], context: str, group: str, rng: random.Random
) -> Row:
    """The sayings as an answer, some joined to one sentence."""
    noun = rng.choice(record.domain.nouns)
    sentences = []
    left = list(sayings)
    while left:
        saying = left.pop(0)
        if saying.whole:
            sentences.append((saying.text, [saying]))
            continue
        subject = _subject(record, noun, rng) if sentences else record.name
        joined = [saying]
        if left and not left[0].whole and rng.random() < 0.4:
            joined.append(left.pop(0))
        link = rng.choice(
            [
                " and ",
                " and ",
                f", and {_it(record)} ",
                " and also ",
                f". {_it(record).capitalize()} also ",
            ]
        )
        sentences.append((f"{subject} {link.join(s.text for s in joined)}.", joined))
    answer, spans = "", []
    for text, said in sentences:
        answer += " " if answer else ""
        marks = iter([s.label for s in said for _ in _MARK.findall(s.text)])
        end = 0
        for match in _MARK.finditer(text):
            answer += text[end : match.start()]
            label = next(marks)
            if label != "supported":
                spans.append((len(answer), len(answer) + len(match[1]), label))
            answer, end = answer + match[1], match.end()
        answer += text[end:]
    question = rng.choice(_QUESTIONS).format(noun=noun, name=record.name)
    labels = {label for _, _, label in spans}
    label = "refuted" if "refuted" in labels else "neutral" if labels else "supported"
    return Row("records", group, question, (context,), answer, label, tuple(spans))


def _it(record: Record) -> str:
    """The pronoun for it."""
    if record.domain.nouns[0] not in {"employee", "patient"}:
        return "it"
    return "he" if len(record.name) % 2 else "she"


def _subject(record: Record, noun: str, rng: random.Random) -> str:
    """How a sentence after the first begins."""
    it = _it(record)
    start = rng.choice([*[""] * 12, "Additionally, ", "In addition, ", "Also, ", "Moreover, "])
    subject = rng.choice([it, it, f"the {noun}", f"this {noun}", record.name])
    return start + subject if start or subject == record.name else subject[0].upper() + subject[1:]


def _bare(text: str) -> str:
    return _MARK.sub(r"\1", text)
