"""Subjects of sentences, and the pronouns that stand for them.

A pronoun is only replaced where the sentence before has one plain subject that fits; what can be
read in two ways stays as it is.
"""

import re

from assay._text import entities
from assay._text.verbs import FINITE

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
        owner = asked is None or asked["subject"] == "I" or asked["subject"].endswith(("'s", "’s"))
        return asked["subject"] if asked and not owner else ""
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
