"""Questions made by rules from plain English sentences whose grammar is sure: one in ten."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from assay._text import verbs
from assay._text.entities import is_doubted, is_negated
from assay._text.grammar import PREPOSITIONS, Words
from assay._text.numbers import MONTH_NAMES
from assay._text.predicates import Subject, find_subject

# ruff: noqa: SIM905 - word lists read better as prose

_MONTH: Final = f"(?:{'|'.join(MONTH_NAMES)})"
_DATE: Final = (
    rf"(?:(?:\d{{1,2}}\s+)?{_MONTH}(?:\s+\d{{1,2}})?,?\s+\d{{4}}|\d{{1,2}}\s+{_MONTH}"
    rf"|{_MONTH}\s+\d{{1,2}}\b(?!,)|(?:1\d|20)\d\d"
    r"|the\s+(?:(?:early|late|mid)[- ])?(?:\d{1,2}(?:st|nd|rd|th) century|(?:1\d|20)\d0s))"
)
_WHEN: Final = re.compile(
    rf"\s*\b(?P<answer>(?:in|on)\s+{_DATE})(?=\s*$|\s+(?:as|at|by|in|on|to|with)\s)"
)
_LEAD_TIME: Final = re.compile(rf"(?P<answer>(?:In|On)\s+{_DATE}),?\s+(?=\S)")
_LEAD_CONDITION: Final = re.compile(
    r"(?P<condition>(?:If|When)\s(?!not\b|\w+(?:ing|ed)\b)[^,;:()]{12,120}),\s+(?:then\s+)?(?=\S)"
)
_YEAR: Final = re.compile(r"(?:1\d|20)\d\d")
_DATED: Final = re.compile(r"(?:1\d|20)\d\d|\b(?:when|after|before|until|since|following)\b")
_NUMERAL: Final = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|"
    "hundred|hundreds"
)
_COUNT: Final = re.compile(
    r"(?P<number>(?:(?:about|around|over|nearly|approximately|at least|at most|up to|almost)\s+)?"
    rf"(?:\d[\d,]*(?:\.\d+)?(?:\s+(?:million|billion))?|{_NUMERAL}))"
    r"\s+(?P<noun>(?:[a-z][a-z-]+\s+){0,2}?(?:[a-z]{2,}[^su\W]s|people|men|women|children))"
    r"(?P<rest>(?:\s+(?:of|in|for|at|on|from|per|to|during|by|with|each|every)\b.*)?)$"
)
_NO_COUNT: Final = re.compile(r"^or |\b(?:aspect|case|purpose|reason|thank|thing|time|way)s$")
_MEASURE: Final = re.compile(
    r"(?P<answer>(?:(?:about|over|nearly|at least|at most|up to)\s+)?\d[\d,.]*\s+[a-z]+)\s+"
    r"(?P<how>tall|high|long|wide|deep|old)"
)
_USE: Final = re.compile(r"used\s+(?P<answer>(?P<link>to|for|as)\s+.+)")
_PLACE: Final = re.compile(
    r"(?P<how>(?:located|situated|born|buried)(?=\s+(?:in|on|at|near|within|between|along)\b)"
    r"|(?:based|headquartered)(?=\s+in\s+[A-Z])"
    r"|(?:defined|specified|described)(?=\s+in\s+[^,]*\b(?:TS|TR|RFC|ISO|IEC|IEEE)\b))"
    r"\s+(?P<answer>.+)"
)
_MAKING: Final = frozenset(
    "write invent discover propose coin direct compose found develop design build win defeat lead "
    "publish create introduce establish conquer commission perform produce sign describe paint "
    "receive become join study teach succeed replace acquire buy sell launch open".split()
)
_VALUE: Final = re.compile(
    r"an?\s+(?P<noun>[a-z]+(?:\s[a-z]+)?)\s+of\s+(?P<answer>(?:(?:about|over|up to|around)\s+)?"
    r"[$€£]?\d[\d,.]*(?:\s+\S+){0,4})"
)
_CAUSE: Final = re.compile(r"\s+(?P<answer>(?:because|due to|in order to|so that)\s.+)")
# "The study of rocks" says what kind of thing it is, "the source of the Logan Glacier" does not.
_CLASS_NAMED: Final = re.compile(
    r"(?:an?|the \w+ (?:that|which|for)|the (?:act|art|branch|capital|city|degree|name|number|"
    r"point|practice|process|science|set|state|study|system|theory|time|unit|use) of)\s"
)
_VAGUE: Final = re.compile(r" (?:and|or) |^(?:an? .*|the .*) of |\d{3}|[$(]|^[a-z-]+ .*[A-Z]")
_GROUP: Final = re.compile(
    r"an?(?: \w+)? (?:series|group|set|pair|class|family|collection|type|form|kind|member|people|"
    r"range|number|system|team|band|variety|part|way|means|method)\b"
)
# "Palestine until the brigade was disbanded", "Thorne briefly", "The mill of Ely was": misread.
_NO_PHRASE: Final = re.compile(
    r"\b(?:until|although|though|because|while|whereas|unless|when|if|since|after|before|by|via)\b|"
    r"\s(?!fami|assemb|anoma)[a-z]+ly$|\bpictured\b|\s(?:is|are|was|were|has|have|had)$"
)
_NO_CLASS: Final = re.compile(
    r"(?:(?:an?|the)\s+(?:same|one|only|largest|best|most|result|reason|case|example|part|number|few|"
    r"lot|option|work in|good|major|main|key|prime|further|more|common|kind|type|matter)|one of)\b"
)
PERSON: Final = (
    r"\w+(?:ologist|ician|grapher|wright|onomer)|actor|actress|architect|artist|athlete|author|"
    r"bishop|character|chemist|coach|composer|conductor|diplomat|director|economist|emperor|engineer|explorer|"
    r"general|governor|inventor|journalist|judge|king|lawyer|leader|man|member|minister|monk|"
    r"novelist|officer|painter|philosopher|physicist|player|poet|president|priest|prince|princess|"
    r"producer|queen|scholar|scientist|sculptor|singer|soldier|teacher|theologian|woman|writer"
)
_PERSON: Final = re.compile(rf"\b(?:{PERSON})\b")
# What a plain object question is made of; "has" and "is" need more to be asked about.
_OBJECT_VERBS: Final = frozenset(
    "allow consist comprise contain control define depend describe determine enable "
    "identify include indicate measure mean produce provide reject represent require "
    "return specify store carry lead cause offer accept".split()
)
# What is said besides leaves out what was said before: it is not all of the answer.
_BESIDES: Final = re.compile(
    r"\b(?:[Aa]lso|now|[Ff]urther(?:more)?|[Aa]dditional(?:ly)?|besides)\b"
)
_HEDGED: Final = re.compile(r"\b(?:generally|usually|typically|normally|often|sometimes)\b")
_BODY: Final = re.compile(r"\b(?:University|College|School|Company|Corporation|Institute|Inc)\b")
# "The most common type" is one of something that the sentence does not name.
_OUTSTANDING: Final = re.compile(
    r"the\s+(?:most|best|first|second|third|last|final|largest|oldest|only|main)\b"
)
_OBJECT: Final = re.compile(
    r"(?!(?:that|to|in|on|as|from|for|by|at|with|of|about|up|out|into|how|whether|if|once|different|"
    r"the same|each|some|more|both|it|them|all|been|\w+ly)\b)[\w`]"
)
_LEAST_OBJECT, _LEAST_PURPOSE = 3, 5  # words, "to" among them
_LEAST_CONSEQUENCE, _LONGEST_CONSEQUENCE = 5, 45  # words
_WITH_PREPOSITION: Final = {"consist": "of", "depend": "on", "lead": "to"}
_NO_SUBJECTS: Final = re.compile(
    r"(?:this|these|those|that|such|each|another|others?|both|some|many|most|all|several|any|no|one|"
    r"two|three|four|it|he|she|they|we|you|i|there|here|what|which|who|following|his|her|its|their|"
    r"our|my|your|every|either|neither|none|nobody|everyone|more|less|only|first|second|next|last|"
    r"note|different|various|certain|multiple|further|additional|new|common|part|(?:sub)?clauses?|"
    r"sections?|annex|appendix|figures?|tables?|chapter|listing|null|undefined|\d\S*)(?!\w)",
    re.IGNORECASE,
)
# Words that lean on what stands around the sentence.
_LEANS: Final = re.compile(
    r"\b(?:he|she|him|her|his|it|its|they|them|their|this|these|those|that|such|above|below|"
    r"following|respectively|former|latter|here|there|also|therefore|however|thus|another|others?|same|"
    r"previous(?:ly)?|appropriate|next|otherwise|instead|too|we|our|us|you|your|i|my|e\.g|i\.e|etc|figure|table|"
    r"then|now|again|one|ones|so|aforementioned|said|corresponding|throughout|NOTE|"
    r"examples?|axis|see|a (?:second|third|fourth))\b",
    re.IGNORECASE,
)
_RELATIVE: Final = re.compile(
    r",\s+(?:which|who|where|when|while|whereas|including|with|leading|making|causing|although|"
    r"though|resulting|because|so|and|but)\b.*"
)
_BROKEN: Final = re.compile(r"[;:|=<>{}\[\]?!\n“”\t→]|''|``|\.\.|\.\s+[A-Z]|--\s|\u2013\s")
_BE: Final = frozenset(verbs.BE.split())
_ARTICLES: Final = frozenset(("the", "a", "an"))
_BEHIND_ING: Final = _ARTICLES | {"about", "for", "with", "this", "these", "all", "each"}
_LONGEST, _SHORTEST = 24, 4  # words of a question
_FOLLOWING: Final = re.compile(
    r"\s(?:the\s+)?(?:following|these)(?:\s+(?:two|three|four|five|six))?\s+"
    r"(?P<noun>[a-z-]+(?:\s[a-z]+)?s)$"
)
_SEE: Final = re.compile(r"\b(?:see|[Ff]igure|[Tt]able)\s+(?:[Ff]igure|[Tt]able|clause|\d)")
_LEANS_BACK: Final = re.compile(
    r"^(?:its|their|his|her|an? similar)\b|on the (?:left|right)\b|\b(?:of|to|in|for|by|with|from|"
    r"than|on)\s+(?:that|those|it|them)\b|\b(?:this|these|such\s(?!as)|above|below|following|see|"
    r"figure|clause|respectively)\b",
    re.IGNORECASE,
)
_LONGEST_SUBJECT, _CLASS = 8, 8  # words; of a definition, those that say of what kind it is
_COMPLEMENT: Final = 3  # words of a definition, at least


@dataclass(frozen=True, slots=True)
class Fact:
    """A question about a sentence, with what answers it.

    Attributes:
        template: The kind of fact: "definition", "time", "number" ...
        question: The question.
        answer: The words of the sentence that answer it.
        subject: What it is about.
        predicate: What is said of that, by which facts of one kind are known.
        other: The same question in other words; "" where none is safe.
        reference: The answer in full sentences; "" where the sentence itself is that.
        span: Where the evidence stands in the text, where that is not the sentence.
    """

    template: str
    question: str
    answer: str
    subject: str
    predicate: str
    other: str = ""
    reference: str = ""
    span: tuple[int, int] = (0, 0)


def facts(sentence: str, small: Collection[str]) -> Iterator[Fact]:
    """The questions that a sentence answers.

    Args:
        sentence: One plain sentence that can stand alone, with its full stop.
        small: Words that the documents write small: a capital at the beginning is none of theirs.
    """
    plain = sentence.strip().rstrip(".").replace(" shall ", " must ")  # as people ask
    condition = _LEAD_CONDITION.match(plain)
    main = plain[condition.end() :] if condition else plain
    if _BROKEN.search(plain) or _SEE.search(plain) or is_negated(main) or is_doubted(main):
        return
    if lead := _LEAD_TIME.match(plain):
        if clause := _read_clause(plain[lead.end() :], small):
            yield from _well_formed(_time(clause, lead["answer"][:1].lower() + lead["answer"][1:]))
        return
    if condition:
        if clause := _read_clause(main, small):
            when = condition["condition"][:1].lower() + condition["condition"][1:]
            yield from _well_formed(_condition(clause, when))
        return
    clause = _read_clause(plain, small)
    if clause is None:
        return
    for rule in _RULES:
        if rule not in _BARRED or not _BARRED[rule].search(plain):
            yield from _well_formed(rule(clause))


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause: a subject, its auxiliary and what follows."""

    subject: str
    auxiliary: str  # "was", "can", "did"; what goes before the subject of a question
    verb: str  # the base of the full verb; "be" where there is no other
    rest: str  # what follows the auxiliary in a question: "found the city"
    tail: str  # what follows the full verb
    past: bool


def _read_clause(clause: str, small: Collection[str]) -> _Clause | None:
    """A clause taken apart; None where that is not sure."""
    words = Words(clause)
    if len(words) < _SHORTEST - 1 or words.is_tangled:
        return None
    subject = find_subject(words, 0)
    if subject is None or not subject.text or subject.main >= len(words):
        return None
    name = subject.text
    long = len(name.split()) > _LONGEST_SUBJECT or "," in name
    if _NO_SUBJECTS.match(name) or long or not clause.startswith(name) or words.is_adverb(0):
        return None
    name = _as_within(name, small)
    verb = words.text(subject.verb)
    tail = clause[words.tokens[subject.main].end :].strip()
    if subject.kind in {"be", "have", "modal"}:
        return _with_auxiliary(words, subject, name, clause)
    base = _base(verb, subject.kind, small)
    is_past = subject.kind in {"past", "both"}
    auxiliary = "did" if is_past else ("do" if subject.kind == "base" else "does")
    is_complete = base and tail
    return _Clause(name, auxiliary, base, f"{base} {tail}", tail, is_past) if is_complete else None


def _with_auxiliary(words: Words, subject: Subject, name: str, clause: str) -> _Clause | None:
    """A clause whose first verb goes before the subject in a question."""
    auxiliary = words.text(subject.verb)
    remainder = clause[words.tokens[subject.verb].end :].strip()
    if not remainder or re.search(r"\W", auxiliary):
        return None
    is_past = auxiliary in {"was", "were", "had"}
    forms = verbs.forms(words.text(subject.main))
    if subject.kind == "have" and ("participle" not in forms or words.opens_object(subject.main)):
        do = "did" if is_past else "does" if auxiliary == "has" else "do"
        return _Clause(name, do, "have", f"have {remainder}", remainder, is_past)
    if subject.kind == "be" and forms.isdisjoint(("participle", "ing")):
        return _Clause(name, auxiliary, "be", remainder, remainder, is_past)
    verb = words.text(subject.main)
    tail = clause[words.tokens[subject.main].end :].strip()
    return _Clause(name, auxiliary, verb, remainder, tail, is_past)


def _base(word: str, kind: str, small: Collection[str]) -> str:
    """The base of a finite verb; "" where it is not sure."""
    if kind == "base":
        return word
    if kind == "present":
        stems = [word[:-1], word[:-2], f"{word[:-3]}y"]
        inflect: Callable[[str], str] = verbs.third_person
    else:
        stems = [verbs.base(word), word[:-1], word[:-2], word[:-3], f"{word[:-3]}y"]
        inflect = verbs.past
    fitting = [stem for stem in stems if len(stem) > 1 and inflect(stem) == word]
    known = [stem for stem in fitting if verbs.is_known(stem)]
    known = known or [stem for stem in fitting if stem in small]
    return known[0] if known else ""


def _as_within(text: str, small: Collection[str]) -> str:
    """A phrase as it is written within a sentence."""
    first, *following = text.split()
    lower = re.sub(r"\Ws$|-.*", "", first).lower()
    is_named = lower not in _ARTICLES and any(word[:1].isupper() for word in following[:1])
    plain = (first[1:].islower() or len(first) == 1) and not is_named
    common = lower in small or lower.endswith("ed")
    common = common or bool(lower.endswith("ing") and following and following[0] in _BEHIND_ING)
    return text[:1].lower() + text[1:] if plain and common else text


def listed(lead: str, items: Sequence[str], small: Collection[str]) -> Iterator[Fact]:
    """Which things a list names that a sentence announces: "The filter has the following parts"."""
    announced = _FOLLOWING.search(lead)
    plain = lead[: announced.start()] if announced else lead
    plain = plain.replace(" shall ", " must ")
    clause = _read_clause(f"{plain} {announced['noun'] if announced else 'these'}", small)
    if clause is None or _LEANS.search(clause.subject) or _BROKEN.search(plain):
        return
    verb = clause.verb in _OBJECT_VERBS or clause.verb in {"have", "perform", "hold", "show"}
    is_bare = clause.verb == "have" and not announced
    if clause.auxiliary not in {"do", "does", "must", "can"} or not verb or is_bare:
        return
    link = f" {_WITH_PREPOSITION[clause.verb]}" if clause.verb in _WITH_PREPOSITION else ""
    pronoun = f"Which {announced['noun']}" if announced else "What"
    question = f"{pronoun} {clause.auxiliary} {clause.subject} {clause.verb}{link}?"
    yield Fact("list", question, "; ".join(items), clause.subject, clause.verb)


def _well_formed(drafts: Iterator[Fact]) -> Iterator[Fact]:
    """Those that read well and stand alone, as far as their words tell."""
    for fact in drafts:
        question = fact.question
        length = len(question.split())
        open_brackets = question.count("(") != question.count(")")
        inner = question.split(" ", 1)[1].rstrip("?")
        if not _SHORTEST <= length <= _LONGEST or open_brackets or "," in inner:
            continue
        odd = re.search(r"\b(\w+) \1\b| and/or |  | (?:to \w+|[a-z]+ly)\?$", question)
        odd = odd or _NO_PHRASE.search(fact.subject) or _LEANS.search(inner)
        if odd or _LEANS_BACK.search(fact.answer):
            continue
        last = question.rstrip("?").split()[-1].lower()
        ends = last in PREPOSITIONS and fact.template not in {"object", "purpose"}
        if not ends and last not in {"and", "or", "the", "a", "an", "is", "are", "be"}:
            yield fact


def _short(text: str, most: int = 14) -> bool:
    """Whether what is repeated in a question is one phrase."""
    return len(text.split()) <= most and not re.search(r",|\b(?:which|who|where|while|but)\b", text)


def _time(clause: _Clause, date: str = "") -> Iterator[Fact]:
    """When something happened."""
    predicate = clause.rest
    if not date:
        dates = list(_WHEN.finditer(predicate))
        if len(dates) != 1:
            return
        date = dates[0]["answer"]
        predicate = f"{predicate[: dates[0].start()]} {predicate[dates[0].end() :].strip()}".strip()
    predicate = _RELATIVE.sub("", predicate)
    if (
        not clause.past
        or clause.auxiliary == "had"
        or _OUTSTANDING.match(clause.subject)
        or not predicate
        or not _short(predicate)
        or clause.verb == "be"
        or _DATED.search(predicate)
    ):
        return
    question = f"{clause.auxiliary} {clause.subject} {predicate}?"
    dated = f"In which year {question}" if _YEAR.fullmatch(date.removeprefix("in ")) else ""
    yield Fact("time", f"When {question}", date, clause.subject, clause.verb, dated)


def _condition(clause: _Clause, condition: str) -> Iterator[Fact]:
    """What happens if something is so."""
    may = clause.auxiliary in {"can", "could", "may", "might"} or clause.verb == "be"
    if may or clause.past or _LEANS.search(clause.subject):
        return
    if not _LEAST_CONSEQUENCE <= len(clause.rest.split()) <= _LONGEST_CONSEQUENCE:
        return
    passive = clause.auxiliary in {"is", "are"} or re.match(r"(?:have to |also )*be ", clause.rest)
    question = f"What {clause.auxiliary} {clause.subject} do {condition}?"
    question = f"What happens to {clause.subject} {condition}?" if passive else question
    if not clause.subject.startswith(("a ", "an ")) and len(clause.subject) > 1:
        yield Fact("condition", question, clause.rest, clause.subject, condition)


def _definition(clause: _Clause) -> Iterator[Fact]:
    """What something or somebody is."""
    complement, subject = clause.rest, clause.subject
    match = _CLASS_NAMED.match(complement) and not _NO_CLASS.match(complement)
    if clause.verb != "be" or not match or re.match(r"\w+ing (?:it|off|on|out|the|to)\b", subject):
        return
    vague = bool(_VAGUE.search(re.sub(r"^the | \([A-Z]\S+\)$", "", subject)))
    vague = vague or len(complement.split()) <= _COMPLEMENT
    plural = clause.auxiliary in {"are", "were"} and complement.startswith(("a ", "an "))
    name = subject.split()
    person = len(name) > 1 and all(word.strip('"')[:1].isupper() for word in name)
    head = re.split(r"\b(?:who|that|which|of|for|in|from|to|with|and)\b|,", complement, maxsplit=1)
    unsure = person and clause.past and not _PERSON.search(head[0])
    vague = vague or (plural and not _GROUP.match(complement))
    if vague or unsure or _PERSON.search(subject):
        return
    kind = " ".join(complement.split()[:_CLASS])
    pronoun = "Who" if person and _PERSON.search(kind) else "What"
    question = f"{pronoun} {clause.auxiliary} {clause.subject}?"
    yield Fact("definition", question, complement, clause.subject, "be")


def _number(clause: _Clause) -> Iterator[Fact]:
    """How many of something there are."""
    tail = clause.tail
    if clause.verb == "be":
        measured = _MEASURE.fullmatch(tail)
        if measured:
            how = measured["how"]
            question = f"How {how} {clause.auxiliary} {clause.subject}?"
            yield Fact("number", question, measured["answer"], clause.subject, how)
        return
    counted = _COUNT.match(tail)
    if counted is None or not _short(counted["rest"], 10):
        return
    before = clause.rest[: len(clause.rest) - len(clause.tail)].strip()
    if clause.auxiliary in _BE or " by" in before:
        return
    remainder, noun = counted["rest"].strip(), counted["noun"]
    if " and " in remainder or _NO_COUNT.search(noun):
        return
    if remainder.startswith("of "):
        noun, remainder = f"{noun} {remainder}", ""
    question = f"How many {noun} {clause.auxiliary} {clause.subject} {before} {remainder}".strip()
    answer = f"{counted['number']} {counted['noun']}"
    yield Fact("number", f"{question}?", answer, clause.subject, f"{clause.verb} {noun}")


def _purpose(clause: _Clause) -> Iterator[Fact]:
    """What something is used for."""
    match = None if clause.past else _USE.fullmatch(clause.rest)  # no story
    if not match or clause.auxiliary not in _BE or len(match["answer"].split()) <= _LEAST_PURPOSE:
        return
    link = "as" if match["link"] == "as" else "for"
    question = f"What {clause.auxiliary} {clause.subject} used {link}?"
    yield Fact("purpose", question, match["answer"], clause.subject, f"used {link}")


def _location(clause: _Clause) -> Iterator[Fact]:
    """Where something is."""
    match = _PLACE.fullmatch(clause.rest) if clause.auxiliary in _BE else None
    if match is None:
        return
    if re.search(rf"\b{_DATE}", match["answer"]) or not _short(match["answer"], 12):
        return
    question = f"Where {clause.auxiliary} {clause.subject} {match['how']}?"
    yield Fact("place", question, match["answer"], clause.subject, match["how"])


def _author(clause: _Clause) -> Iterator[Fact]:
    """Who made or did something."""
    tail = _RELATIVE.sub("", clause.tail)
    subject_words = clause.subject.split()
    name = 1 < len(subject_words) < 5 and all(word[:1].isupper() for word in subject_words)
    name = name and not _BODY.search(clause.subject)  # "Which university", not "Who"
    if clause.auxiliary != "did" or clause.verb not in _MAKING or not name or not _short(tail, 14):
        return
    if not re.match(r"(?:the|an?|[A-Z\"])", tail):
        return
    question = f"Who {verbs.past(clause.verb)} {tail}?"
    yield Fact("agent", question, clause.subject, tail, clause.verb)


def _value(clause: _Clause) -> Iterator[Fact]:
    """The size of what something has."""
    match = _VALUE.fullmatch(clause.tail) if clause.verb == "have" else None
    if match is None:
        return
    question = f"What {'was' if clause.past else 'is'} the {match['noun']} of {clause.subject}?"
    yield Fact("number", question, match["answer"], clause.subject, f"have {match['noun']}")


def _object(clause: _Clause) -> Iterator[Fact]:
    """What something contains, needs or does."""
    if clause.verb not in _OBJECT_VERBS or clause.auxiliary not in {"do", "does"}:
        return
    link = _WITH_PREPOSITION.get(clause.verb, "")
    tail = clause.tail
    if link:
        if not tail.startswith(f"{link} "):
            return
        tail = tail.removeprefix(f"{link} ")
    if (
        not _OBJECT.match(tail)
        or len(tail.split()) < _LEAST_OBJECT
        or re.search(r" (?:to|than) ", tail)
        or clause.subject.lower() in tail.lower()
    ):
        return
    question = f"What {clause.auxiliary} {clause.subject} {clause.verb} {link}".strip()
    yield Fact("object", f"{question}?", tail, clause.subject, clause.verb)


def _reason(clause: _Clause) -> Iterator[Fact]:
    """Why something is so."""
    causes = list(_CAUSE.finditer(clause.rest))
    if len(causes) != 1 or len(causes[0]["answer"].split()) < _LEAST_PURPOSE:
        return
    predicate = clause.rest[: causes[0].start()]
    used = predicate.startswith("used ") or (clause.verb == "be" and " to " in predicate)
    if not _short(predicate, 12) or not predicate or used or predicate.split()[-1] in {"be", *_BE}:
        return
    question = f"Why {clause.auxiliary} {clause.subject} {predicate}?"
    yield Fact("reason", question, causes[0]["answer"], clause.subject, clause.verb)


_RULES: Final = (
    *(_time, _definition, _number, _value, _purpose, _location),
    *(_author, _object, _reason),
)
_BARRED: Final = {_object: _BESIDES, _number: _HEDGED}
