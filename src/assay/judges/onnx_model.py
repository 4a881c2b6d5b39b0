"""A model in an ONNX file: folder, tokenizer, passes; and a cross-encoder for re-ranking.

Every text is a pass of its own, on one core, and the cores work on different texts: a result then
depends neither on what is read beside it nor on how many cores there are.
"""

import hashlib
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from assay.errors import InputError, Unreadable, Unsupported
from assay.judge import AttributeBackend, Reply, Task
from assay.judges.data_digest import digest, whole_digest
from assay.judges.embedded import inference
from assay.judges.embedded.inference import Passes, aside, workers

if TYPE_CHECKING:
    import onnxruntime
    from tokenizers import Encoding, Tokenizer


LONGEST = (
    512  # tokens read at once by a model that could read more: few are trained on longer texts
)
_EXPORT = "export the model into a folder: optimum-cli export onnx --model NAME FOLDER"
_MODEL_PATHS = ("model.onnx", "onnx/model.onnx")
_LIMIT = 1_000_000  # a `model_max_length` above it means that none is known


@dataclass(frozen=True)
class Folder:
    """The files of one model."""

    model: Path  # the ONNX file
    tokenizer: Path  # its ``tokenizer.json``
    config: Mapping[str, Any]  # what ``config.json`` says
    longest: int  # how many tokens it reads at once, at most `LONGEST`
    pooling: Mapping[str, Any]  # what ``1_Pooling/config.json`` says, {} if there is none
    name: str  # the folder's name and a digest of all that could change a result

    @classmethod
    def at(cls, path: str | Path) -> "Folder":
        """The model in a folder, or the one of this ONNX file.

        Raises:
            InputError: If a file is missing or unreadable, or there are several models.
        """
        location = Path(path).expanduser()
        model = location if location.suffix == ".onnx" else _model(location)
        if not model.is_file():
            raise InputError(f"there is no model '{path}'", _EXPORT)
        is_beside = model.parent.name != "onnx" or (model.parent / "config.json").exists()
        root = model.parent if is_beside else model.parent.parent
        tokenizer = _existing(root / "tokenizer.json")
        if "model" not in _json_object(tokenizer):
            raise InputError(f"'{tokenizer}' is no tokenizer", f"copy it anew; or {_EXPORT}")
        config = _json_object(_existing(root / "config.json"))
        pooling = _optional(root / "1_Pooling" / "config.json")
        longest = _longest(config, _optional(root / "tokenizer_config.json"))
        read = (config.get("id2label"), pooling, longest)
        changing = [*_weights(model), digest(tokenizer), msgspec.json.encode(read, order="sorted")]
        total = hashlib.sha256(repr(changing).encode()).hexdigest()[:8]
        name = f"{root.resolve().name}/{model.name}@{total}"
        return cls(model, tokenizer, config, longest, pooling, name)


def _model(folder: Path) -> Path:
    if not folder.is_dir():
        raise InputError(f"there is no folder '{folder}'", _EXPORT)
    for name in _MODEL_PATHS:
        if (folder / name).is_file():
            return folder / name
    files = sorted([*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")])
    if len(files) == 1:
        return files[0]
    if files:
        fault = f"'{folder}' holds {len(files)} models"
        raise InputError(fault, f"name one: {', '.join(f'onnx:{path}' for path in files[:3])}")
    raise InputError(f"'{folder}' holds no ONNX model", _EXPORT)


def _weights(model: Path) -> list[str]:
    # Weights of more than two gigabytes are in files of their own beside the model.
    files = [path for path in sorted(model.parent.glob(f"{model.name}*")) if path.is_file()]
    return [whole_digest(path) for path in files]


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise InputError(f"there is no '{path}'", f"copy it from where the model is; or {_EXPORT}")
    return path


def _json_object(path: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"'{path}' is not a JSON object: {error}", "copy it anew") from error


def _optional(path: Path) -> dict[str, Any]:
    return _json_object(path) if path.is_file() else {}


def _longest(config: Mapping[str, Any], tokenizer: Mapping[str, Any]) -> int:
    limits = (tokenizer.get("model_max_length"), config.get("max_position_embeddings"))
    lengths = [int(n) for n in limits if isinstance(n, (int, float)) and 0 < n < _LIMIT]
    return min([LONGEST, *lengths])


Numbers = npt.NDArray[np.float32]
EncodedInput = tuple[tuple[int, ...], tuple[int, ...]]  # the ids and types of what is read at once

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_REMEMBERED = 256


class Network:
    """A loaded model: token ids to numbers, one text or pair of texts a pass.

    Attributes:
        folder: Its files.
        outputs: The shape of every output by its name, as the file declares it.

    Raises:
        InputError: If onnxruntime cannot load the file, or the model wants more than tokens.
    """

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self._tokenizer = _tokenizer(folder.tokenizer)
        self._session = _session(folder.model)
        self._inputs = {item.name: item.type for item in self._session.get_inputs()}
        self.outputs = {output.name: output.shape for output in self._session.get_outputs()}
        if unknown := set(self._inputs).difference(_INPUTS):
            fault = f"'{folder.model}' wants {', '.join(sorted(unknown))}"
            raise InputError(fault, f"export a model that reads {', '.join(_INPUTS)} only")
        self.passes: Passes[tuple[EncodedInput, str], Numbers] = Passes(
            self._run, lambda item: len(item[0][0]), _REMEMBERED
        )

        marks = self._tokenizer.encode("a").special_tokens_mask
        self._before = marks.index(0)  # special tokens before a text

    def room(self, *, pair: bool = False) -> int:
        """How many tokens are read at once, the special ones left out."""
        return self.folder.longest - self._tokenizer.num_special_tokens_to_add(is_pair=pair)

    def encoded(self, text: str) -> "Encoding":
        """The tokens of a text without the special ones."""
        return self._tokenizer.encode(text, add_special_tokens=False)

    def pair(self, first: str, second: str) -> EncodedInput:
        """Two texts as the model reads them together; the first one's end is cut if it must be."""
        room = self.room(pair=True)
        first_encoding, two = self.encoded(first), self.encoded(second)
        two.truncate(room)
        first_encoding.truncate(max(0, room - len(two.ids)))
        pair = self._tokenizer.post_process(first_encoding, two)
        return tuple(pair.ids), tuple(pair.type_ids)

    def windows(self, text: str, beside: str | None = None) -> list[EncodedInput]:
        """A text in equal parts that the model can read at once; one of no words if it is empty.

        Args:
            text: The text.
            beside: Read before every part, its end cut where it is longer than half of the room.
        """
        room, first = self.room(pair=beside is not None), None
        if beside is not None:
            first = self.encoded(beside)
            first.truncate(room // 2)
            room -= len(first.ids)
        encoded = self.encoded(text)
        count = max(1, -(-len(encoded.ids) // room))
        size = max(1, -(-len(encoded.ids) // count))
        encoded.truncate(size)  # the rest is in `overflowing`
        pairs = [(first, e) if first else (e, None) for e in (encoded, *encoded.overflowing)]
        encodings = [self._tokenizer.post_process(*pair) for pair in pairs]
        return [(tuple(encoding.ids), tuple(encoding.type_ids)) for encoding in encodings]

    def own(self, states: Numbers) -> Numbers:
        """Of what stands for the tokens of a window that of the text's own ones."""
        n_after = self._tokenizer.num_special_tokens_to_add(is_pair=False) - self._before
        return states[self._before : len(states) - n_after]

    def _run(self, item: tuple[EncodedInput, str]) -> Numbers:
        (ids, types), output = item
        inputs = {"input_ids": ids, "attention_mask": (1,) * len(ids), "token_type_ids": types}
        feed = {
            name: np.asarray([inputs[name]], np.int32 if "int32" in kind else np.int64)
            for name, kind in self._inputs.items()
        }
        (result,) = self._session.run([output], feed)
        numbers: Numbers = np.asarray(result[0], np.float32)
        return numbers


@lru_cache(maxsize=2)
def network(model: Path, name: str) -> Network:  # noqa: ARG001 - another state of the files
    """The model of an ONNX file, loaded once for all judges of a process."""
    return Network(Folder.at(model))


def _tokenizer(path: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _session(path: Path) -> "onnxruntime.InferenceSession":
    from onnxruntime.capi import onnxruntime_pybind11_state as raised

    try:
        return inference.load(str(path))
    except (
        raised.Fail,
        raised.InvalidArgument,
        raised.InvalidGraph,
        raised.InvalidProtobuf,
        raised.NotImplemented,
        raised.RuntimeException,
    ) as error:
        fault = f"'{path}' cannot be loaded: {' '.join(str(error).split())[:300]}"
        raise InputError(
            fault, "export or download it anew, with a newer onnxruntime if it asks so"
        ) from error


_VERSION: Final = "v1"  # raised whenever the same model may score otherwise
_OUTPUT: Final = "logits"
_RELEVANT: Final = frozenset(("relevant", "yes", "true", "positive"))
_EXPORT_CROSS_ENCODER: Final = "export one with optimum-cli export onnx --task text-classification"


@dataclass(frozen=True)
class ScorePassage(Task[float]):
    """How well a passage answers a question, as a number by which passages can be ranked."""

    question: str  # what was asked
    passage: str  # a passage

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
        output = self._network.passes([(probe, self._output)], self._threads)[0]
        if output.ndim > 1 or output.size > 2:
            shape = " x ".join(map(str, output.shape))
            fault = f"'{path}' is no cross-encoder: for a pair of texts it returns {shape} numbers"
            raise InputError(
                fault, f"name a model that returns one number, or two; {_EXPORT_CROSS_ENCODER}"
            )
        self._relevant = _relevant(folder.config, path) if output.size > 1 else 0

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
        raw, ms = await aside(lambda: self._score_passage(task), self._threads)
        return Reply(task.inputs(), raw, ms=ms, backend=self.name, kind=task.kind, draw=draw)

    def _score_passage(self, task: ScorePassage) -> tuple[str, float]:
        start = time.perf_counter()
        windows = self._network.windows(task.passage, task.question)
        outputs = self._network.passes(
            [(window, self._output) for window in windows], self._threads
        )
        score = max(map(self._score, outputs))
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
    relevant = [name.strip().lower() in _RELEVANT for name in names]
    if sum(relevant) != 1:
        fault = f"the labels of '{path}' do not say which means relevant: {', '.join(names)}"
        example = '"id2label": {"0": "irrelevant", "1": "relevant"}'
        raise InputError(fault, f"name a cross-encoder; its config.json says {example}")
    return relevant.index(True)
