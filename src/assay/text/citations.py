"""Which words of an answer only point at its sources or number its items, and state nothing?"""

import re

_AND = r"(?:and|or|&)\s+"
# No two ways to read the same blanks: a long run of them takes no longer than its length.
_LIST = rf"\d{{1,3}}(?:\s*(?:,\s*(?:{_AND})?|{_AND}|-\s*)\d{{1,3}})*"
_POINTER = (
    r"(?:passages?|contexts?|documents?|sources?|references?|articles?|excerpts?|paragraphs?|"
    rf"steps?|methods?|points?|items?|parts?|options?|sections?)\s+#?{_LIST}\b"
)
_BRACKETS = re.compile(
    rf"(?<!\s)\s*+(?:\[(?:\^|(?:citation|source|ref|doc)s?\s?:?\s?)?{_LIST}\]|【[^【】\n]{{1,30}}】)",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(
    rf"(?<!\s)\s*+[(\[]\s*+(?:see\s+)?{_POINTER}(?:,\s*{_POINTER})*\s?[)\]]", re.IGNORECASE
)
_POINTERS = re.compile(rf"\b{_POINTER}", re.IGNORECASE)
# "Based on the given passages, " and "according to the information provided, ".
_LEAD = re.compile(
    r"\W*(?:based (?:up)?on|according to|as (?:stated|mentioned|described|noted|given) in)"
    r"(?: (?:all|the|these|this|your|our|provided|given|above|following|information|in|from|of))*"
    r" (?:passages?|contexts?|documents?|sources?|excerpts?|texts?|information|data)"
    r"(?: (?:provided|given|above))?,\s+",
    re.IGNORECASE,
)
_MARKER = re.compile(r"^\W*(?:\(?\d{1,2}[.)]\s+)?")


def without_citations(text: str) -> str:
    """`text` without "[1]", "(Passage 2)" and the like; nothing else is touched."""
    return _IN_BRACKETS.sub("", _BRACKETS.sub("", text))


def without_pointers(text: str) -> str:
    """The same, and without "Passage 2", "step 4" in the sentence and what leads into it.

    That is a number, as in "3. Open it", and "Based on the given passages, ".
    """
    bare = _MARKER.sub("", without_citations(text))
    lead = _LEAD.match(bare)
    return _MARKER.sub("", _POINTERS.sub("", bare[lead.end() :] if lead else bare))
