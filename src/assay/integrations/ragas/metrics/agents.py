"""The ready-made metrics of ragas for conversations and tools, each computed by assay."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.integrations.ragas.absent import refuse
from assay.integrations.ragas.metrics.base import Ready


@dataclass
class ToolCallAccuracy(Ready):
    """Share of the expected tool calls' arguments that were right: `tool_call_accuracy`."""

    metric = "tool_call_accuracy"
    columns = ("user_input", "reference_tool_calls")
    spoken = True
    name = "tool_call_accuracy"
    strict_order: bool = True
    arg_comparison_metric: Any = None

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """Whether order counts."""
        del fields
        if self.arg_comparison_metric is not None:
            refuse("arg_comparison_metric", "arguments are compared as values; leave it out")
        return {"strict_order": self.strict_order}


class ToolCallF1(Ready):
    """F1 of the tool calls: `tool_call_f1`."""

    metric = "tool_call_f1"
    columns = ("user_input", "reference_tool_calls")
    spoken = True
    name = "tool_call_f1"


@dataclass
class TopicAdherenceScore(Ready):
    """Whether a conversation keeps to its topics: `topic_adherence`."""

    metric = "topic_adherence"
    columns = ("user_input", "reference_topics")
    spoken = True
    name = "topic_adherence"
    passed = ("mode",)
    mode: str = "f1"


class AgentGoalAccuracyWithReference(Ready):
    """Whether a conversation ended as it should have: `agent_goal_accuracy`."""

    metric = "agent_goal_accuracy"
    columns = ("user_input", "reference")
    spoken = True
    name = "agent_goal_accuracy"


class AgentGoalAccuracyWithoutReference(Ready):
    """Whether a conversation ended as the user wanted: `agent_goal_accuracy_without_reference`."""

    metric = "agent_goal_accuracy_without_reference"
    columns = ("user_input",)
    spoken = True
    name = "agent_goal_accuracy"
