"""What does a sentence before a list say: does it only announce its items, or state something?"""

import re

LEAD_IN = re.compile(
    r"\b(?:here (?:is|are)|below|following|as follows|based on|according to|like (?:this|so))\b",
    re.IGNORECASE,
)
HERE_ARE = re.compile(
    r".*\b(?:here|below|the following) (?:is|are)\s+(?:a list of\s+)?"
    r"(?P<what>(?:the|all|some)\s.*)",
    re.IGNORECASE | re.DOTALL,
)
GENERAL = re.compile(
    r"\b(?:steps?|tips?|ways?|instructions?|reasons?|points?|things?|options?|facts?|examples?|"
    r"factors?|methods?|notes?|details?|information|answers?|summary|statements?|suggestions?|"
    r"passages?|sources?|documents?|to)\b",
    re.IGNORECASE,
)
_AS_FOLLOWS = re.compile(r",?\s+(?:as follows|below)$", re.IGNORECASE)
_JOINED = re.compile(
    r"(?P<said>.{12,}?),\s+(?:and|but|so)\s(?P<rest>.+)$", re.IGNORECASE | re.DOTALL
)
# "To set up 2FA"
_AIM = re.compile(r"(?:\w+[!,.]\s+)?to\s[^,]*$", re.IGNORECASE)


def told_before(sentence: str) -> str:
    """The beginning of a sentence that ends with a colon, as far as it states something; "" if not.

    "It is 20 g, and mind the following:" states "It is 20 g", and so does "It is 20 g as follows:".
    Without a number, what announces nothing else is not told from an announcement.
    """
    text = sentence.rstrip(":：*_ ")
    joined = _JOINED.match(text)
    if joined and _announces(joined["rest"]) and not _announces(joined["said"]):
        return joined["said"]
    said = _AS_FOLLOWS.sub("", text)
    states = any(map(str.isdigit, said)) and not _announces(said) and not _AIM.match(said)
    return said if states else ""


def _announces(text: str) -> bool:
    return bool(LEAD_IN.search(text) or GENERAL.search(" ".join(text.split()[-3:])))
