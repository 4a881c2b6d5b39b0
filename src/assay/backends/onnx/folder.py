"""Which files make up a model? A folder as Hugging Face's tools export one; nothing is loaded."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from assay.backends.weights import digest, whole_digest
from assay.errors import InputError

LONGEST = (
    512  # tokens read at once by a model that could read more: few are trained on longer texts
)
_EXPORT = "export the model into a folder: optimum-cli export onnx --model NAME FOLDER"
_USUAL = ("model.onnx", "onnx/model.onnx")
_LIMIT = 1_000_000  # a `model_max_length` above it means that none is known


@dataclass(frozen=True)
class Folder:
    """The files of one model.

    Attributes:
        model: The ONNX file.
        tokenizer: Its ``tokenizer.json``.
        config: What ``config.json`` says.
        longest: How many tokens it reads at once, at most `LONGEST`.
        pooling: What ``1_Pooling/config.json`` says, {} if there is none.
        name: The folder's name and a digest of all that could change a result.
    """

    model: Path
    tokenizer: Path
    config: Mapping[str, Any]
    longest: int
    pooling: Mapping[str, Any]
    name: str

    @classmethod
    def at(cls, path: str | Path) -> "Folder":
        """The model in a folder, or the one of this ONNX file.

        Raises:
            InputError: If a file is missing or unreadable, or there are several models.
        """
        given = Path(path).expanduser()
        model = given if given.suffix == ".onnx" else _model(given)
        if not model.is_file():
            raise InputError(f"there is no model '{path}'", _EXPORT)
        beside = model.parent.name != "onnx" or (model.parent / "config.json").exists()
        root = model.parent if beside else model.parent.parent
        tokenizer = _there(root / "tokenizer.json")
        if "model" not in _object(tokenizer):
            raise InputError(f"'{tokenizer}' is no tokenizer", f"copy it anew; or {_EXPORT}")
        config = _object(_there(root / "config.json"))
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
    for usual in _USUAL:
        if (folder / usual).is_file():
            return folder / usual
    found = sorted([*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")])
    if len(found) == 1:
        return found[0]
    if found:
        what = f"'{folder}' holds {len(found)} models"
        raise InputError(what, f"name one: {', '.join(f'onnx:{path}' for path in found[:3])}")
    raise InputError(f"'{folder}' holds no ONNX model", _EXPORT)


def _weights(model: Path) -> list[str]:
    # Weights of more than two gigabytes are in files of their own beside the model.
    files = [path for path in sorted(model.parent.glob(f"{model.name}*")) if path.is_file()]
    return [whole_digest(path) for path in files]


def _there(path: Path) -> Path:
    if not path.is_file():
        raise InputError(f"there is no '{path}'", f"copy it from where the model is; or {_EXPORT}")
    return path


def _object(path: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"'{path}' is not a JSON object: {error}", "copy it anew") from error


def _optional(path: Path) -> dict[str, Any]:
    return _object(path) if path.is_file() else {}


def _longest(config: Mapping[str, Any], tokenizer: Mapping[str, Any]) -> int:
    told = (tokenizer.get("model_max_length"), config.get("max_position_embeddings"))
    known = [int(n) for n in told if isinstance(n, (int, float)) and 0 < n < _LIMIT]
    return min([LONGEST, *known])
