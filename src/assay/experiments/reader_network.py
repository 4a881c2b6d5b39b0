"""The embedded reader's network in PyTorch (extra ``[adapt]``): read from its graph, and exported.

MiniLM-L6 with a linear layer on every token. Beside evidence each token of a statement says how
likely it is unsupported and votes for one of three classes; a statement's class is the mean of its
tokens' votes. Beside a question the tokens vote whether their sentence helps to answer it, and
whether the whole text answers it.
"""

import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from transformers import BertConfig, BertModel

OUTPUTS: Final = 6  # unsupported, supported, refuted, neutral, helps, answers
TYPES: Final = 6  # see assay.judges.embedded.reader
INPUTS: Final = ("ids", "types", "positions", "visible")
WORDS: Final = "bert.embeddings.word_embeddings.weight"  # never trained
_SIZES: Final = {"hidden_size": 384, "num_hidden_layers": 6, "intermediate_size": 1536}
_HIDDEN: Final = -1e4  # bias of what a token does not see: an attention weight of exactly 0
_QUANTISED: Final = "_quantized"


class Verifier(nn.Module):  # type: ignore[misc]
    """Token ids, types, positions and what each sees to logits of shape (batch, length, 6).

    Args:
        base: The folder of MiniLM-L6; None: weights are loaded afterwards.
        attention: As of transformers; only "eager" can be exported.
    """

    def __init__(self, base: Path | None = None, *, attention: str = "sdpa") -> None:
        super().__init__()
        how: dict[str, Any] = {"add_pooling_layer": False}
        if base is None:
            config = BertConfig(**_SIZES, attn_implementation=attention)
            self.bert = BertModel(config, **how)
        else:
            self.bert = BertModel.from_pretrained(base, attn_implementation=attention, **how)
        embeddings = self.bert.embeddings
        old = embeddings.token_type_embeddings.weight.data
        fresh = nn.Embedding(TYPES, old.shape[1])
        fresh.weight.data[:] = old[0]  # every type begins as what the base model was trained with
        embeddings.token_type_embeddings = fresh
        embeddings.word_embeddings.weight.requires_grad = False  # shared with the other models
        self.head = nn.Linear(old.shape[1], OUTPUTS)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)
        for module in self.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0

    def forward(
        self,
        ids: torch.Tensor,
        types: torch.Tensor,
        positions: torch.Tensor,
        visible: torch.Tensor,
    ) -> torch.Tensor:
        """Logits of every token; `visible` is (batch, length, length): which sees which."""
        # A ready-made bias keeps the library's own mask building out of the graph.
        bias = (~visible[:, None]).to(self.head.weight.dtype) * _HIDDEN
        hidden = self.bert(
            input_ids=ids, attention_mask=bias, token_type_ids=types, position_ids=positions
        ).last_hidden_state
        out: torch.Tensor = self.head(hidden)
        return out

    def load(self, state: Mapping[str, torch.Tensor]) -> None:
        """Take the weights of a checkpoint; what it has not learnt yet keeps its first values."""
        mine = self.state_dict()
        for name, value in state.items():
            sizes = zip(value.shape, mine[name].shape, strict=True)
            both = tuple(slice(min(size)) for size in sizes)
            mine[name][both] = value[both]
        self.load_state_dict(mine)


def export(verifier: Verifier, path: Path) -> None:
    """Write the fp32 graph with a dynamic length; the network's attention must be "eager"."""
    ids, seen = torch.arange(1000, 1009)[None], torch.ones(1, 9, 9, dtype=torch.bool)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter that traces is called old
        torch.onnx.export(
            verifier.eval(),
            (ids, torch.zeros_like(ids), torch.arange(9)[None], seen),
            str(path),
            input_names=list(INPUTS),
            output_names=["logits"],
            dynamic_axes={
                "visible": {1: "length", 2: "length"},
                **{name: {1: "length"} for name in (*INPUTS[:-1], "logits")},
            },
            opset_version=17,
            dynamo=False,  # the tracing exporter gives a smaller graph that needs no clean-up
        )


def quantise(source: Path, target: Path) -> None:
    """Int8 weights, a scale for every output channel, 7 bits so that no CPU saturates.

    One scale a tensor instead of one a channel costs a mean cosine difference of 0.12 to 0.18,
    measured; with one a channel it is below 0.01.
    """
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    prepared = source.with_name(f"{source.stem}-prepared.onnx")
    quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
    quantize_dynamic(
        str(prepared),
        str(target),
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,
    )
    onnx.checker.check_model(onnx.load(str(target)))


def save(state: Mapping[str, torch.Tensor], path: Path) -> None:
    """Write weights as the int8 graph that the embedded judge reads."""
    verifier = Verifier(attention="eager")
    verifier.load(state)
    with tempfile.TemporaryDirectory() as name:
        plain = Path(name) / "fp32.onnx"
        export(verifier, plain)
        quantise(plain, path)


def restored(graph: Path | bytes) -> dict[str, torch.Tensor]:
    """Every weight of an int8 graph under its name in `Verifier`, word vectors included.

    They are rounded to seven bits, which the first steps of training make good.
    """
    import onnx
    from onnx import numpy_helper

    content = graph if isinstance(graph, bytes) else graph.read_bytes()
    model = onnx.load_from_string(content).graph
    held = {each.name: numpy_helper.to_array(each) for each in model.initializer}
    found = {name: value for name, value in held.items() if name.endswith((".weight", ".bias"))}
    for name in held:
        if name.endswith(f".weight{_QUANTISED}"):
            plain = name.removesuffix(_QUANTISED)
            found[plain] = _exact(held, plain)
    for node in model.node:
        if node.op_type == "MatMulInteger":
            layer = node.name.removesuffix("/MatMul_quant").strip("/").replace("/", ".")
            matrix = _exact(held, node.input[1].removesuffix(_QUANTISED))
            found[f"{layer}.weight"] = matrix.T
    return {name: torch.tensor(value) for name, value in found.items()}


def _exact(held: Mapping[str, npt.NDArray[Any]], name: str) -> npt.NDArray[np.float32]:
    """What the int8 values stand for, in float32."""
    values, zero = (held[f"{name}{end}"].astype(np.float32) for end in (_QUANTISED, "_zero_point"))
    exact: npt.NDArray[np.float32] = (values - zero) * held[f"{name}_scale"].astype(np.float32)
    return exact


def mean(
    one: Mapping[str, torch.Tensor], other: Mapping[str, torch.Tensor], share: float
) -> dict[str, torch.Tensor]:
    """Every weight as `share` of the second one's and the rest of the first one's."""
    both = one.keys() & other.keys()  # a small checkpoint is without word vectors
    return {name: torch.lerp(one[name].float(), other[name].float(), share) for name in both}
