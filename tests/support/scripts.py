"""Judges that say what a test wants: scripts for every kind of task, and counters around them."""

import asyncio
import json
from collections import Counter

from assay.errors import JudgeError
from assay.judge import Judge
from assay.judges.scripted import Scripted
from assay.sample import Sample
from assay.score import Unscored
from assay.tasks import (
    TASKS,
    Choice,
    Embed,
    EmbedTokens,
    GenerateQuestions,
    JudgeContexts,
    MeasureLikelihood,
    Questions,
    RateAnswer,
    Rating,
    SelectSentences,
    SplitStatements,
    Usefulness,
    Verdict,
    VerifyStatements,
)
from support import answers


def plausible(name="plausible", **scripts):
    """A judge that answers every kind of task from the words of its texts, always the same."""

    def say(task):
        if task.kind == "embed":
            return Embed.reply(answers.vector(task.text))
        if task.kind == "measure_likelihood":
            tokens = task.text.split()
            return MeasureLikelihood.reply(
                tokens, [-1.0 if token in task.before else -4.0 for token in tokens]
            )
        if task.kind == "embed_tokens":
            tokens = task.text.split()
            return EmbedTokens.reply(tokens, [answers.vector(token) for token in tokens])
        return answers.answer(task.prompt(), task.kind)

    return Scripted({**dict.fromkeys(TASKS, say), **scripts}, name=name)


def split(*texts):
    """The reply that names these statements."""
    return SplitStatements.reply([(text, text) for text in texts])


def by_sentence(task):
    """Splits a text at its full stops."""
    return split(*(f"{part.strip()}." for part in task.text.split(".") if part.strip()))


def verify(*supported):
    """A script that gives these verdicts (1 or 0) to the statements, by the number in their ids."""

    def say(task):
        given = [Verdict(i, bool(supported[int(i[1:]) - 1]), "as told") for i in task.ids]
        return VerifyStatements.reply(given)

    return say


def verify_if(found):
    """A script that supports a statement if `found(statement text, contexts)`."""

    def say(task):
        return VerifyStatements.reply(
            [Verdict(s.id, bool(found(s.text, task.contexts))) for s in task.statements]
        )

    return say


def useful(*verdicts):
    """A script that finds the contexts useful (1) or not (0), by rank."""

    def say(task):
        given = [Usefulness(i, bool(verdicts[int(i[1:]) - 1])) for i in task.ids]
        return JudgeContexts.reply(given)

    return say


def select(*ids):
    """The reply that chooses the sentences with these ids."""
    return SelectSentences.reply([Choice(i, "as told") for i in ids])


def questions(*texts, noncommittal=False):
    """The reply that gives these questions."""
    return GenerateQuestions.reply(Questions(texts, noncommittal))


def rating(relevance, *, noncommittal=False):
    """The reply that gives this rating."""
    return RateAnswer.reply(Rating(relevance, noncommittal, "as told"))


def as_json(value):
    """A reply that is this value."""
    return json.dumps(value)


async def ask(task, script, tries=3):
    """The typed answer to one task."""
    return await Judge(Scripted({task.kind: script}), tries=tries)(task)


async def score(metric, sample, backend, tries=3):
    """The outcome of one sample as a run would record it."""
    backend = backend if hasattr(backend, "reply") else Scripted(backend)
    try:
        return await metric.score(sample, Judge(backend, tries=tries))
    except JudgeError as error:
        return Unscored("failed", str(error))


class Watched:
    """A back end around another one that notes which tasks arrive, and may hold or refuse them.

    Args:
        backend: Who answers.
        before: Awaited with each task before it is answered; may raise.
    """

    def __init__(self, backend, before=None):
        self._backend = backend
        self._before = before
        self.asked = []

    @property
    def name(self):
        return self._backend.name

    @property
    def kinds(self):
        """How many tasks of each kind arrived."""
        return Counter(task.kind for task, _ in self.asked)

    def identity(self, kind):
        return self._backend.identity(kind)

    async def reply(self, task, draw=0):
        self.asked.append((task, draw))
        await asyncio.sleep(0)
        if self._before is not None:
            await self._before(task)
        return await self._backend.reply(task, draw)


CITIES = (
    ("France", "Paris", "the Seine"),
    ("Italy", "Rome", "the Tiber"),
    ("Austria", "Vienna", "the Danube"),
    ("England", "London", "the Thames"),
    ("Egypt", "Cairo", "the Nile"),
)


def sample(n=0, **changes):
    """The n-th sample of a small data set in which every field is filled; the rest differ."""
    country, city, river = CITIES[n % len(CITIES)]
    again = f" ({n})" if n >= len(CITIES) else ""
    fields = {
        "id": f"q{n}",
        "question": f"What is the capital of {country}{again}?",
        "contexts": (
            f"{city} is the capital of {country}{again}. It lies on {river}.",
            "Bread is baked from flour and water.",
        ),
        "answer": f"{city} is the capital of {country}{again}. It was founded by penguins.",
        "reference": f"{city} is the capital of {country}{again}. It lies on {river}.",
        "reference_contexts": (f"{city} is the capital of {country}{again}. It is on {river}.",),
        "context_ids": (f"city{n}", "bread"),
        "reference_context_ids": (f"city{n}",),
    }
    return Sample(**{**fields, **changes})


def samples(n):
    """The first n of these samples."""
    return [sample(i) for i in range(n)]
