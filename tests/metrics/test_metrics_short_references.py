"""Is a right answer right by every metric, where the reference is a few words and no sentence?"""

from dataclasses import replace

from assay.conformance import SAMPLE
from assay.judges.embedded import Embedded
from assay.metrics import METRICS
from assay.sample import Variant
from assay.score import Unscored
from assay.tasks import NameEntities, VerifyStatements
from support.over import over
from support.scripts import plausible, score, split, useful, verify_if

# question, what answers it in a sentence, and in a few words
ASKED = [
    ("When was the Eiffel tower completed?", "The Eiffel tower was completed in 1889.", "1889"),
    ("Who designed the lighthouse?", "The lighthouse was designed by Ada Reed.", "Ada Reed"),
    ("What is the capital of France?", "Paris is the capital of France.", "Paris"),
    ("Is the tower open on Sundays?", "The tower is open on Sundays.", "Yes"),
    ("Which metal is liquid at 20 degrees?", "Mercury is liquid at 20 degrees.", "Mercury."),
    ("Wie hoch ist der Turm?", "Der Turm ist 42 Meter hoch.", "42 Meter"),
]
NAMES = ("1889", "Ada Reed", "Paris", "42 Meter", "Mercury")
# In a conversation the reference is the goal that it should reach, no answer.
WITH_REFERENCE = [
    name
    for name, kind in METRICS.items()
    if "reference" in kind.needs and "turns" not in kind.needs
]
# What is 0 by a definition that is not ours, as the docstring says.
ZERO = (
    {("bleu", words): "no 4-gram and scores 0 even if it equals" for _, _, words in ASKED}
    | {("crud:bleu", words): "0 where no 4-gram is shared" for _, _, words in ASKED}
    | {("ragas:context_entity_recall", "Yes"): "0 if the reference names no entity"}
)
# Where the answer is a whole sentence, what compares wording finds another one. What asks for
# verdicts does not, except for what says that it takes the texts as they stand.
BY_VERDICTS = [
    name
    for name in WITH_REFERENCE
    if VerifyStatements in METRICS[name].tasks
    and name not in ("ragas:factual_correctness", "menli_combined")
]


def row(question, sentence, answer, reference):
    """A sample with all that any metric needs, in which the context says the sentence."""
    return replace(
        SAMPLE,
        question=question,
        contexts=(sentence,),
        answer=answer,
        reference=reference,
        reference_contexts=(sentence,),
        further_answers=(answer, answer),
        rubric=None,
        variants=(
            Variant("noise", answer, contexts=(sentence,), ratio=0.5),
            Variant("counterfactual", answer, contexts=(sentence,)),
        ),
    )


def literal(sentence):
    """A judge to whom a few words say something only with their question, and follow from nothing
    but that."""

    def statements(task):
        return split(sentence if task.question else task.text)

    def follows(text, premises):
        # "Is it open? Yes" says what the sentence says.
        wanted = sentence if "?" in text else text
        return any(wanted.rstrip(".") in premise for premise in premises)

    return plausible(
        split_statements=statements,
        verify_statements=verify_if(follows),
        judge_contexts=useful(1),
        name_entities=lambda task: NameEntities.reply([n for n in NAMES if n in task.text]),
    )


def goodness(metric, found):
    """Where a score lies between the worst (0) and the best (1)."""
    low, high = metric.range
    share = (found.value - low) / (high - low)
    return share if metric.higher_is_better else 1 - share


@over("name", WITH_REFERENCE)
async def test_an_answer_that_is_the_reference_word_for_word_is_right(name):
    metric = METRICS[name]()
    for question, sentence, words in ASKED:
        found = await score(metric, row(question, sentence, words, words), literal(sentence))
        if why := ZERO.get((name, words)):
            assert why in " ".join(metric.__doc__.split())
        elif isinstance(found, Unscored):
            assert found.why == "undefined", words
        else:
            assert goodness(metric, found) >= 0.5, (words, found)


@over("name", BY_VERDICTS)
async def test_a_whole_sentence_is_right_beside_a_reference_of_a_few_words(name):
    metric = METRICS[name]()
    for question, sentence, words in ASKED:
        found = await score(metric, row(question, sentence, sentence, words), literal(sentence))
        assert goodness(metric, found) >= 0.5, (words, found)


async def test_what_it_is_about_with_the_embedded_judge():
    question, sentence, words = ASKED[0]
    names = ["noise_sensitivity", "ragchecker:precision", "factual_correctness"]
    sample = row(question, sentence, sentence, words)
    found = [await score(METRICS[name](), sample, Embedded()) for name in names]
    assert found[0].value == 0.0
    assert all(one.value >= 0.9 for one in found[1:])
