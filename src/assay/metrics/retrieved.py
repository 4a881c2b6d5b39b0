"""Which of the retrieved contexts are known to be right, rank by rank? By ids, or by wording."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.errors import InputError
from assay.sample import Sample
from assay.score import Part, Unscored

NOT_COMPARABLE = Unscored(
    "undefined", "neither ids nor texts of contexts that should have been retrieved are given"
)
NOTHING_KNOWN = Unscored("undefined", "no context is known to be right")


@dataclass(frozen=True)
class Ranking:
    """What was retrieved, and what should have been.

    Attributes:
        grades: Relevance of each retrieved context, best rank first. 0 if it is not relevant, or
            if it repeats an earlier one: it takes up a rank and brings nothing.
        wanted: Grades above 0 of all relevant contexts, highest first.
        parts: The evidence: each retrieved context, then what was not retrieved.
    """

    grades: tuple[float, ...]
    wanted: tuple[float, ...]
    parts: tuple[Part, ...]

    def hits(self, k: int) -> int:
        """How many of the first k are relevant."""
        return sum(grade > 0 for grade in self.grades[:k])

    def parts_at(self, k: int) -> tuple[Part, ...]:
        """The evidence, with a remark on what lies below the first k."""
        beyond = range(k, len(self.grades))
        return tuple(
            replace(part, reason=f"rank {rank + 1}, below the first {k}")
            if rank in beyond
            else part
            for rank, part in enumerate(self.parts)
        )


def ranking(sample: Sample, threshold: float, *, by_grades: bool = False) -> Ranking | Unscored:
    """The ranking of a sample: by ids where they are given, else by the wording of the texts.

    Where both a list of right ids and grades are given, the grades count with `by_grades`.
    """
    right = _right(sample, by_grades=by_grades)
    if sample.context_ids is not None and right is not None:
        ids = sample.context_ids
        return _ranked(ids, right, ids, dict.fromkeys(right, ""), placed=False)
    if sample.contexts is None or sample.reference_contexts is None:
        return NOT_COMPARABLE
    texts = tuple(dict.fromkeys(sample.reference_contexts))  # as ids, each counts once
    names = [str(i) for i in range(len(texts))]
    ids = tuple(_closest(context, texts, threshold) for context in sample.contexts)
    known = dict(zip(names, texts, strict=True))
    return _ranked(ids, dict.fromkeys(names, 1.0), sample.contexts, known, placed=True)


def _right(sample: Sample, *, by_grades: bool) -> Mapping[str, float] | None:
    """Grades by id; a plain list of right ids grades each with 1."""
    grades, ids = sample.relevance_grades, sample.reference_context_ids
    if ids is None or (by_grades and grades is not None):
        return grades
    return dict.fromkeys(ids, 1.0)


def _ranked(
    ids: Sequence[str],
    graded: Mapping[str, float],
    shown: Sequence[str],
    texts: Mapping[str, str],
    *,
    placed: bool,
) -> Ranking | Unscored:
    wanted = {i: grade for i, grade in graded.items() if grade > 0}
    if not wanted:
        return NOTHING_KNOWN
    grades: list[float] = []
    parts: list[Part] = []
    seen: set[str] = set()
    for rank, (i, text) in enumerate(zip(ids, shown, strict=True)):
        grade = wanted.get(i, 0.0)
        again = bool(grade) and i in seen
        seen.add(i)
        label = "repeated" if again else "relevant" if grade else "not relevant"
        grades.append(0.0 if again else grade)
        at = rank if placed else None
        parts.append(Part("context", text, label, grades[-1], f"rank {rank + 1}", at))
    parts += [
        Part("reference context", texts[i] or i, "not found", 0.0) for i in _unfound(wanted, ids)
    ]
    return Ranking(tuple(grades), tuple(sorted(wanted.values(), reverse=True)), tuple(parts))


def _unfound(wanted: Iterable[str], ids: Sequence[str]) -> list[str]:
    found = set(ids)
    return [i for i in wanted if i not in found]


def _closest(context: str, texts: Sequence[str], threshold: float) -> str:
    """The index of the text that is worded most like the context; "" if none is alike."""
    try:
        from rapidfuzz.distance import Levenshtein
    except ImportError:
        what = "matching contexts by their wording needs rapidfuzz"
        raise InputError(what, "pip install 'assay[text]', or give ids") from None
    likeness = [Levenshtein.normalized_similarity(context, text) for text in texts]
    best = max(likeness, default=0.0)
    return str(likeness.index(best)) if likeness and best >= threshold else ""
