"""Statements by the numbers of sentences; levels of atomicity and coverage as other questions."""

import json
from itertools import product

import pytest

from assay._store.integrity import reply_key
from assay.errors import Unreadable
from assay.prompt import Template
from assay.tasks import JudgeContexts, SplitStatements, SplitTexts
from support.over import over

LEVELS = list(product(("high", "low"), repeat=2))
OTHERS = LEVELS[1:]


def test_every_pair_of_levels_is_another_prompt_under_another_key():
    tasks = [SplitStatements("q", "t", *levels) for levels in LEVELS]
    assert len({task.prompt() for task in tasks}) == len(LEVELS)
    assert len({reply_key("judge", task, 0) for task in tasks}) == len(LEVELS)


def test_the_default_is_high_and_its_material_names_no_level():
    assert SplitStatements("q", "t") == SplitStatements("q", "t", "high", "high")
    assert SplitStatements("q", "t").inputs() == ("question:\n", "q", "\n", "text:\n", "t", "\n")


@over("levels", OTHERS)
def test_the_prompts_examples_show_the_level_that_is_asked_for(levels):
    text = "She was a physicist born in Warsaw in 1867. Her husband shared a Nobel Prize with her."
    task = SplitStatements("q", f"{text} Radium is a metal.", *levels)
    reply = task.prompt().partition("\nReply:\n")[2].partition("\n")[0]
    split = [statement.text for statement in task.read(reply)]
    year = any("1867" in text for text in split)
    assert (len(split), year) == {
        ("high", "low"): (3, False),
        ("low", "high"): (3, True),
        ("low", "low"): (3, False),
    }[levels]
    long = "".join(task.pieces(SplitStatements.template_for("all")))
    assert all(text in long for text in split[:-1])


@over("levels", LEVELS)
def test_a_users_own_template_is_kept_and_told_the_level(levels):
    own = Template(instruction="Zerlege den Text.", form="{}")
    prompt = "".join(SplitStatements("q", "t", *levels).pieces(own))
    assert prompt.startswith("Zerlege den Text.")
    assert ("do not take a sentence apart" in prompt) is (levels[0] == "low")
    assert ("leave out its side remarks" in prompt) is (levels[1] == "low")
    assert "Marie Curie" not in prompt


TEXT = "It rains [1]. He was born in Ulm and moved to Bern. Any questions?"
SPLIT = SplitStatements("Who was Einstein?", TEXT)


def said(*lists):
    return json.dumps({"statements": lists})


def test_a_sentence_is_named_by_its_number_and_what_is_written_out_finds_its_words():
    found = SPLIT.read(said(["1"], ["2", "Einstein was born in Ulm.", "Einstein moved to Bern."]))
    assert [s.text for s in found] == [
        "It rains.",
        "Einstein was born in Ulm.",
        "Einstein moved to Bern.",
    ]
    assert [TEXT[slice(*s.span)] for s in found] == [
        "It rains [1].",
        "born in Ulm",
        "moved to Bern",
    ]


def test_the_prompt_numbers_the_sentences_and_the_long_one_shows_the_text_as_it_is():
    assert "<1> It rains [1]. <2> He was" in SPLIT.prompt()
    assert "\nIt rains [1]. He was" in "".join(SPLIT.pieces(SplitStatements.template_for("all")))
    assert SPLIT.inputs()[-2] == TEXT


@over(
    "lists, reason",
    [
        ([["9", "It snows."]], "no number of the 3 sentences"),
        ([["one", "It snows."]], "no number"),
        ([["1"], ["3", ""]], "left out"),
        ([["1", "Einstein moved to Bern."], ["2", "He was born in Ulm."]], "is of sentence 2"),
        ([["1"], {"text": "a", "source": "b"}], "some statements are by sentence"),
    ],
)
def test_a_reply_that_does_not_fit_its_sentences_is_asked_for_again(lists, reason):
    with pytest.raises(Unreadable, match=reason):
        SPLIT.read(said(*lists))


def test_what_claims_nothing_may_be_left_out():
    assert len(SPLIT.read(said(["1"], ["2"]))) == 2
    assert SPLIT.read(said()) == ()


def test_several_texts_are_numbered_on_and_one_that_is_left_out_is_missing():
    task = SplitTexts("Who?", ("It rains.", "It pours. Bob is wet."))
    assert "<1> It rains." in task.prompt()
    assert "<2> It pours. <3> Bob is wet." in task.prompt()
    found = task.read(said(["1"], ["2"], ["3", "Bob, who is out, is wet."]))
    assert {n: [i.text for i in items] for n, items in found.items()} == {
        "t1": ["It rains."],
        "t2": ["It pours.", "Bob, who is out, is wet."],
    }
    assert list(task.read(said(["1"], ["2"]))) == ["t1"]


def test_the_long_form_chosen_for_single_texts_is_that_of_several():
    task, long = SplitTexts("Who?", ("It rains.",)), SplitStatements.template_for("all")
    assert '"texts": [{"id": "t1"' in "".join(task.pieces(long))
    assert "texts" in SplitTexts.schema_for(long)["properties"]


def test_short_verdicts_on_contexts_are_asked_for_without_a_reason_and_read_with_one():
    task = JudgeContexts("Q?", "Bob is wet.", ("It pours. Bob is wet.", "It snows."))
    reply = '{"verdicts": [["c1", "useful"], ["c2", "It is about snow.", "useless"]]}'
    first, second = task.read(reply)
    assert (first.useful, first.quote, first.reason) == (True, "Bob is wet.", "")
    assert (second.useful, second.reason) == (False, "It is about snow.")
    assert task.short_reply((first, second)) == reply.replace('", ', '",').replace(
        "], [", "],["
    ).replace(": [[", ":[[")
    with pytest.raises(Unreadable, match="neither useful nor useless"):
        task.read('{"verdicts": [["c1", "maybe"], ["c2", "useless"]]}')
