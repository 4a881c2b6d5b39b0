"""Test sets: questions written from one's own documents, by a language model or by rules.

Passages are drawn evenly from the documents, a language model writes a question about each, and
what it wrote is checked before it becomes a row of a data set. The model is asked as any judge is:
what it replied is kept, and the same call goes on where it was killed. Where the judge cannot
write, rules make the questions.
"""

from typing import TYPE_CHECKING

from assay._lazy import lazy_names

if TYPE_CHECKING:
    from assay.testset.checks import Finding, JudgeEvidence, RunEvidence
    from assay.testset.design import Design, check_design
    from assay.testset.documents import Document, read_documents
    from assay.testset.freshness import Freshness, NewPart, QuestionFreshness, check_freshness
    from assay.testset.generate import agenerate, estimate, generate
    from assay.testset.nuggets import NuggetSet, find_nuggets
    from assay.testset.plan import Plan, PlanRow
    from assay.testset.questions import Question, Rejected, Testset
    from assay.testset.review import Review, ReviewedQuestion

__all__ = [
    "Design",
    "Document",
    "Finding",
    "Freshness",
    "JudgeEvidence",
    "NewPart",
    "NuggetSet",
    "Plan",
    "PlanRow",
    "Question",
    "QuestionFreshness",
    "Rejected",
    "Review",
    "ReviewedQuestion",
    "RunEvidence",
    "Testset",
    "agenerate",
    "check_design",
    "check_freshness",
    "estimate",
    "find_nuggets",
    "generate",
    "read_documents",
]

_NAMES = {
    "assay.testset.checks": "Finding JudgeEvidence RunEvidence",
    "assay.testset.design": "Design check_design",
    "assay.testset.documents": "Document read_documents",
    "assay.testset.freshness": "Freshness NewPart QuestionFreshness check_freshness",
    "assay.testset.generate": "agenerate estimate generate",
    "assay.testset.nuggets": "NuggetSet find_nuggets",
    "assay.testset.plan": "Plan PlanRow",
    "assay.testset.questions": "Question Rejected Testset",
    "assay.testset.review": "Review ReviewedQuestion",
}
__getattr__ = lazy_names(__name__, _NAMES)
