"""What asks a model for embeddings: one request for many texts."""

import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import Unavailable, Unsupported
from assay.judge import AttributeBackend, Reply, Task
from assay.prompt import Material
from assay.tasks import Embed, embed
from assay.tasks.embed import Vector


@dataclass(frozen=True)
class EmbedTexts(Task[tuple[Vector, ...]]):
    """The embeddings of several texts: what an `Embedder` is sent. Metrics ask `Embed`.

    Attributes:
        texts: The texts to embed.
    """

    texts: tuple[str, ...]

    def material(self) -> Sequence[Material]:
        """The texts."""
        return tuple([Material("text", text) for text in self.texts])

    def read(self, raw: str) -> tuple[Vector, ...]:
        """The vectors in order; raises Unreadable as `Embed`."""
        pairs = zip(self.texts, replies(raw), strict=True)
        return tuple([Embed(text).read(line) for text, line in pairs])


def replies(raw: str) -> list[str]:
    """The replies to `Embed` that a reply to `EmbedTexts` is made of, a line each."""
    return raw.split("\n")


class Embedder(AttributeBackend):
    """Base of back ends that ask a model for embeddings. They serve `Embed` and `EmbedTexts`.

    Args:
        name: Its name, with whatever could change a vector.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    @abstractmethod
    async def vectors(self, texts: list[str]) -> tuple[Sequence[Sequence[float]], int]:
        """A vector for each text, in order, and the tokens that were read in all.

        Raises:
            JudgeError: If nothing came.
        """

    @property
    def name(self) -> str:
        """Who embeds, and whatever is not default and could change a vector."""
        return self._name

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Its name for embeddings, None for anything else."""
        return self._name if issubclass(kind, Embed | EmbedTexts) else None

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The embeddings of the task's texts.

        Raises:
            Unsupported: If the task asks for something else.
            JudgeError: If nothing came.
        """
        if not isinstance(task, Embed | EmbedTexts):
            raise Unsupported(f"{self.name} is an embedder and cannot serve '{task.kind}'")
        texts = (task.text,) if isinstance(task, Embed) else task.texts
        start = time.perf_counter()
        vectors, tokens = await self.vectors(list(texts))
        if len(vectors) != len(texts):
            raise Unavailable(f"{self.name} made {len(vectors)} of {len(texts)} embeddings")
        return Reply(
            pieces=texts,
            raw="\n".join(map(embed.reply, vectors)),
            tokens_in=tokens,
            ms=(time.perf_counter() - start) * 1000,
            backend=self._name,
            kind=task.kind,
            draw=draw,
        )
