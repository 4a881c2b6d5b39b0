"""Plain text and reStructuredText are read as their marks and their layout say."""

import pytest

from assay.testset import Plan, generate, read_documents
from support.over import over


def read(tmp_path, text, name="page.txt"):
    path = tmp_path / name
    path.write_text(text)
    (found,) = read_documents(path)
    return found.text


@over(
    ("text", "markdown"),
    [
        ("Title\n=====\n\nPart\n----\n\nLast\n====", "# Title\n\n## Part\n\n# Last"),
        ("****\nBook\n****\n\nPart\n****", "# Book\n\n## Part"),
        ("max_delay\n---------\n\nText.", "# `max_delay`\n\nText."),
        ("Two\nlines of it.", "Two lines of it."),
        (
            "Use ``-x`` or :option:`--all` of :func:`~lamps.light`, see :ref:`the list <x>`.",
            "Use `-x` or `--all` of `light()`, see the list.",
        ),
        ("`The shop <https://a.example>`_ has |n| lamps_ [1]_.", "The shop has |n| lamps."),
        (".. |n| replace:: 12\n\nIt has |n|.", "It has 12."),
        (
            "Run it::\n\n    lamps list\n\nThen look.",
            "Run it:\n\n```text\nlamps list\n```\n\nThen look.",
        ),
        (".. code-block:: sh\n   :linenos:\n\n   $ lamps", "```sh\n$ lamps\n```"),
        (">>> 1 + 1\n2\n\nText.", "```python\n>>> 1 + 1\n2\n```\n\nText."),
        ("* one\n  goes on\n* two\n\n  * inner", "- one goes on\n- two\n  - inner"),
        ("#. one\n#. two", "1. one\n1. two"),
        ("lamp\n    A light.\n``wick``\n    Burns.", "- **lamp**: A light.\n- `wick`: Burns."),
        (":Author: Vera\n:param int days: How long.", "- **Author**: Vera\n- `days`: How long."),
        (
            "-a, --all  Show all.\n-n N       So many.",
            "- `-a, --all`: Show all.\n- `-n N`: So many.",
        ),
        (
            "====  ====\nlamp  cost\n====  ====\nlow   3\n      or 4\n====  ====",
            "| lamp | cost |\n|---|---|\n| low | 3 or 4 |",
        ),
        (
            "+---+---+\n| a | b |\n+===+===+\n| c | d |\n|   | e |\n+---+---+",
            "| a | b |\n|---|---|\n| c | d e |",
        ),
        (
            ".. list-table::\n   :header-rows: 1\n\n   * - a\n     - b\n   * - c\n     - d",
            "| a | b |\n|---|---|\n| c | d |",
        ),
        (
            '.. csv-table:: Lamps\n   :header: lamp, "cost, each"\n\n   ``low``, 3\n   "high, red", |n|',
            "| lamp | cost, each |\n|---|---|\n| `low` | 3 |\n| high, red | \\|n\\| |",
        ),
        (
            ".. csv-table::\n   :delim: ;\n   :header-rows: 1\n\n   a; b\n   c; d\n   one",
            "| a | b |\n|---|---|\n| c | d |",
        ),
        (".. csv-table::\n   :file: lamps.csv\n\nText.", "Text."),
        (".. csv-table::\n   :delim: none\n\n   a none b\n\nText.", "Text."),
        (".. comment\n   goes on\n\n.. _label:\n\nText.", "Text."),
        (".. toctree::\n\n   one\n\n.. note:: Mind\n   it.", "Mind it."),
        (
            ".. class:: Lamp(wick)\n\n   A light.\n\n   .. method:: out()\n\n      Ends it.",
            "# `Lamp()`\n\nA light.\n\n## `out()`\n\nEnds it.",
        ),
        (
            ".. function:: light(n=3)\n\n   Burns.\n\n   .. versionadded:: 2.1",
            "# `light()`\n\nBurns.\n\n```python\ndef light(n=3)\n```\n\nAdded in version 2.1.",
        ),
        (".. option:: --all\n\n   Show all.", "- `--all`: Show all."),
        (
            ".. confval:: shelf_days\n   :type: int\n   :default: ``14``\n\n   How long.",
            "# `shelf_days`\n\n- **Default**: `14`\n\nHow long.",
        ),
        ("| one\n| two", "one\ntwo"),
    ],
)
def test_restructured_text_is_written_as_markdown(tmp_path, text, markdown):
    assert read(tmp_path, text, "page.rst") == markdown


LONG = "The keeper of the tower lights every lamp of the port at night"


@over(
    ("text", "markdown"),
    [
        (f"Lamps\n\n{LONG},\nand puts it out.", f"# Lamps\n\n{LONG}, and puts it out."),
        (
            "Lamps\n\n1. Scope\n\nText.\n\n1.1 Terms\n\nMore.",
            "# Lamps\n\n## Scope\n\nText.\n\n### Terms\n\nMore.",
        ),
        ("Lamps\n\nINSTALLATION\n\nText.", "# Lamps\n\n## INSTALLATION\n\nText."),
        (
            "Lamps\n\nScope\n\n   One.\n\n   Two.\n\n   Three.\n\n   Four.\n\n   Five.",
            "# Lamps\n\n## Scope\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.",
        ),
        ("Lamps\n\nIt has:\n * a wick\n * a glass", "# Lamps\n\nIt has:\n\n- a wick\n- a glass"),
        ("Lamps\n\nCall `light' or `out()'.", "# Lamps\n\nCall `light` or `out()`."),
        (
            "Lamps\n\nName    Cost\n------------\nlow        3\nhigh      12",
            "# Lamps\n\n| Name | Cost |\n|---|---|\n| low | 3 |\n| high | 12 |",
        ),
        (
            "Lamps\n\n    $ lamps list --all\n\nText.",
            "# Lamps\n\n```text\n$ lamps list --all\n```\n\nText.",
        ),
        ("Lamps\n\n-a\n--all\n    Show all.", "# Lamps\n\n- `-a, --all`: Show all."),
        ("A poem\nin two lines,\nNo more.", "A poem in two lines, No more."),
        ("Vera Holt\nTarn\nPort", "Vera Holt\nTarn\nPort"),  # no paragraph
        (
            "# Lamps\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\nx\n```\n\n- one\n- two",
            "# Lamps\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\nx\n```\n\n- one\n- two",
        ),
        ("\x1b[1mLamps\x1b[0m\n\nText _\x08of it.", "# Lamps\n\nText of it."),
    ],
)
def test_plain_text_is_written_as_markdown(tmp_path, text, markdown):
    assert read(tmp_path, text) == markdown


def test_pages_lose_their_heads_and_feet_and_their_words_are_whole(tmp_path):
    pages = [
        f"Port rules {n}\n{day}: {LONG}, and the harbour mas-\nter reads the log of {day}.\n"
        f"{day} is when nobody else\nmay do so, except on {day} for the well-\nknown pilots of {day}.\n{n}"
        for n, day in enumerate(("Monday", "Tuesday", "Friday", "Saturday", "Sunday"), 1)
    ]
    text = read(tmp_path, "\f".join(pages) + "\f\nThe log is well kept, by known people.")
    assert "Port rules" not in text
    assert "the harbour master reads" in text
    assert "well-known pilots" in text
    assert not [line for line in text.splitlines() if line.isdigit()]


def test_a_page_of_man_is_read_by_its_sections(tmp_path):
    text = """LAMPS(1)                    Lamp Manual                    LAMPS(1)

NAME
       lamps - list the lamps

OPTIONS
   Of lists
       -a, --all
              Show all lamps of the port, also those that the  keeper  men‐
              tions nowhere.  Is like --every, but it has no effect on har-
              bours.

              Never sorted.

       -o file
              Write it there.

Tarn                         May 2024                      LAMPS(1)
"""
    assert read(tmp_path, text) == (
        "## NAME\n\nlamps - list the lamps\n\n## OPTIONS\n\n### Of lists\n\n"
        "- `-a, --all`: Show all lamps of the port, also those that the keeper mentions nowhere. "
        "Is like --every, but it has no effect on harbours.\n\n  Never sorted.\n\n"
        "- `-o file`: Write it there."
    )


@pytest.mark.parametrize("name", ["page.txt", "page.rst"])
def test_any_text_is_read_without_loss_of_words(tmp_path, name):
    text = "* \n- \n\n..\n\n::\n\n=== ===\n\n+--+\n|\n\n:a:\n\n-x\n\n>>> \n\n```\n\n1. \n   word"
    assert "word" in read(tmp_path, text, name)


@pytest.mark.parametrize("name", ["page.txt", "page.rst"])
def test_lists_without_end_within_each_other_are_read(tmp_path, name):
    assert "word" in read(tmp_path, "- " * 3000 + "word", name)


def test_a_manual_in_restructured_text_is_asked_about(tmp_path):
    (tmp_path / "lamps.rst").write_text(
        "Lamp manual\n===========\n\n.. confval:: shelf_days\n   :default: 14\n\n"
        "   How long a lamp waits on its shelf for the owner.\n\n   .. versionadded:: 2.1\n\n"
        ".. function:: light(wick)\n\n   Return the number of hours that the lamp burns.\n\n"
        "   :param wick: The length of the thread in millimetres.\n"
    )
    made = generate(tmp_path, Plan(n=12, seed=1), judge="embedded", store=tmp_path / "a.db")
    asked = {question.question: question.reference for question in made.questions}
    where = "In “Lamp manual”, "
    assert asked[f"{where}what is the default of `shelf_days`?"].endswith("is 14.")
    assert asked[f"{where}in which version was `shelf_days` added?"].endswith("version 2.1.")
    assert f"{where}what does `light()` return?" in asked
    assert f"{where}what is the parameter `wick` of `light()`?" in asked
