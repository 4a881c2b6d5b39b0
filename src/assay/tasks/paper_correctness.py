"""What do answer and ground truth share, in the telecom paper's words and in free text?

Source: Roychowdhury et al. 2024, "Evaluation of RAG Metrics for Question Answering in the Telecom
Domain" (arXiv 2407.12873), appendix A.5. The prompt defines the paper's metrics, so it is quoted as
printed; its form leaves open how statements are marked off, and a reply that leaves it open as well
is unreadable, never guessed at.
"""

# ruff: noqa: RUF001 - quotation marks are part of the prompt and of replies

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import Material, Template
from assay.tasks.reading import spoken

_NAMES = ("TP", "FP", "FN")
_LABEL = re.compile(
    r"(?<!\w)[*\"“”'‘’`]*(TP|FP|FN)[*\"“”'‘’`]*(?:\s*\([^()\n]*\))?[*\s]*:\**", re.IGNORECASE
)
# What may stand between a list and the next label.
_BETWEEN = re.compile(r"[\s,;{}*`\"“”'.]*")
_QUOTED = re.compile(
    r"\s*(?:“([^“”]+)”|\"([^\"]+)\"|‘((?:[^‘’]|’(?=\w))+)’|'((?:[^']|'(?=\w))+)')\s*(?:,|\Z)"
)
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
# Unquoted statements in one line: commas are between them only where it is plain that they end.
_COMMA = re.compile(r",\s+")
_ENDED = re.compile(r".*[.!?。！？]|statement\s*\d+", re.DOTALL | re.IGNORECASE)
_NONE = frozenset({"none", "n/a", "nothing", "-", "empty"})
_DOTS = frozenset({"...", "…"})


@dataclass(frozen=True)
class Shared:
    """The statements of answer and ground truth, as a judge sorted them.

    Attributes:
        both: In the answer and in the ground truth: true positives.
        answer_only: In the answer alone: false positives.
        reference_only: In the ground truth alone: false negatives.
    """

    both: tuple[str, ...]
    answer_only: tuple[str, ...]
    reference_only: tuple[str, ...]


@dataclass(frozen=True)
class PaperCorrectness(Task[Shared]):
    """The telecom paper's one step of factual correctness: TP, FP and FN in one reply."""

    question: str
    answer: str
    reference: str

    template = Template(
        instruction=(
            "Extract following from given question and ground truth. “TP”: statements that are "
            "present in both the answer and the ground truth,“FP”: statements present in the "
            "answer but not found in the ground truth,“FN”: relevant statements found in the "
            "ground truth but omitted in the answer.\n"
            "question: [question], answer: [answer], ground truth: [ground truth answer],\n"
            "Extracted statements: “TP”: [statement 1, statement 4, ...], “FP”: [statement 2, "
            "...], “FN”: [statement 3, statement 5, statement 6, ...]"
        ),
        verbatim=True,
    )

    def material(self) -> Sequence[Material]:
        """The question, the answer and the ground truth."""
        return (
            Material("question", self.question),
            Material("answer", self.answer),
            Material("ground truth answer", self.reference),
        )

    def read(self, raw: str) -> Shared:
        """Three lists, each once and each under its label; in brackets, or an item a line."""
        text = spoken(raw)
        labels = list(_LABEL.finditer(text))
        names = [label[1].upper() for label in labels]
        if sorted(names) != sorted(_NAMES):
            said = ", ".join(names) or "none"
            raise Unreadable(f"not the three lists TP, FP and FN, each once: {said}", raw=raw)
        ends = [*(label.start() for label in labels[1:]), len(text)]
        found = {}
        for name, label, end in zip(names, labels, ends, strict=True):
            items = _listed(text[label.end() : end], last=end == len(text))
            if items is None or _DOTS & set(items):
                raise Unreadable(f"it is not plain which statements are {name}", raw=raw)
            found[name] = items
        return Shared(*(found[name] for name in _NAMES))


def reply(shared: Shared) -> str:
    """A reply in the form that `PaperCorrectness` reads."""
    lists = zip(_NAMES, (shared.both, shared.answer_only, shared.reference_only), strict=True)
    return ", ".join(f"“{n}”: {json.dumps(list(s), ensure_ascii=False)}" for n, s in lists)


def _listed(text: str, *, last: bool) -> tuple[str, ...] | None:
    """The statements of one list and what follows it; None if that is not plain."""
    bare = text.strip()
    if not bare.startswith("["):
        return _by_line(bare)
    # A statement may hold a bracket itself: the list ends at the first one that fits.
    for close in re.finditer(r"\]", bare):
        if last or _BETWEEN.fullmatch(bare, close.end()):
            items = _items(bare[1 : close.start()].strip())
            if items is not None:
                return items
    return None


def _items(inner: str) -> tuple[str, ...] | None:
    """What stands between the brackets of a list; None if it is not plain where an item ends."""
    inner = inner.removesuffix(",").rstrip()
    if inner[:1] in ("“", '"', "‘", "'"):
        found = _in_json(inner) or _in_quotes(inner)
        return _stated(found) if found else None
    if "\n" in inner:
        return _stated(map(_bare, inner.splitlines()))
    pieces = _COMMA.split(inner)
    plain = len(pieces) == 1 or all(map(_ENDED.fullmatch, pieces))
    return _stated(pieces) if plain else None


def _in_json(inner: str) -> list[str] | None:
    try:
        found = json.loads(f"[{inner}]")
    except ValueError:
        return None
    return found if all(isinstance(item, str) for item in found) else None


def _in_quotes(inner: str) -> list[str] | None:
    found, at = [], 0
    while at < len(inner):
        match = _QUOTED.match(inner, at)
        if match is None:
            return None
        found.append(next(filter(None, match.groups())))
        at = match.end()
    return found


def _by_line(text: str) -> tuple[str, ...] | None:
    """A list without brackets: a bullet or number before every item."""
    lines = [line for line in text.strip("{},;` \n").splitlines() if line.strip()]
    if lines and all(map(_BULLET.match, lines)):
        return _stated(map(_bare, lines))
    return () if "".join(lines).strip(" .-").casefold() in {"", *_NONE} else None


def _stated(items: Iterable[str]) -> tuple[str, ...]:
    found = tuple(bare for item in items if (bare := item.strip()))
    return () if len(found) == 1 and found[0].casefold().rstrip(".") in _NONE else found


def _bare(line: str) -> str:
    """An item on a line of its own, without its bullet, its comma and its quotation marks."""
    text = _BULLET.sub("", line, count=1).strip().removesuffix(",")
    marked = re.fullmatch(r"[\"“](.*)[\"”]", text)
    return marked[1] if marked else text
