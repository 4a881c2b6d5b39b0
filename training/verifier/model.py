"""The network: MiniLM-L6 with a linear layer on every token.

Beside evidence each token of a statement says how likely it is unsupported and votes for one of
three classes; a statement's class is the mean of its tokens' votes. Beside a question the tokens
vote whether their sentence helps to answer it, and whether the whole text answers it. So one pass
over a window judges all texts in it, and nothing but six numbers a token leaves the model.
"""

from __future__ import annotations

from pathlib import Path

from torch import Tensor, nn
from transformers import BertModel

CLASSES = ("supported", "refuted", "neutral")
OUTPUT_NAMES = ("unsupported", *CLASSES, "helps", "answers")
OUTPUTS = len(OUTPUT_NAMES)
HIDDEN = -1e4  # bias of what a token does not see: an attention weight of exactly 0
TYPES = 6  # see assay.judges.embedded.reader


class Verifier(nn.Module):
    """Token ids and types to logits of (batch, length, 6), in the order of `OUTPUT_NAMES`."""

    def __init__(self, base: Path, *, attention: str = "sdpa") -> None:
        super().__init__()
        self.bert = BertModel.from_pretrained(
            base, add_pooling_layer=False, attn_implementation=attention
        )
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

    def forward(self, ids: Tensor, types: Tensor, positions: Tensor, visible: Tensor) -> Tensor:
        """Logits of every token; `visible` is (batch, length, length): which sees which."""
        # A ready-made bias keeps the library's own mask building out of the graph.
        bias = (~visible[:, None]).to(self.head.weight.dtype) * HIDDEN
        hidden = self.bert(
            input_ids=ids,
            attention_mask=bias,
            token_type_ids=types,
            position_ids=positions,
        ).last_hidden_state
        out: Tensor = self.head(hidden)
        return out

    def load(self, state: dict[str, Tensor]) -> None:
        """Take the weights of a checkpoint; what it has not learnt yet keeps its first values."""
        mine = self.state_dict()
        for name, value in state.items():
            both = tuple(
                slice(min(n, m)) for n, m in zip(value.shape, mine[name].shape, strict=True)
            )
            mine[name][both] = value[both]
        self.load_state_dict(mine)
