"""How is an embedding object of another library asked, whichever library it is of?"""

from collections.abc import Callable, Sequence
from functools import partial

from assay.integrations.calling import blocking
from assay.judges.embedder import Embedder

Embed = Callable[[list[str]], Sequence[Sequence[float]]]


class ObjectEmbedder(Embedder):
    """An embedding object, asked in a thread with many texts at once.

    Args:
        name: Its identity.
        embed: Its method: a vector for each text.
    """

    def __init__(self, name: str, embed: Embed) -> None:
        super().__init__(name)
        self._embed = embed

    async def vectors(self, texts: list[str]) -> tuple[list[list[float]], int]:
        """A vector for each text; see `Embedder`."""
        found = await blocking(self.name, partial(self._embed, texts))
        return [[float(x) for x in vector] for vector in found], sum(map(len, texts)) // 4
