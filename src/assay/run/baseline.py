"""How high is this embedder's cosine between texts that have nothing to do with each other?"""

import random
from dataclasses import dataclass

from assay.judge import Reply
from assay.store import Run, Store
from assay.tasks import Embed
from assay.tasks.embedding import Vector, cosine

PAIRS = 500
SAMPLES = 300


@dataclass(frozen=True, slots=True)
class Baseline:
    """Cosine between texts of different samples of a run: what no relation at all scores.

    Attributes:
        embedder: Who made the embeddings.
        mean: Mean cosine of the random pairs.
        p95: The cosine that 95 % of the pairs do not exceed.
        pairs: How many pairs.
    """

    embedder: str
    mean: float
    p95: float
    pairs: int


def random_pairs(store: Store, run: Run) -> Baseline | None:
    """The baseline of a run's cosine metrics, from embeddings it made anyway; None without any.

    Each pair takes the text that was asked about (question, answer) from one sample, and one that
    it is compared with (generated question, reference) from another.
    """
    found: list[tuple[Reply, Reply]] = []
    embedder = ""
    cosines = [label for label, about in run.config["about"].items() if about["cosine"]]
    for label in cosines:
        for row, _, why in store.values(run.id, label)[:SAMPLES]:
            embeds = [] if why else _embeds(store.replies(run.id, row, label))
            if len(embeds) > 1:
                embedder = embeds[0].backend
                found.append((embeds[0], embeds[1]))
    # A fixed seed: the same run prints the same baseline.
    chance = random.Random(0)  # noqa: S311 - it draws pairs, it guards nothing
    n = len(found)
    drawn = [(chance.randrange(n), chance.randrange(n)) for _ in range(PAIRS if n > 1 else 0)]
    pairs = [(found[i], found[j]) for i, j in drawn]
    vectors = [(_vector(a[0]), _vector(b[1])) for a, b in pairs if _unrelated(a, b)]
    # An embedder whose vectors changed their length during the run has no angle between the two.
    values = sorted(cosine(a, b) for a, b in vectors if len(a) == len(b))
    if not values:
        return None
    p95 = values[int(0.95 * (len(values) - 1))]
    return Baseline(embedder, sum(values) / len(values), p95, len(values))


def _unrelated(a: tuple[Reply, Reply], b: tuple[Reply, Reply]) -> bool:
    # Samples often share their question or reference (several answers to one question).
    return a[0].prompt != b[0].prompt and a[1].prompt != b[1].prompt


def _embeds(replies: list[Reply]) -> list[Reply]:
    return [reply for reply in replies if reply.kind == Embed.kind]


def _vector(reply: Reply) -> Vector:
    return Embed("").read(reply.raw)
