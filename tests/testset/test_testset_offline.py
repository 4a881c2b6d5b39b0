"""Test questions without a language model: what the rules ask, and what is not kept."""

import pytest

from assay.errors import InputError
from assay.tasks.contexts import NO_ANSWER
from assay.testset import Plan, PlanRow, generate
from assay.testset.passages import as_printed
from assay.testset.sentence_questions import facts
from assay.testset.structure_questions import found_in
from support.over import over

SMALL = frozenset("the a of in and shop lamp lamps pumps parts river".split())  # noqa: SIM905
GUIDE = """# Lamp shop

The Tarn bridge was opened in 1931. The Harbour Clearing Agency (HCA) is a body that checks every \
lamp of the port. The Tarn beacon is used to warn ships of the shallow water in front of the port. \
The pilots of the port call the HCA before they leave, and QZX once they are back. Every pilot \
tells QZX the hour.

## Options

| option | what it does |
|---|---|
| `--lamps N` | Show the number of lamps in the window. Default: 12. |
| `--shelf N` | Put the lamps on the shelf of this number. |

## Questions

### How long are lamps kept in the Tarn shop?

Lamps are kept for 14 days in the Tarn shop, from the day on which they were brought.
"""


def asked(sentence):
    return {fact.question: fact.answer for fact in facts(sentence, SMALL)}


@over(
    ("sentence", "question", "answer"),
    [
        ("The Tarn bridge was opened in 1931.", "When was the Tarn bridge opened?", "in 1931"),
        ("In 1931, Vera Holt opened the bridge.", "When did Vera Holt open the bridge?", "in 1931"),
        (
            "The Tarn lock is a basin between two gates.",
            "What is the Tarn lock?",
            "a basin between two gates",
        ),
        ("Vera Holt was an engineer from Tarn.", "Who was Vera Holt?", "an engineer from Tarn"),
        ("The Tarn lock has 12 gates.", "How many gates does the Tarn lock have?", "12 gates"),
        ("The Tarn tower is 57 metres tall.", "How tall is the Tarn tower?", "57 metres"),
        (
            "The Tarn town has a population of 3,200 people.",
            "What is the population of the Tarn town?",
            "3,200 people",
        ),
        (
            "The Tarn lock is located in the old harbour.",
            "Where is the Tarn lock located?",
            "in the old harbour",
        ),
        ("Vera Holt wrote the harbour rules.", "Who wrote the harbour rules?", "Vera Holt"),
        (
            "The Tarn kit includes a lamp and two pumps.",
            "What does the Tarn kit include?",
            "a lamp and two pumps",
        ),
        (
            "If the river rises, the SMF shall close both gates of the lock.",
            "What must the SMF do if the river rises?",
            "close both gates of the lock",
        ),
        (
            "The Tarn lock closed because the river was frozen.",
            "Why did the Tarn lock close?",
            "because the river was frozen",
        ),
        (
            "Reasoning about the height of the river is hard because it changes every hour.",
            "Why is reasoning about the height of the river hard?",
            "because it changes every hour",
        ),
    ],
)
def test_a_plain_sentence_is_asked_about(sentence, question, answer):
    assert asked(sentence).get(question) == answer


@over(
    "sentence",
    [
        "It was opened in 1931.",  # what was?
        "This lock is a basin between two gates.",
        "The Tarn lock was not opened in 1931.",
        "The Tarn lock is the same as the others.",
        "The lock may have been opened in 1931 or later, see figure 3.",
        "Clause 5.2 provides a list of all gates.",
        "The Tarn lock also contains a store of old lamps.",  # and what else?
        "The Tarn lock generally has 12 gates.",
        "The most common lamp was built in 1931.",
        "The mill of Inverly was built in 1726.",  # no adverb
        "Tarn University won the Lamp Prize of the port.",  # "who" is none
        "The Tarn beacon is the source of the light.",  # no kind of thing
        "Keepers of the port were a gift of the old town.",
        "Tarn until the old brigade was disbanded in July 1918.",
        "Tarn was used to represent scenes of the old film.",  # once
        "If no lamp of the shop is left, undefined is returned to the pilots of the port.",
    ],
)
def test_what_does_not_stand_alone_is_not_asked_about(sentence):
    assert not asked(sentence)


def structured(text, title="Guide"):
    return {one.question: one for one in found_in(text, [title], SMALL)}


def test_what_abbreviations_lists_glossaries_and_signatures_say():
    text = (
        "The Harbour Clearing Agency (HCA) checks lamps.\n\n"
        "The Tarn kit contains the following parts:\n- a lamp\n- two pumps\n\n"
        "**Wick trimmer**: a tool that cuts the burnt end of a wick.\n\n"
        "`light` burns the wick.\n\n```python\ndef light(wick, hours=3):\n    ...\n```\n"
    )
    found = structured(text)
    assert found["What does HCA stand for?"].answer == "Harbour Clearing Agency"
    parts = found["Which parts does the Tarn kit contain?"]
    assert parts.reference == "The Tarn kit contains the following parts: A lamp; Two pumps."
    assert text[slice(*parts.span)].startswith("The Tarn kit contains")
    assert "What does the term “Wick trimmer” mean?" in found
    assert found["What is the default of the parameter `hours` of `light`?"].answer == "3"


def test_what_tables_say():
    text = (
        "| lamp | weight | what it means |\n|---|---|---|\n| `TL4` | 3 kg | the one on the quay |\n"
    )
    found = structured(text)
    assert found["In “Guide”, what is the weight of the lamp `TL4`?"].reference == (
        "The weight of the lamp `TL4` is 3 kg."
    )
    assert "In “Guide”, what does the lamp `TL4` mean?" in found
    found = structured(
        "| tool | description |\n|---|---|\n| [Wick](https://a.example/wick) | Trims [wicks](lamps.md#wicks) by night |\n"
    )
    assert [one.question for one in found.values()] == ["In “Guide”, what is the tool “Wick”?"]
    assert [one.reference for one in found.values()] == [
        "The tool “Wick” is: Trims wicks by night."
    ]


MANUAL = """## Keep a lamp

```console
$ lamps keep --days 14
```

`lamps keep` puts a lamp on the shelf of its owner. Without `--days` every lamp stays for a year.
`colour` names the glass of the lamp. `--top` lists lamps, `--low` lists all pumps. With `--all` these are kept as well.

- `shelf`: where a lamp waits for its owner.

| state | what it means | what to do |
|---|---|---|
| `lost` | Nobody knows where the lamp is. | Ask the owner of the shelf |
"""


def test_what_manuals_say():
    found = {question: one.answer for question, one in structured(MANUAL).items()}
    assert found == {
        "In “Guide”, which command do you run to keep a lamp?": "lamps keep --days 14",
        "What does `lamps keep` do?": "puts a lamp on the shelf of its owner",
        "In “Guide”, what happens if `--days` is not given?": "Every lamp stays for a year",
        "In “Guide”, what is `shelf`?": "Where a lamp waits for its owner",
        "In “Guide”, what does the state `lost` mean?": "Nobody knows where the lamp is",
        "In “Guide”, what can you do if the state is `lost`?": "Ask the owner of the shelf",
    }


def test_what_a_list_of_options_says():
    text = (
        "OPTIONS\n       -k, --keep days\n           This option keeps the lamps of the shop\n"
        "           for N days.  Use with care.\n\n       -h, --help\n           Print a "
        "short help text.\n\n       --old   Same as --keep with no days.\n"
        "       --shelf N   Puts the lamp on the shelf N.\n"
    )
    found = {question: one.answer for question, one in structured(text).items()}
    assert found == {
        "In “Guide”, what is the option `--keep` for?": "Keeps the lamps of the shop for N days.",
        "In “Guide”, what is the option `--shelf` for?": "Puts the lamp on the shelf N.",
    }


@over(
    ("text", "questions"),
    [
        ("## What each lamp is for?\n\nIt is for the pilots of the port.\n", []),
        ("## Is that all about the lamps?\n\nIt is all that the pilots know.\n", []),
        ("## Why lamps?\n\nThe pilots of the port have no other light.\n", []),
        ("## How can I help?\n\nBring a lamp to the shop.\n", []),
        ("## Which lamps can pilots bring?\n\nBring one of the following:\n", []),
        ("## Which lamps can pilots bring?\n\nAll of them.\n\nSmall ones are free.\n", ["All of them. Small ones are free."]),
        ("- Optional: A lamp of the shop, where the pilots are\n  kept.\n", []),
        ("- `--shelf=top` - The shelf at the top of the shop.\n", []),
        ('#### `shelf`\n\n- Type: Text\n- Default: "top"\n\nWhere lamps are.\n', ['"top"']),
        ("#### `shelf`\n\n- Default: A shelf of oak\n", ["A shelf of oak"]),
        ("#### `shelf`\n\n- Default: null\n- Type: Text\n\nWhere lamps are.\n", []),
        ("Listing 3: A lamp of the shop, where the pilots keep it.\n", []),
        ("- `-1`: To the left of the lamp on the quay.\n", []),
        ("## `lamps.sort()`\n\nAdded in version 3 of the shop.\n", []),
        ("The `lamps.sort()` method puts the lamps in order.\n", ["puts the lamps in order"]),
        ("`--lamps` names the lamps of the shop.\n", ["names the lamps of the shop"]),
        ("The `lamps.sort()` method takes the name of an order.\n", []),
        ("## `lamps.sort()`\n\nSee the order of all lamps of the shop.\n", []),
        ("## `lamps!`\n\nUse braces around all lamps of the shop.\n", []),
        ("## `lamps`\n\nSet when all lamps of the shop are lit.\n", []),
        ("- **shelf** `number` - A shelf. Default: `[404, 500]`\n", ["`[404, 500]`"]),
        ("- `shelf` {number} The shelf. **Default:** `12`.\n", ["`12`"]),
        ("- **shelf** `number` - A shelf. Default: `null`\n", []),
        ("## `lamps`\n\nList of lamps that the pilots of the port keep.\n", []),
        ("- `shelf`: Takes a boolean argument, as the pilots do.\n", []),
        ("| topic | notes | description |\n|---|---|---|\n| Oil | | If you have none, buy some oil |\n", []),
    ],
)  # fmt: skip
def test_what_is_no_question_and_what_its_answer_is(text, questions):
    assert [one.answer for one in structured(text).values()] == questions


def test_a_command_that_is_a_heading_is_for_what_stands_below_it():
    text = "## `lamps list`\n\nLists all lamps of the shop. It takes a second.\n"
    (fact,) = structured(text).values()
    assert fact.question == "What is `lamps list` for?"
    assert fact.reference == "`lamps list` lists all lamps of the shop."


def test_a_table_of_frequent_questions_is_asked_as_it_stands(tmp_path):
    rows = [
        {"question": "Which cards are taken?", "answer": "Visa and the card of the port of Tarn."},
        {"question": "Do you send lamps to Tarn?", "answer": "Yes, within 7 days, for 12 euros."},
    ]
    made = generate(rows, Plan(n=4), judge="embedded", store=tmp_path / "a.db")
    kept = {question.question: question.reference for question in made.questions}
    assert kept == {row["question"]: row["answer"] for row in rows}


def test_a_title_that_asks_for_all_of_it_is_no_question():
    text = "The pilots of the port have no other light."
    assert not structured(text, "Why lamps?")
    assert "Why do pilots carry lamps?" in structured(text, "Why do pilots carry lamps?")


def test_a_manual_is_asked_about_in_the_name_of_its_title_alone():
    assert list(structured(MANUAL, "guide.md"))[-1] == "What does `lamps keep` do?"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    store = tmp_path_factory.mktemp("offline") / "a.db"
    return generate([{"id": "guide.md", "text": GUIDE}], Plan(n=20), judge="embedded", store=store)


def test_questions_have_evidence_where_it_stands(made):
    by_question = {question.template: question for question in made.questions}
    assert {"time", "abbreviation", "option", "faq"} <= by_question.keys()
    for row in made.rows():
        for quote, place in zip(row["quotes"], row["evidence"], strict=True):
            assert GUIDE[place["start"] : place["end"]] == quote
    assert by_question["time"].reference == "The Tarn bridge was opened in 1931."


def test_what_the_documents_do_not_say_is_asked_too(made):
    unanswerable = [q for q in made.questions if q.kind == "unanswerable"]
    assert {q.question for q in unanswerable} >= {
        "What is the default of the option `--shelf`?",
        "What does QZX stand for?",
    }
    assert {q.reference for q in unanswerable} == {NO_ANSWER}
    assert not any("HCA" in q.question for q in unanswerable)


CINEMA = (
    "Tarn Nights ( TN ) is a British drama film that is set in the port of Tarn . The film was "
    "first released in the port on 22 April 2014 , and the league does require at least eight lamps ."
)


def test_tokens_are_printed_and_the_film_has_its_name(tmp_path):
    documents = [{"id": "a", "text": CINEMA}]
    made = generate(documents, Plan(n=9), judge="embedded", store=tmp_path / "a.db")
    asked = {question.question: question for question in made.questions}
    released = asked["When was Tarn Nights first released in the port?"]
    assert released.reference == "Tarn Nights was first released in the port on 22 April 2014."
    assert released.quotes[0].startswith("The film was first released in the port on")
    assert asked["How much did it cost to produce Tarn Nights?"].kind == "unanswerable"
    assert as_printed("Yemen 's capital ( Sana'a ) is n't self - owned .") == (
        "Yemen's capital (Sana'a) isn't self-owned."
    )


def test_code_is_marked_in_questions_and_what_is_quoted_is_a_name(tmp_path):
    text = (
        "The word `raw` says that a lamp has no glass. `raw` is used to order new glass from the "
        "shop of the port.\n\n| pattern | what to do |\n|---|---|\n"
        "| low light, high water | Ask the pilots for a longer chain |\n"
    )
    made = generate(
        [{"id": "a.md", "text": text, "title": "Words"}],
        Plan(n=9),
        judge="embedded",
        store=tmp_path / "a.db",
    )
    assert {question.question for question in made.questions} >= {
        "In “Words”, what is `raw` used for?",
        "In “Words”, what can you do if the pattern is low light, high water?",
    }


def test_the_same_seed_makes_the_same_questions(made, tmp_path):
    documents = [{"id": "guide.md", "text": GUIDE}]
    again = generate(documents, Plan(n=20), judge="embedded", store=tmp_path / "b.db")
    assert again.rows() == made.rows()


def test_a_question_with_two_answers_is_dropped(tmp_path):
    filler = " ".join(
        ["The keepers of the port write down what they see on every day of the week."] * 3
    )
    documents = [
        {"id": name, "text": f"The {long} (TLS) keeps the port. {filler}"}
        for name, long in (("a", "Tarn Lamp Service"), ("b", "Town Lock Society"))
    ]
    made = generate(documents, Plan(n=5), judge="embedded", store=tmp_path / "a.db")
    assert "What does TLS stand for?" not in {q.question for q in made.questions}
    assert "ambiguous" in {rejected.why for rejected in made.rejected}


def test_what_a_name_says_by_itself_and_what_all_is_about_are_not_asked(tmp_path):
    table = (
        "| error | what it means |\n|---|---|\n| `SocketError` | There is an error of the socket |"
    )
    other = "| `PilotLost` | Nobody knows where the pilot of the lamp is |"
    text = (
        f"# Tarn guide\n\nTarn contains a harbour of oak and two old lamps.\n\n{table}\n{other}\n"
    )
    pages = [
        {"id": f"{n}.md", "text": f"# Tarn {n}\n\n{'In Tarn lamps burn at night. ' * 9}"}
        for n in range(12)
    ]
    made = generate(
        [{"id": "guide.md", "text": text}, *pages],
        Plan(n=9),
        judge="embedded",
        store=tmp_path / "a",
    )
    questions = [question.question for question in made.questions]
    assert "In “Tarn guide”, what does the error `PilotLost` mean?" in questions
    assert not [one for one in questions if "SocketError" in one or "Tarn contain" in one]


def test_keywords_have_words_from_around_the_answer(tmp_path):
    documents = [{"id": "guide.md", "text": GUIDE}]
    plan = Plan(rows=(PlanRow("single_hop", 12, "keywords"),))
    made = generate(documents, plan, judge="embedded", store=tmp_path / "a.db")
    assert {row["style"] for row in made.rows()} == {"keywords"}
    (opened,) = (q for q in made.questions if q.template == "time")
    assert opened.question.startswith("when Tarn bridge opened ")
    around = opened.question.removeprefix("when Tarn bridge opened ").split()
    assert len(around) == 3
    assert all(word in GUIDE and word not in opened.reference for word in around)
    for row in (PlanRow("single_hop", 2, "typos"), PlanRow("single_hop", 2, "keywords", "a pilot")):
        with pytest.raises(InputError, match="styles but keywords take a language model"):
            generate(documents, Plan(rows=(row,)), judge="embedded", store=tmp_path / "a.db")


def test_reasoning_takes_a_language_model(tmp_path):
    with pytest.raises(InputError, match="take a language model"):
        generate(
            [{"id": "a", "text": GUIDE}],
            Plan(n=5, kinds={"reasoning": 1}),
            judge="embedded",
            store=tmp_path / "a.db",
        )
