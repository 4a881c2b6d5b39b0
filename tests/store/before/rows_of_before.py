"""The rows, metrics and judge of the store `plausible.db`, which an earlier version wrote."""

from assay import METRICS, Sample, ToolCall, Turn, Variant

READ = ToolCall("read", {"id": "city0"})
CONTEXTS = (
    "Paris is the capital of France. It lies on the Seine.",
    "Bread is baked from flour and water.",
)
REFERENCE = "Paris is the capital of France. It lies on the Seine."
ROWS = [
    Sample(
        id=name,
        question="What is the capital of France?",
        contexts=CONTEXTS,
        answer=answer,
        reference=REFERENCE,
        reference_contexts=CONTEXTS[:1],
        context_ids=("city0", "bread"),
        reference_context_ids=("city0",),
        further_answers=(REFERENCE, "It is Paris."),
        other_answer="It is a city in France.",
        answerable=True,
        rubric={"1": "It names no city.", "5": "It names the capital."},
        turns=(
            Turn("user", "What is the capital of France?"),
            Turn("assistant", "", tool_calls=(READ,)),
            Turn("assistant", answer, CONTEXTS),
        ),
        reference_tool_calls=(READ, ToolCall("answer")),
        reference_topics=("capital of France",),
        variants=(
            Variant("noise", "Paris lies on the Seine.", ratio=0.4),
            Variant("counterfactual", REFERENCE),
        ),
        latency_ms=1200.0,
        cost=0.02,
        tokens=900,
    )
    for name, answer in {
        "quoting": 'It says: "Paris is the capital of France" [1]. Penguins founded it [2].',
        "refusing": "I do not know.",
    }.items()
]
LATER = {  # that version did not know
    "graded_faithfulness",
    *("access_leak", "pii_leakage", "crud:bleu", "crud:rouge_l", "gptscore", "menli_combined"),
    *("nugget_f", "nugget_recall", "selfcheck:bert_score", "selfcheck:mqag"),
}
METRIC_NAMES = sorted(METRICS.keys() - LATER)


class Silent:
    """The judge as the store knows it, which replies no more.

    Args:
        backend: Who answers in its name; nobody, where everything was answered before.
    """

    name = "plausible"

    def __init__(self, backend=None):
        self._backend = backend

    def identity(self, kind):
        """The same for every version of assay."""
        return f"plausible 1, {kind.kind}"

    async def reply(self, task, draw=0):
        """What the other one says."""
        assert self._backend is not None, f"{task.kind} was asked anew"
        return await self._backend.reply(task, draw)
