"""A sentence as a row of what it says, so that two wordings can be laid side by side.

Articles and auxiliaries go, words of one meaning become one, a passive with "by" becomes active,
and what denies or limits ("not", "all", "at least") is kept apart from the words that it is about.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from assay._text import memoized, relations, verbs
from assay._text.entities import MONTHS
from assay._text.expressions import expression
from assay._text.grammar import PREPOSITIONS
from assay._text.words import stem

# ruff: noqa: SIM905 - word lists read better as prose

_MONEY = r"[$€£]?\d[\d.,]*(?: (?:million|billion|thousand|euros?|dollars?|pounds?))*"
# What several words say together, and the one word that stands for them.
_REWRITES = tuple(
    (expression(rf"\b(?:{pattern})(?!\w)", re.IGNORECASE), instead)
    for pattern, instead in (
        (r"(?:no|not|never) (?:more|later|longer|greater) than|(?:a )?maximum of|up to", "atmost"),
        (r"(?:no|not) (?:fewer|less|earlier) than|(?:a )?minimum of", "atleast"),
        (
            r"(?:not|never) (?P<verb>[a-z]+) (?:more|later|longer|greater) than(?= \$?\d)",
            r"\g<verb> atmost",
        ),
        (r"at most", "atmost"),
        (r"at (?:the very )?least", "atleast"),
        (r"more than|in excess of|over(?= \d)", "morethan"),
        (r"(?:fewer|less) than|under(?= \d)", "lessthan"),
        (r"not (?:all|every(?:one|body)?|each)(?: of)?", "notall"),
        (r"no longer|not any ?more|not yet", "not"),
        (r"(?:the )?majority of|more than half of", "most"),
        (r"(?:almost|nearly) (?:all|every|each)(?: of)?", "most"),
        (r"hardly any|very few", "few"),
        (r"a few|a number of|a couple of", "some"),
        (r"(?P<q>all|most|some|none|each|both|many|several|few|neither|any) of", r"\g<q>"),
        (r"(?:is|are|was|were|be) (?:not|never) (?:allowed|permitted)(?: to)?", "not may"),
        (r"(?:is|are|was|were|be) (?:forbidden|prohibited|banned)(?: (?:to|from))?", "not may"),
        (r"(?:is|are|was|were|be) (?:allowed|permitted)(?: to)?", "may"),
        (r"(?:is|are) able to", "can"),
        (r"(?:do|does|did)(?: not|n['’]t) (?:have|need) to|need(?: not|n['’]t)", "not must"),
        (r"(?:has|have|had|need|needs) to|(?:is|are) (?:required|obliged) to", "must"),
        (r"(?:unable|fail(?:s|ed)?|refuse(?:s|d)?|declined?s?|neglect(?:s|ed)?) to", "not"),
        (r"lack(?:s|ed|ing| of)|free of|devoid of", "not have"),
        (r"lead(?:s|ing)? to|led to|result(?:s|ed|ing)? in|give(?:s)? rise to", "cause"),
        (r"(?:due to|because of|owing to|as a result of)", "because"),
        (
            rf"(?:paid|pays?|spent|spends?) (?P<price>{_MONEY}) (?:for|on) (?P<thing>[^,;.]+)",
            r"buys \g<thing> for \g<price>",
        ),
        (r"turn(?:s|ed|ing)? down", "reject"),
        (r"turn(?:s|ed|ing)? off|switch(?:es|ed|ing)? off", "disable"),
        (r"turn(?:s|ed|ing)? on|switch(?:es|ed|ing)? on", "enable"),
        (r"(?:go|goes|went|gone|going) up", "rise"),
        (r"(?:go|goes|went|gone|going) down", "fall"),
        (r"prior to|ahead of", "before"),
        (r"take(?:s|n)? place|took place", "happen"),
        (r"used to", "formerly"),
    )
)
_ANY_REWRITE = expression(
    rf"\b(?:{'|'.join(pattern.pattern for pattern, _ in _REWRITES)})", re.IGNORECASE
)
_CONTRACTED = expression(r"n't\b", re.IGNORECASE)
_CANNOT = expression(r"\bcan't\b|\bcan not\b", re.IGNORECASE)
_POSSESSIVE = expression(r"'s?$")
_TOKEN = expression(
    r"\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*(?:\d+)?|[,;:()\u2013\u2014]|[%$€£]"
)
_DROPPED = frozenset(
    "a an the this that these those its their his her my our your is are was were be been being "
    "do does did has have had having will would also formerly there very so such own just still "
    "currently of as then own to-be quite s already generally typically both".split()
)
_NEGATIONS = frozenset("not never no none nobody nothing neither nor cannot without".split())
_QUANTITIES = {
    word: quantity
    for quantity, words in (
        ("all", "all every each everyone everybody everything always any anyone anybody"),
        ("most", "most usually mostly"),
        ("some", "some several someone somebody sometimes occasionally many often"),
        ("few", "few rarely seldom"),
        ("none", "no none nobody nothing never neither"),
        ("only", "only solely exclusively"),
        ("notall", "notall"),
        ("atleast", "atleast"),
        ("atmost", "atmost"),
        ("morethan", "morethan exceeding"),
        ("lessthan", "lessthan"),
    )
    for word in words.split()
}
_MODALS = {
    "can": "can", "could": "can", "may": "can", "might": "can", "must": "must", "shall": "must",
    "should": "should",
}  # fmt: skip
_PRONOUNS = frozenset("it they he she which who we you i them him".split())
_JOINTS = frozenset(", ; : ( ) – — and but while whereas or although though".split())
_STOPS = frozenset(", ; : ( ) but while whereas although though".split())
# Beside one of them the rest need not be so.
CONDITIONS = frozenset(
    "if unless except when whenever until once or only than provided whether would because without "
    "after before since besides apart alone but formerly that".split()
)
_SMALL = PREPOSITIONS | {"than", "when", "if", "unless", "except", "because", "how", "what", "by"}
_SMALL_SAME = {"into": "to", "onto": "on", "inside": "in", "within": "in", "upon": "on"}
_UNITS = frozenset(
    map(
        stem,
        "second minute hour day week month year decade century percent euro euros dollar dollars "
        "pound pounds kilogram kg gram g mg ml litre liter l km metre meter m cm mm mile inch "
        "foot feet degree degrees kb mb gb tb watt volt hertz times time million billion "
        "thousand %".split(),
    )
)
_WORD_NUMBERS = {
    word: str(i)
    for i, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
    if i != 1
}


_MOVES = {
    stem("raise"): relations.concept(stem("rise")),
    relations.concept(stem("reduce")): relations.concept(stem("fall")),
}  # with an object and without


class Item(NamedTuple):
    """Something that a sentence says.

    Attributes:
        text: As it is written, in small letters.
        key: What stands for it and for words of the same meaning.
        sort: "word", "number", "small" for a preposition.
        quantity: Of how many it is said, "all", "at least"; "" where nothing says.
        part: The number of the part of the sentence that it stands in, cut at commas and "and".
        opens: Whether a part begins with it.
        verb: Whether it may be a verb.
    """

    text: str
    key: str
    sort: str
    quantity: str = ""
    part: int = 0
    opens: bool = False
    verb: bool = False

    @property
    def amount(self) -> str:
        """The number without its unit."""
        return self.key.partition(" ")[0]

    @property
    def unit(self) -> str:
        """The unit behind the number; "" without one."""
        return self.key.partition(" ")[2]


@dataclass(frozen=True, eq=False)
class Wording:
    """A sentence, or a part of one in the active voice.

    Attributes:
        items: What it says, in order.
        denials: For each part, where in the items a denial stands before.
        pronouns: The parts that begin with a pronoun, and with which.
        conditions: For each part what it holds of `CONDITIONS`.
        modals: For each part "can", "must", "should".
        auxiliaries: The parts with a form of "be", "have" or "do".
        passive: Whether it is passive without saying by whom.
        patient: Whether it is turned round so that it begins with what is done to.
    """

    items: tuple[Item, ...]
    denials: tuple[tuple[int, int], ...] = ()
    pronouns: tuple[tuple[int, str], ...] = ()
    conditions: tuple[tuple[int, str], ...] = ()
    modals: tuple[tuple[int, str], ...] = ()
    auxiliaries: frozenset[int] = frozenset()
    passive: bool = False
    patient: bool = False

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """What stands for each item."""
        return tuple(item.key for item in self.items)

    @cached_property
    def heads(self) -> tuple[frozenset[str], ...]:
        """For each part what stands before its verb: what it is about."""
        heads: list[set[str]] = []
        for part in range(self.items[-1].part + 1):
            before = itertools.takewhile(
                lambda item: not item.verb and item.sort != "small",
                (item for item in self.items if item.part == part),
            )
            heads.append({item.key for item in before})
        return tuple(map(frozenset, heads))

    @cached_property
    def verbal(self) -> frozenset[int]:
        """The parts that may have a verb."""
        return self.auxiliaries.union(item.part for item in self.items if item.verb)

    @cached_property
    def content(self) -> frozenset[str]:
        """The same without prepositions."""
        return frozenset(item.key for item in self.items if item.sort != "small")


_MOST = 5  # ways to word a sentence that are looked at


@memoized(2048, longest=1000)
def wordings(sentence: str) -> tuple[Wording, ...]:
    """A sentence as it is worded, and what of it is passive in the active voice."""
    plain = _plain_sentence(sentence)
    tokens = list(_TOKEN.findall(plain))
    variants = [tokens, *_active(tokens), *_fronted(tokens)]
    read = [wording for wording in map(_read_tokens, variants) if wording.items]
    patients = (passive for wording in read[:1] for passive in _patients(wording))
    return (*read[:_MOST], *itertools.islice(patients, _MOST))


def _plain_sentence(sentence: str) -> str:
    text = sentence.replace("’", "'")
    if _ANY_REWRITE.search(text):  # a look for all at once is faster than for each
        for pattern, instead in _REWRITES:
            text = pattern.sub(instead, text)
    return _CANNOT.sub("cannot", _CONTRACTED.sub(" not", text))


def _read_tokens(tokens: Sequence[str]) -> Wording:
    return _Reader(tokens).read()


class _Reader:
    """Reads the tokens of a sentence one after the other."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = tokens
        self.items: list[Item] = []
        self.denials: list[tuple[int, int]] = []
        self.pronouns: list[tuple[int, str]] = []
        self.conditions: list[tuple[int, str]] = []
        self.modals: list[tuple[int, str]] = []
        self.auxiliaries: set[int] = set()
        self.part = 0
        self.opens = True
        self.quantity = ""
        self.currency = ""

    def read(self) -> Wording:
        """What the tokens say."""
        passive = False
        for index, token in enumerate(self.tokens):
            word = token.lower()
            before = self.tokens[index - 1].lower() if index else ""
            passive |= before in _BEFORE_PARTICIPLE and "participle" in verbs.forms(word)
            if len(token) > 1 and token.isupper() and word not in _JOINTS:  # "WHO", "IT"
                self._add(Item(word, word, "word"))
            elif not (word == "and" and self._joins_names(index)):
                self._word(word)
        if self.quantity and self.tokens:  # "free for everyone"
            self._add(Item(self.quantity, self.quantity, "word"))
        return Wording(
            tuple(self.items),
            tuple(self.denials),
            tuple(self.pronouns),
            tuple(self.conditions),
            tuple(self.modals),
            frozenset(self.auxiliaries),
            passive and "by" not in {token.lower() for token in self.tokens},
        )

    def _joins_names(self, index: int) -> bool:
        """Whether "and" is part of a name: "Food and Drug Administration"."""
        around = (*self.tokens[max(0, index - 1) : index], *self.tokens[index + 1 : index + 2])
        return len(around) > 1 and all(token[0].isupper() for token in around)

    def _word(self, word: str) -> None:
        if word in _AUXILIARIES:
            self.auxiliaries.add(self.part)
        if word in CONDITIONS:
            self.conditions.append((self.part, word))
        if word in _JOINTS or (word == "nor" and self.denials):
            self.part, self.opens = self.part + (not self.opens), True
        elif word in _NEGATIONS:
            self.denials.append((self.part, len(self.items)))
            self.quantity = "none" if word in _QUANTITIES else self.quantity
        elif word in _QUANTITIES:
            self.quantity = _QUANTITIES[word]
        elif word in _MODALS:
            self.modals.append((self.part, _MODALS[word]))
        elif word in _PRONOUNS:
            self.pronouns += [(self.part, word)] if self.opens else []
        elif word in _CURRENCIES:
            self.currency = word
        elif word not in _DROPPED:
            self._add(_item(word))

    def _add(self, item: Item) -> None:
        last = self.items[-1] if self.items else None
        if last and last.sort == "number" and item.key in _UNITS:
            self.items[-1] = last._replace(key=f"{last.key} {item.key}")
            return
        key = f"{item.key} {self.currency}" if self.currency and item.sort == "number" else item.key
        self.items.append(
            item._replace(key=key, quantity=self.quantity, part=self.part, opens=self.opens)
        )
        self.opens, self.quantity, self.currency = False, "", ""


@memoized(4096, longest=40)
def _item(word: str) -> Item:
    if word[0].isdigit() or word in _WORD_NUMBERS:
        return Item(word, _WORD_NUMBERS.get(word, word.replace(",", "")), "number")
    if word in _SMALL:
        return Item(word, _SMALL_SAME.get(word, word), "small")
    plain = _POSSESSIVE.sub("", word)
    key = relations.concept(stem(verbs.base(plain))) or plain
    verb = bool(verbs.forms(plain))
    return Item(
        word,
        _MOVES.get(key, key),
        "date" if plain in MONTHS and plain != "may" else "word",
        verb=verb,
    )


_CONTAINED = frozenset("included contained excluded".split())
_AUXILIARIES = frozenset(f"{verbs.BE} {verbs.HAVE} {verbs.MODAL}".split())
_CURRENCIES = frozenset("$€£")
_CHANGES = frozenset(_MOVES.values())  # "sales fell", "it reduced sales"


def _patients(wording: Wording) -> Iterator[Wording]:
    """Of "The board rejected the plan in May" "the plan rejected in May", as in the passive."""
    items = wording.items
    for k in range(1, len(items) - 1):
        if not items[k].verb or items[k].opens or items[k + 1].sort != "word":
            continue
        clause_items = [item for item in items[k + 1 :] if item.part == items[k].part]
        object_items = list(itertools.takewhile(lambda item: item.sort == "word", clause_items))
        if not object_items:
            continue
        turned = (
            object_items[0]._replace(opens=True),
            *object_items[1:],
            items[k],
            *clause_items[len(object_items) :],
        )
        denials = tuple(
            (item_index, 0)
            for item_index, position in wording.denials
            if item_index == items[k].part and position <= k
        )
        yield replace(
            wording,
            items=turned,
            denials=denials,
            pronouns=(),
            passive=False,
            patient=items[k].key not in _CHANGES,
        )


_BE = frozenset("is are was were be been being".split())
_BEFORE_PARTICIPLE = _BE | {"not"}


def _active(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Of "B was bought by A in 2019" "A bought B in 2019"."""
    lowered = [token.lower() for token in tokens]
    for index, word in enumerate(lowered):
        contained = word in {"in", "from"} and lowered[index - 1] in _CONTAINED
        if not (word == "by" or contained) or index + 1 >= len(lowered):
            continue
        if lowered[index + 1][0].isdigit():
            continue
        begin = next((k + 1 for k in range(index - 1, -1, -1) if lowered[k] in _JOINTS), 0)
        be = next((k for k in range(index - 1, begin, -1) if lowered[k] in _BE), -1)
        if be <= begin or not any("participle" in verbs.forms(w) for w in lowered[be + 1 : index]):
            continue
        if verbs.base_of_ing(lowered[index + 1]):
            continue
        end = index + 1
        while (
            end < len(lowered)
            and lowered[end] not in _JOINTS
            and (lowered[end] not in _SMALL or lowered[end] == "of")
        ):
            end += 1
        end_of_object = next(
            (k for k in range(end, len(lowered)) if lowered[k] in _STOPS), len(lowered)
        )
        subject = begin
        if lowered[begin] in PREPOSITIONS:  # "In 1980 it was bought by": see `_fronted`
            continue
        verb = list(tokens[be + 1 : index])
        split = next(
            (k for k, w in enumerate(verb) if "participle" in verbs.forms(w.lower())), len(verb) - 1
        )
        aux = [w for w in tokens[subject:be] if w.lower() in _MODALS]
        head = [w for w in tokens[subject:be] if w.lower() not in _MODALS]
        yield [
            *tokens[index + 1 : end], *aux, *verb[: split + 1], *head, *verb[split + 1 :],
            *tokens[end:end_of_object],
        ]  # fmt: skip


def _fronted(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Of "On Mondays the shop is closed" "the shop is closed on Mondays"."""
    lowered = [token.lower() for token in tokens]
    starts = [0, *(k + 1 for k, word in enumerate(lowered) if word in _JOINTS)]
    for begin in starts:
        if begin >= len(lowered) or lowered[begin] not in PREPOSITIONS:
            continue
        for k in range(begin + 2, min(begin + 6, len(lowered) - 1)):
            comma = lowered[k] == ","
            dated = k == begin + 2 and lowered[begin + 1][0].isdigit()
            if (
                comma
                or dated
                or lowered[k] in {"the", "a", "an", "all", "no"}
                or lowered[k] in _PRONOUNS
            ):
                end = next((j for j in range(k + 1, len(lowered)) if lowered[j] in _STOPS), None)
                clause = list(tokens[k + comma : end])
                moved = [*clause, *tokens[begin:k]]
                yield moved
                yield from _active(moved)
                break
