"""Sentences said another way: the meaning stays, or what is said follows from it.

Each way is a function of a sentence, its passage and a random source that returns the new sentence,
or None where it does not apply. `light` keeps the structure, `heavy` changes it and may say less.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from assay._text import entities
from training.verifier.synthetic import lexicon
from training.verifier.synthetic.changes import apply, article, find, like
from training.verifier.synthetic.corpus import Passage
from training.verifier.synthetic.names import kind_of

Way = Callable[[str, Passage, random.Random], str | None]

# What follows a noun that is no part of a compound.
_NO_NOUN = r"(?=[.,;]| (?:and|who|that|from|in|at|with|for|by|to|on|was|is|of)\b)"
# Past and participle of verbs that take an object and often stand in the passive.
_IRREGULAR = {
    "written": "wrote", "built": "built", "won": "won", "made": "made", "held": "held",
    "led": "led", "found": "found", "bought": "bought", "sold": "sold", "given": "gave",
    "taken": "took", "known": "knew", "seen": "saw", "chosen": "chose", "drawn": "drew",
    "driven": "drove", "beaten": "beat", "sent": "sent", "brought": "brought", "taught": "taught",
    "caught": "caught", "sung": "sang", "begun": "began", "shown": "showed", "run": "ran",
    "overthrown": "overthrew", "struck": "struck", "shot": "shot", "hit": "hit", "put": "put",
    "set up": "set up", "told": "told", "paid": "paid", "left": "left", "lost": "lost",
}  # fmt: skip
_REGULAR = """
    founded directed produced designed invented discovered published released acquired
    purchased recorded painted composed developed created established introduced defeated
    owned operated portrayed edited narrated adapted launched organized commissioned
    destroyed captured killed signed approved rejected announced replaced succeeded
    appointed elected supported inspired influenced attacked conquered ruled hosted
    sponsored managed constructed completed performed
""".split()  # noqa: SIM905
_PAST_OF = _IRREGULAR | {verb: verb for verb in _REGULAR}
_PARTICIPLE_OF = {past: part for part, past in _PAST_OF.items() if " " not in part}
_NP = (
    r"(?:(?:The|the|An?|an?|His|his|Her|her|Its|its|Their|their) )?[\w'\u2019.-]+(?: "
    r"(?:of the |of |the |and )?[\w'\u2019.-]+){0,5}"
)
_NAME = r"(?:the )?[A-Z][\w'\u2019.-]*(?: (?:of |the )?[A-Z][\w'\u2019.-]*){0,4}"
_PASSIVE = re.compile(
    rf"^(?P<what>{_NP}) (?P<be>was|were) (?P<verb>\w+) by (?P<who>{_NAME})"
    r"(?P<rest>(?: (?:in|on|at|for|during|from) [^,;]*)?)\.$"
)
_ACTIVE = re.compile(
    r"^(?P<who>[A-Z][\w'\u2019.-]*(?: [A-Z][\w'\u2019.-]*){0,3}) (?P<verb>\w+) "
    r"(?P<what>(?:the|an?) (?:(?!in |on |at |for |to |from |with |by |and |as |that |who |"
    r"which |after |when |during )[\w'\u2019-]+ ?){1,5}?)"
    r"(?P<rest>(?: (?:in|on) (?:\w+ )?(?:\d{1,2},? )?\d{4})?)\.$"
)
_LEADING = re.compile(
    r"^(?P<when>(?:In|On|During|By|Since) (?:(?:the|early|late|mid|about|around|January|February|"
    r"March|April|May|June|July|August|September|October|November|December|summer|spring|fall|"
    r"autumn|"
    r"winter|end|of|year|years|same|season|age|century|\d\w*) ?)+), (?P<rest>(?:[A-Z]|the |"
    r"he |she |it |they |his |her |its |their |a |an ).*)\.$"
)
_TRAILING = re.compile(
    r"^(?P<rest>[^,;:]{20,}) (?P<when>(?:in|on|during) (?:(?:early|late|the|January|February|March|"
    r"April|May|June|July|August|September|October|November|December|summer of|spring of|"
    r"\d[\d,]*) ?)*"
    r"\d{4}s?)\.$"
)
_OPENERS = frozenset(
    """
        The He She It They A An His Her Its Their This These There Some Many Most
        Several All Each Every Both One Two Three Four Five People Researchers
        Scientists Critics Police Officials
    """.split()  # noqa: SIM905
)
_PARENTHESIS = re.compile(r" \((?!s\))[^()]*\)")
_ASIDE = re.compile(r", (?:which|who|where|whose) [^,]{4,90}, (?=[a-z])")
_RELATIVE_END = re.compile(r", (?:which|who|where|whose|including|such as) [^;]{4,120}\.$")
_APPOSITION = re.compile(
    rf"^(?P<who>{_NAME}), (?P<what>(?:an?|the) [^,]{{5,80}}), (?P<rest>(?:is|was|are|were|has|"
    rf"had|will|\w+ed)\b.*)$"
)
_RELATIVE = re.compile(rf"^(?P<who>{_NAME}), who (?P<did>[^,]{{8,90}}), (?P<rest>.*)$")
_SECOND_CLAUSE = re.compile(
    r"^(?P<one>[^;]{25,}?)(?:; |, (?:and|but|while|whereas) )(?P<two>.{15,})\.$"
)
_DEPENDENT = re.compile(
    r"(?:if|when|although|though|because|while|since|unless|after|before|as|given|whether|not only|"
    r"either|neither|both|despite|in addition|according|for example|to)\b",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"^(?:However|Moreover|Furthermore|Additionally|In addition|Also|Therefore|Thus|Indeed|In fact|"
    r"Meanwhile|Finally|Overall|For example|For instance|Of course|As a result|Instead|"
    r"Nevertheless|"
    r"Nonetheless|Similarly|Likewise|Consequently|Hence|Still|Then|Interestingly|Generally),? "
    r"(?=[a-zA-Z])"
)
_ADVERB = re.compile(
    r" (?:also|however|really|very|actually|indeed|quite|simply|just|thus|therefore),?(?= [a-z])"
)
_MONTH = r"(January|February|March|April|May|June|July|August|September|October|November|December)"
_CONTRACTIONS = [
    (full, full.removesuffix(" not") + "n't")
    for full in [
        "is not",
        "are not",
        "was not",
        "were not",
        "do not",
        "does not",
        "did not",
        "has not",
        "have not",
        "had not",
        "could not",
        "would not",
        "should not",
    ]
] + [("cannot", "can't"), ("will not", "won't"), ("it is", "it's"), ("they are", "they're")]
_FRAMES = (
    "According to the passage, {}", "The passage states that {}", "The text says that {}",
    "Based on the given information, {}", "As stated in the text, {}", "It is stated that {}",
    "According to the provided context, {}", "The source notes that {}", "It is mentioned that {}",
    "The document explains that {}", "In short, {}", "Specifically, {}", "Additionally, {}",
    "The article reports that {}", "To summarize, {}", "As the passage mentions, {}",
    "It's worth noting that {}", "According to the article, {}", "Per the text, {}",
)  # fmt: skip
_KIND = re.compile(rf"\ban? (?:\w+ )?({'|'.join(lexicon.KINDS)}){_NO_NOUN}")
_SEVERAL_WORDS = re.compile(
    rf"(?<!\w)(?:{'|'.join(re.escape(w) for w in lexicon.SYNONYMS if ' ' in w)})(?!\w)"
)
_ONES = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen
""".split()  # noqa: SIM905
_TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905


# ---------------------------------------------------------------- words


def synonyms(
    sentence: str, _passage: Passage, rng: random.Random, share: float = 0.6
) -> str | None:
    """Other words of the same meaning."""
    changed = sentence
    for word in dict.fromkeys(re.findall(r"[A-Za-z][\w.-]*\w", sentence)):
        others = lexicon.SYNONYMS.get(word.lower())
        if not others or rng.random() > share or (word[0].isupper() and find(sentence, word) > 0):
            continue
        made = apply(changed, ((word, like(word, rng.choice(others))),))
        changed = made[0] if made else changed
    for old in _SEVERAL_WORDS.findall(changed):
        new = lexicon.SYNONYMS[old]
        if rng.random() < share:
            made = apply(changed, ((old, rng.choice(new)),))
            changed = made[0] if made else changed
    return changed if changed != sentence else None


def kinds(sentence: str, _passage: Passage, rng: random.Random) -> str | None:
    """What it also is: a musician for a guitarist. Not in what is denied or said of all."""
    if entities.is_negated(sentence) or re.search(
        r"\b(?:all|every|only|most|best|first|few|any|each|if|more|\w+est)\b", sentence
    ):
        return None
    found = _KIND.findall(sentence)
    if not found:
        return None
    old = rng.choice(found)
    made = apply(sentence, ((old, lexicon.KINDS[old]),))
    return made[0] if made else None


def contraction(sentence: str, _passage: Passage, rng: random.Random) -> str | None:
    """Does not -> doesn't, and back."""
    for full, short in rng.sample(_CONTRACTIONS, len(_CONTRACTIONS)):
        for old, new in ((full, short), (short, full)):
            if find(sentence, old) >= 0:
                return sentence.replace(old, new)
    return None


def nationality(sentence: str, _passage: Passage, rng: random.Random) -> str | None:
    """A French painter -> a painter from France."""
    del rng
    match = re.search(r"\b(an?) ([A-Z]\w+) ([a-z]+)(?=\.| who| born| best| known)", sentence)
    person = {"musician", "performer", "writer", "player", "athlete", "scientist", "scholar"}
    if not match or match[2] not in lexicon.ADJECTIVES:
        return None
    if lexicon.KINDS.get(match[3]) not in person | {"artist", "politician", "doctor", "thinker"}:
        return None
    country = lexicon.ADJECTIVES[match[2]].replace("America", "the United States")
    new = f"{article(match[3])} {match[3]} from {country}"
    return sentence[: match.start()] + new + sentence[match.end() :]


def abbreviation(sentence: str, passage: Passage, rng: random.Random) -> str | None:
    """WHO for World Health Organization where the passage says that it is one, and back."""
    del rng
    if "(" not in passage.text:
        return None
    for match in re.finditer(
        r"(?<!\w)((?:[A-Z][\w-]+ (?:of |and |for |the )*){1,5}[A-Z]?[\w-]*) ?\(([A-Z]{2,6})\)",
        passage.text,
    ):
        letters, capitals = match[2], [w[0] for w in match[1].split() if w[0].isupper()]
        full = match[1].strip()
        if capitals != list(letters):
            continue
        if f"{full} ({letters})" in sentence:
            return sentence.replace(f"{full} ({letters})", letters)
        for old, new in ((letters, full), (full, letters)):
            if find(sentence, old) >= 0:
                return sentence.replace(old, new)
    return None


# ---------------------------------------------------------------- numbers


def figures(sentence: str, _passage: Passage, rng: random.Random) -> str | None:
    """The same number, date or time written another way."""
    ways = [_spelled, _digits, _grouped, _scaled, _date, _clock, _half, converted]
    rng.shuffle(ways)
    for way in ways:
        made = way(sentence)
        if made and made != sentence:
            return made
    return None


def in_words(value: int) -> str:
    """A number below a hundred in words."""
    if value < 20:
        return _ONES[value]
    return _TENS[value // 10] + (f"-{_ONES[value % 10]}" if value % 10 else "")


def _spelled(sentence: str) -> str | None:
    match = re.search(
        r"(?<= )(\d{1,2})(?= [a-z]{4,})(?! (?:percent|million|billion|minutes?|degrees))", sentence
    )
    if not match or re.search(rf"{_MONTH} $", sentence[: match.start()]):
        return None
    return sentence[: match.start()] + in_words(int(match[1])) + sentence[match.end() :]


def _digits(sentence: str) -> str | None:
    match = re.search(r"(?<=[a-z] )(" + "|".join(_ONES[2:]) + r")(?= [a-z]{3,})", sentence)
    if not match:
        return None
    return sentence[: match.start()] + str(_ONES.index(match[1])) + sentence[match.end() :]


def _grouped(sentence: str) -> str | None:
    return re.sub(r"(?<![\d,.])(\d{1,3}),(\d{3})(?![\d,])", r"\1\2", sentence)


def _scaled(sentence: str) -> str | None:
    match = re.search(r"([$£€])?(\d+(?:\.\d)?) (million|billion)\b", sentence)
    if match:
        value = f"{int(float(match[2]) * (10**6 if match[3] == 'million' else 10**9)):,}"
        return sentence[: match.start()] + (match[1] or "") + value + sentence[match.end() :]
    match = re.search(r"([$£€])?(\d{1,3}),(\d)00,000\b(?!,)", sentence)
    if match:
        value = match[2] + (f".{match[3]}" if match[3] != "0" else "")
        return (
            f"{sentence[: match.start()]}{match[1] or ''}{value} million{sentence[match.end() :]}"
        )
    match = re.search(r"\$(\d[\d,.]*\d)(?! (?:million|billion|trillion|bill))(?=[ .])", sentence)
    return sentence.replace(match.group(), f"{match[1]} dollars") if match else None


def _date(sentence: str) -> str | None:
    match = re.search(rf"{_MONTH} (\d{{1,2}}),? (\d{{4}}),?", sentence)
    if match:
        return (
            sentence[: match.start()]
            + f"{match[2]} {match[1]} {match[3]}"
            + sentence[match.end() :]
        )
    match = re.search(rf"(?<!\d)(\d{{1,2}}) {_MONTH} (\d{{4}})", sentence)
    if match:
        return (
            sentence[: match.start()]
            + f"{match[2]} {match[1]}, {match[3]}"
            + sentence[match.end() :]
        )
    match = re.search(rf"{_MONTH} (\d{{4}})", sentence)
    return (
        f"{sentence[: match.start()]}{match[1]} of {match[2]}{sentence[match.end() :]}"
        if match
        else None
    )


def _clock(sentence: str) -> str | None:
    match = re.search(r"\b(\d{1,2})(?::(\d\d))? ?([ap])\.?m\.?(?= )", sentence, re.IGNORECASE)
    if match and 1 <= int(match[1]) <= 12:
        hour = int(match[1]) % 12 + (12 if match[3].lower() == "p" else 0)
        return sentence[: match.start()] + f"{hour}:{match[2] or '00'}" + sentence[match.end() :]
    return None


def _half(sentence: str) -> str | None:
    for old, new in (
        ("50%", "half"),
        ("50 percent", "half"),
        ("25%", "a quarter"),
        ("75%", "three quarters"),
    ):
        if f"{old} of" in sentence:
            return sentence.replace(old, new, 1)
    match = re.search(r"(\d)%", sentence)
    return sentence.replace("%", " percent") if match else sentence.replace(" percent", "%")


_FACTORS = (
    ("km", "miles", 0.6214), ("kilometers", "miles", 0.6214), ("kilometres", "miles", 0.6214),
    ("miles", "kilometers", 1.609), ("feet", "meters", 0.3048), ("meters", "feet", 3.281),
    ("metres", "feet", 3.281), ("kg", "pounds", 2.205), ("pounds", "kilograms", 0.4536),
    ("inches", "centimeters", 2.54), ("acres", "hectares", 0.4047), ("hours", "minutes", 60.0),
    ("weeks", "days", 7.0), ("decades", "years", 10.0),
)  # fmt: skip


def converted(sentence: str, wrong: float = 1.0) -> str | None:
    for old, new, factor in _FACTORS:
        match = re.search(
            rf"(?<![\w.,$£-])(?<!\d )(\d[\d,]*(?:\.\d+)?)[ -]{old}\b(?! \()", sentence
        )
        if match and not (old == "hours" and len(match[1]) > 1):
            value = float(match[1].replace(",", "")) * factor * wrong
            written = f"{value:.1f}" if value < 20 else f"{value:,.0f}"
            about = "" if factor in {60.0, 7.0, 10.0} else "about "
            said = f"{about}{written.removesuffix('.0')} {new}"
            return sentence[: match.start()] + said + sentence[match.end() :]
    return None


# ---------------------------------------------------------------- structure


def voice(sentence: str, _passage: Passage, rng: random.Random) -> str | None:
    """Active for passive and passive for active."""
    del rng
    match = _PASSIVE.match(sentence)
    if match and match["verb"] in _PAST_OF and not _DEPENDENT.match(sentence):
        who = match["who"][0].upper() + match["who"][1:]
        return f"{who} {_PAST_OF[match['verb']]} {_lower(match['what'])}{match['rest']}."
    match = _ACTIVE.match(sentence)
    if match and match["verb"] in _PARTICIPLE_OF and match["who"].split()[0] not in _OPENERS:
        what = match["what"].strip()
        be = "were" if what.endswith("s") and not what.endswith("ss") else "was"
        did = f"{be} {_PARTICIPLE_OF[match['verb']]} by {match['who']}{match['rest']}"
        return f"{what[0].upper()}{what[1:]} {did}."
    return None


def order(sentence: str, _passage: Passage, rng: random.Random) -> str | None:
    """The time first, or last."""
    del rng
    match = _LEADING.match(sentence)
    if match and not re.search(r"[,;:]|\b(?:and|but|that|who)\b", match["rest"]):
        rest = match["rest"]
        return f"{rest[0].upper()}{rest[1:]} {match['when'][0].lower()}{match['when'][1:].strip()}."
    match = _TRAILING.match(sentence)
    if match and re.search(r"(?<!was )(?<!were )(?<!been )\b\w+ed$", match["rest"]):
        return None  # "is a film released in 1973"
    if match and not re.search(r"\b(?:and|but|that|who|or|since|from|than|as)\b", match["rest"]):
        return f"{like('I', match['when'])}, {_lower(match['rest'])}."
    return None


def less(sentence: str, _passage: Passage, rng: random.Random) -> str | None:
    """Without an aside, a second clause, an opening word: what is left still follows."""
    ways = [
        lambda s: _PARENTHESIS.sub("", s),
        lambda s: _ASIDE.sub(" ", s, count=1),
        lambda s: _RELATIVE_END.sub(".", s),
        lambda s: _capital(_FILLER.sub("", s)),
        lambda s: _ADVERB.sub("", s, count=1),
        _first_clause,
        _apposition,
        _relative,
    ]
    rng.shuffle(ways)
    for way in ways:
        made = way(sentence)
        if made and made != sentence and len(made.split()) >= 5:
            return made
    return None


def _apposition(sentence: str) -> str | None:
    match = _APPOSITION.match(sentence)
    if not match or " and " in match["who"] or re.search(r"\b(?:and|or) ", match["what"][:25]):
        return None
    be = "is" if match["rest"].startswith(("is ", "has ", "will ", "are ")) else "was"
    if len(match["what"]) % 2 or match["what"].startswith("the first"):
        return f"{match['who']} {match['rest']}"
    return f"{_capital(match['who'])} {be} {match['what']}."


def _relative(sentence: str) -> str | None:
    match = _RELATIVE.match(sentence)
    if not match:
        return None
    did = match["did"] if len(match["did"]) % 2 else match["rest"].removesuffix(".")
    return f"{match['who']} {did}."


def _first_clause(sentence: str) -> str | None:
    match = _SECOND_CLAUSE.match(sentence)
    if not match or _DEPENDENT.match(sentence) or match["one"].count(",") > 1:
        return None
    if not re.match(r"(?:he|she|it|they|we|the|his|her|its|their|[A-Z]\w+) ", match["two"]):
        return None
    return match["one"] + "."


def weaker(sentence: str, _passage: Passage, rng: random.Random) -> str | None:
    """Some for all, may for will: less than the passage says."""
    if entities.is_negated(sentence):
        return None
    pairs = [
        ("all", "many"), ("always", "often"), ("will", "may"), ("exactly", "about"),
        ("completely", "partly"), ("entirely", "partly"), ("certainly", "probably"),
        ("proved", "suggested"), ("most", "many"), ("many", "some"), ("several", "some"),
        ("the only", "one of the"), ("hundreds of", "many"), ("thousands of", "many"),
    ]  # fmt: skip
    rng.shuffle(pairs)
    for old, new in pairs:
        if old in {"all", "many"} and not re.search(rf"\b{old} (?:of|\w+s)\b", sentence):
            continue
        if old == "most" and not re.search(r"(?:^|\b)[Mm]ost (?:of )?(?:the )?\w+s\b", sentence):
            continue
        for form in (old, like("A", old)):
            if form == old or sentence.startswith(f"{form} "):
                made = apply(sentence, ((form, like(form, new)),))
                if made:
                    return made[0]
    return None


def pronoun(sentence: str, passage: Passage, rng: random.Random) -> str | None:
    """The person's name for He or She, where the sentence before begins with it."""
    del rng
    match = re.match(r"(?:He|She) (?=\w)", sentence)
    if not match or sentence not in passage.sentences:
        return None
    place = passage.sentences.index(sentence)
    before = passage.sentences[place - 1] if place else ""
    name = re.match(
        r"[A-Z][\w'\u2019-]+(?: [A-Z][\w'\u2019.-]+)+(?= (?:is|was|had|has|became|\w+ed)\b)", before
    )
    if not name or kind_of(name.group()) != "person":
        return None
    return f"{name.group()} {sentence[match.end() :]}"


def framed(sentence: str, rng: random.Random) -> str:
    """The sentence as what the source says."""
    frame = rng.choice(_FRAMES)
    return frame.format(_lower(sentence))


def _lower(text: str) -> str:
    """With a small letter at the beginning, if the first word is no name."""
    first = text.partition(" ")[0]
    return (
        text[0].lower() + text[1:]
        if first in _OPENERS or first in {"In", "On", "During", "When", "If", "By"}
        else text
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_LIGHT: tuple[Way, ...] = (synonyms, synonyms, figures, contraction, abbreviation, pronoun)
_HEAVY: tuple[Way, ...] = (
    less,
    order,
    voice,
    kinds,
    nationality,
    figures,
    abbreviation,
    pronoun,
    contraction,
)


def light(sentence: str, passage: Passage, rng: random.Random) -> str:
    """One or two small changes, often none; the structure stays."""
    made = sentence
    for way in rng.sample(_LIGHT, 2):
        made = way(made, passage, rng) or made
    return framed(made, rng) if rng.random() < 0.06 else made


def heavy(sentence: str, passage: Passage, rng: random.Random) -> str:
    """As many changes as apply, in random order."""
    made = sentence
    for way in (pronoun, *rng.sample(_HEAVY, len(_HEAVY))):
        made = (way(made, passage, rng) if rng.random() < 0.85 else None) or made
    made = synonyms(made, passage, rng, 0.9) or made
    if rng.random() < 0.08:
        made = weaker(made, passage, rng) or made
    return framed(made, rng) if rng.random() < 0.12 else made
