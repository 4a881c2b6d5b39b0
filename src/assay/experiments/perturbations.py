"""Perturbations by rule: questions and contexts made harder in one respect, from the data alone."""

import random
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Final, Literal, TypeAlias

from assay._analysis.diagnosis.facts import right_contexts
from assay._store.runs import Value, written
from assay._text.entities import entities, place
from assay._text.language_id import is_english
from assay._text.words import STOP_WORDS
from assay.errors import InputError
from assay.sample import Sample

LEFT_OUT: Final = "left_out"
_NO_CONTEXTS = "it has no contexts"
_UNKNOWN = "which of its contexts are relevant is not known"
_NONE_RELEVANT = "none of its contexts is relevant"
_FEW_PASSAGES = "too few passages of other questions suit it"
_CLOSE = 0.1  # a ratio of noise further off than this is another level
_MOST_NOISE = 1000
_ACCENTS = re.compile(r"[\u0300-\u036f]")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")


@dataclass(frozen=True, slots=True)
class Inapplicable:
    """Why a perturbation cannot be made of a sample."""

    why: str  # the reason, as of "it": "it has no contexts"


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact of the reference, and what it was altered to."""

    right: str  # as the contexts have it: a number, a date or a name
    altered: str  # what stands in its place

    def stated(self, answer: str) -> tuple[bool, bool]:
        """Whether an answer states (the right one, the altered one).

        Of a number or date the digits that were altered count, of a name any word of its own.
        """
        right, altered = self.right.split(), self.altered.split()
        return (
            any(_holds_word(word, answer) for word in right if word not in altered),
            any(_holds_word(word, answer) for word in altered if word not in right),
        )


@dataclass(frozen=True, slots=True)
class Perturbed:
    """A sample with a perturbation."""

    sample: Sample  # what the system is asked
    # The fact that was altered in its contexts, None for all other perturbations.
    fact: Fact | None = None


Outcome: TypeAlias = Perturbed | Inapplicable


@dataclass(frozen=True)
class SamplePool:
    """What the rules draw from: the passages and names of all samples."""

    samples: Sequence[Sample]  # all samples, with their contexts
    seed: int = 0  # another one draws otherwise; the same one always alike

    @cached_property
    def passages(self) -> Sequence[tuple[str, frozenset[str]]]:
        """Every passage once, with the groups that it stands in."""
        by_text: dict[str, set[str]] = {}
        for sample in self.samples:
            for text in (*(sample.contexts or ()), *(sample.reference_contexts or ())):
                by_text.setdefault(text, set()).update({sample.group} if sample.group else ())
        return [(text, frozenset(groups)) for text, groups in by_text.items()]

    @cached_property
    def names(self) -> Sequence[str]:
        """The names in all references, without numbers and dates."""
        facts = (fact for sample in self.samples for fact in _facts(sample.reference or ""))
        return list(dict.fromkeys(fact for fact in facts if not re.search(r"\d", fact)))

    def draw(self, sample: Sample, purpose: str) -> random.Random:
        """A generator for one purpose of one sample."""
        return random.Random(f"{self.seed} {purpose} {sample.id}")  # noqa: S311 - no secret

    def noise(self, sample: Sample, n: int, rng: random.Random) -> list[str]:
        """Passages of other questions that do not hold the reference; the first n drawn, or fewer.

        Passages of the sample's group (its document) are left out, since they may be relevant.
        """
        own_texts = {*(sample.contexts or ()), *(sample.reference_contexts or ())}
        tried, noise = set[int](), list[str]()
        while len(noise) < n and len(tried) < len(self.passages):
            number = rng.randrange(len(self.passages))
            if number in tried:
                continue
            tried.add(number)
            text, groups = self.passages[number]
            if text not in own_texts and sample.group not in groups and not holds(text, sample):
                noise.append(text)
        return noise


Rule: TypeAlias = Callable[[Sample, Value, SamplePool], Outcome]


@dataclass(frozen=True)
class Perturbation:
    """One way to make a question harder."""

    name: str  # "noise"
    title: str  # what is done, in a line
    of: Literal["contexts", "question"]  # what it changes: "contexts" or "question"
    levels: tuple[Value, ...]  # those that are taken if none are named; none where they have to be
    allows: Callable[[Value], bool]  # which levels there are
    hint: str  # the same in words
    make: Rule = field(repr=False)  # the rule
    ordered: bool = False  # whether each level is more of it than the one before

    def check(self, level: Value) -> None:
        """Raise InputError for a level that there is not."""
        if isinstance(level, bool) or not self.allows(level):
            fault = f"{written(level)!r} is no level of {self.name}"
            examples = f", such as {', '.join(map(written, self.levels))}" if self.levels else ""
            raise InputError(fault, self.hint + examples)


def holds(text: str, sample: Sample) -> bool:
    """Whether the sample's reference, or another accepted answer, stands in a text."""
    padded = f" {_normalized(text)} "
    for answer in map(_normalized, (sample.reference or "", *sample.accepted)):
        if answer and (answer if _UNSPACED.search(answer) else f" {answer} ") in padded:
            return True
    return False


@lru_cache(maxsize=20_000)  # each passage is looked through for many references
def _normalized(text: str) -> str:
    """The words alone, in small letters and without accents."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(re.findall(r"\w+", _ACCENTS.sub("", folded)))


def relevant(sample: Sample) -> tuple[int, ...] | None:
    """Which contexts are relevant: those known to be, else those in which the reference stands."""
    if (known := right_contexts(sample)) is not None:
        return tuple(index for index in known if index < len(sample.contexts or ()))
    indices = tuple(
        index for index, text in enumerate(sample.contexts or ()) if holds(text, sample)
    )
    return indices or None


def with_contexts(sample: Sample, contexts: Iterable[str], **more: object) -> Sample:
    """The sample with other contexts; what was said of the former ones is left out."""
    fields = ("context_ids", "reference_context_ids", "relevance_grades", "context_access")
    removed = dict.fromkeys(fields)
    return replace(sample, contexts=tuple(contexts), **{**removed, **more})  # type: ignore[arg-type]


def filled(sample: Sample, passages: int, pool: SamplePool) -> Sample:
    """The sample with at least so many contexts: passages of other questions follow its own."""
    contexts = sample.contexts or ()
    lacking = passages - len(contexts)
    if lacking <= 0:
        return sample
    right = relevant(sample)
    noise = pool.noise(sample, lacking, pool.draw(sample, "fill"))
    # By their texts the relevant ones are known afterwards, too.
    texts = sample.reference_contexts or tuple(contexts[index] for index in right or ())
    return with_contexts(sample, (*contexts, *noise), reference_contexts=texts or None)


def _noise(sample: Sample, level: Value, pool: SamplePool) -> Outcome:
    contexts = list(sample.contexts or ())
    if not contexts:
        return Inapplicable(_NO_CONTEXTS)
    amount, n = float(level), len(contexts)
    size = round(amount) if amount >= 1 else round(n * amount / (1 - amount))
    if amount < 1 and (not size or abs(size / (n + size) - amount) > _CLOSE):
        return Inapplicable(f"its {n} contexts cannot be mixed to that ratio")
    rng = pool.draw(sample, "noise")
    noise = pool.noise(sample, size, rng)
    if len(noise) < size:
        return Inapplicable(_FEW_PASSAGES)
    # Its own keep their order; a higher level has the noise of a lower one, and more.
    rng = pool.draw(sample, "places")
    for text in noise:
        contexts.insert(rng.randint(0, len(contexts)), text)
    return Perturbed(with_contexts(sample, contexts))


def _split_by_relevance(sample: Sample) -> tuple[list[str], list[str]] | Inapplicable:
    """The relevant contexts and the others."""
    if not sample.contexts:
        return Inapplicable(_NO_CONTEXTS)
    indices = relevant(sample)
    if indices is None:
        return Inapplicable(_UNKNOWN)
    if not indices:
        return Inapplicable(_NONE_RELEVANT)
    other_contexts = [text for index, text in enumerate(sample.contexts) if index not in indices]
    return [sample.contexts[index] for index in indices], other_contexts


def _position(sample: Sample, level: Value, pool: SamplePool) -> Outcome:
    del pool
    parted = _split_by_relevance(sample)
    if isinstance(parted, Inapplicable):
        return parted
    right, other_contexts = parted
    ranks = {"first": 0, "middle": len(other_contexts) // 2, "last": len(other_contexts)}
    n_before = ranks[level] if isinstance(level, str) else int(level) - 1
    if n_before > len(other_contexts) or len(other_contexts) < 2:
        return Inapplicable("it has too few other contexts")
    return Perturbed(
        with_contexts(sample, (*other_contexts[:n_before], *right, *other_contexts[n_before:]))
    )


def _remove_relevant(sample: Sample, level: Value, pool: SamplePool) -> Outcome:
    if sample.answerable is False:
        return Inapplicable("it cannot be answered in the first place")
    parted = _split_by_relevance(sample)
    if isinstance(parted, Inapplicable):
        return parted
    right, other_contexts = parted
    if any(holds(text, sample) for text in other_contexts):
        return Inapplicable("another of its contexts holds the reference, too")
    if level == LEFT_OUT:
        return Perturbed(with_contexts(sample, other_contexts, answerable=False))
    noise = pool.noise(sample, len(right), pool.draw(sample, "replaced"))
    if len(noise) < len(right):
        return Inapplicable(_FEW_PASSAGES)
    instead = dict(zip(right, noise, strict=True))
    texts = [instead.get(text, text) for text in sample.contexts or ()]
    return Perturbed(with_contexts(sample, texts, answerable=False))


def _contradicted(sample: Sample, level: Value, pool: SamplePool) -> Outcome:
    contexts = sample.contexts or ()
    if not contexts:
        return Inapplicable(_NO_CONTEXTS)
    fact = _altered_fact(sample, pool)
    if isinstance(fact, Inapplicable):
        return fact
    pattern = _pattern(fact.right)
    altered = [pattern.sub(fact.altered, text) for text in contexts]
    if level == "instead":
        left = any(Fact(fact.right, fact.altered).stated(text)[0] for text in altered)
        if left:
            return Inapplicable("its contexts also name the fact in part")
        return Perturbed(with_contexts(sample, altered), fact)
    rng, texts = pool.draw(sample, "beside"), list[str]()
    for text, altered_text in zip(contexts, altered, strict=True):
        pair = [text] if text == altered_text else [text, altered_text]
        texts += reversed(pair) if rng.random() < 0.5 else pair
    return Perturbed(with_contexts(sample, texts), fact)


def _altered_fact(sample: Sample, pool: SamplePool) -> Fact | Inapplicable:
    """The first fact of the reference that stands in the contexts and not in the question."""
    rng = pool.draw(sample, "altered")
    for right in _facts(sample.reference or ""):
        in_contexts = any(_pattern(right).search(text) for text in sample.contexts or ())
        if not in_contexts or place(right, sample.question or ""):
            continue
        if re.search(r"\d", right):
            return Fact(right, _other_number(right, rng))
        own_words = {
            *_normalized(" ".join((sample.question or "", *(sample.contexts or ())))).split()
        }
        other_names = [
            name for name in pool.names if own_words.isdisjoint(_normalized(name).split())
        ]
        as_long = [name for name in other_names if len(name.split()) == len(right.split())]
        if as_long or other_names:
            return Fact(right, rng.choice(as_long or other_names))
    return Inapplicable(
        "no number, date or name of its reference stands in its contexts and not in its question"
    )


def _facts(reference: str) -> list[str]:
    """The numbers, dates and names of a reference; one of a few words may be a name as it is."""
    stripped = reference.strip().rstrip(".!")
    short = stripped[:1].isupper() and 1 <= len(stripped.split()) <= 3
    return list(dict.fromkeys([*entities(reference), *([stripped] if short else [])]))


def _other_number(text: str, rng: random.Random) -> str:
    """The text with its longest run of digits made another number of the same length."""
    run = max(re.findall(r"\d+", text), key=len)
    year = len(run) == 4 and run[:1] in "12"
    while True:
        if year:
            other_number = str(int(run) + rng.choice((-1, 1)) * rng.randint(3, 40))
        else:
            smallest = 10 ** (len(run) - 1) if len(run) > 1 else 1
            other_number = str(rng.randrange(smallest, 10 ** len(run)))
        if other_number != run:
            return text.replace(run, other_number, 1)


def _pattern(text: str) -> re.Pattern[str]:
    """The text as whole words, as it is written."""
    return re.compile(rf"(?<![\w.,]){re.escape(text)}(?!\w|[.,]\d)|(?<!\w){re.escape(text)}(?!\w)")


def _holds_word(word: str, text: str) -> bool:
    """Whether a word that tells something stands in a text; a number in another one does not."""
    stripped = word.strip(".,;:()'\"$€£%")
    if len(stripped) < 3 and not stripped.isdigit():
        return False
    return re.search(rf"(?<!\w){re.escape(stripped)}(?!\w)", text, re.IGNORECASE) is not None


_WORD = re.compile(r"(?<!\w)[^\W\d_]{4,}(?!\w)")


def _typos(sample: Sample, level: Value, pool: SamplePool) -> Outcome:
    question = sample.question or ""
    spans = [] if _UNSPACED.search(question) else [m.span() for m in _WORD.finditer(question)]
    if not spans:
        return Inapplicable("its question has no word of four letters or more")
    rng = pool.draw(sample, "typos")
    order = rng.sample(range(len(spans)), len(spans))
    indices = order[: max(1, round(float(level) * len(spans)))]
    for index in sorted(indices, reverse=True):
        start, end = spans[index]
        typo = _typo(question[start:end], pool.draw(sample, f"typo {index}"))
        question = question[:start] + typo + question[end:]
    return _reworded(sample, question)


def _typo(word: str, rng: random.Random) -> str:
    """The word with two neighbouring letters swapped, one doubled or one lost, not the first."""
    swaps = [index for index in range(1, len(word) - 1) if word[index] != word[index + 1]]
    position, kind = rng.randrange(1, len(word)), rng.randrange(3)
    if kind == 0 and swaps:
        position = rng.choice(swaps)
        return word[:position] + word[position + 1] + word[position] + word[position + 2 :]
    return word[:position] + (word[position] * 2 if kind == 1 else "") + word[position + 1 :]


def _letters(sample: Sample, level: Value, pool: SamplePool) -> Outcome:
    del pool
    question = sample.question or ""
    return _reworded(sample, question.upper() if level == "upper" else question.lower())


def _keywords(sample: Sample, level: Value, pool: SamplePool) -> Outcome:
    del level, pool
    question = sample.question or ""
    if not is_english(question):
        return Inapplicable("its question is not in English, the one language with stop words here")
    words = re.findall(r"[\w$€£%.,'\u2019-]*\w", question)
    keywords = [word for word in words if word.lower() not in STOP_WORDS]
    return (
        _reworded(sample, " ".join(keywords))
        if keywords
        else Inapplicable("no keyword is left of it")
    )


def _wording(sample: Sample, level: Value, pool: SamplePool) -> Outcome:
    del pool
    question = sample.metadata.get(str(level))
    if not (isinstance(question, str) and question.strip()):
        return Inapplicable("it has no question in that column")
    return _reworded(sample, question.strip())


def _reworded(sample: Sample, question: str) -> Outcome:
    if question == sample.question:
        return Inapplicable("its question stays the same")
    return Perturbed(replace(sample, question=question))


def _is_share(level: Value) -> bool:
    return isinstance(level, int | float) and 0 < level <= 1


def _is_noise(level: Value) -> bool:
    if isinstance(level, str):
        return False
    return 0 < level < 1 or (1 <= level <= _MOST_NOISE and float(level).is_integer())


def _is_position(level: Value) -> bool:
    if isinstance(level, str):
        return level in ("first", "middle", "last")
    return isinstance(level, int) and level >= 1


def _choice(*known: str) -> tuple[Callable[[Value], bool], str]:
    return (lambda level: level in known), " or ".join(known)


PERTURBATIONS: Final[Mapping[str, Perturbation]] = {
    perturbation.name: perturbation
    for perturbation in (
        Perturbation(
            "noise",
            "passages of other questions mixed into the contexts; level: their share or number",
            "contexts",
            (0.2, 0.4, 0.6, 0.8),
            _is_noise,
            "give a share of the contexts below 1, or a number of passages",
            _noise,
            ordered=True,
        ),
        Perturbation(
            "position",
            "the relevant passages moved among the contexts",
            "contexts",
            ("first", "middle", "last"),
            _is_position,
            "give first, middle, last or a rank from 1",
            _position,
        ),
        Perturbation(
            "removed",
            "the relevant passages left out or replaced by noise",
            "contexts",
            (LEFT_OUT, "replaced"),
            *_choice(LEFT_OUT, "replaced"),
            _remove_relevant,
        ),
        Perturbation(
            "contradicted",
            "a fact of the reference altered in the contexts",
            "contexts",
            ("beside", "instead"),
            *_choice("beside", "instead"),
            _contradicted,
        ),
        Perturbation(
            "typos",
            "typing errors in the question; level: share of its longer words",
            "question",
            (0.1, 0.3, 0.5),
            _is_share,
            "give a share of its words",
            _typos,
            ordered=True,
        ),
        Perturbation(
            "letters",
            "the question in capitals, or without any",
            "question",
            ("upper", "lower"),
            *_choice("upper", "lower"),
            _letters,
        ),
        Perturbation(
            "keywords",
            "the question as keywords",
            "question",
            ("only",),
            *_choice("only"),
            _keywords,
        ),
        Perturbation(
            "wording",
            "the question in other words, or in another language",
            "question",
            (),
            lambda level: isinstance(level, str),
            "name columns of the data that hold the question so: wording=paraphrase,question_de",
            _wording,
        ),
    )
}
