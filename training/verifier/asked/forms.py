"""Claims written as questions, and the styles in which questions are written."""

from __future__ import annotations

import random
import re

_AUX = r"(?:is|are|was|were|has|have|had|can|could|will|would|should|did|does|do)"
_PLAIN = re.compile(
    rf"(?P<subject>(?:(?!{_AUX}\b|that\b|which\b|who\b|when\b|while\b|because\b|if\b|and\b)"
    rf"[\w'\u2019().&-]+\s+){{1,6}})(?P<aux>{_AUX})\s+(?P<rest>[^?;:]+?)\s*\.?",
    re.IGNORECASE,
)
_LEADS = ("After", "Before", "In", "On", "At", "During", "For", "By", "From", "Despite", "There")
_SMALL = re.compile(
    r"(?:The|A|An|This|That|These|It|He|She|They|In|On|At|There|His|Her|Its|Their|Some|Many|Most|"
    r"Both|All|One|After|Before|During|For|By|Only|Each|Not)\b"
)
_ASKS = re.compile(
    r"(?:who|whose|whom|what|what's|when|where|why|how|which|is|are|was|were|do|does|did|can|will|"
    r"in which|in what|should|could)\b",
    re.IGNORECASE,
)


def lowered(text: str) -> str:
    """A sentence as it goes on after other words."""
    return text[:1].lower() + text[1:] if _SMALL.match(text) else text


def yes_no(claim: str) -> str | None:
    """A claim like "X was delayed." as "Was X delayed?", where its grammar is plain."""
    match = _PLAIN.fullmatch(claim.strip())
    if not match or match["subject"].split()[0].startswith(_LEADS) or "," in match["rest"]:
        return None
    if match["aux"].lower() in {"have", "had", "has", "do", "did", "does"} and not re.match(
        r"(?:not\s+|been\s+|\w+ed\b)", match["rest"]
    ):
        return None
    subject = lowered(match["subject"].strip())
    return f"{match['aux'].capitalize()} {subject} {match['rest']}?"


def asked(claim: str, rng: random.Random) -> str:
    """A claim as what is asked: itself, "Is it true that", or a yes-or-no question."""
    claim = claim.strip()
    way = rng.random()
    if way < 0.35:
        return claim
    question = yes_no(claim)
    if question and way < 0.85:
        return question
    body = lowered(claim).rstrip(". ")
    return rng.choice((f"Is it true that {body}?", f"{claim.rstrip('. ')}?", claim))


def styled(question: str, rng: random.Random) -> str:
    """A question as a search box gets it, or with capital and question mark."""
    question = " ".join(question.split())
    if _ASKS.match(question) and rng.random() < 0.6:
        return question[:1].upper() + question[1:].rstrip(" ?.") + "?"
    return question


def asks(question: str) -> bool:
    """Whether a question begins with a word that asks."""
    return bool(_ASKS.match(question))


_AGAIN = re.compile(
    r"(?P<wh>where|when|how|why|who|what|which)\s+(?P<aux>is|are|was|were)\s+(?P<rest>.+)",
    re.IGNORECASE,
)
_DONE = re.compile(r"(?P<noun>.+?)\s+(?P<verb>\w+(?:ed|en|wn|ung)|made|built|born|held|set|found)")
_WHO = re.compile(
    r"(?:who|what|which)\s+(?!(?:is|are|was|were|do|does|did|can|could|will|would|has|have|had|'s)\b)"
    r"|how to\b",
    re.IGNORECASE,
)


def topic(question: str) -> str:
    """What a question is about, as it goes on after "about"; "this" where that is not plain."""
    question = " ".join(question.rstrip(" ?.").split())
    if len(question.split()) > 12:
        return "this"
    if _WHO.match(question) or not _ASKS.match(question):
        return question
    match = _AGAIN.fullmatch(question)
    if not match:
        return "this"
    done = _DONE.fullmatch(match["rest"])
    if done:
        return f"{match['wh'].lower()} {done['noun']} {match['aux']} {done['verb']}"
    if match["wh"].lower() in {"who", "what"}:
        return match["rest"]
    return "this"
