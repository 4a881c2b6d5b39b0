"""How are questions for a test written from one's own documents, and which of them are kept?

Passages are drawn evenly from the documents, a language model writes a question about each, and
what it wrote is checked before it becomes a row of a data set. The model is asked through the same
door as any judge: what it replied is kept, and the same call goes on where it was killed.
"""

from assay.testset.documents import Document, read_documents
from assay.testset.generate import Plan, agenerate, estimate, generate
from assay.testset.result import Question, Rejected, Testset

__all__ = [
    "Document",
    "Plan",
    "Question",
    "Rejected",
    "Testset",
    "agenerate",
    "estimate",
    "generate",
    "read_documents",
]
