"""Where does one subject of a sentence get a second predicate: "Ann was born here and died there"?

Only what is surely a finite verb counts. "Designed and built" may be two participles of one
passive, "cakes and repairs" two nouns: what can be read in two ways stays in one piece.
"""

import re
from typing import NamedTuple


class Cut(NamedTuple):
    """sentence[:stop] is one statement, and sentence[start:] with the subject again another."""

    stop: int
    start: int


BE = "is are was were"
HAVE = "has have had"
MODAL = "can could will would may might must should does did do"
# Past forms that are no participles, and those that are both.
_SIMPLE_PAST = (
    "became began went wrote took gave saw knew grew drew flew rose fell chose spoke broke drove "
    "ran sang swam came ate wore threw woke sank drank stole swore forgot hid blew froze rode "
    "shook "
    "arose"
)
_BOTH = (
    "built made won lost led left met held sold bought sent spent taught thought brought found "
    "kept "
    "told fought caught sought stood understood upheld set put cut hit let read paid laid lay felt "
    "meant heard dealt bred fed fled shot"
)
# Never passive: after "was born" they begin a predicate of their own.
_INTRANSITIVE = (
    "died lived served worked remained retired returned arrived emigrated appeared graduated "
    "resigned disappeared existed belonged"
)
# Never plural nouns.
_PRESENT = (
    "allows includes contains consists provides requires becomes refers belongs occurs involves "
    "describes explains depends creates gives takes seems appears remains enables improves "
    "prevents "
    "protects encompasses encourages indicates receives lies goes comes begins keeps helps serves"
)
_WORDS = {
    word: kind
    for kind, words in (
        ("be", BE),
        ("have", HAVE),
        ("modal", MODAL),
        ("past", _SIMPLE_PAST),
        ("both", _BOTH),
        ("intransitive", _INTRANSITIVE),
        ("present", _PRESENT),
    )
    for word in words.split()
}
_KNOWN = "|".join(_WORDS)
_DETERMINER = r"(?:the|an?|its|their|his|her|this|these|those)"
_AFTER_VERB = (
    rf"(?=\s+(?:{_DETERMINER}|in|at|on|from|into|near|with|about|up|between|for|over|through|under|"
    r"as|by|out|\d)\b)"
)
FINITE = rf"(?:(?:{_KNOWN})|[a-z]{{3,}}ed)"
_FIRST_VERB = rf"(?P<verb>(?:{_KNOWN})\b|[a-z]{{3,}}ed\b|[a-z]{{3,}}[a-rt-z]s\b{_AFTER_VERB})"
# "Soils, and landforms in the north": only an object makes a verb of it.
_NEXT_VERB = (
    rf"(?P<verb>(?:{_KNOWN})\b|[a-z]{{3,}}ed\b|[a-z]{{3,}}[a-rt-z]s\b(?=\s+{_DETERMINER}\b))"
)
_NO_SUBJECTS = (
    r"(?!(?:there|here|that|these|those|which|who|what|you|some|many|most|all|both|each|however|"
    r"therefore|also|in|on|at|by|for|from|with|to|during|according|if|when|while|as|after|before|"
    r"since|although|because|not|no|yes|once|until|unless|whether|neither|either|nobody|everyone|everybody|someone|anyone|nothing|everything|"
    r"something)\b)"
)
_HEAD = re.compile(
    rf"{_NO_SUBJECTS}(?P<subject>(?P<pronoun>(?:he|she|it|they|we|this)(?=\s))"
    r"|(?P<article>(?:the|an?|its|their|his|her|our)\s+)?(?!(?:the|an?)\s)[\w'’.&-]+"
    r"(?:\s+(?:of\s+(?:the\s+)?|and\s+)?[\w'’.&-]+){0,4}?)"
    rf"(?:\s+\([^()]{{1,60}}\))?(?:,[^,]{{3,80}},)?"
    rf"\s+(?-i:{_FIRST_VERB})",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"(?P<link>,?\s+and|,?\s+but|,)\s+"
    r"(?P<start>(?:(?:also|later|then|subsequently|eventually|finally|now|still|soon|never)\s+)?"
    rf"{_NEXT_VERB})(?=\s+\w)"
)
_TANGLED = re.compile(
    r"\b(?:that|who|whom|whose|which|where|when|while|if|whether|because|said|says|claims?|claimed|"
    r"reports?|reported|believes?|believed|thinks?|thought|between|both|either|not only|"
    r"how|what|why|than)\b|[:\"“”«»]|\s[-–—]\s",
    re.IGNORECASE,
)
_SHOWN = re.compile(r"\S")
_DASH = len(" - ")


# "Place the seasoned meat": no subject ends so.
_OPEN = re.compile(rf"\b(?:{_DETERMINER}|to|not|please)\b\W*$|^please\b", re.IGNORECASE)


def subject_and_cuts(sentence: str) -> tuple[str, list[Cut]]:
    """The subject of a sentence and where it gets a further predicate; none where unsure."""
    head = _HEAD.match(sentence)
    if head is None or _TANGLED.search(head["subject"]) or _OPEN.search(head["subject"]):
        return "", []
    kind = _kind(head["verb"])
    short = not (head["pronoun"] or head["article"] or " " in head["subject"])
    if kind == "present" and short:  # "Big houses in the town": "houses" is no verb
        return "", []
    cuts: list[Cut] = []
    listed: list[Cut] = []  # after a bare comma: only worth anything if an "and" follows
    begin = looked = head.end("verb")
    opened = 0  # brackets
    for joint in _JOINT.finditer(sentence, begin):
        # Only what no joint before has looked at; a dash may lie across that one's first blank.
        if _TANGLED.search(sentence, max(begin, looked - _DASH), joint.start()):
            break
        opened += sentence.count("(", looked, joint.start())
        opened -= sentence.count(")", looked, joint.start())
        looked = joint.start()
        if opened:
            break
        if not _goes_with(_kind(joint["verb"]), kind):
            continue
        if not _SHOWN.search(sentence, begin, joint.start()):
            continue
        cut = Cut(joint.start(), joint.start("start"))
        if joint["link"] == ",":
            listed.append(cut)
        else:
            cuts += [*listed, cut]
            listed = []
        kind = _kind(joint["verb"])
        begin = looked = joint.end("verb")
    return head["subject"], cuts


def _kind(verb: str) -> str:
    return _WORDS.get(verb) or ("both" if verb.endswith("ed") else "present")


def _goes_with(second: str, first: str) -> bool:
    """Whether a verb of the second kind can only be a predicate beside one of the first."""
    if second in {"be", "have", "modal"}:
        return True
    if second == "present":
        return first == "present"
    if second == "past":
        return first != "present"
    if second == "intransitive":
        return first not in {"present", "have", "modal"}
    return first in {"past", "both", "intransitive"}
