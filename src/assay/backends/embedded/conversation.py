"""What does a message of a conversation mean beside what was said before it?"""

import re

from assay.tasks import RateAnswer, SplitStatements
from assay.text.sentences import sentences
from assay.text.subjects import subject_of
from assay.text.words import words

# A question of fewer words ("When?") cannot be understood alone, nor one that begins so or that
# names its subject by a pronoun.
_SHORT = 3
_LEANING = re.compile(
    r"^\W*(?:and|but|so|or|then|also|(?:what|how) about)\b"
    r"|\b(?:he|she|it|they|him|her|them|his|its|their|this|that|these|those|there)\b",
    re.IGNORECASE,
)


def asked(task: SplitStatements) -> str:
    """The question, or else the last sentence before it that names a subject."""
    before = [s for message in task.earlier for s in sentences(_text(message))]
    named = (sentence for sentence in (task.question, *before[::-1]) if subject_of(sentence))
    return next(named, task.question)


def question_in_context(task: RateAnswer) -> str:
    """The question, after the user's last message before it where it leans on that."""
    before = [m for m in task.earlier if m.startswith("user: ")]
    leans = _LEANING.search(task.question) or len(words(task.question)) < _SHORT
    return f"{_text(before[-1])} {task.question}" if before and leans else task.question


def _text(message: str) -> str:
    return message.partition(": ")[2]
