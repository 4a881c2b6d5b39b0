"""ALCE: sentences, the contexts that they cite, and the exact numbers."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.metrics.attribution import CitationPrecision, CitationRecall, cited_sentences
from assay.sample import Sample
from assay.score import Unscored
from support.over import over
from support.scripts import Watched, score, verify_if

CONTEXTS = ("red", "blue", "green", "red and blue")


def judge(**entailed):
    """Each sentence ("A.") follows from these sets of contexts, and from larger ones."""

    def found(text, contexts):
        return any(set(one.split("+")) <= set(contexts) for one in entailed[text[0]].split("|"))

    return {"verify_statements": verify_if(found)}


async def both(answer, script, **parameters):
    """(recall, precision) as outcomes."""
    sample = Sample(id="1", answer=answer, contexts=CONTEXTS)
    return [
        await score(metric(**parameters), sample, script)
        for metric in (CitationRecall, CitationPrecision)
    ]


class TestReading:
    @over(
        ("answer", "cited", "outside"),
        [
            ("It is red [1].", (0,), ()),
            ("It is red.[1]", (0,), ()),
            ("It is red [1][3].", (0, 2), ()),
            ("It is red [1, 3].", (0, 2), ()),
            ("It is red [1-3].", (0, 1, 2), ()),
            ("It is red [3\u20134].", (2, 3), ()),
            ("It is red [2][2].", (1, 1), ()),
            ("It is red [1], and blue [2].", (0, 1), ()),
            ("It is red [1][9].", (0,), (9,)),
            ("It is red [0].", (), (0,)),
            ("It is red [1932].", (), ()),
            ("It is red (1).", (), ()),
            ("It is red.\n[1]", (0,), ()),
            ("It is red.\n([1])", (0,), ()),
            ("[1]\nIt is red.", (0,), ()),
            ("[1]\n\n- [2]\nIt is red [3].", (0, 1, 2), ()),
            ("It lies in [0,1] [1].", (0,), ()),
            ("The range is [1-5] [1].", (0,), ()),
            ("Choose [1] for red and [2] for blue [3].", (2,), ()),
            ("Use a[1] to read it.", (), ()),
            ("It is still in use [1].", (0,), ()),
            ("It is still in use [1], [2].", (0, 1), ()),
            ("It is still in use [1, 2].", (0, 1), ()),
            ("It is still in use [1][2].", (0, 1), ()),
            ("It is red[^1][^9].", (0,), (9,)),
            ("It is red [doc1][doc3].", (0, 2), ()),
            ("It is red (Source 1; Source 2).", (0, 1), ()),
            ("It is red (Source 1 and Source 2).", (0, 1), ()),
            ("It is red (Sources 1, 2).", (0, 1), ()),
            ("It is red. (Source 3)", (2,), ()),
            ("It is red【1†source】.【2†source】", (0, 1), ()),
            ("It is red.¹", (0,), ()),
            ("It is red [1, p. 3].", (0,), ()),
            ("It is red ([1], [2]).", (0, 1), ()),
            ("According to Source 2, it is red.", (1,), ()),
            ("Based on documents 1 and 2, it is red.", (0, 1), ()),
            ("Es ist rot (Quelle 2).\n\nQuellen:\n[1] Handbuch\n[2] Fakten", (1,), ()),
            ("It is red [2].\n\nSources:\n[1] handbook.pdf\n[2] facts.pdf", (1,), ()),
            ("It is red[^2].\n\n[^1]: handbook.pdf\n[^2]: facts.pdf", (1,), ()),
        ],
    )
    def test_citations_are_taken_from_the_sentence(self, answer, cited, outside):
        (sentence,) = cited_sentences(answer, 4, at_most=3)
        assert (sentence.cited, sentence.outside) == (cited, outside)

    def test_a_sentence_is_judged_without_its_marks_and_keeps_its_place(self):
        answer = "It is red [1][2]. It is blue, too [1, 3]."
        found = cited_sentences(answer, 4, at_most=3)
        assert [s.statement.text for s in found] == ["It is red.", "It is blue, too."]
        assert [answer[slice(*s.statement.span)] for s in found] == [
            "It is red [1][2].",
            "It is blue, too [1, 3].",
        ]

    @over(
        ("answer", "cited"),
        [
            ("It is red. [1] It is blue. [2]", [(0,), (1,)]),
            ("It is red.[1, 3] It is blue.[2]", [(0, 2), (1,)]),
            ("It is red.[1-2] It is blue.", [(0, 1), ()]),
            ("巴黎是首都。[1]它在塞纳河边。[2]", [(0,), (1,)]),
            ("[1] It is red. [2] It is blue.", [(0,), (1,)]),
            ("It is red [1].\n[2] It is blue. [3] It is old.", [(0,), (1,), (2,)]),
            ("It is red. As stated in source 2, it is blue.", [(), (1,)]),
        ],
    )
    def test_marks_after_a_full_stop_are_of_the_sentence_before_it(self, answer, cited):
        assert [s.cited for s in cited_sentences(answer, 4, at_most=3)] == cited

    @over("answer", ["It is red [1].", "It is red ([1])[^2].", "Based on source 1, It is red."])
    def test_no_mark_is_left_in_the_words(self, answer):
        (sentence,) = cited_sentences(answer, 4, at_most=3)
        assert sentence.statement.text == "It is red."

    @over("answer", ["[1]\nIt is red.", "It is red.\n([1])"])
    def test_marks_that_stand_alone_add_nothing_to_the_words(self, answer):
        (sentence,) = cited_sentences(answer, 4, at_most=3)
        assert sentence.statement.text == "It is red."
        assert sentence.statement.span == (0, len(answer))

    def test_no_more_than_the_first_few_count(self):
        (sentence,) = cited_sentences("It is red [1][2][3][4].", 4, at_most=2)
        assert sentence.cited == (0, 1)

    def test_at_most_is_above_0(self):
        with pytest.raises(InputError, match="at_most must be a number above 0"):
            CitationRecall(at_most=0)


class TestNumbers:
    async def test_recall_counts_sentences_and_precision_citations(self):
        # A: entailed, cited once. B: its citation does not bear it out. C: cites nothing.
        script = judge(A="red", B="green", C="red")
        recall, precision = await both("A is so [1]. B is so [2]. C is so.", script)
        assert recall.value == pytest.approx(1 / 3)
        assert precision.value == pytest.approx(1 / 2)
        assert [p.label for p in recall.parts] == ["supported", "unsupported", "no citation"]
        assert [p.label for p in precision.parts] == ["needed", "unsupported", "no citation"]
        assert [p.value for p in precision.parts] == [1, 0, None]

    async def test_of_several_citations_one_is_not_needed_if_the_others_do_without_it(self):
        # red alone entails A; blue does not, and without blue red still does.
        recall, precision = await both("A is so [1][2].", judge(A="red"))
        assert (recall.value, precision.value) == (1, 1 / 2)
        assert [p.label for p in precision.parts] == ["needed", "not needed"]

    async def test_citations_that_only_together_entail_are_all_needed(self):
        recall, precision = await both("A is so [1][2].", judge(A="red+blue"))
        assert (recall.value, precision.value) == (1, 1)

    async def test_citations_that_each_entail_are_all_needed_though_one_would_do(self):
        recall, precision = await both("A is so [1][2].", judge(A="red|blue"))
        assert (recall.value, precision.value) == (1, 1)

    async def test_no_citation_is_needed_where_all_together_do_not_entail(self):
        recall, precision = await both("A is so [1][2].", judge(A="green"))
        assert (recall.value, precision.value) == (0, 0)

    async def test_three_citations_by_the_rule(self):
        # red+blue entail; green is idle: red and blue fail without each other, green does not.
        _, precision = await both("A is so [1][2][3].", judge(A="red+blue"))
        assert precision.value == pytest.approx(2 / 3)
        assert [p.label for p in precision.parts] == ["needed", "needed", "not needed"]

    @over("form", ["[{}]", "[^{}]", "[doc{}]", "[citation:{}]", "(Source {})", "【{}†source】"])
    async def test_the_form_of_a_citation_changes_no_score(self, form):
        marks = [form.format(n) for n in (1, 2)]
        answer = f"A is so {marks[0]} {marks[1]}. B is so {marks[0]}."
        recall, precision = await both(answer, judge(A="red", B="green"))
        assert (recall.value, precision.value) == (1 / 2, 1 / 3)

    async def test_citations_without_a_number_make_no_score_and_are_named(self):
        for outcome in await both("A is so【4:0†source】. A is so (a.pdf, p. 3).", judge(A="red")):
            assert isinstance(outcome, Unscored)
            assert outcome.why == "undefined"
            assert "【4:0†source】, (a.pdf, p. 3)" in outcome.detail

    async def test_beside_numbered_ones_a_citation_without_a_number_counts_for_nothing(self):
        recall, precision = await both("A is so [1]. A is so【4:0†source】.", judge(A="red"))
        assert (recall.value, precision.value) == (1 / 2, 1)
        assert recall.parts[1].reason == "【4:0†source】 names no context by its number"

    async def test_a_list_of_sources_is_no_sentence_unless_it_was_asked_for(self):
        answer = "A is so [1].\n\nSources:\n[1] a handbook\n[2] a leaflet"
        script = judge(A="red", a="green")
        recall, _ = await both(answer, script)
        assert [p.text for p in recall.parts] == ["A is so."]
        sample = Sample(id="1", question="Name two sources.", answer=answer, contexts=CONTEXTS)
        asked_for = await score(CitationRecall(), sample, judge(A="red", S="red", a="green"))
        assert len(asked_for.parts) == 4

    async def test_a_citation_of_what_is_not_there_fails_the_sentence_and_is_named(self):
        recall, precision = await both("A is so [1][7]. A is so [1].", judge(A="red"))
        assert (recall.value, precision.value) == (1 / 2, 1)
        assert recall.parts[0].label == "out of range"
        assert "[7]" in recall.parts[0].reason
        assert "[7]" in precision.parts[0].reason

    async def test_without_any_citation_both_are_0_and_nobody_is_asked(self):
        watched = Watched(Scripted(judge(A="red")))
        recall, precision = await both("A is so. A is so.", watched)
        assert (recall.value, precision.value) == (0, 0)
        assert watched.asked == []

    @over("answer", [" ", "[1]", "[1][2].", "- [1]\n- [2]"])
    async def test_an_answer_without_a_sentence_is_undefined(self, answer):
        found = await both(answer, judge(A="red"))
        assert found == [Unscored("undefined", "the answer has no sentence")] * 2

    async def test_the_part_names_the_context_that_supports(self):
        recall, _ = await both("A is so [3][1].", judge(A="red"))
        assert recall.parts[0].reason.startswith("cites [3][1]")


def as_published(refs, n_contexts, entails):
    """ALCE's numbers, computed sentence by sentence: a check from first principles."""
    supported, needed, total = 0, 0, 0
    for sentence, ref in enumerate(refs):
        if not ref or max(ref) >= n_contexts:
            continue
        total += len(ref)
        if not entails(sentence, ref):
            continue
        supported += 1
        for i in range(len(ref)):
            rest = ref[:i] + ref[i + 1 :]
            idle = (
                len(ref) > 1 and not entails(sentence, ref[i : i + 1]) and entails(sentence, rest)
            )
            needed += not idle
    return supported / len(refs), needed / total if total else 0


@given(
    refs=st.lists(st.lists(st.integers(0, 4), max_size=3), min_size=1, max_size=4),
    seed=st.integers(0, 999),
)
async def test_on_any_citations_and_verdicts_the_numbers_are_those_of_alce(refs, seed):
    def entails(sentence, ref):
        return random.Random(f"{seed} {sentence} {sorted(set(ref))}").random() < 0.6

    def found(text, contexts):
        return entails(ord(text[0]) - ord("A"), [CONTEXTS.index(c) for c in contexts])

    answer = " ".join(
        f"{chr(ord('A') + n)} is so {''.join(f'[{i + 1}]' for i in ref)}."
        for n, ref in enumerate(refs)
    )
    recall, precision = await both(answer, {"verify_statements": verify_if(found)})
    expected = as_published(refs, len(CONTEXTS), entails)
    assert (recall.value, precision.value) == pytest.approx(expected)


async def test_sentences_that_cite_the_same_contexts_are_asked_about_together_and_once():
    watched = Watched(Scripted(judge(A="red", B="red+blue")))
    await both("A is so [1]. A is so [1]. B is so [1][2]. B is so [2][1].", watched)
    asked = {task for task, _ in watched.asked}
    # Both metrics: [1], [1][2] together; precision: red and blue alone for the last two.
    assert [len(task.contexts) for task, _ in watched.asked].count(2) == 2
    assert len(asked) == 4
