"""A statement laid word by word beside sentences of the evidence that say nearly the same.

Where all of it is there but one thing, and that one is turned into its opposite, denied, said of
more, or taken from what the evidence says elsewhere, the evidence says otherwise; where nothing
differs, it says so.
"""

import itertools
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from assay._text.relations import one_of_a_kind, opposite
from assay._text.sides import Stems
from assay._text.wordings import Item, Wording, wordings
from assay._text.words import stem, words

_SKIP = {"word": 0.35, "number": 0.35, "date": 0.15, "small": 0.05}  # of the evidence
_LEFT = {"word": 2.0, "number": 2.0, "date": 2.0, "small": 0.4}  # of the statement
_PART = 0.2  # a part of a list is passed over
_FAR = float("inf")
_CARRIED = 0.2  # a word of the subject is not repeated
_MOST_CARRIED = 4
_OTHER, _CONTRARY = 1.2, 1.0
_WORST = 3.6
_ODD = frozenset("?#+§@")  # what is read without them is another thing: "C#"
_LONG = 400  # characters; what is longer says more than one thing
_FEWEST = 2  # things that a statement says
_MOST_OTHER = 2  # words of it that the sentence lacks
# With one of them the evidence says it of some alone.
_LIMITS = frozenset(words("if unless except only without or formerly whether would apart besides"))
_TIMES = dict.fromkeys(("second", "minut", "hour", "dai", "week", "month", "year"), "time")
_CLOCK = frozenset({"am", "pm", stem("century")})  # numbers that name a time
_LOOSE = frozenset(["in", "on", "at", "during"])
_LONGEST = 40  # items of a sentence
# Of how many the evidence says it, and of how many it then does not say it.
CLASHES = {
    "all": {"none", "few", "notall", "only"},
    "most": {"none", "few", "all"},
    "some": {"all", "none", "most"},
    "few": {"all", "most", "none"},
    "none": {"all", "some", "most", "few"},
    "notall": {"all"},
    "atleast": {"atmost", "lessthan"},
    "atmost": {"atleast", "morethan"},
    "morethan": {"atmost", "lessthan"},
    "lessthan": {"atleast", "morethan"},
}


class Difference(NamedTuple):
    """Where a statement and a sentence differ.

    Attributes:
        kind: "opposite", "small" for small words, "other" for another word or number, "lacking".
        claim: What the statement has.
        source: What stands there in the evidence.
    """

    kind: str
    claim: Item
    source: Item | None


class Laid(NamedTuple):
    """A statement beside a sentence.

    Attributes:
        cost: How badly they fit.
        pairs: For each item of the statement the place in the sentence; -1 where it has none, -2
            where it is the subject that the sentence does not repeat.
        differences: Where they differ.
    """

    cost: float
    pairs: tuple[int, ...]
    differences: tuple[Difference, ...]


class Otherwise(NamedTuple):
    """What the evidence says of a statement.

    Attributes:
        agrees: Whether it says so, or otherwise.
        rule: What was compared.
        doubt: What speaks against the statement.
    """

    agrees: bool
    rule: str
    doubt: str


def lay(claim: Wording, source: Wording, topic: Stems) -> Laid | None:
    """The statement beside the sentence at the least cost; None if it is far from it.

    Args:
        claim: The statement.
        source: The sentence.
        topic: What the sentences before it are about.
    """
    a, b = claim.items, source.items
    if len(a) > _LONGEST or len(b) > 2 * _LONGEST:
        return None
    cost, step = _costs(claim, source, topic)
    ends = cost[len(a)]
    end = min(range(len(ends)), key=ends.__getitem__)
    return None if ends[end] > _WORST else _trace_back(a, b, step, end, ends[end])


def _costs(
    claim: Wording, source: Wording, topic: Stems
) -> tuple[list[list[float]], list[list[str]]]:
    """What it costs to lay the first i items, the last before place j, and the last step."""
    a, b = claim.items, source.items
    width = len(b) + 1
    opening = [*(k == 0 or b[k].part != b[k - 1].part for k in range(len(b))), False]
    topics = {j: _unsaid_topic(source, j, topic) for j in range(width) if opening[j]}
    cost = [[_FAR] * width for _ in range(len(a) + 1)]
    step: list[list[str]] = [[""] * width for _ in range(len(a) + 1)]
    cost[0] = [0.0] * width

    for i in range(len(a) + 1):
        row_costs, steps = cost[i], step[i]
        carried = frozenset(item.key for item in a[:i]) if 0 < i <= _MOST_CARRIED else None
        for j in range(width):
            if carried and j in topics and carried <= topics[j] and _CARRIED * i < row_costs[j]:
                row_costs[j], steps[j] = _CARRIED * i, "carry"
            if row_costs[j] > _WORST or i == len(a):
                continue
            if (left := row_costs[j] + _LEFT[a[i].sort]) < cost[i + 1][j]:
                cost[i + 1][j], step[i + 1][j] = left, "left"
            if j == len(b):
                continue
            item = b[j]
            crossed = 0.0  # what it costs to go into another part of the sentence
            if i > 0 and j > 0 and opening[j] and steps[j] != "carry":
                crossed = _FAR if item.part in source.verbal else _PART
            skip = row_costs[j] + (_SKIP[item.sort] + crossed)
            if i and skip < row_costs[j + 1]:
                row_costs[j + 1], steps[j + 1] = skip, "skip"
            pair = row_costs[j] + (_change(a[i], item) + crossed)
            if pair < cost[i + 1][j + 1]:
                cost[i + 1][j + 1], step[i + 1][j + 1] = pair, "pair"
    return cost, step


def _unsaid_topic(source: Wording, j: int, topic: Stems) -> Stems:
    """What the part that begins at a place is about without saying so."""
    part = source.items[j].part
    pronoun = next((word for part_of_word, word in source.pronouns if part_of_word == part), "")
    if pronoun in {"which", "who"}:  # what stands last before it
        last = itertools.takewhile(
            lambda item: item.sort == "word" and not item.verb, reversed(source.items[:j])
        )
        return frozenset(item.key for item in last)
    if pronoun:
        return topic.union(*source.heads[:part])
    return frozenset().union(*source.heads[:part]) if source.items[j].verb else frozenset()


def _trace_back(
    a: Sequence[Item], b: Sequence[Item], step: Sequence[Sequence[str]], end: int, cost: float
) -> Laid:
    pairs = [-1] * len(a)
    i, j = len(a), end
    while i:
        taken_step = step[i][j]
        if taken_step == "carry":
            pairs[:i] = [-2] * i
            break
        if taken_step == "pair":
            pairs[i - 1] = j - 1
            i, j = i - 1, j - 1
        elif taken_step == "left":
            i -= 1
        else:
            j -= 1
    differences = []
    for k, position in enumerate(pairs):
        if position == -1:
            differences.append(Difference("lacking", a[k], None))
        elif position >= 0 and a[k].key != b[position].key:
            differences.append(Difference(_kind(a[k], b[position]), a[k], b[position]))
    return Laid(cost, tuple(pairs), tuple(differences))


def _change(claim: Item, source: Item) -> float:
    if claim.key == source.key:
        return 0.0
    if claim.sort == "small" or source.sort == "small":
        return 0.3 if claim.sort == source.sort else _FAR
    if claim.sort != source.sort:
        return _FAR
    return _OTHER if opposite(claim.key, source.key) is None else _CONTRARY


def _kind(claim: Item, source: Item) -> str:
    if claim.sort == "small":
        return claim.sort
    return "other" if opposite(claim.key, source.key) is None else "opposite"


class Near(NamedTuple):
    """A sentence of the evidence that may say the same, and the two before it."""

    text: str
    before: tuple[str, ...] = ()


def compare_wordings(statement: str, sentences: Sequence[Near]) -> Otherwise | None:
    """What sentences of the evidence say of a statement that is worded nearly like them."""
    if not sentences or len(statement) > _LONG or not _ODD.isdisjoint(statement):
        return None
    claims = wordings(statement)
    # A part that is turned round says less than the whole.
    claims = tuple(wording for wording in claims if claims[0].content <= wording.content)
    if not claims or not (claims[0].verbal or claims[0].modals) or len(claims[0].content) < _FEWEST:
        return None
    rows = [
        wordings(text)[0]
        for sentence in sentences
        for text in (*sentence.before, sentence.text)
        if wordings(text)
    ]
    findings: list[Otherwise] = []
    for sentence in sentences:
        before = [wording for text in sentence.before for wording in wordings(text)[:1]]
        topic: frozenset[str] = frozenset().union(
            *(head for wording in before for head in wording.heads)
        )
        for claim, source in itertools.product(claims, wordings(sentence.text)):
            if source.patient and not claim.passive:
                continue
            if len(claim.content - source.content - topic) > _MOST_OTHER:
                continue
            laid = lay(claim, source, topic)
            finding = _Beside(claim, source, laid, rows).finding() if laid else None
            if finding:
                findings.append(finding)
    return next((finding for finding in findings if finding.agrees), next(iter(findings), None))


class _Beside:
    """A statement beside a sentence that is worded nearly like it."""

    def __init__(
        self, claim: Wording, source: Wording, laid: Laid, rows: Sequence[Wording]
    ) -> None:
        self.claim = claim
        self.source = source
        self.laid = laid
        self.rows = rows
        self.places = [place for place in laid.pairs if place >= 0]
        self.parts = {source.items[place].part for place in self.places}
        self.conditions = {word for part, word in source.conditions if part in self.parts}
        self.conditions -= {word for _, word in claim.conditions}
        self.limited = not _LIMITS.isdisjoint(self.conditions)
        self.hard = [
            difference for difference in laid.differences if difference.claim.sort != "small"
        ]

    @cached_property
    def clash(self) -> str:
        """What speaks against the statement in how many it is said of; "" if nothing."""
        pairs = ((self.claim.items[i], j) for i, j in enumerate(self.laid.pairs) if j >= 0)
        for item, index in pairs:
            quantity = self.source.items[index].quantity
            if item.quantity in CLASHES.get(quantity, ()):
                return f"it says '{item.quantity}' where the evidence says '{quantity}'"
        return ""

    def finding(self) -> Otherwise | None:
        """What the sentence says of the statement; None if that is not sure."""
        if not self.places or self._may_share_a_denial():
            return None
        if not self.hard:
            return self._with_all_words()
        difference = next(
            (difference for difference in self.hard if difference.kind == "opposite"), self.hard[0]
        )
        if (len(self.hard) > 1 and not _is_reversed(self.hard)) or difference.source is None:
            return None
        return None if self.clash or self.limited else self._but_for(difference, difference.source)

    def _may_share_a_denial(self) -> bool:
        """Whether a denial may go on behind "and": "It cannot hold it and close the fence"."""
        for wording, parts in ((self.claim, self.claim.verbal), (self.source, self.parts)):
            denied = {part for part, _ in wording.denials}
            going_on = {item.part for item in wording.items if item.opens and item.verb}
            if any(part - 1 in denied for part in going_on & parts):
                return True
        return False

    def _denials(self) -> tuple[bool, bool]:
        """Whether each of the two denies it."""
        source = sum(
            # "No legal or binding rule": what is denied goes on behind "or".
            position <= max(self.places)
            and (
                part in self.parts
                or part not in self.source.verbal
                or (part + 1 in self.parts and (part, "or") in self.source.conditions)
            )
            for part, position in self.source.denials
        )
        return bool(len(self.claim.denials) % 2), bool(source % 2)

    def _with_all_words(self) -> Otherwise | None:
        """What it says where the sentence has all words of the statement."""
        claim, source = self._denials()
        if claim != source:
            narrower = source and (self.conditions or self._says_more())
            doubt = "one of the two is negated, the other is not"
            return None if self.limited or narrower else differs("denied", doubt)
        if self.clash:
            return differs("quantity", self.clash)
        return Otherwise(agrees=True, rule="same", doubt="") if self._is_same() else None

    def _but_for(self, difference: Difference, word_there: Item) -> Otherwise | None:
        """What it says where the sentence has another word."""
        claim, source = self._denials()
        parts_with_word = {
            item.part for item in self.source.items if item.key == difference.claim.key
        }
        if parts_with_word and (len(self.parts) > 1 or not parts_with_word <= self.source.verbal):
            return None  # "gold, silver and copper"
        if claim != source:
            either = opposite(difference.claim.key, word_there.key) is False
            agrees = either and self._is_same()
            return Otherwise(agrees=True, rule="denied opposite", doubt="") if agrees else None
        if difference.kind == "opposite":
            if self._may_hold_too(difference.claim.key):
                return None
            doubt = f"it says the opposite ({difference.claim.text} against {word_there.text})"
            return differs("opposite", doubt)
        rule = self._mix_up(difference.claim, word_there)
        doubt = f"it says '{difference.claim.text}' where the evidence has '{word_there.text}'"
        return differs(rule, doubt) if rule else None

    def _says_of_same(self, row: Wording, key: str) -> bool:
        """Whether a sentence says it of the same, or of "it"."""
        pronoun = bool(row.items and row.items[0].verb)
        return key in row.content and len(self.claim.content - row.content) <= pronoun

    def _may_hold_too(self, key: str) -> bool:
        """Whether it is said of several of a kind: "open from Tuesday to Sunday"."""
        contents = (row.content for row in self.rows if self.claim.content - {key} <= row.content)
        return any(len({e for e in content if one_of_a_kind(key, e)}) > 1 for content in contents)

    def _is_same(self) -> bool:
        """Whether nothing else differs."""
        pairs = [
            (self.claim.items[i], self.source.items[j])
            for i, j in enumerate(self.laid.pairs)
            if j >= 0
        ]
        loose = all(
            difference.claim.key in _LOOSE
            and (difference.source is None or difference.source.key in _LOOSE)
            for difference in self.laid.differences
            if difference.claim.sort == "small"
        )
        modals = [{word for _, word in wording.modals} for wording in (self.claim, self.source)]
        limits = all(a.quantity == b.quantity for a, b in pairs) and modals[0] == modals[1]
        own_words = {word for _, word in self.claim.conditions}
        source = {word for part, word in self.source.conditions if part in self.parts}
        return (
            loose
            and limits
            and own_words == source
            and not (self._passes() or self._list_continues())
        )

    def _passes(self) -> bool:
        """Whether more is passed over than where or when it is: "in 2019"."""
        runs = itertools.pairwise(sorted(self.places))
        for before, after in runs:
            between = self.source.items[before + 1 : after]
            phrase = between and between[0].sort == self.source.items[after].sort == "small"
            phrase = phrase and not (self.claim.denials or self.source.denials)
            if any(item.sort != "small" for item in between) and not phrase:
                return True
        return False

    def _list_continues(self) -> bool:
        """Whether a list goes on behind it: "3 hours and 18 minutes"."""
        last = max(self.places)
        part = self.source.items[last].part + 1
        return part not in self.source.verbal and any(
            item.part == part for item in self.source.items[last + 1 : last + 2]
        )

    def _says_more(self) -> bool:
        """Whether the parts of the sentence say more than what was paired."""
        return any(
            item.part in self.parts and item.sort != "small" and k not in self.places
            for k, item in enumerate(self.source.items)
            if k > min(self.places)
        )

    def _mix_up(self, claimed: Item, word_there: Item) -> str:
        """How a word is exchanged for one that the evidence has of something else; "" if not."""
        i = self.claim.items.index(claimed)
        stands = any(claimed.key in row.content for row in self.rows)
        if claimed.sort == "number":
            return self._other_value(i, word_there, stands=stands)
        if not stands or claimed.sort != "word" or claimed.verb or word_there.verb:
            return ""
        behind = self.claim.items[i + 1 : i + 2]
        following = self.source.keys[self.laid.pairs[i] + 1 :][:1]
        if behind and behind[0].sort == "word" and not (behind[0].verb or claimed.quantity):
            pair = (claimed.key, behind[0].key)
            if following == pair[1:] and any(pair in itertools.pairwise(r.keys) for r in self.rows):
                return "sibling"
        return ""

    def _other_value(self, i: int, word_there: Item, *, stands: bool) -> str:
        """Whether another number stands there of the same unit."""
        claimed = self.claim.items[i]
        units = [_TIMES.get(item.unit, item.unit) for item in (claimed, word_there)]
        unclear = claimed.unit != word_there.unit and not stands
        clock = self.claim.keys[i - 1 : i] == ("at",) or not _CLOCK.isdisjoint(self.source.keys)
        stands_so = (claimed.key, word_there.part) in {
            (item.key, item.part) for item in self.source.items
        }
        place = self.laid.pairs[i]
        within = _is_within(claimed, self.source.items[max(0, place - 2) : place + 3])
        small = any(difference.claim.sort == "small" for difference in self.laid.differences)
        is_known = any(self._says_of_same(row, claimed.key) for row in self.rows)
        unsure = (
            unclear
            or clock
            or stands_so
            or within
            or small
            or is_known
            or claimed.quantity
            or word_there.quantity
        )
        return "" if unsure or units[0] != units[1] else "value"


def _is_within(claimed: Item, items: Sequence[Item]) -> bool:
    """Whether a number lies between two of the evidence: three, of "two to four"."""
    for first, joint, last in zip(items, items[1:], items[2:], strict=False):
        ends = first.sort == last.sort == claimed.sort == "number"
        if ends and joint.key == "to" and _is_number(first, last, claimed):
            return float(first.amount) <= float(claimed.amount) <= float(last.amount)
    return False


def _is_number(*items: Item) -> bool:
    return all(item.amount.replace(".", "", 1).isdigit() for item in items)


def _is_reversed(differences: Sequence[Difference]) -> bool:
    """Whether a change is the other way round: "rose from 1 to 2", "fell from 2 to 1"."""
    pairs = [
        (difference.claim, difference.source)
        for difference in differences
        if difference.kind != "opposite"
    ]
    numbers = all(a.sort == "number" and b is not None and b.sort == "number" for a, b in pairs)
    same = {a.amount for a, _ in pairs} == {b.amount for _, b in pairs if b}
    return numbers and same and len(pairs) == len(differences) - 1 > 1


def differs(rule: str, doubt: str) -> Otherwise:
    """That the evidence says otherwise, by which rule and how."""
    return Otherwise(agrees=False, rule=rule, doubt=doubt)
