"""A verifier (NLI) or a sentence encoder in an ONNX file as a judge (extra ``[onnx]``).

Verifiers read one premise of a few hundred tokens. All the contexts are the premise if they fit;
otherwise each context is read in stretches and the one that supports a statement most counts, as
in AlignScore (Zha et al. 2023, section 3.2) and MiniCheck (Tang et al. 2024, section 4).
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

import numpy as np

from assay._text import memoized
from assay._text.words import stems
from assay.errors import InputError, Unsupported
from assay.judge import AttributeBackend, Reply, Task
from assay.judges.embedded.evidence import Evidence, prepare
from assay.judges.embedded.inference import aside, workers
from assay.judges.embedded.verification import shorten
from assay.judges.onnx_model import Folder, Network, Numbers, network
from assay.tasks import Embed, EmbedTokens, Statement, Verdict, VerifyStatements

__all__ = ["Onnx"]


# Label names as published verifiers and models of natural language inference (NLI) have them, in
# lower case and without marks.
_SUPPORTED = (
    "entailment entailed entails entail supported supports support consistent attributable"
    " faithful grounded"
)
_CONTRADICTED = "contradiction contradictory contradicted contradicts refuted refutes refute"
_NEITHER = (
    "neutral notentailment notentailed nonentailment notsupported unsupported nei notenoughinfo"
    " inconsistent notattributable hallucination hallucinated unfaithful ungrounded none"
)
_MEANING = {
    name: meaning
    for meaning, names in enumerate((_SUPPORTED, _CONTRADICTED, _NEITHER))
    for name in names.split()
}


@dataclass(frozen=True)
class Labels:
    """The places of a classifier's labels in its output.

    Attributes:
        names: As the model names them, by place.
        supported: The place of the label that means support.
        contradicted: That of contradiction, None if the model does not tell it from silence.
    """

    names: tuple[str, ...]
    supported: int
    contradicted: int | None

    @classmethod
    def of(cls, config: Mapping[str, Any], where: object) -> "Labels":
        """As ``id2label`` of a model's configuration names them.

        Args:
            config: What its ``config.json`` says.
            where: The model, for the error.

        Raises:
            InputError: If they do not tell which of them means support.
        """
        labels = config.get("id2label")
        by_place = labels if isinstance(labels, Mapping) else {}
        names = tuple(str(by_place[k]) for k in sorted(by_place, key=_label_index))
        classes = [_MEANING.get("".join(filter(str.isalpha, name.lower()))) for name in names]
        if classes.count(0) != 1 or None in classes or classes.count(1) > 1:
            fault = f"the labels of '{where}' do not say which means support: {', '.join(names)}"
            example = '"id2label": {"0": "not_supported", "1": "supported"}'
            raise InputError(fault.rstrip(": "), f"name them in its config.json, such as {example}")
        return cls(names, classes.index(0), classes.index(1) if 1 in classes else None)

    def probabilities(self, logits: Numbers) -> Numbers:
        """The probability of every label; a single one is yes or no by itself. Same shape."""
        if len(self.names) == 1:
            single: Numbers = (1 / (1 + np.exp(-logits))).astype(np.float32)
            return single
        odds = np.exp(logits - logits.max())
        shares: Numbers = odds / odds.sum()
        return shares


def _label_index(key: object) -> int:
    text = str(key)
    return int(text) if text.isdecimal() else -1


MOST = 8  # stretches of the contexts that a statement is read beside: those that share most with it
THRESHOLD = 0.5
_OUTPUT = "logits"
_SLACK = 8  # tokens by which a text may be longer than its pieces

Stretch = tuple[int, ...]  # pieces of the evidence that follow each other


@dataclass(frozen=True)
class Verifier:
    """A classifier of premise and hypothesis as a judge of statements."""

    network: Network  # the model
    labels: Labels  # what its labels mean
    output: str  # which of its outputs holds them
    threads: int  # how many texts are read at a time

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
            fault = f"'{model}' returns {returned[0]} numbers for {len(labels.names)} labels"
            raise InputError(fault, "copy the config.json that belongs to it")
        return cls(network, labels, output, threads)

    def verdicts(self, task: VerifyStatements) -> list[Verdict]:
        """A verdict for every statement, in order.

        The probability is the highest one over the stretches; of a statement that is longer than
        half of what the model reads at once, the lowest one of its parts.
        """
        evidence = _prepare(task.contexts)
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
        parts = self._halved(evidence.read(statement.text).text)
        read = [self._read_part(part, evidence, lengths) for part in parts]
        stretch, probability, contradicted = min(read, key=lambda part: part[1])
        supported = probability >= THRESHOLD
        piece = evidence.pieces[_closest(statement.text, stretch, evidence)]
        context = contexts[piece.context]
        quote = piece.text if piece.text in context else context[piece.start : piece.end]
        label = self.labels.names[self.labels.supported]
        return Verdict(
            statement.id,
            supported,
            f"The model gives '{label}' {probability:.2f}; closest sentence: {shorten(piece.text)}",
            piece.context if supported else None,
            quote if supported else "",
            round(probability, 4),
            None if supported or contradicted is None else contradicted >= THRESHOLD,
        )

    def _halved(self, statement: str) -> list[str]:
        """A statement in parts of which each leaves half of the room to the evidence."""
        tokens = self.network.encoded(statement)
        limit = self.network.room(pair=True) // 2
        count = max(1, -(-len(tokens.ids) // limit))
        cuts = [tokens.offsets[len(tokens.ids) * k // count][0] for k in range(1, count)]
        return [statement[a:b] for a, b in zip([0, *cuts], [*cuts, None], strict=True)]

    def _read_part(
        self, statement: str, evidence: Evidence, lengths: Sequence[int]
    ) -> tuple[Stretch, float, float | None]:
        """(The stretch that supports it most, how probably, how probably any contradicts it)."""
        statement_tokens = len(self.network.encoded(statement).ids) + _SLACK
        room = self.network.room(pair=True) - statement_tokens
        nearest = _most_alike(statement, list(_stretches(evidence, lengths, room)), evidence)
        read = [
            self.network.pair(" ".join(evidence.pieces[i].text for i in stretch), statement)
            for stretch in nearest
        ]
        logits = self.network.passes([(encoded, self.output) for encoded in read], self.threads)
        probabilities = np.stack(
            [self.labels.probabilities(window_logits) for window_logits in logits]
        )
        supported = probabilities[:, self.labels.supported]
        best = int(supported.argmax())
        against = self.labels.contradicted
        contradicted = None if against is None else float(probabilities[:, against].max())
        return nearest[best], float(supported[best]), contradicted


def _stretches(evidence: Evidence, lengths: Sequence[int], room: int) -> Iterator[Stretch]:
    """All pieces if there is room; else of each context as many as there is room for.

    One begins with the last piece of the one before, so that no two neighbours are torn apart.
    """
    if sum(lengths) <= room:
        yield tuple(range(len(lengths)))
        return
    indices = range(len(lengths))
    for _, of_context in groupby(indices, lambda index: evidence.pieces[index].context):
        stretch: list[int] = []
        for index in of_context:
            if stretch and sum(lengths[i] for i in stretch) + lengths[index] > room:
                yield tuple(stretch)
                last = stretch[-1]
                stretch = (
                    [last] if len(stretch) > 1 and lengths[last] + lengths[index] <= room else []
                )
            stretch.append(index)
        yield tuple(stretch)


def _most_alike(statement: str, stretches: list[Stretch], evidence: Evidence) -> list[Stretch]:
    """Those that share most with a statement, at most `MOST`."""
    if len(stretches) <= MOST:
        return stretches
    stems = _stems_of(statement)

    def shared(stretch: Stretch) -> float:
        words_held = frozenset().union(*(evidence.sets[i] for i in stretch))
        return sum(evidence.weights[word] for word in sorted(stems & words_held))

    return sorted(stretches, key=shared, reverse=True)[:MOST]


def _closest(statement: str, stretch: Stretch, evidence: Evidence) -> int:
    shares = evidence.shared(_stems_of(statement))
    return max(stretch, key=lambda index: float(shares[index]))


def _stems_of(statement: str) -> frozenset[str]:
    return frozenset(stems(statement))


@memoized(64, longest=50_000, size=lambda contexts: sum(map(len, contexts)))
def _prepare(contexts: tuple[str, ...]) -> Evidence:
    return prepare(contexts)


_POOLED = "sentence_embedding"  # an output that exports of sentence-transformers have
_TOKENS = ("last_hidden_state", "token_embeddings")
_MODES: dict[str, Literal["mean", "cls"]] = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
}


@dataclass(frozen=True)
class Encoder:
    """A sentence encoder as sentence-transformers describes one."""

    network: Network  # the model
    threads: int  # how many texts are read at a time
    states: str | None  # the output that holds the states of the tokens; None if there is none
    # How they make a vector; None if the model has an output that holds it.
    pooling: Literal["mean", "cls"] | None

    @classmethod
    def of(cls, network: Network, threads: int) -> "Encoder":
        """As the model's files describe it.

        Raises:
            InputError: If they do not say how tokens make a vector.
        """
        states = next((name for name in _TOKENS if name in network.outputs), None)
        if _POOLED in network.outputs:
            return cls(network, threads, states, None)
        if states is None:
            fault = f"'{network.folder.model}' returns {', '.join(network.outputs)}"
            remedy = f"export a sentence encoder, which returns {_TOKENS[0]}, or an NLI classifier"
            raise InputError(fault, remedy)
        return cls(network, threads, states, _pooling(network.folder))

    def vector(self, text: str) -> Numbers:
        """Its vector of Euclidean length 1, shape (dimensions,), float32.

        A text that is longer than the model reads at once is read in equal parts; the vector is
        that of their mean, weighted by tokens. Nothing is cut off.
        """
        windows = self.network.windows(text)
        output = _POOLED if self.pooling is None else self.states or ""
        read = self.network.passes([(window, output) for window in windows], self.threads)
        weights = [len(ids) for ids, _ in windows]
        mean = np.average([_unit(self._pool(window)) for window in read], axis=0, weights=weights)
        return _unit(mean)

    def tokens(self, text: str) -> tuple[list[str], Numbers]:
        """The tokens of a text and the state of each, shape (tokens, dimensions).

        Those of the special tokens around it are left out.
        """
        windows = self.network.windows(text)
        read = self.network.passes(
            [(window, self.states or "") for window in windows], self.threads
        )
        return self.network.encoded(text).tokens, np.concatenate(list(map(self.network.own, read)))

    def _pool(self, states: Numbers) -> Numbers:
        if self.pooling is None:
            return states
        mean: Numbers = states[0] if self.pooling == "cls" else states.mean(axis=0)
        return mean


def _unit(vector: Numbers) -> Numbers:
    length = np.linalg.norm(vector)
    return (vector / length if length else vector).astype(np.float32)


def _pooling(folder: Folder) -> Literal["mean", "cls"]:
    modes = [name for name, on in folder.pooling.items() if on is True and "mode" in name]
    if len(modes) == 1 and modes[0] in _MODES:
        return _MODES[modes[0]]
    fault = f"'{folder.model.parent}' does not say how tokens make a vector"
    if modes:
        fault = f"'{folder.model.parent}' makes vectors by {', '.join(modes)}"
    remedy = 'give it a 1_Pooling/config.json with {"pooling_mode_mean_tokens": true}, or with'
    raise InputError(
        fault, f"{remedy} pooling_mode_cls_token, whichever the model was trained with"
    )


VERSION = "v1"  # raised whenever the same model may answer otherwise
_CLASSIFIER = "ForSequenceClassification"


class Onnx(AttributeBackend):
    """A verifier or a sentence encoder in an ONNX file, run in this process.

    A classifier of premise and hypothesis (natural language inference) serves verify_statements, a
    sentence encoder embeddings; both leave all other tasks to another judge. On the processor only.

    Args:
        path: The folder as `optimum` and Hugging Face's model pages have it: an ONNX file,
            ``config.json`` and ``tokenizer.json``, of an encoder also ``1_Pooling/config.json``;
            or one of several ONNX files in such a folder.
        threads: Cores to use; all that there are if None.

    Raises:
        InputError: If a file is missing or broken, or does not tell what the model's output means.
    """

    local = True

    def __init__(self, path: str | Path, *, threads: int | None = None) -> None:
        folder = Folder.at(path)
        self._anew = partial(Onnx, path, threads=threads)
        self._name = f"onnx-{VERSION}:{folder.name}"
        self._threads = workers(threads)
        loaded = network(folder.model, folder.name)
        self._verifier: Verifier | None = None
        self._encoder: Encoder | None = None
        if any(_CLASSIFIER in str(name) for name in folder.config.get("architectures") or ()):
            self._verifier = Verifier.of(loaded, self._threads)
        else:
            self._encoder = Encoder.of(loaded, self._threads)

    def __reduce__(self) -> tuple["partial[Onnx]", tuple[()]]:
        """Made anew in another process, from the same files."""
        return self._anew, ()

    @property
    def name(self) -> str:
        """The version of these rules, the folder's and file's names, and a digest of the files."""
        return self._name

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Its name for what its model can do."""
        return self.name if kind in self._tasks_able() else None

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """What the model says, in the form in which an LLM is asked to reply."""
        if type(task) not in self._tasks_able():
            raise Unsupported(f"{self.name} cannot do {task.kind}")
        start = time.perf_counter()
        raw = await aside(lambda: self._raw_reply(task), self._threads)
        ms = (time.perf_counter() - start) * 1000
        return Reply(task.inputs(), raw, ms=ms, backend=self.name, kind=task.kind, draw=draw)

    def _tasks_able(self) -> tuple[type[Task[Any]], ...]:
        if self._verifier:
            return (VerifyStatements,)
        return (Embed, EmbedTokens) if self._encoder and self._encoder.states else (Embed,)

    def _raw_reply(self, task: Task[Any]) -> str:
        if self._verifier and isinstance(task, VerifyStatements):
            return VerifyStatements.reply(self._verifier.verdicts(task))
        if self._encoder and isinstance(task, EmbedTokens):
            tokens, vectors = self._encoder.tokens(task.text)
            return EmbedTokens.reply(tokens, vectors.tolist())
        if self._encoder and isinstance(task, Embed):
            return Embed.reply(self._encoder.vector(task.text).tolist())
        raise Unsupported(f"{self.name} cannot do {task.kind}")
