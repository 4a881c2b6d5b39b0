"""`assay check --corpus-before --corpus-after`: what a change of the documents does to questions."""

import json
import subprocess

from cli_help import write_rows

from assay.testset import check_freshness
from support.over import over

BEFORE = """# Shop

Lamps are kept for 14 days after a sale. Refunds take at least 3 days and go
to the card. Parcels travel by train.

- Sale items *cannot* be returned.

The shop was opened by Anna Berg. Coffee costs $5 in the shop.
"""
QUESTIONS = {
    "lamps": ("How long are lamps kept?", "14 days"),
    "refunds": ("How long do refunds take?", "At least 3 days."),
    "parcels": ("How do parcels travel?", "by train"),
    "sale": ("Can sale items be returned?", "Sale items cannot be returned."),
    "opened": ("Who opened the shop?", "Anna Berg"),
    "coffee": ("What does coffee cost?", "$5"),
}


def checked(assay, here, after, *, rows=(), code):
    """The state of each question and the titles of new parts, once the page reads like this."""
    asked = [{"id": i, "question": q, "reference": r} for i, (q, r) in QUESTIONS.items()]
    write_rows(here / "set.jsonl", [*asked, *rows])
    for folder, text in (("before", BEFORE), ("after", after)):
        (here / folder).mkdir(exist_ok=True)
        (here / folder / "shop.md").write_text(text, "utf-8")
    folders = ("--corpus-before", "before", "--corpus-after", "after")
    result = assay("check", "set.jsonl", *folders, "--json")
    assert result.exit_code == code
    found = json.loads(result.stdout)["set.jsonl"]
    states = {each["id"]: each["state"] for each in found["questions"]}
    return states, [part["title"] for part in found["new_parts"]]


def changed(old, new):
    assert old in BEFORE
    return BEFORE.replace(old, new)


def test_nothing_changes_where_nothing_changed(assay, here):
    assert checked(assay, here, BEFORE, code=0) == (dict.fromkeys(QUESTIONS, "valid"), [])


@over(
    "after",
    [
        BEFORE.replace("and go\nto", "and\ngo to").replace("take at least 3", "take at least\n3"),
        changed("- Sale items *cannot* be", "1. **Sale items** cannot be"),
        changed("Parcels travel by train.", "") + "\n# Post\n\nParcels travel by train.\n",
        changed("Anna Berg", "[Anna Berg](https://example.com/anna)"),
    ],
)
def test_what_it_looks_like_and_where_it_stands_does_not_count(assay, here, after):
    assert checked(assay, here, after, code=0)[0] == dict.fromkeys(QUESTIONS, "valid")


@over(
    ("row", "old", "new"),
    [
        ("lamps", "14 days", "30 days"),
        ("refunds", "at least 3", "at most 3"),
        ("sale", "*cannot*", "can"),
        ("opened", "Anna Berg", "Maria Roth"),
        ("opened", "The shop was opened by Anna Berg. ", ""),
        ("parcels", "travel by", "never travel by"),
        ("coffee", "$5", "€5"),
    ],
)
def test_a_fact_that_changed_invalidates_its_question_alone(assay, here, row, old, new):
    states, _ = checked(assay, here, changed(old, new), code=2)
    assert states == {**dict.fromkeys(QUESTIONS, "valid"), row: "invalidated"}


@over(
    ("row", "old", "new"),
    [
        ("refunds", "and go\nto the card", "and are\npaid to the card"),
        ("parcels", "Parcels travel by train.", "In most years parcels travel by train."),
        (
            "lamps",
            "Lamps are kept for 14 days after a sale.",
            "# Time\n\nAfter 14 days it is sold.",
        ),
    ],
)
def test_a_fact_in_other_words_has_drifted(assay, here, row, old, new):
    states, _ = checked(assay, here, changed(old, new), code=0)
    assert states == {**dict.fromkeys(QUESTIONS, "valid"), row: "drifted"}


def test_a_number_is_sought_as_often_as_it_stood_there(assay, here):
    write_rows(here / "one.jsonl", [{"question": "How wide is the interval?", "reference": "95 %"}])
    rests = "The interval is 95 % wide, which people call three times its 95 % share.\n"
    (here / "a.md").write_text(rests, "utf-8")
    for now, state in (
        (rests.replace("95 % wide", "97 % wide"), "invalidated 1"),
        (rests.replace("three", "3"), "drifted 1"),
    ):
        (here / "b.md").write_text(now, "utf-8")
        result = assay("check", "one.jsonl", "--corpus-before", "a.md", "--corpus-after", "b.md")
        assert state in result.stdout


def test_one_of_two_places_that_changed_makes_its_question_drift(assay, here):
    twice = BEFORE + "\n# Again\n\nParcels travel by train.\n"
    write_rows(here / "one.jsonl", [{"question": "How?", "reference": "Parcels travel by train."}])
    (here / "a.md").write_text(twice, "utf-8")
    (here / "b.md").write_text(twice.replace("train.\n\n-", "ship.\n\n-"), "utf-8")
    result = assay("check", "one.jsonl", "--corpus-before", "a.md", "--corpus-after", "b.md")
    assert "one of the places that said it no longer does" in " ".join(result.stdout.split())


def test_new_parts_without_a_question_are_named(assay, here):
    gifts = "\n# Gifts\n\nEvery customer gets a blue pencil in December. It is free of charge.\n"
    states, parts = checked(assay, here, BEFORE + gifts, code=0)
    assert (set(states.values()), parts) == ({"valid"}, ["shop.md > Gifts"])


def test_what_nothing_answered_may_be_answered_now(assay, here):
    none = {"id": "none", "question": "Which pencil do customers get?", "answerable": False}
    assert checked(assay, here, BEFORE, rows=[none], code=0)[0]["none"] == "valid"
    gifts = "\n# Gifts\n\nCustomers get a blue pencil in December.\n"
    states, parts = checked(assay, here, BEFORE + gifts, rows=[none], code=0)
    assert (states["none"], parts) == ("drifted", [])


def test_what_the_documents_never_held_is_untraced(assay, here):
    ghost = {"id": "ghost", "question": "Who haunts the shop?", "reference": "Lord Quux"}
    assert checked(assay, here, BEFORE, rows=[ghost], code=0)[0]["ghost"] == "untraced"


def test_the_report_shows_what_stood_there_and_what_stands_there_now(assay, here):
    checked(assay, here, changed("14 days", "30 days"), code=2)
    result = assay("check", "set.jsonl", "--corpus-before", "before", "--corpus-after", "after")
    assert "6 questions: invalidated 1, drifted 0, valid 5, untraced 0" in result.stdout
    assert "no longer there: '14'" in result.stdout
    assert "- Lamps are kept for 14 days after a sale." in result.stdout
    assert "+ Lamps are kept for 30 days after a sale." in result.stdout


def test_two_revisions_of_a_folder_in_git(assay, here):
    git = ("git", "-C", str(here), "-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run([*git, "init", "-q"], check=True)
    for tag, text in (("v1", BEFORE), ("v2", changed("14 days", "30 days"))):
        (here / "docs").mkdir(exist_ok=True)
        (here / "docs" / "shop.md").write_text(text, "utf-8")
        subprocess.run([*git, "add", "docs"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", tag], check=True)
        subprocess.run([*git, "tag", tag], check=True)
    rows = [{"id": "a", "question": "How long are lamps kept?", "reference": "14 days"}]
    write_rows(here / "set.jsonl", rows)
    between = ("--corpus-before", "v1:docs", "--corpus-after", "v2:docs")
    result = assay("check", "set.jsonl", *between)
    assert (result.exit_code, "invalidated 1" in result.stdout) == (2, True)
    result = assay("check", "set.jsonl", "--corpus-before", "v9:docs", "--corpus-after", "docs")
    assert result.exit_code == 2
    assert "there is no folder 'v9:docs'" in result.stderr
    assert "REVISION:FOLDER" in result.stderr


@over(
    ("options", "message"),
    [
        (("--corpus-before", "docs"), "there is no --corpus-after"),
        (("--corpus-after", "docs"), "there is no --corpus-before"),
        (("--corpus-before", "a", "--corpus-after", "b", "--design"), "--design is not for"),
        (("--corpus-before", "a", "--corpus-after", "b"), "there is no file 'a'"),
        (("--corpus-before", "v1..v2", "--corpus-after", "b"), "'v1..v2' is a range of revisions"),
        (("--corpus-before", "v1..:a", "--corpus-after", "b"), "'v1..:a'"),
        (("--json",), "--json is for --design and --corpus-before"),
    ],
)
def test_what_is_missing_or_does_nothing_is_refused(assay, here, options, message):
    write_rows(here / "set.jsonl", [{"question": "Who?", "reference": "He"}])
    result = assay("check", "set.jsonl", *options)
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr


def test_a_sentence_that_shares_a_word_with_the_reference_is_no_evidence(assay, here):
    row = {
        "id": "far",
        "question": "When is it open?",
        "reference": "Customers queue patiently, night and day, outside the shop for bargains.",
        "reference_contexts": ["The shop was opened by Anna Berg."],
    }
    states, _ = checked(assay, here, BEFORE, rows=[row], code=0)
    assert states == {**dict.fromkeys(QUESTIONS, "valid"), "far": "untraced"}


def test_a_quote_says_which_sentence_a_reference_rests_on():
    before = [{"id": "shop", "text": "Lamps stay for 14 days. A lamp is kept long. Oil is sold."}]
    after = [{"id": "shop", "text": "Lamps stay for 14 days. Oil is sold."}]
    row = {"id": "a", "question": "How is a lamp kept?", "reference": "For a good while."}
    (found,) = check_freshness([row], before=before, after=after).questions
    assert found.state == "untraced"
    quoted = {**row, "reference_contexts": [before[0]["text"]], "quotes": ["lamp is *kept* long"]}
    (found,) = check_freshness([quoted], before=before, after=after).questions
    assert (found.state, found.before) == ("invalidated", "A lamp is kept long.")


@over(
    ("before", "after", "state"),
    [
        ("Parcels travel by train.", "Parcels travel by train no longer.", "invalidated"),
        (
            "Parcels travel by train to Kiel.",
            "Parcels travel by train to Kiel, but no parcel of glass does so.",
            "drifted",
        ),
        (
            "The clerk notes every parcel in a ledger whenever one arrives.",
            "The clerk notes every parcel in a ledger.",
            "drifted",
        ),
        (
            "The clerk notes every parcel in a ledger for 3 weeks.",
            "The clerk notes every parcel in a ledger.",
            "invalidated",
        ),
        (
            "Both glass and paper are packed by the clerk.",
            "Paper is packed by the clerk.",
            "invalidated",
        ),
        ("The sheet lists lamps and prices.", "It lists lamps and prices.", "drifted"),
        ("Each such price is written as JSON.", "Write each such price as JSON.", "drifted"),
    ],
)
def test_what_a_whole_sentence_says_still_holds_or_does_not(before, after, state):
    row = {"id": "a", "question": "What is done there?", "reference": before}
    editions = [[{"id": "d", "text": f"Lamps burn. {said}\n"}] for said in (before, after)]
    found = check_freshness([row], before=editions[0], after=editions[1]).questions[0]
    assert found.state == state, found
