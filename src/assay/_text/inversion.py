"""English yes-no questions as the statement that a yes or no to them makes.

"Does the Kolo 3 switch itself off?" with "No" states "The Kolo 3 does not switch itself off."
"""

# ruff: noqa: SIM905 - word lists read better as prose

import re

from assay._text import verbs

_QUESTION = re.compile(
    r"\W*(?P<auxiliary>is|are|was|were|do|does|did|can|could|will|would|should|must|may|might|has|have|had)"
    r"(?P<denied>n(?:'|’)t)?\s+(?P<rest>[^?.!;]+)\?",
    re.IGNORECASE,
)
_PRONOUNS = frozenset("i you he she it we they there".split())
_BE = frozenset("is are was were".split())
_HAVE = frozenset("has have had".split())
_DETERMINERS = frozenset("the a an this that these those my your his her its our their".split())
# What stands behind the subject of a form of "be".
_BEHIND_BE = frozenset(
    "a an the any another one not still already always ever never also currently now only really "
    "in on at for to from by with without within between during over under above below about "
    "able available necessary safe valid possible true false free open closed ok okay allowed "
    "eligible subject due part made based located born known used ready legal illegal correct "
    "mandatory optional compulsory full empty bigger smaller larger higher lower older younger "
    "longer shorter faster slower cheaper better worse more less as too very good bad".split()
)
_ADJECTIVE = re.compile(r"[a-z]{2,}(?:able|ible|ous|ful|less|proof)")
_LONGEST = 30  # words of a question


def asserted(question: str, *, yes: bool) -> str:
    """What a yes or no says; "" where the subject's end, or what is denied, cannot be told."""
    match = _QUESTION.fullmatch(question.strip())
    if not match or match["denied"]:
        return ""
    auxiliary, words = match["auxiliary"].lower(), match["rest"].split()
    # "Is it red or blue?" wants no yes.
    several = len(words) > _LONGEST or "or" in map(str.lower, words)
    end = 0 if several else _subject_end(auxiliary, words)
    if not end:
        return ""
    subject, rest = words[:end], words[end:]
    if rest[0].lower() in {"not", "never"}:
        return ""
    denied = [f"{auxiliary}not" if auxiliary == "can" else f"{auxiliary} not"]
    said = [*subject, *([auxiliary] if yes else denied), *rest]
    if yes and auxiliary in {"do", "does", "did"}:
        said = [*subject, _finite(rest[0], auxiliary), *rest[1:]]
    text = " ".join(said).rstrip(" ,")
    return f"{text[:1].upper()}{text[1:]}."


def _finite(verb: str, auxiliary: str) -> str:
    """The verb behind a form of "do" without it: "switches" for "does switch"."""
    if auxiliary == "do":
        return verb
    return verbs.third_person(verb) if auxiliary == "does" else verbs.past(verb)


def _subject_end(auxiliary: str, words: list[str]) -> int:
    """How many of the words behind the auxiliary are its subject; 0 where that is not sure."""
    plain = [word.lower().strip(",\"'’") for word in words]
    if plain[0] in _PRONOUNS and len(words) > 1:
        return int(not (auxiliary == "do" and plain[0] in {"he", "she", "it"}))
    begins = 1 + (plain[0] in _DETERMINERS)
    places = [
        i
        for i in range(begins, len(words))
        if plain[i - 1] not in _DETERMINERS | {"of"} and _goes_on(auxiliary, plain[i])
    ]
    if auxiliary in _BE:
        # "Is the function pure?": what has no mark is the last word.
        return places[0] if places else max(0, len(words) - 1) * (len(words) > begins)
    # "Does travel time count?"
    sure = [i for i in places if not verbs.is_also_noun(plain[i])]
    return sure[0] if sure else places[0] if len(places) == 1 else 0


def _goes_on(auxiliary: str, word: str) -> bool:
    """Whether a word is what stands behind the subject of this auxiliary."""
    forms = verbs.forms(word)
    if auxiliary in _BE:
        return word in _BEHIND_BE or bool(
            forms & {"participle", "ing"} or _ADJECTIVE.fullmatch(word)
        )
    if auxiliary in _HAVE:
        return word == "been" or "participle" in forms
    return word in {"be", "have", "not", "also", "still", "ever"} or "base" in forms
