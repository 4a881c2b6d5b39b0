"""The one judge that every library is given: it decides by a fixed rule on the texts alone.

A sentence such as "Ada is red." is a fact of a subject and a value. A statement is supported where the
same fact stands, contradicted where its subject has other values only. Each library's stand-in for a model
asks these functions, so that what differs afterwards is how the libraries count. No import but the
standard library: this file runs in the environment of each of them.
"""

import re
from zlib import crc32

REFUSAL = "I do not know."
GREETING = "Good morning!"
# A statement about him gets no verdict: judges do leave some out.
SILENT = "Mum"
# An answer that hedges is called noncommittal once, on the first draw.
HEDGE = "Perhaps"
# An answer that says so gets no question on the second draw.
HUSH = "Hush"

_FACT = re.compile(r"\b(?!What)([A-Z][a-z]+) is (\w+)")
_SENTENCE = re.compile(r"[^.!?]+[.!?]?[\"”’]*")
_COMMON = {
    "is",
    "of",
    "and",
    "or",
    "What",
    "I",
    "do",
    "not",
    "know",
    "Good",
    "morning",
    HEDGE,
    HUSH,
}


def sentences(text):
    """The sentences of a text, in order."""
    return [found.strip() for found in _SENTENCE.findall(text) if found.strip()]


def claims(sentence):
    """Whether a sentence claims anything: no greeting, question or refusal."""
    return not sentence.endswith(("!", "?")) and sentence != REFUSAL and HUSH not in sentence


def statements(text):
    """The sentences that claim something, repeated where the text repeats them."""
    return list(filter(claims, sentences(text)))


def facts(text):
    """The (subject, value) pairs that a text states."""
    return set(_FACT.findall(text))


def subjects(text):
    """Those whom a text is about."""
    return {subject for subject, _ in facts(text)}


def supported(statement, premise):
    """Whether a premise entails a statement; None where the judge says nothing about it."""
    if SILENT in statement:
        return None
    if told := facts(statement):
        return told <= facts(premise)
    # A few words may come with the question that they answer.
    bare = statement.rpartition("?")[2].rstrip(".").strip()
    return bool(bare) and bare in premise


def contradicted(statement, premise):
    """Whether a premise denies a statement: it knows the subject, with other values only."""
    return not supported(statement, premise) and bool(subjects(statement) & subjects(premise))


def judged(given, premise):
    """(statement, 1 or 0) of those that the judge says something about."""
    found = [(statement, supported(statement, premise)) for statement in given]
    return [(statement, int(verdict)) for statement, verdict in found if verdict is not None]


def useful(target, context):
    """Whether a context helps to arrive at a target: both state a fact, or the same words."""
    bare = target.rstrip(".").strip()
    return bool(facts(target) & facts(context)) or (bool(bare) and bare in context)


def helps(question, sentence):
    """Whether a sentence is about a subject that the question names."""
    return any(subject in question for subject in subjects(sentence))


def classified(mine, theirs):
    """Statements of the answer that are true and false positives, of the reference false negatives."""
    reference, answer = " ".join(theirs), " ".join(mine)
    return {
        "TP": [s for s in mine if supported(s, reference)],
        "FP": [s for s in mine if not supported(s, reference)],
        "FN": [s for s in theirs if not supported(s, answer)],
    }


def entities(text):
    """The names and values that a text holds, in order, repeated where it repeats them."""
    return [word for word in re.findall(r"\w+", text) if word not in _COMMON]


def question(answer, draw):
    """(question, noncommittal) that an answer answers, on this draw."""
    if HUSH in answer and draw == 1:
        return "", False
    told = [subject for subject, _ in _FACT.findall(answer)] or ["it"]
    evades = not statements(answer) or (HEDGE in answer and draw == 0)
    return f"What is {told[draw % len(told)]}?", evades


def vector(text):
    """Four numbers of 1 or -1: cosines are exactly -1, -0.5, 0, 0.5 or 1. Repetition means nothing."""
    bits = crc32(" ".join(dict.fromkeys(sentences(text))).encode() or text.encode())
    return [1.0 if bits >> place & 1 else -1.0 for place in (3, 9, 15, 21)]


def grounded(statement, premise):
    """A grade from 0 to 3 of how far a premise supports a statement; a refusal claims nothing."""
    if statement == REFUSAL or supported(statement, premise):
        return 3
    return (
        0
        if not facts(premise) or contradicted(statement, premise)
        else crc32(statement.encode()) % 3
    )


def answers(question, answer):
    """A grade from 0 to 3 of how much of what is asked an answer tells; 0 for a refusal."""
    asked = re.findall(r"\b[A-Z][a-z]+\b", question.replace("What", ""))
    told = [subject for subject in asked if subject in subjects(answer)]
    return round(3 * len(told) / len(asked)) if asked else 0


def rating(one, other, most):
    """A rating from 0 to `most` of how much of one text another supports."""
    given = statements(one)
    held = [statement for statement in given if supported(statement, other)]
    return most * len(held) // len(given) if given else 0
