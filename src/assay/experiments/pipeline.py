"""A reference pipeline: documents cut, searched, re-ranked and answered from, without own code."""

import asyncio
import copy
import functools
import hashlib
import json
import threading
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import KW_ONLY, asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, get_args

from assay._analysis.comparability import GOLD_RANGES
from assay._middleware.concurrency import PerLoop
from assay._middleware.wrapper import Route
from assay._runner.settings import Settings, shared_limits
from assay._runner.stack import opened_stack, share_connections
from assay._store import Store
from assay._store.runs import TARGET, Value, written
from assay._text.sentences import sentences
from assay.data import read
from assay.errors import InputError
from assay.experiments.retrieval import (
    SHARE,
    Chunk,
    Chunker,
    Chunking,
    GoldFinder,
    Index,
    Retriever,
    vectors_of,
    with_ranges,
    with_retrieved,
)
from assay.judge import Backend, BackendLike, Judge, Reply, Task
from assay.judges.llm import LLM
from assay.judges.onnx_model import CrossEncoder, ScorePassage
from assay.judges.specs import Make, backend
from assay.metrics import Metric
from assay.prompt import Template
from assay.sample import Sample
from assay.target import Asking, AskSystem, Configurable
from assay.target.ask import count, limits_of
from assay.target.system import System
from assay.tasks import AnswerFromPassages, Choice, Embed, SelectSentences
from assay.tasks import Passage as NumberedSentence
from assay.tasks.contexts import NO_ANSWER
from assay.testset.documents import Document, read_documents

_MOST_SENTENCES: Final = 3  # of an extractive answer
EXTRACTIVE, PASSAGE = "extractive", "passage"
NAME = "pipeline on"
_ONNX: Final = "onnx:"


@dataclass(frozen=True, slots=True)
class Parameters:
    """What can be set in the reference pipeline."""

    # fixed, sentence, recursive, heading or semantic, as `Chunking` tells.
    chunker: Chunker = "sentence"
    chunk_size: int = 200  # words of a chunk, at most
    # Words of a chunk that the next one repeats, at most; below `chunk_size`.
    chunk_overlap: int = 0
    retriever: Retriever = "hybrid"  # bm25, embedding or hybrid (both, by reciprocal rank fusion)
    embedder: str = "embedded"  # who embeds, as for ``--embedder``
    k: int = 5  # how many passages are retrieved
    # Whether the first `candidates` are put in the order in which the embedded judge finds them
    # relevant, or a cross-encoder: ``onnx:FOLDER``.
    rerank: bool | str = False
    candidates: int = 20  # how many are re-ranked; at least `k`
    # "extractive" (the sentences that the embedded judge finds to help), "passage" (the first
    # passage as it stands), or an LLM, as for ``--judge``.
    generator: str = EXTRACTIVE
    prompt: str = ""  # instruction for an LLM in place of the built-in one

    def __post_init__(self) -> None:
        for name in ("chunk_size", "chunk_overlap", "k", "candidates"):
            _check_count(name, getattr(self, name), minimum=0 if name == "chunk_overlap" else 1)
        _check_choice("chunker", self.chunker, get_args(Chunker))
        _check_choice("retriever", self.retriever, get_args(Retriever))
        if not (isinstance(self.rerank, bool) or str(self.rerank).startswith(_ONNX)):
            raise _wrong_value("rerank", self.rerank, f"give true, false or {_ONNX}FOLDER")
        for name in ("embedder", "generator", "prompt"):
            if not isinstance(getattr(self, name), str):
                raise _wrong_value(name, getattr(self, name), "give a text")
        if self.chunk_overlap >= self.chunk_size:
            raise _wrong_value("chunk_overlap", self.chunk_overlap, "give less than chunk_size")
        if self.rerank and self.candidates < self.k:
            raise _wrong_value("candidates", self.candidates, "re-rank at least k passages")

    @classmethod
    def of(cls, params: Mapping[str, Value]) -> "Parameters":
        """The parameters that are given, all others by default.

        Raises:
            InputError: If one is unknown or cannot have its value; names what is known.
        """
        known = {name: written(value) or '""' for name, value in asdict(cls()).items()}
        if unknown := [name for name in params if name not in known]:
            defaults = ", ".join(f"{name}={default}" for name, default in known.items())
            fault = f"the reference pipeline has no parameter '{unknown[0]}'"
            raise InputError(fault, f"it has, with their defaults: {defaults}")
        return cls(**params)  # type: ignore[arg-type]

    @property
    def without_effect(self) -> dict[str, Value]:
        """What changes nothing beside the other values, with a value that stands for all."""
        embedder = {"embedder": ""} if self.retriever == "bm25" else {}
        return embedder | ({} if self.rerank else {"candidates": 1})

    @property
    def chunking(self) -> Chunking:
        """How documents are cut."""
        return Chunking(self.chunker, self.chunk_size, self.chunk_overlap)


def _check_count(name: str, value: object, *, minimum: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < minimum:
        raise _wrong_value(name, value, f"give a whole number, {minimum} or more")


def _check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise _wrong_value(name, value, f"choose from {', '.join(choices)}")


def _wrong_value(name: str, value: object, remedy: str) -> InputError:
    return InputError(f"{name} is {value!r}", remedy)


class _Corpus:
    """The documents of a pipeline, and what is made of them once for all its configurations."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self.preparing = PerLoop(asyncio.Lock)
        self._indexes: dict[Chunking, Index] = {}
        self._making = threading.Lock()

    @functools.cached_property
    def digest(self) -> str:
        """Of the ids and texts of all documents."""
        digest = hashlib.sha256()
        for document in sorted(self.documents, key=lambda document: document.id):
            digest.update(json.dumps([document.id, document.text]).encode())
        return digest.hexdigest()[:16]

    @functools.cached_property
    def gold(self) -> GoldFinder:
        """Where in the documents is what should be retrieved."""
        return GoldFinder(self.documents)

    def index(self, chunking: Chunking) -> Index:
        """The index of the documents cut so, made once."""
        with self._making:
            if chunking not in self._indexes:
                self._indexes[chunking] = Index(self.documents, chunking)
            return self._indexes[chunking]


@dataclass(frozen=True)
class Pipeline(Configurable):
    """The reference pipeline over documents: a target for `sweep` that needs no code.

    Attributes:
        target: The documents: files, folders, tables or objects, as for `assay testset`.
        version: Which version of it; another one is asked anew.
        share: A chunk covers a range that should be found from this share of the shorter of the two
            on, in (0, 1].
    """

    target: object
    _: KW_ONLY
    share: float = SHARE
    _corpus: _Corpus = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise InputError(f"share is {self.share}", "give a number above 0 and at most 1")
        object.__setattr__(self, "_corpus", _Corpus(read_documents(self.target)))

    @functools.cached_property
    def name(self) -> str:
        """What it is called."""
        n = len(self._corpus.documents)
        return f"{NAME} {n:,} document{'s' * (n != 1)}"

    def systems(self, configurations: Sequence[Mapping[str, Value]]) -> list[System]:
        """A system for each configuration; those that cut alike share chunks and index.

        Raises:
            InputError: If a parameter or value is unknown.
        """
        make = functools.cache(backend)  # one model for all configurations that name it
        all_parameters = [Parameters.of(params) for params in configurations]
        return [self._system(params, make) for params in all_parameters]

    def system(self, **params: Value) -> System:
        """The system with these parameters: what `assay.target.ask` asks.

        Raises:
            InputError: If a parameter or value is unknown.
        """
        return self._system(Parameters.of(params), backend)

    def _system(self, params: Parameters, make: Make) -> "PipelineSystem":
        reader = make("embedded")
        embedder = _backend_named(
            make, "embedder", params.embedder, "an encoder, as for --embedder"
        )
        if embedder.identity(Embed) is None:
            raise _wrong_value("embedder", params.embedder, "it makes no embeddings")
        generator, choices = reader, f"{EXTRACTIVE}, {PASSAGE} or an LLM, such as openai:MODEL"
        if params.generator not in (EXTRACTIVE, PASSAGE):
            generator = _backend_named(make, "generator", params.generator, choices)
            if generator.identity(AnswerFromPassages) is None:
                raise _wrong_value("generator", params.generator, f"give {choices}")
        if params.prompt:
            generator = _prompted(generator, params.prompt)
        kinds = {Embed.kind: embedder, SelectSentences.kind: reader}
        if isinstance(params.rerank, str):
            kinds[ScorePassage.kind] = CrossEncoder(params.rerank.removeprefix(_ONNX).strip())
        return PipelineSystem(self, self._corpus, params, Route(generator, kinds))


def _backend_named(make: Make, name: str, spec: str, choices: str) -> Backend:
    """The backend that a parameter names."""
    try:
        return make(spec, embedder=name == "embedder")
    except InputError as error:
        fault = f"{name} is '{spec}': {error.problems[0].what}"
        raise InputError(fault, f"give {choices}") from error


def _prompted(generator: Backend, instruction: str) -> Backend:
    """The LLM with another instruction."""
    if not isinstance(generator, LLM):
        raise _wrong_value("prompt", instruction, "leave it out: only an LLM as generator reads it")
    changed = copy.copy(generator)
    changed.prompts = {AnswerFromPassages.kind: Template(instruction)}
    share_connections(changed, generator)
    return changed


class PipelineSystem:
    """One configuration of the reference pipeline, asked like any other system.

    A reply holds the answer, the contexts with their ids (``document#start-end``), and how long
    each step took, in milliseconds.
    """

    needs: frozenset[str] = frozenset({"question"})
    told_contexts = False

    def __init__(
        self, pipeline: Pipeline, corpus: _Corpus, params: Parameters, route: Route
    ) -> None:
        self.pipeline, self.params, self.name = pipeline, params, pipeline.name
        self.corpus = corpus
        self._route = route
        self._backend: BackendLike = route
        self._ready = False

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Documents, and what has an effect: parameters, who embeds, re-ranks and generates."""
        if kind is not AskSystem:
            return None
        params, pipeline = self.params, self.pipeline
        tasks: dict[type[Task[Any]], bool] = {
            Embed: self._embeds,
            SelectSentences: params.rerank is True or params.generator == EXTRACTIVE,
            ScorePassage: isinstance(params.rerank, str),
            AnswerFromPassages: self._uses_llm,
        }
        models = [self._route.identity(task) for task, is_asked in tasks.items() if is_asked]
        effective = asdict(params) | params.without_effect
        form = [_REVISION, self.corpus.digest, pipeline.version, effective, models]
        digest = hashlib.sha256(json.dumps(form, sort_keys=True).encode()).hexdigest()[:16]
        return f"{self.name}#{digest}"

    def sent(self, sample: Sample) -> str:
        """The question."""
        return sample.question or ""

    @property
    def index(self) -> Index:
        """The documents as this configuration cuts them."""
        return self.corpus.index(self.params.chunking)

    @property
    def _uses_llm(self) -> bool:
        return self.params.generator not in (EXTRACTIVE, PASSAGE)

    @property
    def _embeds(self) -> bool:
        return self.params.retriever != "bm25"

    @asynccontextmanager
    async def opened(self, path: str | Path, settings: Settings) -> AsyncIterator[None]:
        """Keep all replies of its models in a store, within limits, and make the index."""
        with Store(path) as store:
            pipeline_settings = Settings(
                limits=settings.limits, tries=settings.tries, _shared=shared_limits(settings)
            )
            async with opened_stack(self._route, pipeline_settings, store, TARGET) as stack:
                self._backend = stack.backend
                try:
                    await self._prepare()
                    yield
                finally:
                    self._backend = self._route

    async def _prepare(self) -> None:
        """Make what has to be there before the first question."""
        if self._ready:
            return
        async with self.corpus.preparing.get():  # one index serves several configurations
            index = await asyncio.to_thread(lambda: self.index)
            if self.params.retriever != "embedding":
                await asyncio.to_thread(lambda: index.bm25)
            if self._embeds:
                await index.embed(self._embedder, Judge(self._backend))
            self._ready = True

    @property
    def _embedder(self) -> str:
        return self._route.identity(Embed) or ""

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """Answer, contexts and times, as JSON.

        Raises:
            JudgeError: If a model made no reply.
        """
        assert isinstance(task, AskSystem)  # noqa: S101 - it serves nothing else
        await self._prepare()
        question = task.sample.question or ""
        finding, ranking, writing = (Judge(self._backend) for _ in range(3))
        chunks, searched = await self._retrieved(question, finding)
        if isinstance(self.params.rerank, str):
            scores = await ranking.each([ScorePassage(question, chunk.text) for chunk in chunks])
            chunks = [chunks[n] for n in sorted(range(len(chunks)), key=lambda n: -scores[n])]
        elif self.params.rerank:
            chunks = await _reranked(question, chunks, ranking)
        chunks = chunks[: self.params.k]
        answer = await self._answer(question, chunks, writing, draw)
        # What was in the store took its time when it was first made.
        steps = {
            "retrieval": searched + _ms(finding),
            "rerank": _ms(ranking),
            "generation": _ms(writing),
        }
        raw: dict[str, Any] = {
            "answer": answer,
            "contexts": [chunk.text for chunk in chunks],
            "context_ids": [chunk.id for chunk in chunks],
            "ms": {name: round(ms, 3) for name, ms in steps.items()},
        }
        if self._uses_llm:
            raw["tokens"] = sum(reply.tokens_in + reply.tokens_out for reply in writing.replies)
        return Reply(
            task.inputs(),
            json.dumps(raw, ensure_ascii=False),
            ms=sum(steps.values()),
            backend=self.identity(AskSystem) or "",
            kind=AskSystem.kind,
            draw=draw,
        )

    async def _retrieved(self, question: str, judge: Judge) -> tuple[list[Chunk], float]:
        """The chunks found, best first, and how long the search took beside the embedding."""
        params, index = self.params, self.index
        depth = params.candidates if params.rerank else params.k
        vector = (await vectors_of([question], judge))[0] if self._embeds else None
        start = time.perf_counter()
        if vector is None:
            numbers = index.by_words(question, depth)
        elif params.retriever == "embedding":
            numbers = index.by_vector(self._embedder, vector, depth)
        else:
            numbers = index.by_both(question, self._embedder, vector, depth)
        ms = (time.perf_counter() - start) * 1000
        return [index.chunks[number] for number in numbers], ms

    async def _answer(self, question: str, chunks: Sequence[Chunk], judge: Judge, draw: int) -> str:
        if not chunks:
            return NO_ANSWER
        if self.params.generator == PASSAGE:
            return chunks[0].text
        if self._uses_llm:
            passages = tuple(chunk.text for chunk in chunks)
            return await judge(AnswerFromPassages(question, passages), draw)
        numbered, choices = await _choices(question, chunks, judge)
        helpful = [choice for choice in choices if choice.chosen]
        likely = sorted(helpful, key=lambda choice: -(choice.probability or 0.0))[:_MOST_SENTENCES]
        ids = {choice.id for choice in likely}
        return " ".join(text for name, text in numbered.items() if name in ids) or NO_ANSWER


def _ms(judge: Judge) -> float:
    return sum(reply.ms for reply in judge.replies)


_REVISION: Final = 1  # raised whenever the same configuration may answer otherwise


async def _choices(
    question: str, chunks: Sequence[Chunk], judge: Judge
) -> tuple[dict[str, str], Sequence[Choice]]:
    """The sentences of the chunks by their ids, and what the judge tells of them."""
    numbered = {
        f"{rank}.{number}": text
        for rank, chunk in enumerate(chunks, start=1)
        for number, text in enumerate(sentences(chunk.text), start=1)
    }
    passages = tuple(NumberedSentence(name, text) for name, text in numbered.items())
    return numbered, await judge(SelectSentences(question, passages)) if passages else ()


async def _reranked(question: str, chunks: Sequence[Chunk], judge: Judge) -> list[Chunk]:
    """The chunks, those first that the judge finds most likely to help."""
    _, choices = await _choices(question, chunks, judge)
    helps = {choice.id.partition(".")[0]: choice.passage or 0.0 for choice in choices}
    ranks = sorted(range(len(chunks)), key=lambda n: -helps.get(str(n + 1), 0.0))
    return [chunks[n] for n in ranks]


@asynccontextmanager
async def opened(
    system: System,
    data: Any,
    metrics: Sequence[Metric],
    store: str | Path,
    asking: Asking,
    settings: Settings,
) -> AsyncIterator[Any]:
    """The data as a system is asked them; a reference pipeline that has to answer is made ready."""
    if not isinstance(system, PipelineSystem):
        yield data
        return
    rows = await asyncio.to_thread(with_gold, data, system, metrics, asking)
    unknown, _ = await asyncio.to_thread(count, rows, system, metrics, store, asking)
    if not unknown:
        yield rows
        return
    async with system.opened(store, replace(settings, _shared=limits_of(asking))):
        yield rows


def with_gold(data: Any, system: System, metrics: Iterable[Metric], asking: Asking) -> Any:
    """The data; for a pipeline with the chunks to be found, where they say what these are.

    Gold that is not in the documents is refused only where a metric asks for it.
    """
    if not isinstance(system, PipelineSystem):
        return data
    strict = any("reference_context_ids" in metric.needs for metric in metrics)
    source = read(data, mapping=asking.mapping, limit=asking.limit, contexts=asking.contexts)
    return with_ranges(source, system.corpus.gold, lambda: system.index, strict=strict)


def with_found_gold(system: System, values: dict[str, Any]) -> dict[str, Any]:
    """The values of an answered sample; for a pipeline, with the gold chunks that were found."""
    if not isinstance(system, PipelineSystem) or GOLD_RANGES not in values.get("metadata", {}):
        return values
    return with_retrieved(values, system.index, system.pipeline.share)
