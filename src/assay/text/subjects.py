"""Whom or what does the pronoun at the beginning of a sentence mean?

Only a leading "It", "He", "She", "They" or "Its", "His", "Her", "Their" is ever replaced, and only
where the sentence before has one plain subject that fits in number and kind.
"""

# ruff: noqa: SIM905 - word lists read better as prose

import re

_VERB = (
    r"(?:is|was|are|were|has|had|have|can|could|will|would|may|might|must|should|does|did|"
    r"became|began|made|took|went|led|won|wrote|founded|refers|consists|includes|contains|"
    r"[a-z]{3,}(?:ed|es))"
)
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
_LEADING = re.compile(r"(It|He|She|They|Its|His|Her|Their)(?=\s+(\w+))")
_NO_SUBJECT = frozenset(
    "it he she they this that these those there which who what i we you one some many most all "
    "both each however therefore also additionally overall in on at by for from with to during "
    "according if when while as after before since although because not no yes its his her their "
    "here".split()
)
_PLURAL_VERBS = frozenset("are were have do".split())
# "It is raining", "It is important to", "It seems that": this "it" means nothing.
_EMPTY_IT = re.compile(
    r"It\s+(?:is|was|would be|may be|can be|could be|has been|seems|appears|turns out|"
    r"depends|took)\s+"
    r"(?:(?:also|not|very|more|most|quite|often|generally|un)\s*)?"
    r"(?:important|possible|likely|worth|clear|difficult|easy|necessary|known|said|believed|thought|"
    r"reported|estimated|recommended|common|best|better|true|that|to|raining|unclear|"
    r"unlikely|impossible|unknown|hard|essential|crucial|advisable|not)\b"
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
    return "" if any(part in _NO_SUBJECT - {"the"} for part in parts) else subject


def resolve(sentence: str, subject: str) -> str:
    """`sentence` with its leading pronoun replaced by `subject` where that is safe."""
    leading = _LEADING.match(sentence)
    if leading is None or not subject or _EMPTY_IT.match(sentence):
        return sentence
    pronoun = leading[1]
    if not _fits(pronoun, leading[2], subject):
        return sentence
    owner = pronoun in {"Its", "His", "Her", "Their"}
    rest = sentence[leading.end(1) :]
    named = subject[:1].upper() + subject[1:]
    return f"{named}'s{rest}" if owner else f"{named}{rest}"


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
