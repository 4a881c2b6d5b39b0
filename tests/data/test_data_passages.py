"""Are passages that stand in one text taken apart, and one passage never?"""

import csv

import pandas as pd
import pytest
from data_help import load, one, read, refused

import assay
from assay.data import samples
from support.over import over

PIECES = (
    "The Danube rises in the Black Forest. It flows through ten countries.",
    "Emma is a novel by Jane Austen. It was published in December 1815, in three volumes.",
    "A tender is ready after four hours on high. On low it takes six to eight hours or longer.",
    "The tower was opened on 31 March 1889. It was the tallest building for some forty years.",
)
LONG = tuple(f"{piece} " * 4 for piece in PIECES)


def rows(join, n=6, pieces=PIECES, **more):
    """Rows of two to four passages, each another text."""
    texts = [[f"{piece.strip()} ({row})" for piece in pieces[: 2 + row % 3]] for row in range(n)]
    return [{"question": "q", "answer": "a", "contexts": join(each), **more} for each in texts]


def noted(data, **options):
    found = samples(read(data, **options), needs={})
    return list(found), found.notes


def labelled(word):
    return lambda texts: "\n\n".join(f"{word} {n}: {text}" for n, text in enumerate(texts, 1))


JOINS = {
    "'---' lines": "\n---\n".join,
    "'===' lines": "\n\n===\n\n".join,
    "'|||'": " ||| ".join,
    "'[sep]'": " [SEP] ".join,
    "their labels": labelled("Passage"),
    "their tags": lambda texts: "\n".join(f"<document>{text}</document>" for text in texts),
    "numbers in brackets": lambda texts: "\n".join(
        f"[{n}] {text}" for n, text in enumerate(texts, 1)
    ),
}


class TestJoinedPassages:
    @over("name", JOINS)
    def test_are_taken_apart_and_that_is_said(self, name):
        found, notes = noted(rows(JOINS[name]))
        assert [len(sample.contexts) for sample in found] == [2, 3, 4, 2, 3, 4]
        assert found[1].contexts == tuple(f"{piece} (1)" for piece in PIECES[:3])
        told = f"contexts of 6 of 6 rows were split at {name} into 2 to 4 passages"
        assert notes == [
            f"{told}; --contexts whole (contexts= of Settings in Python) keeps them whole"
        ]

    @over("word", ["Document", "CONTEXT", "chunk", "### Source", "[Doc"])
    def test_that_are_labelled_are_known_in_a_single_row(self, word):
        mark = "]" if word.startswith("[") else ":"
        text = f"{word} 1{mark} {PIECES[0]}\n{word} 2{mark} {PIECES[1]}"
        assert one({"context": text}).contexts == PIECES[:2]

    def test_that_are_numbered_are_taken_apart_where_they_are_long(self):
        def join(texts):
            return "\n".join(f"{n}. {text}" for n, text in enumerate(texts, 1))

        found, notes = noted(rows(join, pieces=LONG))
        assert len(found[2].contexts) == 4
        assert "split at their numbers" in notes[0]
        steps, notes = noted(rows(join))
        assert {len(sample.contexts) for sample in steps} == {1}
        assert "--contexts 'numbered'" in notes[0]
        assert len(noted(rows(join), contexts="numbered")[0][2].contexts) == 4

    def test_stay_whole_or_are_split_elsewhere_if_the_user_wants_it(self):
        whole, notes = noted(rows("\n---\n".join), contexts="whole")
        assert {len(sample.contexts) for sample in whole} == {1}
        assert notes == []
        split, notes = noted(rows("\n\n".join), contexts="\n\n")
        assert [len(sample.contexts) for sample in split[:3]] == [2, 3, 4]
        assert r"split at '\n\n' into 2 to 4 passages" in notes[0]
        with pytest.raises(assay.InputError, match="contexts is ''"):
            assay.Settings(contexts="")

    def test_are_found_in_columns_of_the_right_contexts_too(self):
        data = rows("\n---\n".join)
        data = [{"question": "q", "reference_contexts": row["contexts"]} for row in data]
        found, notes = noted(data)
        assert len(found[2].reference_contexts) == 4
        assert notes[0].startswith("reference_contexts of 6 of 6 rows were split")

    def test_are_found_in_rows_after_those_that_were_looked_at(self, tmp_path):
        path = tmp_path / "many.csv"
        with path.open("w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, ["question", "answer", "contexts"])
            writer.writeheader()
            writer.writerows(rows("\n---\n".join, n=500))
        found, notes = noted(path)
        assert len(found[-1].contexts) == 2 + 499 % 3
        assert notes[0].startswith("contexts of 500 of 500 rows")

    def test_are_the_same_with_a_limit(self, tmp_path):
        assert len(load(rows("\n---\n".join), limit=1)[0].contexts) == 2
        taken = []

        def lazily():
            for row in rows("\n---\n".join):
                taken.append(row)
                yield row

        load(lazily(), limit=2)
        assert len(taken) == 2

    def test_with_fewer_ids_than_pieces_are_none(self):
        (*_, last), _ = noted(rows("\n---\n".join, ids=["7"], context_ids=["7"]))
        assert len(last.contexts) == 1
        data = [
            {**row, "context_ids": [str(n) for n in range(2 + at % 3)]}
            for at, row in enumerate(rows("\n---\n".join))
        ]
        assert len(load(data)[2].contexts) == 4

    @pytest.mark.slow
    def test_are_said_to_be_so_by_a_run(self, tmp_path):
        data, store = rows("\n---\n".join), tmp_path / "a.db"
        result = assay.evaluate(data, "context_relevance", store=store)
        assert "were split at '---' lines" in result.notes[0]
        assert str(result).endswith(f"\n! {result.notes[0]}")
        settings = assay.Settings(contexts="whole")
        whole = assay.evaluate(data, "context_relevance", store=store, settings=settings)
        assert whole.notes == ()
        assert whole.run.id != result.run.id


MARKDOWN = """# Trip {0}

Some words on the journey number {0}, which was long and pleasant enough.

---

## What we took

A tent, two sleeping bags and a stove that did not work on day {0}.
"""
FRONT = """---
title: Page {0}
---
The text of page {0}, which goes on for a while and has no rule in it.
"""
SETEXT = """Overview of number {0}
---
A text below its heading, which is underlined, about the thing number {0}.

Details of number {0}
---
More text below another heading, which is underlined too, about number {0}.
"""
RECIPE = """1. Heat the oven to {0} degrees.
2. Mix flour, sugar and eggs in a bowl.
3. Bake for half an hour. Let it cool.
"""
TABLE = "| a | b |\n| --- | --- |\n| {0} | 2 |"
CITED = "It is known [1] that number {0} is odd [2]. Others [3] disagree.\n\n[1] Smith\n[2] Lee"
SECTION = "Section 1: Of things number {0}.\n\nSection 2: Of other things.\n\nSection 3: The end."


class TestOnePassage:
    @over(
        "text", [MARKDOWN, FRONT, SETEXT, RECIPE, TABLE, CITED, SECTION, "Step 1: {0}\nStep 2: b"]
    )
    @over("n", [1, 2, 3, 30])
    def test_stays_one_whatever_stands_in_it(self, text, n):
        found = load([{"context": text.format(at)} for at in range(n)])
        assert [sample.contexts for sample in found] == [(text.format(at),) for at in range(n)]

    def test_of_a_single_row_stays_one_and_what_could_be_done_is_said(self):
        (sample,), notes = noted([{"context": "\n---\n".join(PIECES)}])
        assert len(sample.contexts) == 1
        assert " ".join(notes) == (
            "contexts of 1 of 1 rows hold '---' lines and were read as one text each; if they are "
            r"several, --contexts '\n---\n' (contexts= of Settings in Python) splits them into 4 passages"
        )

    def test_of_paragraphs_stays_one_and_what_could_be_done_is_said(self):
        found, notes = noted(rows("\n\n".join))
        assert {len(sample.contexts) for sample in found} == {1}
        assert "hold blank lines and were read as one text each" in notes[0]
        assert noted([{"contexts": [row["contexts"]]} for row in rows("\n\n".join)])[1] == []

    def test_of_long_lines_stays_one_and_what_could_be_done_is_said(self):
        found, notes = noted(rows("\n".join, pieces=LONG))
        assert {len(sample.contexts) for sample in found} == {1}
        (note,) = notes
        assert "contexts of 6 of 6 rows hold several lines and were read as one text each" in note
        assert r"--contexts '\n' (contexts= of Settings in Python) splits them into 2 to 4" in note
        assert noted(rows("\n".join))[1] == []  # as short as wrapped lines

    def test_in_many_rows_is_counted_once(self):
        assert noted([{"context": "\n---\n".join(PIECES)}] * 9)[0][0].contexts[0].count("---") == 3

    def test_in_which_numbers_do_not_count_up_is_none_of_several(self):
        text = "Passage 1: one\nPassage 3: three"
        assert one({"context": text}).contexts == (text,)
        assert one({"context": "see Passage 1: a\nPassage 2: b"}).contexts[0].startswith("see")


class TestPrintedDocuments:
    CELL = (
        "[Document(metadata={'source': 'a.pdf', 'page': 3}, page_content='It\\'s (one)\\nhere'), "
        'Document(id="7", metadata={}, page_content="two, page_content=\'three\'")]'
    )
    NODES = (
        "[NodeWithScore(node=TextNode(id_='n1', embedding=None, metadata={}, relationships="
        "{<NodeRelationship.SOURCE: '1'>: RelatedNodeInfo(node_id='d', metadata={})}, text='one', "
        "text_template='{content}'), score=0.8), NodeWithScore(node=TextNode(id_='n2', text='two'))]"
    )

    def test_are_read(self):
        (sample,), notes = noted([{"contexts": self.CELL}])
        assert sample.contexts == ("It's (one)\nhere", "two, page_content='three'")
        assert sample.metadata["contexts"][0]["metadata"] == {"source": "a.pdf", "page": 3}
        assert notes[0].startswith("contexts of 1 of 1 rows are printed documents")

    def test_of_other_kinds_are_read(self):
        sample = one({"contexts": self.NODES})
        assert (sample.contexts, sample.context_ids) == (("one", "two"), ("n1", "n2"))
        printed = "page_content='one' metadata={}\n\npage_content='two' metadata={'a': 1}"
        assert one({"contexts": printed}).contexts == ("one", "two")

    def test_stay_text_if_the_user_wants_it_or_no_document_is_printed(self):
        assert load(read([{"contexts": self.CELL}], contexts="whole"))[0].contexts == (self.CELL,)
        for text in ("Document(id=3) says hello", "Person(id=3) came", "a page_content='b'"):
            assert one({"contexts": text}).contexts == (text,)


class TestWordsForNothing:
    @over("word", ["nan", "None", "null", "N/A", "<NA>", "NaN"])
    def test_are_named_and_scored_as_they_are(self, word):
        data = [{"question": "q", "answer": answer} for answer in ("a", word, "b", word)]
        found, notes = noted(data)
        assert found[1].answer == word
        assert " ".join(notes) == (
            f"the text '{word}' stands as answer in 2 of 4 rows (the first is row 2), a missing "
            "value as an export writes it: it is scored as a text"
        )

    def test_in_contexts_and_references_are_named_too(self):
        _, notes = noted([{"contexts": ["c", "nan"], "reference": "None"}])
        assert [note.partition(" in ")[0] for note in notes] == [
            "the text 'nan' stands as contexts",
            "the text 'None' stands as reference",
        ]

    def test_of_a_data_frame_are_missing(self):
        frame = pd.DataFrame({"question": ["q", "r"], "answer": ["a", float("nan")]})
        found, notes = noted(frame)
        assert ([sample.answer for sample in found], notes) == (["a", None], [])


ODD = {"Nr": "1", "User query": "q", "Retrieved chunks": "c", "Bot response": "a"}


class TestLikelyColumns:
    def test_are_taken_and_that_is_said(self):
        (sample,), notes = noted([ODD])
        assert (sample.question, sample.contexts, sample.answer) == ("q", ("c",), "a")
        assert " ".join(notes) == (
            "reading answer from 'Bot response', question from 'User query', contexts from "
            "'Retrieved chunks'; --map (mapping= of Settings in Python) changes this"
        )

    @over(
        ("column", "field"),
        [
            ("LLM output", "answer"),
            ("chatbotReply", "answer"),
            ("GPT-4 answer", "answer"),
            ("Expected response", "reference"),
            ("human_answer", "reference"),
            ("customer question", "question"),
            ("Top 5 chunks", "contexts"),
            ("RAG context", "contexts"),
        ],
    )
    def test_are_known_by_every_word_of_their_name(self, column, field):
        assert getattr(one({"x": "1", column: "text"}), field) in ("text", ("text",))

    @pytest.mark.parametrize(
        "column",
        [
            *("response time", "answer quality", "question type", "context precision"),
            *("answers", "final answer", "answer id", "query count", "is answer correct"),
        ],
    )
    def test_with_a_word_that_says_something_else_stay_metadata(self, column):
        assert one({"x": "1", column: "text"}).metadata == {"x": "1", column: "text"}

    def test_of_numbers_stay_metadata(self):
        assert one({"question": "q", "model output": 0.7}).answer is None

    def test_never_take_the_place_of_a_known_or_a_mapped_column(self):
        assert one({"answer": "a", "Bot response": "b"}).answer == "a"
        assert one({"Bot response": "b", "x": "y"}, mapping={"answer": "x"}).answer == "y"
        assert one({"Bot response": "b"}, mapping={"answer": ""}).answer is None

    def test_that_are_numbered_are_one_list(self):
        assert one({"chunk 1": "one", "chunk 2": "two"}).contexts == ("one", "two")

    def test_of_which_there_are_several_are_asked_for_in_one_text_to_be_pasted(self):
        data = [{"User qestion": "q", "Bot response": "a", "Agent reply": "b", "chunks": "c"}]
        told = str(refused(data, needs={"m": ("question", "contexts", "answer")}))
        assert "'answer', which m needs ('Bot response' or 'Agent reply'?)" in told
        assert (
            "choose with --map 'question=User qestion' --map 'answer=Bot response' (mapping= of"
            in told
        )
