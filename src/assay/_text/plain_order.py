"""A sentence with its subject and verb first, and without words that only make it longer."""

import re

from assay._text.expressions import expression

_CLEFT = expression(
    r"^It (?:is|was) (?:also )?(?P<who>(?-i:[A-Z]|the\b|an?\b|his\b|her\b|its\b)[^,]{0,60}?),?"
    r"(?:,? (?:and )?not [^,]{2,40},)? (?:who|that|which) (?P<rest>.+)$",
    re.IGNORECASE,
)
_ONE_WHO = expression(
    r"^(?:The (?:one|ones|person|man|woman|people|company|firm)) (?:who|that|which) "
    r"(?P<rest>[^,]{3,90}?) (?:is|was|were|are) (?P<who>(?:[A-Z]|the\b)[^,]{0,50}?)(?P<end>\.?)$"
)
_REWRITES = (
    (
        expression(r"\b(?:no longer(?! than)|not any ?more|not yet|by no means)\b", re.IGNORECASE),
        "not",
    ),
    (expression(r"\bnot only\b", re.IGNORECASE), "also"),
    (expression(r"\bno (?:more|later|longer) than\b", re.IGNORECASE), "at most"),
    (expression(r"\bno (?:fewer|less|earlier) than\b", re.IGNORECASE), "at least"),
    (expression(r"\b(?:prior to|ahead of)\b", re.IGNORECASE), "before"),
    (expression(r"\b(?:due to|owing to|as a result of|because of)\b", re.IGNORECASE), "because"),
    (expression(r"\ba (?:few|couple of|number of)\b", re.IGNORECASE), "several"),
    (expression(r"\bat least one of the\b", re.IGNORECASE), "some"),
    (expression(r",? \b(?:in turn|in fact|of course|in addition|as well)\b,?(?= [a-z])"), ""),
    # "The firm's founder, Ann Lind, was"
    (
        expression(
            r"^(?:The|[A-Z]\w+(?:['\u2019]s|s['\u2019])) [a-z]+(?: [a-z]+)?, "
            r"(?P<name>[A-Z]\w+(?: [A-Z]\w+){0,2}), (?=(?:was|is|were|has|had|[a-z]+ed)\b)"
        ),
        r"\g<name> ",
    ),
    # "the chair, Ann Lind, asked": both are one.
    (
        expression(
            r"(?P<role>\b(?:[Tt]he|[Ii]ts|[Tt]heir|[Hh]is|[Hh]er|[Aa]n?)"
            r"(?: [a-z][\w-]*| [A-Z]{2,4}\b| of [A-Z]\w+){1,5}), "
            r"(?P<name>[A-Z]\w*\.?(?: [A-Z][\w-]*){0,3})(?:,(?= )|(?=[.;]|$))"
        ),
        r"\g<role> \g<name>",
    ),
    # "Team A is"
    (expression(r"(?<=[a-z] )A(?= [a-z]|[.,;]|$)"), "LetterA"),
    # "before Ann did"
    (
        expression(
            r"(?P<than>\b(?:before|after|than) [^,.;]{2,40}?) "
            r"(?:did|does|do|was|is|has|had|were|are)\b"
            r"(?=[.,;]|$)"
        ),
        r"\g<than>",
    ),
    (expression(r"\b(?:all|some|most|many|none|several|each|few) of\b", re.IGNORECASE), None),
)


def plainly(sentence: str) -> str:
    """A sentence with the subject and verb at its beginning, and its denials in one word."""
    for pattern, instead in _REWRITES:
        if instead is None:
            sentence = pattern.sub(lambda match: match.group()[:-3], sentence)
        else:
            sentence = pattern.sub(instead, sentence)
    cleft = _CLEFT.match(sentence)
    if cleft:
        return f"{cleft['who']} {cleft['rest']}"
    one_who = _ONE_WHO.match(sentence)
    return f"{one_who['who']} {one_who['rest']}{one_who['end']}" if one_who else sentence
