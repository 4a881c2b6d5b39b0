"""Kinds of questions as ragas 0.1 names them: keys of `distributions`."""

simple = "single_hop"
reasoning = "reasoning"
conditional = "reasoning"
multi_context = "multi_hop"
