"""Hard negatives: one thing in a sentence of the passage is changed, the rest stays.

Half of the time the passage is changed instead of the claim, so that a text by itself never tells
whether it is right: the claim as it stood is then the wrong one. The other sentences of the passage
stay, with most of the words that the change put in.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence

from assay._text import entities
from assay._text.words import STOP_WORDS
from assay.experiments.reader_windows import Row
from training.verifier.synthetic import lexicon, paraphrase
from training.verifier.synthetic.changes import Change, apply, find, like, reverse
from training.verifier.synthetic.corpus import Passage, passages
from training.verifier.synthetic.names import kind_of, names_in

PER_PASSAGE = 7  # changed sentences of one passage at most
_MONTHS = tuple(
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NUMBER = re.compile(
    r"(?<![\w.,-])(?P<money>[$£€])?(?P<value>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)"
    r"(?P<percent>%| percent| per cent)?(?P<ordinal>st|nd|rd|th)?(?![\w-]|[.,:]\d)"
)
_WORD_NUMBERS = "two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
_UNITS = """
    km/miles kilometers/miles kilometres/miles miles/kilometers kg/pounds kilograms/pounds
    pounds/kilograms meters/feet metres/feet feet/meters inches/centimeters acres/hectares
    million/billion billion/million hours/minutes minutes/hours days/weeks weeks/days
    months/years years/months seconds/minutes dollars/euros euros/dollars decades/years
    thousand/million hundreds/thousands thousands/millions grams/milligrams tons/pounds
""".split()  # noqa: SIM905
# Left: what the passage says; right: more than it says.
_STRONGER = """
    some/all many/all often/always usually/always sometimes/always generally/always
    typically/always frequently/always may/will might/will could/will likely/certain
    probably/certainly possibly/definitely mainly/exclusively primarily/exclusively
    mostly/entirely partly/entirely partially/completely largely/entirely suggests/proves
    suggest/prove suggested/proved indicates/proves indicate/prove believed_to/known_to
    thought_to/known_to one_of_the/the among_the/the expected_to/certain_to hopes_to/will
    plans_to/will can_be/must_always_be a_few/many tends_to/will tried_to/managed_to
    attempted_to/managed_to aims_to/manages_to wanted_to/was_able_to the_majority_of/all
    most_of/all_of some_of/all_of many_of/all_of reportedly/definitely
    allegedly/demonstrably potentially/certainly can_cause/will_always_cause claimed/proved
    claims/proves alleged/confirmed appears_to/is_certain_to seems_to/is_certain_to
""".split()  # noqa: SIM905
_EXACTER = (
    "about/exactly", "around/exactly", "approximately/exactly", "roughly/exactly",
    "nearly/more_than", "almost/more_than",
)  # fmt: skip
_OTHERWISE = """
    more_than/less_than less_than/more_than at_least/at_most up_to/at_least
    fewer_than/more_than because_of/in_spite_of because/although due_to/despite
    although/because despite/because_of as_a_result_of/in_spite_of led_to/resulted_from
    resulted_in/resulted_from results_in/results_from leads_to/results_from during/after
    until/after caused_by/the_cause_of prior_to/after as_well_as/but_not
    in_addition_to/instead_of along_with/without more_than/fewer_than even_though/because
    unlike/like no_longer/still still/no_longer already/not_yet never/always always/never
""".split()  # noqa: SIM905
_RELATIONS = """
    wrote/edited directed/produced produced/directed directed_by/written_by
    written_by/directed_by founded/joined co-founded/bought born_in/died_in died_in/born_in
    father/brother mother/sister brother/cousin sister/daughter president/vice_president
    chairman/spokesman founder/director CEO/founder winner/runner-up won/was_nominated_for
    captain/coach coach/owner published/reviewed released/recorded starring/produced_by
    based_in/founded_in headquartered_in/founded_in studied_at/taught_at
    taught_at/studied_at graduated_from/taught_at capital_of/largest_city_of gold/silver
    silver/bronze bronze/gold author/translator writer/editor played_for/coached
    signed_with/left joined/founded acquired/sued sold/leased invented/improved
    discovered/studied designed/criticized built/renovated married/divorced met/married
    wife/sister husband/brother son/nephew daughter/niece album/song song/album novel/play
    film/series second/third last/first largest/second-largest debut/second city/county
    north_of/south_of west_of/east_of announced/denied confirmed/denied professor/student
    guitarist/drummer singer/drummer quarterback/kicker mayor/governor governor/senator
    senator/governor actor/director director/producer producer/director
""".split()  # noqa: SIM905
_AUX = re.compile(
    r"\b(is|was|are|were|can|will|has been|have been|had been|could|should|would|may|must)"
    r"(?= (?!not\b|n't|to\b|never\b|no\b|also\b|a lot\b|only\b)(?:\w+))"
)
_PAST = re.compile(
    r"(?<=[a-z] )(?:won|became|made|took|wrote|led|began|received|played|worked|served|joined|"
    r"moved|"
    r"released|published|founded|created|appeared|attended|graduated|announced|reached|signed|"
    r"developed|introduced|completed|achieved|designed|directed|produced|recorded)(?= [a-z])"
)
_DENIED = re.compile(
    r"\b(is|was|are|were|can|will|has|have|had|could|should|would|may|did|do|does) not\b"
)
_JOINED_BY = re.compile(r"^(?:\s*,?\s*(?:and|or|&|,|/|-|\u2013|vs\.?|with)\s*)+$")
_SYMMETRIC = re.compile(
    r"\b(?:and|or|with|between|married|met|versus|vs|against|together|both|along|tied|drew|"
    r"share[sd]?|"
    r"same|similar|including|such as|like|other|near|adjacent|equal|sibling|partner|also known|"
    r"called|known as|alongside|joined by)\b|[,;(]"
)
_DIRECTED = re.compile(
    r"\b(?:by|from|to|than|over|of|after|before|for|under|behind|above|below|north|south|east|west|"
    r"beat|defeated|succeeded|replaced|told|asked|gave|sent|taught|killed|bought|acquired|invaded|"
    r"sued|led|wrote|founded|employed|hired|attacked|called|criticized|praised|against)\b"
)
_SURELY_DIRECTED = re.compile(
    r"\b(?:than|beat|defeated|succeeded|replaced|told|asked|taught|killed|bought|acquired|invaded|"
    r"sued|hired|attacked|called|criticized|praised|followed|led|from \w+ to|over)\b"
)
_FROM_TO = re.compile(
    r"\bfrom ((?:the )?[\w%$.,'-]+?) to ((?:the )?[\w%$'-]+(?:[.,]\d+)?)(?=[\s.,;])"
)
_RATHER = re.compile(r"\b(\w+) (rather than|instead of|as opposed to) (\w+)\b")


# ---------------------------------------------------------------- the changes


def number(sentence: str, passage: Passage, rng: random.Random) -> Change | None:
    """Another number of the same sort, from the passage or near the right one."""
    found = list(_NUMBER.finditer(sentence))
    if not found or rng.random() < 0.15:
        return _word_number(sentence, rng)
    match = rng.choice(found)
    if find(sentence, match.group()) < 0:
        return None
    others = [
        m.group()
        for m in _NUMBER.finditer(passage.text)
        if _sort(m) == _sort(match) and m["value"] != match["value"] and m.group() not in sentence
    ]
    if others and rng.random() < 0.6:
        return ((match.group(), rng.choice(others)),)
    new = _near(match, rng)
    return ((match.group(), new),) if new and new not in sentence else None


def _sort(match: re.Match[str]) -> str:
    """What sort of number it is, so that only the like is exchanged."""
    value = match["value"]
    if match["money"] or match["percent"] or match["ordinal"]:
        return (
            (match["money"] or "") + (match["percent"] or "") + ("th" if match["ordinal"] else "")
        )
    if re.fullmatch(r"1[5-9]\d\d|20[0-4]\d", value):
        return "year"
    return "decimal" if "." in value else f"whole{min(len(value), 4)}"


def _near(match: re.Match[str], rng: random.Random) -> str:
    text = match["value"]
    value = float(text.replace(",", ""))
    if _sort(match) == "year":
        new = int(value) + rng.choice([-20, -12, -10, -7, -5, -3, -2, -1, 1, 2, 3, 4, 6, 9, 10])
        written = str(new)
    elif "." in text:
        places = len(text.partition(".")[2])
        written = f"{value * rng.choice([0.5, 0.7, 0.8, 0.9, 1.1, 1.2, 1.4, 2, 10]):.{places}f}"
    elif value < 13:
        written = str(max(1, int(value) + rng.choice([-3, -2, -1, 1, 2, 3, 4])))
    else:
        step = 10 ** (len(str(int(value * 0.3))) - 1)
        steps = rng.choice([-2, -1, 1, 2, 3])
        written = (
            f"{int(value) + steps * step:,}" if "," in text else str(int(value) + steps * step)
        )
    if written == text or match["ordinal"]:
        if not match["ordinal"]:
            return ""
        new = max(1, int(value) + rng.choice([-2, -1, 1, 2, 3]))
        ending = (
            {1: "st", 2: "nd", 3: "rd"}.get(new % 10, "th")
            if new % 100 not in {11, 12, 13}
            else "th"
        )
        return f"{new}{ending}" if new != value else ""
    return f"{match['money'] or ''}{written}{match['percent'] or ''}"


def _word_number(sentence: str, rng: random.Random) -> Change | None:
    found = [w for w in _WORD_NUMBERS if find(sentence, w) >= 0]
    if not found:
        return None
    old = rng.choice(found)
    near = [w for w in _WORD_NUMBERS if w != old and w not in sentence]
    return ((old, rng.choice(near[:9])),)


def date(sentence: str, passage: Passage, rng: random.Random) -> Change | None:
    """Another month or week day."""
    for group in rng.sample([_MONTHS, _DAYS], 2):
        found = [w for w in group if find(sentence, w) >= 0 and (w not in {"May", "March"})]
        if found:
            others = [w for w in group if w not in sentence]
            near = [w for w in others if w in passage.text]
            return ((rng.choice(found), rng.choice(near or others)),)
    return None


def unit(sentence: str, _passage: Passage, rng: random.Random) -> Change | None:
    """Another unit beside the same number."""
    return _listed(
        sentence,
        _UNITS,
        rng,
        before=r"(?:\d|\b(?:two|three|four|five|six|ten|several|few)\b)[\s-]?$",
    )


def entity(sentence: str, passage: Passage, rng: random.Random) -> Change | None:
    """Another name of the same kind, nearly always one of the passage."""
    here = [n for n in names_in(sentence) if find(sentence, n) >= 0]
    there = [n for n in names_in(passage.text) if n not in sentence]
    rng.shuffle(here)
    for name in here:
        kind = kind_of(name)
        if kind.startswith("other") and rng.random() < 0.4:
            continue
        same = [
            n for n in there
            if kind_of(n) == kind and not set(n.split()) & set(name.split())
            and (kind != "other" or abs(len(n.split()) - len(name.split())) < 2)
        ]  # fmt: skip
        if same:
            return ((name, rng.choice(same)),)
        if kind == "country" and rng.random() < 0.5:
            return ((name, rng.choice([c for c in lexicon.COUNTRIES if c not in sentence])),)
        if kind == "nationality" and rng.random() < 0.5:
            return ((name, rng.choice([c for c in lexicon.ADJECTIVES if c not in sentence])),)
        if kind == "person" and rng.random() < 0.3:
            first = rng.choice(sorted(lexicon.FIRST_NAMES))
            return ((name, f"{first} {rng.choice(lexicon.LAST_NAMES)}"),)
    return None


def role(sentence: str, _passage: Passage, rng: random.Random) -> Change | None:
    """Who did it and to whom it was done, exchanged."""
    for regex in (_FROM_TO, _RATHER):
        match = regex.search(sentence)
        if match:
            one, other = match[1], match[match.lastindex or 2]
            if {one.lower(), other.lower()} & STOP_WORDS or one.lower() == other.lower():
                continue
            if min(find(sentence, one), find(sentence, other)) >= 0:
                return ((one, other), (other, one))
    names = [n for n in names_in(sentence) if find(sentence, n) >= 0]
    pairs = [
        (a, b) for i, a in enumerate(names) for b in names[i + 1 : i + 3]
        if kind_of(a) == kind_of(b) and not set(a.split()) & set(b.split())
    ]  # fmt: skip
    rng.shuffle(pairs)
    for one, other in pairs:
        between = sentence[find(sentence, one) + len(one) : find(sentence, other)]
        sure = _DIRECTED if kind_of(one) in {"person", "country", "body"} else _SURELY_DIRECTED
        if sure.search(between) and not _SYMMETRIC.search(between) and kind_of(one) != "other":
            return ((one, other), (other, one))
    return None


def two_numbers(sentence: str, _passage: Passage, rng: random.Random) -> Change | None:
    """Two numbers of one sort in one sentence, exchanged."""
    found = [m for m in _NUMBER.finditer(sentence) if find(sentence, m.group()) >= 0]
    pairs = [
        (a, b) for i, a in enumerate(found) for b in found[i + 1 :]
        if _sort(a) == _sort(b) and a.group() != b.group()
        and not re.fullmatch(r"\s*(?:-|\u2013|to|and|or|,)\s*", sentence[a.end() : b.start()])
    ]  # fmt: skip
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    return ((one.group(), other.group()), (other.group(), one.group()))


def negation(sentence: str, _passage: Passage, rng: random.Random) -> Change | None:
    """A denial put in, or taken out."""
    if entities.is_negated(sentence):
        return _affirmed(sentence, rng)
    found = [m for m in _AUX.finditer(sentence) if find(sentence, _two(sentence, m)) >= 0]
    past = _PAST.search(sentence)
    if past and (not found or rng.random() < 0.5):
        old = _two(sentence, past)
        return ((old, f"never {old}"),) if find(sentence, old) >= 0 else None
    if not found:
        return None
    match = found[0] if rng.random() < 0.7 else rng.choice(found)
    old = _two(sentence, match)
    first, _, rest = old.partition(" ")
    word = rng.choice(["not", "not", "not", "never"])
    if first in {"is", "was", "were", "could", "should"} and rng.random() < 0.3:
        return ((old, f"{first}n't {rest}"),)
    return ((old, f"{first} {word} {rest}"),)


def _affirmed(sentence: str, rng: random.Random) -> Change | None:
    """A denial taken out."""
    denied = _DENIED.search(sentence)
    if denied and "not only" not in sentence:
        return ((denied.group(), denied[1]),)
    for old, new in (("cannot", "can"), ("without", "with"), ("never", "always")):
        if find(sentence, old) >= 0 and rng.random() < 0.7:
            return ((old, new),)
    return None


def _two(sentence: str, match: re.Match[str]) -> str:
    """The match and the word after it."""
    after = re.match(r" \w+", sentence[match.end() :])
    return match.group() + (after.group() if after else "")


def stronger(sentence: str, _passage: Passage, rng: random.Random) -> Change | None:
    """All for some, always for often, is for may be: more than the passage says."""
    if rng.random() < 0.5:
        found = _listed(sentence, _EXACTER, rng, after=r" [$]?\d")
        return found or _listed(sentence, ("most/all", "most/no"), rng, after=r" (?:of|\w{3,}s)\b")
    return _listed(sentence, _STRONGER, rng)


def otherwise(sentence: str, _passage: Passage, rng: random.Random) -> Change | None:
    """Less for more, despite for because, after for before."""
    found = _listed(sentence, ("over/under", "under/over", "above/below", "below/above"), rng,
        after=r" [$]?\d")  # fmt: skip
    return found or _listed(sentence, _OTHERWISE, rng)


def relation(sentence: str, _passage: Passage, rng: random.Random) -> Change | None:
    """Another relation between the same things."""
    return _listed(sentence, _RELATIONS, rng)


def antonym(sentence: str, _passage: Passage, rng: random.Random) -> Change | None:
    """The opposite of a word."""
    found = [w for w in re.findall(r"[A-Za-z-]+", sentence) if w.lower() in lexicon.ANTONYMS]
    rng.shuffle(found)
    for old in found:
        new = like(old, rng.choice(lexicon.ANTONYMS[old.lower()]))
        if find(sentence, old) >= 0 and new not in sentence and not _in_name(sentence, old):
            return ((old, new),)
    return None


def _in_name(sentence: str, word: str) -> bool:
    return word[0].isupper() and find(sentence, word) > 0


def _listed(
    sentence: str, pairs: Sequence[str], rng: random.Random, before: str = "", after: str = ""
) -> Change | None:
    """One of the listed exchanges that is possible here."""
    found = []
    lower = sentence.lower()
    for pair in pairs:
        old, new = pair.replace("_", " ").split("/")
        if old.lower() not in lower:
            continue
        for form in (old, like("A", old)):
            place = find(sentence, form)
            if place < 0 or (form != old and place > 0):
                continue
            if form.lower() == "because" and sentence[place + 7 :].startswith(" of"):
                continue
            if after and not re.match(after, sentence[place + len(form) :]):
                continue
            if not before or re.search(before, sentence[:place]):
                found.append(((form, like(form, new)),))
    return rng.choice(found) if found else None


KINDS: dict[str, tuple[Callable[[str, Passage, random.Random], Change | None], str]] = {
    "number": (number, "refuted"),
    "date": (date, "refuted"),
    "unit": (unit, "refuted"),
    "entity": (entity, "refuted"),
    "role": (role, "refuted"),
    "two_numbers": (two_numbers, "refuted"),
    "negation": (negation, "refuted"),
    "stronger": (stronger, "neutral"),
    "otherwise": (otherwise, "refuted"),
    "relation": (relation, "unsupported"),
    "antonym": (antonym, "refuted"),
}
# Rare ways first, or the common ones (numbers, denials) would take every sentence.
_WEIGHTS = {"number": 2.0, "entity": 0.9, "negation": 0.6, "antonym": 0.45, "stronger": 1.2}


def edit(
    sentence: str, passage: Passage, rng: random.Random, only: tuple[str, ...] = tuple(KINDS)
) -> tuple[str, Change, str] | None:
    """One change that this sentence allows: its kind, the change, the label it leads to."""
    order = sorted(only, key=lambda kind: -(rng.random() ** (1 / _WEIGHTS.get(kind, 2.5))))
    for kind in order:
        way, label = KINDS[kind]
        change = way(sentence, passage, rng)
        if change and apply(sentence, change):
            return kind, change, label
    return None


# ---------------------------------------------------------------- the rows


def generate(seed: int = 0) -> Iterator[Row]:
    """Pairs of a right and a wrong claim for every change, half of them by changing the passage."""
    for passage in passages():
        rng = random.Random(f"{seed}{passage.text[:80]}")
        order = list(range(len(passage.sentences)))
        rng.shuffle(order)
        for place in order[:PER_PASSAGE]:
            made = edit(passage.sentences[place], passage, rng)
            if made:
                yield from _rows(passage, place, made, rng)


def _rows(
    passage: Passage, place: int, made: tuple[str, Change, str], rng: random.Random
) -> Iterator[Row]:
    kind, change, label = made
    sentence = passage.sentences[place]
    claim = paraphrase.light(sentence, passage, rng) if rng.random() < 0.4 else sentence
    wrong = apply(claim, change)
    if not wrong:
        claim, wrong = sentence, apply(sentence, change)
    other = apply(sentence, change)
    if not wrong or not other:
        return
    text, spans = wrong
    if rng.random() < 0.5:
        yield row(passage, kind, passage.text, _freer(claim, passage, rng))
        yield row(passage, kind, passage.text, text, label, spans)
        return
    context = passage.text.replace(sentence, other[0])
    yield row(passage, kind, context, _freer(text, passage, rng))
    if label == "neutral":  # the weaker claim follows from the stronger passage
        yield row(passage, kind, passage.text, text, label, spans)
        return
    back = apply(text, reverse(change))
    if back and back[0] == claim:
        yield row(passage, kind, context, claim, label, back[1])


def _freer(claim: str, passage: Passage, rng: random.Random) -> str:
    """The right claim in other words: the wrong one lost some of the passage's words too."""
    made = paraphrase.light(claim, passage, rng) if rng.random() < 0.8 else claim
    return (paraphrase.synonyms(made, passage, rng, 0.9) if rng.random() < 0.5 else None) or made


def row(
    passage: Passage,
    kind: str,
    context: str,
    answer: str,
    label: str = "supported",
    spans: list[tuple[int, int]] | None = None,
) -> Row:
    """A row about one passage."""
    marked = tuple((start, end, label) for start, end in spans or ())
    return Row(
        f"edits/{kind}", passage.group, "", (context,), answer, label, marked, passage.msmarco
    )
