"""What does a network in an ONNX file say of a text, or of two?

Every text is a pass of its own, on one core, and the cores work on different texts: a result then
depends neither on what is read beside it nor on how many cores there are.
"""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from assay.backends.embedded.inference import Passes
from assay.backends.onnx.folder import Folder
from assay.errors import InputError

if TYPE_CHECKING:  # loaded with the first text
    import onnxruntime
    from tokenizers import Encoding, Tokenizer

Numbers = npt.NDArray[np.float32]
Given = tuple[tuple[int, ...], tuple[int, ...]]  # the ids and types of what is read at once

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
        self._inputs = {given.name: given.type for given in self._session.get_inputs()}
        self.outputs = {made.name: made.shape for made in self._session.get_outputs()}
        if unknown := set(self._inputs).difference(_INPUTS):
            what = f"'{folder.model}' wants {', '.join(sorted(unknown))}"
            raise InputError(what, f"export a model that reads {', '.join(_INPUTS)} only")
        self.passes: Passes[tuple[Given, str], Numbers] = Passes(
            self._run, lambda given: len(given[0][0]), _REMEMBERED
        )

        marks = self._tokenizer.encode("a").special_tokens_mask
        self._before = marks.index(0)  # special tokens before a text

    def room(self, *, pair: bool = False) -> int:
        """How many tokens are read at once, the special ones left out."""
        return self.folder.longest - self._tokenizer.num_special_tokens_to_add(is_pair=pair)

    def encoded(self, text: str) -> "Encoding":
        """The tokens of a text without the special ones."""
        return self._tokenizer.encode(text, add_special_tokens=False)

    def pair(self, first: str, second: str) -> Given:
        """Two texts as the model reads them together; the first one's end is cut if it must be."""
        room = self.room(pair=True)
        one, two = self.encoded(first), self.encoded(second)
        two.truncate(room)
        one.truncate(max(0, room - len(two.ids)))
        both = self._tokenizer.post_process(one, two)
        return tuple(both.ids), tuple(both.type_ids)

    def windows(self, text: str) -> list[Given]:
        """A text in equal parts that the model can read at once; one of no words if it is empty."""
        encoded = self.encoded(text)
        count = max(1, -(-len(encoded.ids) // self.room()))
        size = max(1, -(-len(encoded.ids) // count))
        encoded.truncate(size)  # the rest is in `overflowing`
        parts = [self._tokenizer.post_process(e) for e in (encoded, *encoded.overflowing)]
        return [(tuple(part.ids), tuple(part.type_ids)) for part in parts]

    def own(self, states: Numbers) -> Numbers:
        """Of what stands for the tokens of a window that of the text's own ones."""
        behind = self._tokenizer.num_special_tokens_to_add(is_pair=False) - self._before
        return states[self._before : len(states) - behind]

    def _run(self, given: tuple[Given, str]) -> Numbers:
        (ids, types), output = given
        held = {"input_ids": ids, "attention_mask": (1,) * len(ids), "token_type_ids": types}
        feed = {
            name: np.asarray([held[name]], np.int32 if "int32" in kind else np.int64)
            for name, kind in self._inputs.items()
        }
        (result,) = self._session.run([output], feed)
        found: Numbers = np.asarray(result[0], np.float32)
        return found


@lru_cache(maxsize=2)
def network(model: Path, name: str) -> Network:  # noqa: ARG001 - another state of the files
    """The model of an ONNX file, loaded once for all judges of a process."""
    return Network(Folder.at(model))


def _tokenizer(path: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

    found = Tokenizer.from_file(str(path))
    found.no_truncation()
    found.no_padding()
    return found


def _session(path: Path) -> "onnxruntime.InferenceSession":
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as raised

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # texts are what runs in parallel
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    providers = ["CPUExecutionProvider"]
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=providers)
    except (
        raised.Fail,
        raised.InvalidArgument,
        raised.InvalidGraph,
        raised.InvalidProtobuf,
        raised.NotImplemented,
        raised.RuntimeException,
    ) as error:
        what = f"'{path}' cannot be loaded: {' '.join(str(error).split())[:300]}"
        raise InputError(
            what, "export or download it anew, with a newer onnxruntime if it asks so"
        ) from error
