"""Which words of an answer only point at its sources or number its items, and state nothing?"""

import re

_AND = r"(?:and|or|&)\s+"
# No two ways to read the same blanks: a long run of them takes no longer than its length.
_LIST = rf"\d{{1,3}}(?:\s*(?:,\s*(?:{_AND})?|{_AND}|-\s*)\d{{1,3}})*"
_POINTER = (
    r"(?:passages?|contexts?|documents?|sources?|references?|articles?|excerpts?|paragraphs?|"
    rf"steps?|points?|items?|parts?|options?|sections?)\s+#?{_LIST}\b"
)
_BRACKETS = re.compile(
    rf"(?<!\s)\s*+(?:\[(?:\^|(?:citation|source|ref|doc)s?\s?:?\s?)?{_LIST}\]|【[^【】\n]{{1,30}}】)",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(
    rf"(?<!\s)\s*+[(\[](?:see\s+)?{_POINTER}(?:,\s*{_POINTER})*[)\]]", re.IGNORECASE
)
_POINTERS = re.compile(rf"\b{_POINTER}", re.IGNORECASE)
_MARKER = re.compile(r"^\W*(?:\(?\d{1,2}[.)]\s+)?")


def without_citations(text: str) -> str:
    """`text` without "[1]", "(Passage 2)" and the like; nothing else is touched."""
    return _IN_BRACKETS.sub("", _BRACKETS.sub("", text))


def without_pointers(text: str) -> str:
    """The same, and without "Passage 2", "step 4" in the sentence and "3." at its beginning."""
    return _MARKER.sub("", _POINTERS.sub("", without_citations(text)))
