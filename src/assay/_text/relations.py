"""Words that say the same, the same with the sides exchanged, or the contrary."""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from assay._text import verbs
from assay._text.expressions import expression
from assay._text.words import stem

# ruff: noqa: SIM905 - word lists read better as prose

# A concept, then what says it with each pair of sides; "verb preposition" where it takes one.
_VERBS = """
give: subject receiver give hand donate present award grant bequeath offer pass supply provide
    feed; from subject receive get obtain inherit take accept source draw
send: subject receiver send mail ship forward deliver return transmit submit relay; from subject
    receive get
pay: subject receiver pay; from subject receive get
sell: subject receiver sell; from subject buy purchase acquire
serve: subject object serve
lend: subject receiver lend loan; from subject borrow
teach: subject receiver teach tutor instruct coach train; from subject learn+from; under subject
    study+under; with subject study+with
tell: subject receiver tell inform; from subject hear+from learn+from
employ: subject object hire employ recruit engage; for subject work+for
precede: subject object precede; object subject follow succeed replace supersede; from subject
    takeover
follow: object subject take+over
beat: subject object beat defeat overcome outplay; to subject lose+to; against subject
    lose+against; subject against win+against prevail+against; subject over win+over
    prevail+over
own: subject object own possess; to subject belong+to
lead: subject object lead head manage chair run direct supervise
boss: to subject report+to answer+to
cause: subject object cause trigger produce provoke; subject to lead+to; subject in result+in;
    from subject result+from stem+from arise+from come+from
found: subject object found establish
write: subject object write author pen compose
build: subject object build construct erect
discover: subject object discover
invent: subject object invent
design: subject object design
kill: subject object kill murder slay
help: subject object help assist aid
save: subject object save rescue
accuse: subject object accuse blame
phone: subject object phone call telephone ring
ask: subject object ask request
invite: subject object invite
support: subject object support back endorse
visit: subject object visit
eat: subject object eat devour consume; subject on prey+on feed+on
orbit: subject object orbit circle; subject around revolve+around
need: subject object need require; subject on depend+on rely+on
parent: from subject inherit+from derive+from descend+from
owe: subject to owe
drive: subject object drive
contain: subject object contain include hold comprise
more large: subject object exceed surpass outstrip outperform outsell outweigh outnumber
earlier: subject object predate antedate; object subject postdate
"""
# Of each the first had something before, and the second has it then.
TRANSFERS = frozenset({"give", "send", "sell"})
# A concept, then who is the first and who the second.
_NOUNS = (
    "teach: teacher tutor mentor instructor professor coach / pupil student apprentice protege",
    "employ: employer / employee",
    "own: owner proprietor parent / subsidiary",
    "parent: mother father base superclass / son daughter child subclass",
    "grandparent: grandmother grandfather grandparent / grandson granddaughter grandchild",
    "aunt: aunt uncle / nephew niece",
    "boss: boss manager supervisor superior chief / subordinate deputy assistant",
    "precede: predecessor forerunner / successor",
    "let: landlord landlady lessor / tenant lodger lessee",
    "treat: doctor physician dentist therapist / patient",
    "serve: supplier lawyer solicitor attorney / client customer",
    "lend: lender creditor / borrower debtor",
    "sell: seller vendor / buyer purchaser",
    "write: author writer composer /",
    "found: founder /",
    "invent: inventor /",
    "design: designer architect /",
    "discover: discoverer /",
    "cause: cause reason / result effect consequence outcome",
)
_COMPARATIVES = (
    "old: older elder / younger newer",
    "large: larger bigger greater / smaller",
    "high: higher / lower",
    "long: longer taller / shorter",
    "fast: faster quicker swifter / slower",
    "late: later / earlier sooner",
    "warm: warmer hotter milder / colder cooler",
    "heavy: heavier / lighter",
    "strong: stronger / weaker",
    "rich: richer wealthier / poorer",
    "good: better / worse",
    "dear: dearer pricier costlier / cheaper",
    "far: farther further / nearer closer",
    "deep: deeper / shallower",
    "wide: wider broader thicker / narrower thinner",
    "bright: brighter / darker dimmer",
    "hard: harder tougher / easier",
    "loud: louder noisier / quieter",
    "safe: safer / riskier",
    "wet: wetter / drier",
    "often: commoner / rarer",
)
# What is measured where a verb says how much.
MEASURED = {stem("cost"): "dear", stem("weigh"): "heavy"}
_OFTEN = dict.fromkeys(("often", "common", "frequent", "frequently", "prevalent"), ("often", 1))
_GRADED = {
    **_OFTEN,
    "rare": ("often", -1),
    "rarely": ("often", -1),
    "expensive": ("dear", 1),
    "costly": ("dear", 1),
    "difficult": ("hard", 1),
    "easy": ("hard", -1),
}
# What is so the one way round is so the other way round.
MUTUAL = frozenset(
    map(
        stem,
        "meet marry join resemble border equal match accompany differ agree talk speak chat share "
        "play tie draw connect link merge collide correlate associate interact compete be have "
        "become remain seem mean".split(),
    )
)

# What something does that becomes more or less; what is done to it; either.
_CHANGES = (
    "rise grow climb surge soar jump / fall decline sink shrink slip plunge tumble slump dip",
    "raise lift boost gain / reduce lower cut lose trim slash",
    "increase expand double triple quadruple / decrease drop halve",
)
_OF_CHANGE: dict[str, tuple[int, str]] = {}
# Beside what changed, when it was otherwise.
REFERENCES = frozenset(
    map(stem, "compare previous prior year before early last now then previously ago past".split())
)
_OTHER_COMPARATIVE = expression(r"(?!other|rather|later)[a-z]{3,}er")
Sides = tuple[str, str, str]  # concept, role of the first, role of the second
_OF_VERB: dict[str, list[Sides]] = {}
_OF_NOUN: dict[str, tuple[str, str]] = {}
_OF_COMPARATIVE: dict[str, tuple[str, int]] = {}


def _learn() -> None:
    for line in _VERBS.replace("\n    ", " ").strip().split("\n"):
        concept, _, entries = line.partition(": ")
        for entry in entries.split("; "):
            first, second, *entry_verbs = entry.split()
            for verb in entry_verbs:
                base, _, preposition = verb.partition("+")
                key = f"{stem(verbs.base(base))} {preposition}".strip()
                _OF_VERB.setdefault(key, []).append((concept, first, second))
    for line in _NOUNS:
        concept, _, entry = line.partition(": ")
        for holder, nouns in zip(("first", "second"), entry.split("/"), strict=True):
            _OF_NOUN.update({stem(noun): (concept, holder) for noun in nouns.split()})
    for line in _COMPARATIVES:
        concept, _, entry = line.partition(": ")
        for sign, compared in zip((1, -1), entry.split(" / "), strict=True):
            for word in compared.split():
                _OF_COMPARATIVE.setdefault(word, (concept, sign))


def _learn_changes() -> None:
    for changed_role, line in zip(("subject", "object", "either"), _CHANGES, strict=True):
        for sign, verbs_of in zip((1, -1), line.split(" / "), strict=True):
            _OF_CHANGE.update(
                {stem(verbs.base(word)): (sign, changed_role) for word in verbs_of.split()}
            )


# What is "leased from" the one is "leased to" the other.
_BOTH_WAYS = {stem(verb): {"to": ("let", "subject", "to"), "from": ("let", "from", "subject")}
              for verb in ("lease", "rent", "hire", "license")}  # fmt: skip


FIRMS = frozenset(map(stem, "company firm club group".split()))


def of_verb(verb: str, preposition: str, *, direct: bool) -> list[Sides] | None:
    """What a verb, by its stem, says of which of its roles; None where it is mutual.

    Args:
        verb: The stem.
        preposition: The first one behind it; "" for none.
        direct: Whether it has an object.
    """
    if verb in MUTUAL:
        return None
    if preposition in _BOTH_WAYS.get(verb, ()):
        return [_BOTH_WAYS[verb][preposition]]
    sides = [] if direct else _OF_VERB.get(f"{verb} {preposition}", [])
    return sides or _OF_VERB.get(verb, [])


def of_nouns(stems: AbstractSet[str]) -> Iterator[tuple[str, str, str]]:
    """Nouns, what they say of their holder and which side that is: "teach", "first"."""
    for noun in sorted(stems & _OF_NOUN.keys()):
        yield noun, *_OF_NOUN[noun]


def of_comparative(word: str, following: str) -> tuple[str, int] | None:
    """What a comparative compares, and whether by more (1) or less (-1); None for no such word.

    "amount" for "more" and "fewer", of whatever follows.
    """
    if word in {"more", "less", "fewer"}:
        sign = 1 if word == "more" else -1
        dimension, own_sign = _GRADED.get(following, ("amount", 1))
        return dimension, sign * own_sign
    if following == "than" and word not in _OF_COMPARATIVE and _OTHER_COMPARATIVE.fullmatch(word):
        return re.sub(r"(?:(?<=i)er|(.)\1er|er)$", r"\1", word), 1  # "steeper"
    return _OF_COMPARATIVE.get(word)


def of_change(verb: str) -> tuple[int, str]:
    """Whether a verb, by its stem, says that something rose (1) or fell (-1), and what of it did.

    That is its "subject", its "object" or "either"; (0, "") of any other verb.
    """
    return _OF_CHANGE.get(verb, (0, ""))


def changing() -> frozenset[str]:
    """The stems of the verbs that say so."""
    return frozenset(_OF_CHANGE).union(map(stem, ["go", "come", "move", "up", "down"]))


def is_graded(word: str) -> bool:
    """Whether "more" before a word says what other words say, too: "common", "expensive"."""
    return word in _GRADED


# Pairs of which one holds where the other does not ...
_EITHER = (
    "accept/reject allow/forbid allow/ban allow/prohibit permit/forbid permit/prohibit permit/ban "
    "include/exclude open/closed open/close possible/impossible legal/illegal success/failure "
    "succeed/fail approve/reject present/absent true/false guilty/innocent pass/fail "
    "able/unable agree/disagree agree/refuse confirm/deny appear/disappear like/dislike "
    "compulsory/optional mandatory/optional mandatory/voluntary permanent/temporary "
    "complete/incomplete enable/disable free/paid manual/automatic manually/automatically "
    "online/offline wired/wireless require/optional legal/unlawful dependent/independent "
    "regular/irregular connect/disconnect honest/dishonest odd/even indoor/outdoor alive/dead"
).split()
# ... and of which neither need hold.
_CONTRARY = (
    "increase/decrease increase/reduce increase/decline increase/fall increase/drop increase/sink "
    "rise/fall rise/decline rise/drop rise/sink rise/decrease raise/lower raise/reduce raise/cut "
    "grow/shrink grow/fall grow/decline grow/drop climb/fall climb/drop climb/sink climb/decline "
    "strengthen/weaken widen/narrow lengthen/shorten expand/shrink expand/contract "
    "improve/worsen improve/deteriorate accelerate/slow gain/lose win/lose warm/cool "
    "high/low higher/lower highest/lowest more/less more/fewer most/least maximum/minimum "
    "large/small larger/smaller largest/smallest big/small bigger/smaller biggest/smallest "
    "long/short longer/shorter longest/shortest tall/short taller/shorter tallest/shortest "
    "old/young older/younger oldest/youngest oldest/newest old/new older/newer fast/slow "
    "faster/slower fastest/slowest quicker/slower hot/cold hotter/colder hottest/coldest "
    "warmer/cooler warmer/colder warmest/coldest early/late earlier/later sooner/later "
    "earliest/latest first/last before/after begin/end start/end start/finish start/stop "
    "import/export arrive/leave enter/exit enter/leave live/die north/south east/west "
    "northern/southern eastern/western left/right upstream/downstream above/below up/down "
    "upward/downward positive/negative better/worse best/worst strong/weak stronger/weaker "
    "strongest/weakest safe/dangerous support/oppose for/against rich/poor richer/poorer "
    "cheap/expensive cheaper/dearer cheapest/dearest heavy/light heavier/lighter "
    "heaviest/lightest deep/shallow deeper/shallower wide/narrow wider/narrower bright/dark "
    "brighter/darker thick/thin thicker/thinner wet/dry wetter/drier hard/easy harder/easier "
    "hard/soft closer/farther nearer/farther love/hate "
    "profit/loss surplus/deficit ascend/descend add/remove attach/detach tighten/loosen "
    "fill/empty lock/unlock inside/outside front/back morning/evening summer/winter day/night "
    "man/woman boy/girl husband/wife father/mother son/daughter brother/sister uncle/aunt "
    "male/female king/queen upper/lower major/minor inner/outer internal/external public/private"
).split()
OPPOSITES: dict[str, dict[str, bool]] = {}
for _pairs, _gradable in ((_EITHER, False), (_CONTRARY, True)):
    for _pair in _pairs:
        _first_stem, _second_stem = (stem(verbs.base(word)) for word in _pair.split("/"))
        if _first_stem != _second_stem:
            OPPOSITES.setdefault(_first_stem, {})[_second_stem] = _gradable
            OPPOSITES.setdefault(_second_stem, {})[_first_stem] = _gradable
PHRASAL = {
    (verb, particle): stem("rise" if particle == "up" else "fall")
    for verb in ("go", "come", "move", "shoot", "creep")
    for particle in ("up", "down")
}
# Of each line no two hold of one thing.
_EXCLUSIVE = (
    "red blue green yellow black white brown orange purple pink grey gray violet turquoise",
    "monday tuesday wednesday thursday friday saturday sunday",
    "january february march april may june july august september october november december",
    "spring summer autumn winter",
    "gold silver bronze iron copper steel wood wooden plastic glass stone brick concrete paper",
    "quarter third half",
    "hourly daily weekly monthly quarterly yearly annual annually",
)
_CLASSES = {stem(word): i for i, line in enumerate(_EXCLUSIVE) for word in line.split()}
_PREFIXES = ("un", "in", "im", "dis", "non", "ir", "il")
_SAME = (
    "hire recruit employ|buy purchase acquire|begin start|end finish conclude|close shut|"
    "rise increase climb grow|fall drop decrease decline sink|reduce lower cut|"
    "allow permit|forbid ban prohibit|build construct erect|found establish|need require|"
    "big large|small little|show demonstrate|get receive obtain|repair mend fix|"
    "choose select|help assist|find discover|award grant|injure hurt|destroy demolish|"
    "include contain|cancel abandon|reject refuse|locate situate|offer provide|use employ|"
    "lack miss|car vehicle|physician doctor|pupil student|movie film|kid child|firm company"
)
CONCEPTS: dict[str, str] = {}
for _group in _SAME.split("|"):
    _members = [stem(verbs.base(word)) for word in _group.split()]
    for _member in _members:
        CONCEPTS.setdefault(_member, _members[0])


for _first_stem, _others in list(OPPOSITES.items()):
    for _second_stem, _gradable in list(_others.items()):
        _first_concept, _second_concept = (
            CONCEPTS.get(word, word) for word in (_first_stem, _second_stem)
        )
        OPPOSITES.setdefault(_first_concept, {}).setdefault(_second_concept, _gradable)


def opposite(first: str, second: str) -> bool | None:
    """Whether two stems are opposites of which neither need hold (True), or one must (False)."""
    opposites = OPPOSITES.get(first)
    if opposites and second in opposites:
        return opposites[second]
    if one_of_a_kind(first, second):
        return True
    short, long = (first, second) if len(first) <= len(second) else (second, first)
    denied = len(short) > 3 and long.endswith(short) and long[: -len(short)] in _PREFIXES
    return False if denied else None


def one_of_a_kind(first: str, second: str) -> bool:
    """Whether two stems name things of one kind, as days of the week."""
    return _CLASSES.get(first, -1) == _CLASSES.get(second, -2)


def concept(word: str) -> str:
    """What stands for a stem and those that mean the same."""
    return CONCEPTS.get(word, word)


_learn()
_learn_changes()
