"""A tiny model is fine-tuned by one step and read as ONNX."""

import json
import shutil
from importlib import resources
from pathlib import Path

import transformers

from assay.experiments.adapt import Adapting, adapt, embedding
from assay.experiments.fine_tuning import Training

base = Path("base")
sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
config = transformers.BertConfig(**sizes, intermediate_size=32, max_position_embeddings=64)
transformers.BertModel(config, add_pooling_layer=False).save_pretrained(base)
with resources.as_file(resources.files("assay.judges.embedded") / "minilm") as shipped:
    shutil.copy(shipped / "tokenizer.json", base)
(base / "1_Pooling").mkdir()
(base / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_mean_tokens": True}))
towers = [f"tower{n}" for n in range(12)]
corpus = [{"id": name, "text": f"The lamp of {name} is lit at dusk."} for name in towers]
questions = [
    {
        "id": f"{name} {word}",
        "question": f"{word} is lit of {name}?",
        "reference_context_ids": [name],
    }
    for name in towers
    for word in ("What", "When")
]
settings = Adapting(held_out=0.5, words=None, training=Training(epochs=1, threads=1))
adapt(base, corpus, questions, out="adapted", settings=settings)
assert embedding(Path("adapted"))(["a tower"]).shape == (1, 32)
