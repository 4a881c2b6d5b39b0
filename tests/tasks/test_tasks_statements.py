"""Atomicity and coverage: other levels are other questions, and the default one stays as it was."""

from itertools import product

from assay._store.keys import reply_key
from assay.prompt import Template
from assay.tasks import SplitStatements
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
    task = SplitStatements("q", "t", *levels)
    split = [statement.text for statement in task.read(task._asked.examples[0].reply)]
    year = any("1867" in text for text in split)
    assert (len(split), year) == {
        ("high", "low"): (2, False),
        ("low", "high"): (2, True),
        ("low", "low"): (2, False),
    }[levels]
    assert all(text in task.prompt() for text in split)


@over("levels", LEVELS)
def test_a_users_own_template_is_kept_and_told_the_level(levels):
    own = Template(instruction="Zerlege den Text.", form="{}")
    prompt = "".join(SplitStatements("q", "t", *levels).pieces(own))
    assert prompt.startswith("Zerlege den Text.")
    assert ("do not take a sentence apart" in prompt) is (levels[0] == "low")
    assert ("leave out its side remarks" in prompt) is (levels[1] == "low")
    assert "Marie Curie" not in prompt
