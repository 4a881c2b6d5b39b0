"""The embedded judge: answers tasks offline, without a key, in this process."""

import re
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain, groupby, repeat
from pathlib import Path
from typing import Any

from assay._text import questions
from assay._text.entities import entities
from assay._text.expressions import expression
from assay._text.language_id import is_latin, language_name, other_language
from assay._text.predicates import resolve, subject_of
from assay._text.sentences import sentences, spans
from assay._text.statements import REPLY_LEAD, Statement, is_clause, is_phrase, items, statements
from assay._text.words import words
from assay.errors import Unavailable, Unsupported
from assay.judge import AttributeBackend, Reply, Task
from assay.judges.embedded import card as cards
from assay.judges.embedded.card import Card, Quality
from assay.judges.embedded.embedding import Encoder
from assay.judges.embedded.inference import Adapted, aside, tokenizer
from assay.judges.embedded.reader import NAME, Reader
from assay.judges.embedded.relevance import (
    answer_relevance,
    context_usefulness,
    declines,
    passage_grade,
    passage_probability,
    sentence_relevance,
)
from assay.judges.embedded.verification import support
from assay.tasks import (
    Choice,
    Embed,
    EmbedTokens,
    GradePassages,
    JudgeContexts,
    NameEntities,
    PassageGrade,
    RateAnswer,
    Rating,
    SelectSentences,
    SplitStatements,
    SplitTexts,
    Usefulness,
    Verdict,
    VerifyStatements,
)

# A question of fewer words ("When?") cannot be understood alone, nor one that begins so or that
# names its subject by a pronoun.
_SHORT = 2  # words; a question of fewer says nothing without what was asked before
# Languages of which the card says how far it agrees with people ...
_MEASURED = ("en",)
# ... and those in which statements were written for its training (training/verifier/written/pairs)
# and which its tokenizer, made for English, spells out.
_READ = frozenset({*_MEASURED, "de", "fr", "es", "it", "pt", "nl", "JAPANESE"})
_LOOKED_AT = 1000  # characters of a text
_MOST_UNKNOWN = 0.4  # share of a text's tokens that the network has no vector for


def effective_question(task: SplitStatements) -> str:
    """The question, or else the last sentence before it that names a subject."""
    before = [s for message in task.earlier for s in sentences(_text(message))]
    candidates = (sentence for sentence in (task.question, *before[::-1]) if subject_of(sentence))
    return next(candidates, task.question)


def question_in_context(task: RateAnswer) -> str:
    """The question, after the user's last message before it where it is next to nothing alone.

    Beside that message the answer to it would pass for one to this question, too.
    """
    before = [m for m in task.earlier if m.startswith("user: ")]
    is_short = len(words(task.question)) < _SHORT
    return f"{_text(before[-1])} {task.question}" if before and is_short else task.question


def _text(message: str) -> str:
    return message.partition(": ")[2]


# Raised whenever a reply to an unchanged task may change; it is part of every key and signature.
VERSION = "v3.10.0"
# What an adapted judge was made from and only works with.
BASE = f"embedded:{VERSION}+{NAME}"


class Embedded(AttributeBackend):
    """The judge that is always there: rules over words, numbers and names, and a small encoder.

    It cannot generate questions, so answer_relevancy is rated directly, and says so.

    Args:
        threads: Cores to use; all that there are if None.
        folder: An adapted judge, as `assay adapt judge` writes it; "large": the one with a larger
            network, of the package assay-large; None: what ships.

    Raises:
        InputError: If the folder holds none of this version, or the package is not installed.
    """

    local = True
    languages = _MEASURED

    def __init__(self, threads: int | None = None, folder: str | Path | None = None) -> None:
        self._threads, self._folder = threads, folder
        adapted = None if folder is None else Adapted.at(folder, BASE)
        self._encoder, self._reader = _models(threads, adapted)
        self._say: dict[str, Callable[[Any], str]] = {
            SplitStatements.kind: self._split,
            VerifyStatements.kind: self._verify,
            SelectSentences.kind: self._select,
            JudgeContexts.kind: self._judge,
            GradePassages.kind: self._grade,
            RateAnswer.kind: self._rate,
            NameEntities.kind: self._name,
            Embed.kind: self._embed,
            EmbedTokens.kind: self._embed_tokens,
        }

    def __reduce__(self) -> tuple[type["Embedded"], tuple[int | None, str | Path | None]]:
        """Made anew in another process, with the cores that are there."""
        return Embedded, (self._threads, self._folder)

    @property
    def name(self) -> str:
        """Its version and that of its encoder's weights."""
        return f"embedded:{VERSION}+{self._reader.name}+{self._encoder.name}"

    @property
    def has_card(self) -> bool:  # type: ignore[override]
        """Whether it was measured, as it is: what ships was, and no adapted one."""
        return self.card is not None and self.card.judge == self.name

    @property
    def card(self) -> Card | None:
        """What was measured, perhaps of another version; None of an adapted judge."""
        adapted = self._reader.adapted
        if adapted is None:
            return cards.card()
        # Beside an adapted judge lies what adapting has changed, under the same name.
        return cards.card_in(adapted.folder) if adapted.share else None

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Its name for what it can do; for embeddings the encoder's name alone."""
        if kind in (Embed, EmbedTokens):
            return self._encoder.name
        return self.name if kind.kind in self._say else None

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The models' answer in the form in which an LLM is asked to reply."""
        if task.kind not in self._say:
            raise Unsupported(f"the embedded judge cannot do {task.kind}")
        raw, ms = await aside(lambda: self._timed_reply(task), self._reader.threads)
        identity = self.identity(type(task)) or ""
        return Reply(task.inputs(), raw, ms=ms, backend=identity, kind=task.kind, draw=draw)

    def quality(self, metric: str) -> Quality | None:
        """How well the scores of a metric by it tell bad from good, measured; None if unknown."""
        return self.card.quality.get(metric) if self.card and self.has_card else None

    def relevance(self, question: str, sentence: str) -> float:
        """How likely a sentence helps to answer the question, in [0, 1].

        What chooses sentences, told of those that are not chosen as well.
        """
        (relevance,) = sentence_relevance(question, [[sentence]], self._encoder, self._reader)
        return relevance.probability

    def _timed_reply(self, task: Task[Any]) -> tuple[str, float]:
        start = time.perf_counter()
        raw = self._say[task.kind](task)
        return raw, (time.perf_counter() - start) * 1000

    def _split(self, task: SplitStatements | SplitTexts) -> str:
        if isinstance(task, SplitTexts):
            tasks = (SplitStatements(task.question, t, earlier=task.earlier) for t in task.texts)
            return SplitTexts.reply(dict(zip(task.ids, map(self._split, tasks), strict=True)))
        stated = statements(task.text, effective_question(task), whole=task.atomicity == "low")
        if task.coverage == "low":
            stated = _main_statements(stated, task.text)
        return SplitStatements.reply(_with_question(stated, task.text, task.question))

    def _verify(self, task: VerifyStatements) -> str:
        texts = [statement.text for statement in task.statements]
        _demand_readable(texts, task.contexts)
        supports = support(texts, task.contexts, self._reader)
        verdicts = [
            Verdict(
                statement.id,
                s.supported,
                s.reason,
                s.context if s.supported else None,
                s.sentence if s.supported else "",
                round(s.probability, 4),
                None if s.supported else s.contradicted,
                s.spans,
            )
            for statement, s in zip(task.statements, supports, strict=True)
        ]
        return VerifyStatements.reply(verdicts)

    def _select(self, task: SelectSentences) -> str:
        _demand_readable([task.question], [sentence.text for sentence in task.sentences])
        # "2.1" is the first sentence of the second context; statements ("s1") are of one text.
        by_context = groupby(task.sentences, lambda sentence: sentence.id.rpartition(".")[0])
        contexts = [[sentence.text for sentence in group] for _, group in by_context]
        relevances = sentence_relevance(task.question, contexts, self._encoder, self._reader)
        remaining = iter(relevances)
        adapted = self._reader.adapted
        helps = [
            passage_probability([next(remaining).probability for _ in group], adapted)
            for group in contexts
        ]
        passages = chain.from_iterable(map(repeat, helps, map(len, contexts)))
        return SelectSentences.reply(
            [
                Choice(
                    sentence.id,
                    f.reason,
                    round(f.probability, 4),
                    f.relevant,
                    round(passage, 4) if "." in sentence.id else None,
                )
                for sentence, f, passage in zip(task.sentences, relevances, passages, strict=True)
            ]
        )

    def _judge(self, task: JudgeContexts) -> str:
        numbered = task.shown()
        contexts = list(numbered.values())
        _demand_readable([task.question], [task.target], contexts)
        judged = context_usefulness(
            task.question,
            task.target,
            contexts,
            self._encoder,
            self._reader,
        )
        return JudgeContexts.reply(
            [
                Usefulness(i, f.useful, f.reason, f.sentence, round(f.probability, 4))
                for i, f in zip(numbered, judged, strict=True)
            ]
        )

    def _grade(self, task: GradePassages) -> str:
        passages = task.shown()
        _demand_readable([task.question], list(passages.values()))
        grades = []
        # Each by itself: no grade depends on what else is in the call.
        for name, text in passages.items():
            text_sentences = [sentences(text)]
            relevances = sentence_relevance(
                task.question, text_sentences, self._encoder, self._reader
            )
            probabilities = [sentence.probability for sentence in relevances]
            helps = passage_probability(probabilities, self._reader.adapted)
            grades.append(PassageGrade(name, passage_grade(helps), round(helps, 4)))
        return GradePassages.reply(grades)

    def _rate(self, task: RateAnswer) -> str:
        if language := _unread_language([task.question], [task.answer]):
            # Whether an answer declines is told in more languages, by another model.
            declined = declines(sentences(task.answer))
            return RateAnswer.reply(Rating(None, bool(declined), _why_unread(language)))
        relevance = answer_relevance(
            question_in_context(task), task.answer, self._encoder, self._reader
        )
        return RateAnswer.reply(
            Rating(round(relevance.score, 4), relevance.noncommittal, relevance.reason)
        )

    def _name(self, task: NameEntities) -> str:
        # By capitals and figures, no model: English names, dates and numbers.
        return NameEntities.reply(entities(task.text))

    def _embed(self, task: Embed) -> str:
        return Embed.reply(self._encoder.encode([task.text])[0].tolist())

    def _embed_tokens(self, task: EmbedTokens) -> str:
        tokens, vectors = self._encoder.tokens(task.text)
        return EmbedTokens.reply(tokens, vectors.tolist())


_PRONOUN = expression(r"(?:it|they|he|she|this|that|these|those|i|we|you)\b", re.IGNORECASE)


def _with_question(stated: Sequence[Statement], text: str, question: str) -> list[tuple[str, str]]:
    """The statements with their words in the text; a phrase behind its question.

    "Paris" says something only as the answer to its question, where that is a plain one; so do the
    items of an answer that is no more than a list.
    """
    effective_question = questions.plain(question)
    item_spans = items(text, question) if effective_question and stated else []
    if len(stated) in (1, len(item_spans)) and item_spans:
        return [
            (f"{effective_question} {text[start:end]}", text[start:end])
            for start, end in item_spans
        ]
    effective_question = effective_question if len(stated) == 1 else ""
    reply = questions.replies(text, question)
    if len(stated) == 1 and reply and (said := _behind_reply(stated[0], text, reply, question)):
        return [(said, text[stated[0].start : stated[0].end])]
    lead = f"{effective_question} " if effective_question and (reply or is_phrase(text)) else ""
    # Its "Yes," is left out where it is no part of a statement.
    return [
        (f"{lead}{reply if lead and s.start else ''}{s.text}", text[s.start : s.end])
        for s in stated
    ]


def _behind_reply(stated: Statement, text: str, reply: str, question: str) -> str:
    """What stands behind a "Yes" or "No", as it says that by itself; "" where it does not."""
    rest, denies = text[len(reply) :], reply[:2].lower() == "no"
    # A short clause behind a "Yes" leaves to its question what it is said of: "it is open".
    if REPLY_LEAD.match(text) and (is_clause(rest) if denies else not is_phrase(rest)):
        # "No, it is closed on Mondays.", once it is known what "it" is.
        said = resolve(stated.text, questions.subject(question))
        if denies and is_phrase(rest):
            said = questions.with_circumstance(said, question)
        if not _PRONOUN.match(said) or questions.has_pronoun_for_subject(question):
            return said
        return f"{questions.plain(question)} {said}".lstrip()
    return questions.corrected(question, rest) if denies else ""


def _main_statements(all_statements: Sequence[Statement], text: str) -> list[Statement]:
    """What each sentence says first; a rule cannot tell what in it matters less."""
    begins = [start for start, _ in spans(text)]
    first = {
        bisect_right(begins, statement.start): statement for statement in reversed(all_statements)
    }
    return [statement for statement in all_statements if statement in first.values()]


@lru_cache
def _models(threads: int | None, adapted: Adapted | None) -> tuple[Encoder, Reader]:
    # Loaded once for all judges of a process.
    return Encoder(threads), Reader(threads, adapted)


def _unread_language(*texts: Sequence[str]) -> str:
    """The language of the first of some groups of texts that cannot be read, in words; else ""."""
    joined = [" ".join(group) for group in texts]
    for n, text in enumerate(joined):
        language = other_language([text, *joined[:n], *joined[n + 1 :]] if text else [])
        if language and language not in _READ:
            return language_name(language)
        if not language and _is_unknown(text[:_LOOKED_AT]):
            return "letters that its tokenizer does not know"
    return ""


def _demand_readable(*texts: Sequence[str]) -> None:
    """See that some groups of texts are in languages that the judge reads.

    Raises:
        Unavailable: If one is not: nothing is guessed.
    """
    if language := _unread_language(*texts):
        raise Unavailable(_why_unread(language), permanent=True)


def _why_unread(language: str) -> str:
    """Why nothing is said of a text in such a language, and what to do."""
    return (
        f"the text is in {language}, which the embedded judge cannot read -> name an LLM as judge "
        "for this metric"
    )


def _is_unknown(text: str) -> bool:
    if is_latin(text):  # nearly always
        return False
    tokens = tokenizer().encode(text, add_special_tokens=False).tokens
    return sum(token == "[UNK]" for token in tokens) > _MOST_UNKNOWN * len(tokens)  # noqa: S105
