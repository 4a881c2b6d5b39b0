"""Do the contexts support a statement, by a model of natural language inference (NLI)?

Models of this kind read one premise of a few hundred tokens. All the contexts are the premise if
they fit; otherwise each context is read in stretches and the one that supports a statement most
counts, as in AlignScore (Zha et al. 2023, section 3.2) and MiniCheck (Tang et al. 2024, section 4).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from assay.backends.embedded.evidence import Evidence, prepare
from assay.backends.embedded.verification import shorten
from assay.backends.onnx.labels import Labels
from assay.backends.onnx.network import Network
from assay.errors import InputError
from assay.tasks import Statement, Verdict, VerifyStatements
from assay.text import memoized
from assay.text.words import STOP_WORDS, stem, words

MOST = 8  # stretches of the contexts that a statement is read beside: those that share most with it
THRESHOLD = 0.5
_OUTPUT = "logits"
_SLACK = 8  # tokens by which a text may be longer than its pieces

Stretch = tuple[int, ...]  # pieces of the evidence that follow each other


@dataclass(frozen=True)
class Verifier:
    """A classifier of premise and hypothesis as a judge of statements.

    Attributes:
        network: The model.
        labels: What its labels mean.
        output: Which of its outputs holds them.
        threads: How many texts are read at a time.
    """

    network: Network
    labels: Labels
    output: str
    threads: int

    @classmethod
    def of(cls, network: Network, threads: int) -> "Verifier":
        """As the model's configuration describes it.

        Raises:
            InputError: If that does not tell which of its numbers means support.
        """
        model = network.folder.model
        labels = Labels.of(network.folder.config, model)
        output = _OUTPUT if _OUTPUT in network.outputs else next(iter(network.outputs))
        returned = network.outputs[output][-1:]
        if returned and isinstance(returned[0], int) and returned[0] != len(labels.names):
            what = f"'{model}' returns {returned[0]} numbers for {len(labels.names)} labels"
            raise InputError(what, "copy the config.json that belongs to it")
        return cls(network, labels, output, threads)

    def verdicts(self, task: VerifyStatements) -> list[Verdict]:
        """A verdict for every statement, in order.

        The probability is the highest one over the stretches; of a statement that is longer than
        half of what the model reads at once, the lowest one of its parts.
        """
        evidence = _prepared(task.contexts)
        if not evidence.pieces:
            nothing = "There is no context that could support it."
            return [
                Verdict(s.id, supported=False, reason=nothing, probability=0.0)
                for s in task.statements
            ]
        lengths = [len(self.network.encoded(piece.text).ids) for piece in evidence.pieces]
        return [self._verdict(s, task.contexts, evidence, lengths) for s in task.statements]

    def _verdict(
        self,
        statement: Statement,
        contexts: Sequence[str],
        evidence: Evidence,
        lengths: Sequence[int],
    ) -> Verdict:
        parts = self._parts(evidence.read(statement.text).text)
        read = [self._read(part, evidence, lengths) for part in parts]
        stretch, found, denied = min(read, key=lambda part: part[1])
        supported = found >= THRESHOLD
        piece = evidence.pieces[_closest(statement.text, stretch, evidence)]
        context = contexts[piece.context]
        quote = piece.text if piece.text in context else context[piece.start : piece.end]
        label = self.labels.names[self.labels.supported]
        return Verdict(
            statement.id,
            supported,
            f"The model gives '{label}' {found:.2f}; closest sentence: {shorten(piece.text)}",
            piece.context if supported else None,
            quote if supported else "",
            round(found, 4),
            None if supported or denied is None else denied >= THRESHOLD,
        )

    def _parts(self, statement: str) -> list[str]:
        """A statement in parts of which each leaves half of the room to the evidence."""
        tokens = self.network.encoded(statement)
        most = self.network.room(pair=True) // 2
        count = max(1, -(-len(tokens.ids) // most))
        cuts = [tokens.offsets[len(tokens.ids) * k // count][0] for k in range(1, count)]
        return [statement[a:b] for a, b in zip([0, *cuts], [*cuts, None], strict=True)]

    def _read(
        self, statement: str, evidence: Evidence, lengths: Sequence[int]
    ) -> tuple[Stretch, float, float | None]:
        """(The stretch that supports it most, how probably, how probably any contradicts it)."""
        taken = len(self.network.encoded(statement).ids) + _SLACK
        room = self.network.room(pair=True) - taken
        shown = _nearest(statement, list(_stretches(evidence, lengths, room)), evidence)
        read = [
            self.network.pair(" ".join(evidence.pieces[i].text for i in stretch), statement)
            for stretch in shown
        ]
        logits = self.network.passes([(given, self.output) for given in read], self.threads)
        found = np.stack([self.labels.probabilities(each) for each in logits])
        supported = found[:, self.labels.supported]
        best = int(supported.argmax())
        against = self.labels.contradicted
        denied = None if against is None else float(found[:, against].max())
        return shown[best], float(supported[best]), denied


def _stretches(evidence: Evidence, lengths: Sequence[int], room: int) -> Iterator[Stretch]:
    """All pieces if there is room; else of each context as many as there is room for.

    One begins with the last piece of the one before, so that no two neighbours are torn apart.
    """
    if sum(lengths) <= room:
        yield tuple(range(len(lengths)))
        return
    places = range(len(lengths))
    for _, mine in groupby(places, lambda place: evidence.pieces[place].context):
        stretch: list[int] = []
        for place in mine:
            if stretch and sum(lengths[i] for i in stretch) + lengths[place] > room:
                yield tuple(stretch)
                last = stretch[-1]
                stretch = (
                    [last] if len(stretch) > 1 and lengths[last] + lengths[place] <= room else []
                )
            stretch.append(place)
        yield tuple(stretch)


def _nearest(statement: str, stretches: list[Stretch], evidence: Evidence) -> list[Stretch]:
    """Those that share most with a statement, at most `MOST`."""
    if len(stretches) <= MOST:
        return stretches
    wanted = _wanted(statement)

    def shared(stretch: Stretch) -> float:
        held = frozenset().union(*(evidence.sets[i] for i in stretch))
        return sum(evidence.weights[each] for each in sorted(wanted & held))

    return sorted(stretches, key=shared, reverse=True)[:MOST]


def _closest(statement: str, stretch: Stretch, evidence: Evidence) -> int:
    shares = evidence.shared(_wanted(statement))
    return max(stretch, key=lambda place: float(shares[place]))


def _wanted(statement: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(statement) if word not in STOP_WORDS)


@memoized(64, longest=50_000, size=lambda contexts: sum(map(len, contexts)))
def _prepared(contexts: tuple[str, ...]) -> Evidence:
    return prepare(contexts)
