"""Kinds of questions as ragas 0.1 names them: keys of `distributions`."""

from functools import partial

from assay.integrations.ragas.absent import missing

simple = "single_hop"
reasoning = "reasoning"
conditional = "reasoning"
multi_context = "multi_hop"


__getattr__ = partial(missing, "testset.evolutions")
