"""A cross-encoder in an ONNX file: how well a passage answers a question, for re-ranking."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from assay.errors import InputError, Unreadable, Unsupported
from assay.judge import AttributeBackend, Reply, Task
from assay.judges.embedded.inference import aside, workers
from assay.judges.onnx_model import Folder, Network, Numbers, network
from assay.prompt import Material

_VERSION: Final = "v1"  # raised whenever the same model may score otherwise
_OUTPUT: Final = "logits"
_RELEVANT: Final = frozenset(("relevant", "yes", "true", "positive"))
_EXPORT: Final = "export one with optimum-cli export onnx --task text-classification"


@dataclass(frozen=True)
class ScorePassage(Task[float]):
    """How well a passage answers a question, as a number by which passages can be ranked.

    Attributes:
        question: What was asked.
        passage: A passage.
    """

    question: str
    passage: str

    def material(self) -> Sequence[Material]:
        """The question, then the passage."""
        return (Material("question", self.question), Material("passage", self.passage))

    def read(self, raw: str) -> float:
        """The score, high is good; raises Unreadable if it is no finite number."""
        try:
            score = float(raw)
        except ValueError as error:
            raise Unreadable("not a number", raw=raw) from error
        if not math.isfinite(score):
            raise Unreadable("a score that is not finite", raw=raw)
        return score


class CrossEncoder(AttributeBackend):
    """A model that reads question and passage together, run in this process.

    It returns one number, or two of which the second stands for "relevant" unless the labels in
    ``config.json`` say otherwise. A passage that is longer than the model reads at once is read in
    equal parts, the highest of whose scores counts (Dai and Callan 2019, MaxP).

    Args:
        path: The folder, as for `assay.judges.onnx.Onnx`.

    Raises:
        InputError: If a file is missing or broken, or the model is no cross-encoder.
    """

    local = True

    def __init__(self, path: str | Path) -> None:
        folder = Folder.at(path)
        self._name = f"cross-encoder-{_VERSION}:{folder.name}"
        self._network: Network = network(folder.model, folder.name)
        self._threads = workers(None)
        outputs = self._network.outputs
        self._output = _OUTPUT if _OUTPUT in outputs else next(iter(outputs))
        (probe,) = self._network.windows("passage", "question")
        made = self._network.passes([(probe, self._output)], self._threads)[0]
        if made.ndim > 1 or made.size > 2:
            shown = " x ".join(map(str, made.shape))
            what = f"'{path}' is no cross-encoder: for a pair of texts it returns {shown} numbers"
            raise InputError(what, f"name a model that returns one number, or two; {_EXPORT}")
        self._relevant = _relevant(folder.config, path) if made.size > 1 else 0

    @property
    def name(self) -> str:
        """The version of these rules, the folder's and file's names, and a digest of the files."""
        return self._name

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Its name for `ScorePassage`, None for anything else."""
        return self._name if kind is ScorePassage else None

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The score, and how long the model read for it."""
        if not isinstance(task, ScorePassage):
            raise Unsupported(f"{self.name} cannot do {task.kind}")
        raw, ms = await aside(lambda: self._scored(task), self._threads)
        return Reply(task.inputs(), raw, ms=ms, backend=self.name, kind=task.kind, draw=draw)

    def _scored(self, task: ScorePassage) -> tuple[str, float]:
        start = time.perf_counter()
        windows = self._network.windows(task.passage, task.question)
        made = self._network.passes([(window, self._output) for window in windows], self._threads)
        score = max(map(self._score, made))
        return repr(score), (time.perf_counter() - start) * 1000

    def _score(self, logits: Numbers) -> float:
        if logits.size == 1:
            return float(logits.item())
        return float(logits[self._relevant] - logits[1 - self._relevant])


def _relevant(config: Mapping[str, Any], path: str | Path) -> int:
    """The place, of two, of the label that means "relevant"."""
    labels = config.get("id2label") or {}
    names = [str(labels.get(str(n), f"LABEL_{n}")) for n in range(2)]
    if names == ["LABEL_0", "LABEL_1"]:
        return 1
    meant = [name.strip().lower() in _RELEVANT for name in names]
    if sum(meant) != 1:
        what = f"the labels of '{path}' do not say which means relevant: {', '.join(names)}"
        example = '"id2label": {"0": "irrelevant", "1": "relevant"}'
        raise InputError(what, f"name a cross-encoder; its config.json says {example}")
    return meant.index(True)
