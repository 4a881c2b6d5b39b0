"""Subjects of sentences: their further predicates, and the pronouns that stand for them.

Only what is surely a finite verb counts, and a pronoun is only replaced where the sentence before
has one plain subject that fits; what can be read in two ways stays as it is.
"""

import re
from typing import NamedTuple

from assay.text import entities


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


# ruff: noqa: SIM905 - word lists read better as prose


_VERB = rf"(?-i:{FINITE}|refers|[a-z]{{3,}}es(?=\s+(?:the|an?|its|their|his|her)\b))"
_SUBJECT = re.compile(
    rf"(?P<subject>(?:(?:the|a|an)\s+)?[\w'’.&-]+(?:\s+(?:of\s+(?:the\s+)?)?[\w'’.&-]+){{0,4}}?)"
    rf"(?:\s+\([^)]{{1,60}}\))?(?:,[^,]{{3,80}},)?\s+{_VERB}\s",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"(?:who|what|where|when|how|why)?\s*(?:is|was|are|were|does|did|do|has|have|can)\s+"
    r"(?P<subject>(?:the\s+)?[A-Z][\w'’.&-]*(?:\s+(?:of\s+)?[A-Z][\w'’.&-]*){0,4})(?=\W|\s|$)",
)
_ASKED_START = re.compile(r"^(?:Who|What|Where|When|How|Why|Is|Was|Are|Were|Does|Did|Do)\b")
_PRONOUN = r"(?P<pronoun>It|He|She|They|Its|His|Her|Their)(?=\s+(?P<next>\w+))"
_LEADING = re.compile(_PRONOUN)
_LATER = re.compile(
    r"(?P<lead>(?P<link>However|Later|Then|Also|Today|Eventually|Additionally|Moreover|Furthermore|"
    r"Finally|Initially|Subsequently|Afterwards|Originally|Now|Instead|Thus|Therefore),?\s+"
    r"|(?:In|On|By|At|During|From|Since|Until)\s[^,.;]{1,40},\s+)"
    rf"(?i:{_PRONOUN})"
)
# A name after these is a place or a body, no other person: "grew up in Malmö".
_PLACED = re.compile(
    r"\b(?:in|at|from|to|near|of|through|into|around|across|for|on)\s+(?:the\s+)?$"
)
_NO_SUBJECT = frozenset(
    "it he she they this that these those there which who what i we you one some many most all "
    "both each however therefore also additionally overall in on at by for from with to during "
    "according if when while as after before since although because not no yes its his her their "
    "here nobody everyone everybody someone anyone nothing everything something".split()
)
_PLURAL_VERBS = frozenset("are were have do".split())
# "It is raining", "It is important to", "It seems that": this "it" means nothing.
_BE = (
    r"(?:(?:is|was|would be|may be|can be|could be|has been)(?:n['’]t)?|seems|appears|turns out|"
    r"depends|took)"
)
_EMPTY_IT = re.compile(
    rf"it\s+(?:should|may|must|can)?\s*(?:also\s+)?{_BE}\s+"
    r"(?:(?:also|not|very|more|most|quite|often|generally|un|\w+ly)\s*)?"
    r"(?:important|possible|likely|worth|clear|difficult|easy|necessary|known|said|believed|thought|"
    r"reported|estimated|recommended|common|best|better|true|that|to|raining|unclear|until|"
    r"unlikely|impossible|unknown|hard|essential|crucial|advisable|not|mentioned|noted|accepted|"
    r"helpful|useful|up)\b"
    # "It was United's fourth defeat" tells of what happened.
    r"|it\s+(?:is|was|will\s+be)\s+(?:the|an?|his|her|their|[\w.&-]+(?:['’]s|s['’]))\s+"
    r"(?:first|second|third|\w+th|last|only)\s+(?:\w+\s+)?(?:time|win|victory|defeat|loss|title|"
    r"goal|visit|attack|such)\b"
    rf"|it\s+(?:should|may|might|must|can|could)\s+(?:also\s+)?be\s+(?:\w+ly\s+)?(?:noted|mentioned|"
    r"helpful|useful|necessary|important|possible|better|best|difficult|easier|worth)\b",
    re.IGNORECASE,
)
# After a few words "it" is only taken for the subject where no "that" or "to" explains it.
_EXPLAINED_IT = re.compile(
    rf"it\s+{_BE}\s+(?:\w+\s+){{1,4}}(?:that|to|whether|when|if|how|who)\b", re.IGNORECASE
)


def subject_of(sentence: str) -> str:
    """The subject of a plain sentence, or who or what a question asks about; "" if unsure."""
    question = sentence.rstrip().endswith("?") or bool(_ASKED_START.match(sentence))
    if question:
        asked = _ASKED.search(sentence[:1].lower() + sentence[1:])
        return asked["subject"] if asked else ""
    plain = _SUBJECT.match(sentence)
    if plain is None:
        return ""
    subject = plain["subject"]
    parts = subject.lower().split()
    if subject.endswith("ly") and len(parts) == 1:  # "Properly designed rules"
        return ""
    return "" if any(part in _NO_SUBJECT - {"the"} for part in parts) else subject


def resolve(sentence: str, subject: str, *, alone: bool = True) -> str:
    """`sentence` with its first pronoun replaced by `subject` where that is safe.

    `alone` says that no other person was named since; otherwise "he" may mean either.
    """
    leading = _LEADING.match(sentence) or _LATER.match(sentence)
    if leading is None or not subject or _EMPTY_IT.match(sentence, leading.start("pronoun")):
        return sentence
    pronoun = leading["pronoun"].capitalize()
    person = pronoun in {"He", "She", "His", "Her"}
    lead = leading.groupdict().get("lead") or ""
    if lead and pronoun == "It":
        # "In winter, it is cold", "However, it is held that": no subject is meant.
        explained = _EXPLAINED_IT.match(sentence, leading.start("pronoun"))
        if explained or not leading.groupdict()["link"]:
            return sentence
    if (person and not alone) or not _fits(pronoun, leading["next"], subject):
        return sentence
    article = subject.partition(" ")[0] in {"The", "A", "An"}
    first = subject[:1].lower() if lead and article else subject[:1]
    named = f"{first if lead else first.upper()}{subject[1:]}"
    if pronoun in {"Its", "His", "Her", "Their"}:
        named += "'" if named.endswith("s") and pronoun == "Their" else "'s"
    return f"{lead}{named}{sentence[leading.end('pronoun') :]}"


def is_alone(sentence: str, subject: str) -> bool:
    """Whether a sentence names no person beside its subject, as far as capitals tell."""
    known = set(subject.split())
    for name in entities.names(sentence):
        if known.isdisjoint(name.split()):
            before = sentence[: max(0, sentence.find(name))]
            if not _PLACED.search(before):
                return False
    return True


def _fits(pronoun: str, following: str, subject: str) -> bool:
    parts = subject.split()
    last = parts[-1].lower()
    plural = " and " in f" {subject.lower()} " or (
        last.endswith("s") and not last.endswith(("ss", "us", "is", "'s"))
    )
    capitals = all(part[:1].isupper() for part in parts)
    if pronoun in {"They", "Their"}:
        return plural and following.lower() not in {"is", "was", "has"}
    if pronoun in {"He", "She", "His", "Her"}:
        # A person: one to three capitalised words without an article.
        return capitals and len(parts) <= 3 and parts[0].lower() != "the"
    return not plural and following.lower() not in _PLURAL_VERBS
