"""How are the models that ship with assay loaded and run?

Every text is a pass of its own and the cores work on different texts at the same time: dynamic
quantisation picks one scale per tensor, so in a batch a result would depend on its neighbours
(measured: cosine 0.99 between the vectors of a text alone and in a batch of 16). A cached or
repeated number must not depend on such company. It is also the fastest way found on two cores.
"""

import os
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # loaded with the first text
    import onnxruntime
    from tokenizers import Tokenizer


def available_cores() -> int:
    """Cores this process may use: a container's share, not the machine's count.

    No more than OMP_NUM_THREADS says, which is how schedulers tell a process of its share.
    """
    affine = hasattr(os, "sched_getaffinity")
    found = len(os.sched_getaffinity(0)) if affine else os.cpu_count() or 1
    told = os.environ.get("OMP_NUM_THREADS", "")
    return min(found, int(told)) if told.isdecimal() and int(told) else found


def workers(threads: int | None) -> int:
    """How many texts are read at a time; all cores' worth if None.

    Raises:
        ValueError: If it is less than 1.
    """
    if threads is None:
        return available_cores()
    if threads < 1:
        message = f"threads must be at least 1, not {threads}"
        raise ValueError(message)
    return threads


def folder(name: str) -> Traversable:
    """Where a model's files are: "minilm" or "reader"."""
    return resources.files("assay.backends.embedded") / name


@cache
def session(name: str) -> "onnxruntime.InferenceSession":
    """A model of this package, ready to run; loaded once for all judges of a process."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # see the module's docstring: texts are what runs in parallel
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    model = folder(name).joinpath("model.onnx").read_bytes()
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


@cache
def tokenizer() -> "Tokenizer":
    """The tokenizer of both models."""
    from tokenizers import Tokenizer

    found = Tokenizer.from_str(folder("minilm").joinpath("tokenizer.json").read_text("utf-8"))
    found.no_truncation()
    found.no_padding()
    return found
