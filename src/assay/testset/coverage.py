"""Which documents, sections and topics of a corpus the questions of a test set are about."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from assay._text.words import stem, stems, words
from assay.testset.checks import Finding
from assay.testset.passages import Corpus

_LEAST: Final = 20  # passages, so that it is worth telling topics
_MOST_TOPICS: Final = 24
_COMMON: Final = 0.3  # of the passages have a word that says nothing of a topic
_DIMENSIONS: Final = 50  # of the space in which passages are near that use other words together
_STARTS: Final = 5
_NAMES: Final = 3  # words that name a topic


@dataclass(frozen=True, slots=True)
class Asked:
    """The passages of a corpus that questions are about.

    Attributes:
        corpus: The passages.
        answerable: Numbers of those that an answerable question is about.
        declined: Numbers of those that an unanswerable one names.
    """

    corpus: Corpus
    answerable: frozenset[int]
    declined: frozenset[int]

    def of(self, names: Mapping[int, str]) -> dict[str, tuple[int, int]]:
        """Of each group of passages: how many an answerable question is about, and all."""
        counts = defaultdict[str, list[int]](lambda: [0, 0])
        for number, name in names.items():
            counts[name][0] += number in self.answerable
            counts[name][1] += 1
        return {name: (covered, total) for name, (covered, total) in counts.items()}

    def documents(self) -> dict[int, str]:
        """The document of each passage."""
        return {number: each.document for number, each in enumerate(self.corpus.passages)}

    def sections(self) -> dict[int, str]:
        """The document and section of each passage, of the documents that questions are about."""
        known = self.of(self.documents())
        return {
            number: f"{each.document}\n{heading}"
            for number, each in enumerate(self.corpus.passages)
            if (heading := each.title.removeprefix(each.document).removeprefix(" > "))
            and known[each.document][0]
        }


def uncovered(asked: Asked, topics: Mapping[int, str]) -> Iterator[Finding]:
    """Documents, sections and topics that no answerable question is about."""
    remedy = "ask about those that matter, or leave them out"
    kinds = (
        ("coverage", "documents", asked.documents()),
        ("sections", "sections of documents that have one", asked.sections()),
        ("topics", "topics", topics),
    )
    for check, what, names in kinds:
        groups = asked.of(names)
        declined = {names[number] for number in asked.declined if number in names}
        rows = list[tuple[str, str]]()
        for name, (covered, total) in groups.items():
            if covered:
                continue
            place, _, heading = name.partition("\n")
            size = heading or f"{total} {'passage' if total == 1 else 'passages'}"
            rows.append((place, size + "; unanswerable questions alone" * (name in declined)))
        if rows:
            text = f"no answerable question about {len(rows)} of {len(groups)} {what}"
            yield Finding(check, "note", text, remedy, tuple(rows))


def topics_of(corpus: Corpus) -> dict[int, str]:
    """The topic of each passage, named by its most telling words; {} for a small corpus.

    Passages that use words of one kind together are near (latent semantic analysis), and near ones
    are a topic (k-means, about as many as the root of half the passages).
    """
    from scipy.cluster.vq import kmeans2
    from scipy.sparse import csr_matrix
    from scipy.sparse.linalg import svds

    n = len(corpus.passages)
    counts = [Counter(stems(f"{each.title} {each.text}")) for each in corpus.passages]
    spread = Counter(one for count in counts for one in count)
    terms = sorted(
        one
        for one, held in spread.items()
        if 2 <= held <= _COMMON * n and one.isalpha() and len(one) > 2
    )
    if n < _LEAST or len(terms) < _LEAST:
        return {}
    column = {term: at for at, term in enumerate(terms)}
    cells = [
        (row, column[s], (1 + math.log(times)) * math.log(n / spread[s]))
        for row, count in enumerate(counts)
        for s, times in count.items()
        if s in column
    ]
    rows, columns, values = zip(*cells, strict=True)
    table = csr_matrix((values, (rows, columns)), shape=(n, len(terms)))
    dimensions = min(_DIMENSIONS, n - 1, len(terms) - 1)
    left, scale, _ = svds(table, k=dimensions, random_state=np.random.default_rng(0))
    points = left * scale
    points /= np.maximum(np.linalg.norm(points, axis=1, keepdims=True), 1e-9)
    k = min(_MOST_TOPICS, round(math.sqrt(n / 2)))
    clusterings = [kmeans2(points, k, minit="++", seed=seed) for seed in range(_STARTS)]
    _, labels = min(clusterings, key=lambda one: float(((points - one[0][one[1]]) ** 2).sum()))
    forms = _forms(corpus)
    return {
        number: name
        for label in np.unique(labels)
        for members in [np.flatnonzero(labels == label)]
        for weights in [np.asarray(table[members].sum(axis=0)).ravel()]
        for name in [", ".join(forms[terms[at]] for at in np.argsort(-weights)[:_NAMES])]
        for number in members.tolist()
    }


def _forms(corpus: Corpus) -> dict[str, str]:
    """The word of each stem that is met most."""
    forms = Counter(word for passage in corpus.passages for word in words(passage.text))
    return {stem(word): word for word, _ in reversed(forms.most_common())}
