"""How does a statement read as plain text?"""

import re

from assay.text.citations import without_citations

# Between two letters or digits it is none: "2**64".
_MARKUP = re.compile(
    r"(?<![A-Za-z0-9])(?:\*\*|__)(?=\S)|(?<=\S)(?:\*\*|__)(?![A-Za-z0-9])|`(?=\S)|(?<=\S)`"
)
_ITALIC = re.compile(r"(?<![\w*\\])\*(?=[^\s*])(?P<said>[^*\n]{1,200})(?<=\S)\*(?![\w*])")
_LINK = re.compile(
    r"(?<!!)\[(?P<said>[^\[\]\n]{1,200})\]\((?:https?://|mailto:|[/#.])[^()\s]{0,500}\)"
)
_WRITTEN_SMALL = re.compile(r"[a-z]++[A-Z_\d(=]")
# What tags left between a word and its comma.
_GAP = re.compile(r"(?<=\w)\s{3,}(?=[.,;:!?)])")
# What joins an item with the next one: "cleaning; and".
_JOINT_END = re.compile(r"\s?(?:[;；]|[,;]?\s(?:and/or|and|or))$")


def clean(text: str) -> str:
    """Without mark-up and citation marks, on one line, with a capital at the beginning."""
    bare = _GAP.sub("", without_citations(_MARKUP.sub("", text)))
    bare = _ITALIC.sub(r"\g<said>", bare)
    plain = _JOINT_END.sub("", " ".join(_LINK.sub(r"\g<said>", bare).split()))
    # "iPhone", "max_delay" and "find()" are written small.
    name = _WRITTEN_SMALL.match(plain)
    return plain if name else plain[:1].upper() + plain[1:]
