"""Is topic adherence counted over the topics that the user asks about, with what was done?"""

import pytest

from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.metrics import parse
from assay.metrics.topics import TopicAdherence
from assay.sample import Sample, Turn
from assay.score import Unscored
from assay.tasks import TopicAnswer, TopicMatch, judge_topics, match_topics, name_topics
from support import scripts
from support.scripts import Watched, score

TURNS = (
    Turn("user", "How do I descale the kettle? And which shares should I buy?"),
    Turn("assistant", "Descale the kettle with vinegar. I cannot advise on shares."),
)
SAMPLE = Sample(id="1", turns=TURNS, reference_topics=("the kettle", "ovens"))


def judge(answered, allowed):
    """Names a topic for each verdict: answered or not, and the place of its reference or None."""
    ids = [f"t{n}" for n in range(1, len(answered) + 1)]
    return Scripted(
        {
            "name_topics": name_topics.reply([f"topic {i}" for i in ids]),
            "judge_topics": judge_topics.reply(
                [TopicAnswer(i, yes, "as said") for i, yes in zip(ids, answered, strict=True)]
            ),
            "match_topics": match_topics.reply(
                [TopicMatch(i, place, "near") for i, place in zip(ids, allowed, strict=True)]
            ),
        }
    )


WORKED = [
    # answered, allowed, precision, recall, f1
    ((True, True, False, False), (0, None, 1, None), 1 / 2, 1 / 2, 1 / 2),
    ((True, False), (0, None), 1, 1, 1),
    ((True, True, True), (0, None, None), 1 / 3, 1, 1 / 2),
    ((True, False, False), (0, 0, 1), 1, 1 / 3, 1 / 2),
    ((False,), (0,), None, 0, 0),
    ((True,), (None,), 0, None, 0),
    ((False, False), (None, None), None, None, None),
]


@pytest.mark.parametrize(("answered", "allowed", "p", "r", "f"), WORKED)
async def test_worked_examples(answered, allowed, p, r, f):
    for mode, figure in (("precision", p), ("recall", r), ("f1", f)):
        found = await score(TopicAdherence(mode), SAMPLE, judge(answered, allowed))
        if figure is None:
            assert found.why == "undefined"
            assert len(found.parts) == len(answered)
        else:
            assert found.value == pytest.approx(figure)


async def test_every_topic_is_told_with_what_was_done_and_what_it_falls_under():
    found = await score(
        TopicAdherence(), SAMPLE, judge((True, True, False, False), (0, None, 1, None))
    )
    assert [(part.text, part.label, part.value) for part in found.parts] == [
        ("topic t1", "answered", 1.0),
        ("topic t2", "answered, off topic", 0.0),
        ("topic t3", "refused", 0.0),
        ("topic t4", "refused, off topic", None),
    ]
    assert found.parts[0].reason == "answered (as said); falls under: the kettle (near)"
    assert found.parts[3].reason == "refused (as said); falls under: no reference topic (near)"
    assert found.details["answered"] == 1


async def test_a_conversation_that_keeps_to_its_topics_scores_1():
    watched = Watched(scripts.plausible())
    found = await score(TopicAdherence(), SAMPLE, watched)
    assert found.value == 1
    assert [part.label for part in found.parts] == ["answered", "refused, off topic"]
    assert watched.kinds == {"name_topics": 1, "judge_topics": 1, "match_topics": 1}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"turns": ()}, "the user says nothing"),
        ({"turns": (Turn("assistant", "Hello."), Turn("user", " "))}, "the user says nothing"),
        ({"reference_topics": ()}, "there is no reference topic"),
        ({"reference_topics": (" ",)}, "there is no reference topic"),
    ],
)
async def test_where_there_is_nothing_to_judge_nobody_is_asked(changes, why):
    fields = {"turns": TURNS, "reference_topics": ("kettles",), **changes}
    watched = Watched(scripts.plausible())
    assert await score(TopicAdherence(), Sample(id="1", **fields), watched) == Unscored(
        "undefined", why
    )
    assert not watched.asked


async def test_a_user_who_asks_about_nothing_has_no_topics():
    backend = Scripted({"name_topics": name_topics.reply([])})
    found = await score(TopicAdherence(), SAMPLE, backend)
    assert found == Unscored("undefined", "the user asks about nothing")


def test_an_unknown_mode_is_refused():
    with pytest.raises(InputError, match="mode must be one of f1, precision, recall"):
        TopicAdherence("accuracy")
    assert parse("topic_adherence(mode=recall)") == TopicAdherence("recall")
