"""How does a model in an ONNX file answer tasks? A verifier verifies, an encoder embeds."""

import time
from functools import partial
from pathlib import Path
from typing import Any

from assay.backends.embedded.inference import aside, workers
from assay.backends.onnx.encoder import Encoder
from assay.backends.onnx.folder import Folder
from assay.backends.onnx.network import network
from assay.backends.onnx.verifier import Verifier
from assay.errors import Unsupported
from assay.judge import Reply, Task
from assay.tasks import Embed, EmbedTokens, VerifyStatements, embed, embed_tokens, verify_statements

VERSION = "v1"  # raised whenever the same model may answer otherwise
_CLASSIFIER = "ForSequenceClassification"


class Onnx:
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
        return self.name if kind in self._able() else None

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """What the model says, in the form in which an LLM is asked to reply."""
        if type(task) not in self._able():
            raise Unsupported(f"{self.name} cannot do {task.kind}")
        start = time.perf_counter()
        raw = await aside(lambda: self._said(task), self._threads)
        ms = (time.perf_counter() - start) * 1000
        return Reply(task.inputs(), raw, ms=ms, backend=self.name, kind=task.kind, draw=draw)

    def _able(self) -> tuple[type[Task[Any]], ...]:
        if self._verifier:
            return (VerifyStatements,)
        return (Embed, EmbedTokens) if self._encoder and self._encoder.states else (Embed,)

    def _said(self, task: Task[Any]) -> str:
        if self._verifier and isinstance(task, VerifyStatements):
            return verify_statements.reply(self._verifier.verdicts(task))
        if self._encoder and isinstance(task, EmbedTokens):
            tokens, vectors = self._encoder.tokens(task.text)
            return embed_tokens.reply(tokens, vectors.tolist())
        if self._encoder and isinstance(task, Embed):
            return embed.reply(self._encoder.vector(task.text).tolist())
        raise Unsupported(f"{self.name} cannot do {task.kind}")
