"""Questions written from documents, under ragas' names: see `generator`."""

from functools import partial

from assay.integrations.ragas.absent import missing
from assay.integrations.ragas.testset.generator import Testset, TestsetGenerator, TestsetSample

__all__ = ["Testset", "TestsetGenerator", "TestsetSample"]

__getattr__ = partial(missing, "testset")
