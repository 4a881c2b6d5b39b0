"""`assay check --design`: what a test set can decide, and which of its questions are no good."""

import json
import random

import numpy as np
import pytest
from cli_help import write_rows

from assay import Route, Scripted, backend
from assay.errors import InputError
from assay.stats.comparison import paired
from assay.tasks import AnswerClosedBook
from assay.testset import check_design
from support.over import over

SUBJECTS = (
    *("refunds", "invoices", "parcels", "vouchers", "returns", "repairs", "warranties"),
    *("deposits", "discounts", "taxes", "coupons", "loans", "batteries", "cables"),
    *("screens", "keyboards", "printers", "lamps", "chairs", "desks"),
)


def rows(**changed):
    """Twenty questions that nothing is wrong with, but for what is changed by number."""
    made = [
        {
            "id": f"q{n}",
            "question": f"How long does the shop keep {subject}?",
            "reference": f"The shop keeps {subject} for {n + 3} days.",
            "reference_contexts": [f"The shop keeps {subject} for {n + 3} days after a sale."],
            "answerable": n > 2,
        }
        for n, subject in enumerate(SUBJECTS)
    ]
    for name, fields in changed.items():
        made[int(name.removeprefix("q"))].update(fields)
    return made


def design(assay, here, data, *options):
    write_rows(here / "set.jsonl", data)
    result = assay("check", "--design", "set.jsonl", "--json", *options)
    found = json.loads(result.stdout)["set.jsonl"]
    return result.exit_code, found, {finding["check"]: finding for finding in found["findings"]}


def ids(finding):
    return [row["id"] for row in finding["rows"]]


def test_a_sound_set_passes_and_says_what_it_can_decide(assay, here):
    code, found, findings = design(assay, here, rows())
    assert code == 0
    assert {finding["level"] for finding in findings.values()} == {"note"}
    assert (found["rows"], found["questions"]) == (20, 20)
    assert found["kinds"] == {"unanswerable": 3, "fact": 17}
    assert 0.3 < found["detectable"]["at_best"] < found["detectable"]["with_flips"] < 0.6


def test_three_rows_with_a_duplicate_and_a_passage_above_are_at_fault(assay, here):
    three = [
        {"id": "a", "question": "What does the passage above say?", "reference": "It is late."},
        {"id": "b", "question": "How long do refunds take?", "reference": "14 days"},
        {"id": "c", "question": "how long do refunds take", "reference": "30 days"},
    ]
    write_rows(here / "three.jsonl", three)
    result = assay("check", "--design", "three.jsonl")
    assert result.exit_code == 2
    assert "three.jsonl: 3 rows, 2 different questions" in result.stdout
    assert "fault: size: 2 different questions can show no difference" in result.stdout
    assert "c  as b, with another reference" in result.stdout
    assert "a  'passage above' in" in result.stdout
    assert "note: sources: no source is named" in result.stdout


@over(
    ("question", "stands"),
    [
        ("What is stated in this document?", False),
        ("What does the author recommend?", False),
        ("Why is the table below sorted?", False),
        ("When did he resign?", False),
        ("What is its capital?", False),
        ("How long does it take to repair a lamp?", True),
        ("How long has it been since the Tarn bridge was opened?", True),
        ("What does the author of Emma recommend?", True),
        ("When a shop closes, what happens to its parcels?", True),
        ("In his first speech, what did Lincoln promise?", True),
        ("Where do they make cheese in Gouda?", True),
    ],
)
def test_questions_that_lean_on_something_else(assay, here, question, stands):
    code, _, findings = design(assay, here, rows(q5={"question": question}))
    assert ("stands alone" not in findings) is stands
    assert code == (0 if stands else 2)
    if not stands:
        assert ids(findings["stands alone"]) == ["q5"]


@over(
    ("question", "reference", "given"),
    [
        ("What is the name of the river Rhine?", "Rhine", True),
        ("Which is larger, Bonn or Berlin?", "Berlin", False),
        ("Who won the match between Ajax and PSV?", "Ajax", False),
        ("Who designed the lamps of Tesla Electric?", "Tesla", False),
        ("Does the shop open on Sunday?", "Yes", False),
    ],
)
def test_answers_that_stand_in_the_question(assay, here, question, reference, given):
    changed = rows(q6={"question": question, "reference": reference})
    _, _, findings = design(assay, here, changed)
    assert ("answer given" in findings) is given


def test_the_same_words_in_another_form_are_nearly_the_same_and_another_fact_is_not(assay, here):
    again = {"question": "How long does a shop keep refund?"}
    _, _, findings = design(assay, here, rows(q7=again))
    assert ids(findings["near-duplicates"]) == ["q7"]
    other = {"question": "How long before refunds does the shop keep?"}
    assert "near-duplicates" not in design(assay, here, rows(q7=other))[2]


def test_answers_of_several_systems_to_one_question_are_no_duplicates(assay, here):
    several = [
        {"id": f"{n}", "question": "Why is it late?", "group": "late", "answer": f"Reason {n}."}
        for n in range(3)
    ]
    assert "duplicates" not in design(assay, here, several)[2]
    for row in several:
        del row["group"]
    assert ids(design(assay, here, several)[2]["duplicates"]) == ["1", "2"]


def test_kinds_are_told(assay, here):
    asked = {
        "How do I return a lamp?": "procedure",
        "What is the difference between tea and coffee?": "comparison",
        "How many lamps are sold?": "aggregation",
        "Is the shop open on Sunday?": "yes or no",
        "What is a voucher?": "definition",
        "Where is the shop?": "fact",
    }
    for question, kind in asked.items():
        _, found, _ = design(assay, here, [{"question": question, "reference": "So it is."}])
        assert found["kinds"] == {kind: 1}, question


def test_a_question_whose_reference_no_single_source_holds_is_of_several_hops(assay, here):
    ferry, fare = "The Nordlys sails to Bergen.", "A ticket to Bergen costs 40 euros."
    row = {"question": "What is the fare of the Nordlys?", "reference": f"{ferry} {fare}"}
    for contexts, kind in (([ferry, fare], "multi-hop"), ([f"{ferry} {fare}", fare], "fact")):
        _, found, _ = design(assay, here, [row | {"reference_contexts": contexts}])
        assert found["kinds"] == {kind: 1}
    _, found, _ = design(assay, here, [row | {"synthesizer_name": "multi_hop_abstract"}])
    assert found["kinds"] == {"multi-hop": 1}


def test_personal_data_are_told_and_invented_ones_are_not(assay, here):
    private = {
        "q3": "Write to anna.berg@shop-berlin.de.",
        "q4": "Call +49 30 901820.",
        "q5": "Pay to DE89 3704 0044 0532 0130 00.",
        "q6": "Write to anna@example.com, or pay to DE00 3704 0044 0532 0130 00.",
        "q7": "Between 2019 and 2021, 3.14.15 was 1-800 times as fast.",
    }
    changed = {name: {"reference": text} for name, text in private.items()}
    code, _, findings = design(assay, here, rows(**changed))
    assert code == 2
    assert ids(findings["personal data"]) == ["q3", "q4", "q5"]


def test_another_language_is_told(assay, here):
    german = {"question": "Wie lange werden die Lampen von dem Geschäft nicht aufbewahrt?"}
    _, _, findings = design(assay, here, rows(q8=german))
    assert ids(findings["languages"]) == ["q8"]


def test_references_are_sought_in_the_corpus_and_what_nobody_asks_about_is_named(assay, here):
    (here / "docs").mkdir()
    walls = "Painters whitewash brick walls with limestone and buckets every other spring. " * 9
    sold = " ".join(f"The shop keeps {s} for {n + 3} days." for n, s in enumerate(SUBJECTS))
    (here / "docs" / "shop.md").write_text(
        f"# Shop\n\n## Times\n\n{sold}\n\n## Walls\n\n{walls}\n", "utf-8"
    )
    filler = "Rockets burn kerosene and oxygen in engines that were built in the desert. " * 4
    (here / "docs" / "rockets.md").write_text(f"# Rockets\n\n{filler}\n", "utf-8")
    bare = [{k: v for k, v in row.items() if k != "reference_contexts"} for row in rows()]
    bare[9]["reference"] = "Whales sing below Antarctic icebergs."
    code, found, findings = design(assay, here, bare, "--corpus", "docs")
    assert code == 2
    assert ids(findings["sources"]) == ["q9"]
    assert ids(findings["coverage"]) == ["rockets.md"]
    assert found["coverage"]["shop.md"]["asked_about"] == 1
    assert [row["found"] for row in findings["sections"]["rows"]] == ["Shop > Walls"]
    assert found["found_first"] == 1


def test_a_source_of_many_passages_covers_the_one_that_is_asked_about(assay, here):
    chance = random.Random(1)
    letters = "bcdfghklmnprstvw"
    words = [
        "".join(chance.choice(letters) + chance.choice("aeiou") for _ in "123") for _ in "z" * 900
    ]
    text = "\n\n".join(" ".join(words[n : n + 150]) + "." for n in range(0, 900, 150))
    write_rows(here / "docs.jsonl", [{"id": "long", "text": text}, {"id": "other", "text": "No."}])
    row = {"question": f"Why {words[610]}?", "reference": words[611], "reference_contexts": [text]}
    _, found, findings = design(assay, here, [row], "--corpus", "docs.jsonl")
    assert found["coverage"]["long"]["asked_about"] == 1
    assert ids(findings["coverage"]) == ["other"]


def test_topics_without_a_question_are_named_and_those_of_unanswerable_ones_told(assay, here):
    lamps = "lamp bulb socket wire light shade switch fuse plug cable watt candle lantern"
    post = "parcel letter stamp box courier address customs scale queue seal van postman"
    kinds = lamps.split(), post.split()
    chance = random.Random(0)
    texts = [" ".join(chance.sample(topic, 4)) for topic in kinds for _ in range(16)]
    documents = [{"id": f"d{n}", "text": f"{text}."} for n, text in enumerate(texts)]
    write_rows(here / "docs.jsonl", documents)
    asked = [{"question": f"Why {d['id']}?", "reference": d["text"]} for d in documents[:16]]
    asked.append(
        {"question": "Why boxes?", "answerable": False, "contexts": [documents[16]["text"]]}
    )
    _, found, findings = design(assay, here, asked, "--corpus", "docs.jsonl")
    asked_about = [name for name, topic in found["topics"].items() if topic["asked_about"]]
    assert asked_about
    assert set(", ".join(asked_about).split(", ")) <= set(lamps.split())
    named = {word for row in findings["topics"]["rows"] for word in row["id"].split(", ")}
    assert named
    assert named <= set(post.split())
    told = {row["id"]: row["found"] for row in findings["coverage"]["rows"]}
    assert told["d16"] == "1 passage; unanswerable questions alone"
    assert told["d17"] == "1 passage"


def test_a_source_of_one_short_sentence_is_a_source(assay, here):
    documents = [{"id": row["id"], "text": row["reference"]} for row in rows()]
    write_rows(here / "faq.jsonl", documents)
    bare = [{k: v for k, v in row.items() if k != "reference_contexts"} for row in rows()]
    code, found, findings = design(assay, here, bare, "--corpus", "faq.jsonl")
    assert (code, "sources" in findings) == (0, False)
    assert ids(findings["coverage"]) == ["q0", "q1", "q2"]  # what unanswerable ones would ask
    assert found["found_first"] == 1


def test_what_cannot_be_read_or_does_nothing_is_refused(assay, here):
    result = assay("check", "data.jsonl", "--corpus", "docs")
    assert (result.exit_code, "--corpus is for --design" in result.stderr) == (2, True)
    result = assay("check", "--design", "data.jsonl", "--corpus", "nowhere")
    assert (result.exit_code, "error: there is no file 'nowhere'" in result.stderr) == (2, True)
    (here / "docs").mkdir()
    (here / "docs" / "a.md").write_text("Lamps are sold.", "utf-8")
    (here / "docs.json").write_text('[{"text": "Lamps are sold."}]', "utf-8")
    for corpus, card, told in (
        ("docs", "docs/card.html", "lies among the documents in 'docs'"),
        ("docs.json", "docs.json", "would overwrite what this command reads"),
    ):
        result = assay("check", "--design", "data.jsonl", "--corpus", corpus, "--out", card)
        assert (result.exit_code, told in " ".join(result.stderr.split())) == (2, True)
    assert "Lamps" in (here / "docs.json").read_text("utf-8")
    with pytest.raises(InputError, match=r"no row has a question.*one of Frage"):
        check_design([{"answer": "Yes.", "Frage": "Why?"}])


def test_right_answers_in_the_column_of_answers_are_told(assay, here):
    kept = [{"question": f"Why {n}?", "answer": f"Reason {n}."} for n in range(3)]
    _, _, findings = design(assay, here, kept)
    assert "--map reference=answer" in findings["references"]["remedy"]
    _, _, findings = design(assay, here, kept, "--map", "reference=answer")
    assert "references" not in findings


METRIC = '''
import assay

@assay.metric(needs=("answer",))
def told(sample, judge):
    """The score that the row tells."""
    return sample.metadata["score"]
'''


def system_runs(assay, here, scores):
    """The names of runs over the twenty questions, one for each list of scores."""
    (here / "own_told.py").write_text(METRIC, "utf-8")
    for n, each in enumerate(scores):
        told = [{**row, "answer": "a", "score": s} for row, s in zip(rows(), each, strict=True)]
        write_rows(here / "answers.jsonl", told)
        named = ("-m", "own_told:told", "--quiet", "--name", f"r{n}")
        done = assay("run", "answers.jsonl", *named)
        assert done.exit_code == 0, done.output
    return [part for n in range(len(scores)) for part in ("--run", f"r{n}")]


def test_runs_tell_the_difference_that_is_found_and_the_keys_to_read(assay, here):
    # Of eight systems the first are the best; the last question only the worst get right.
    scores = [[float(n > s) for n in range(19)] + [float(s > 5)] for s in range(8)]
    named = system_runs(assay, here, scores)
    code, found, findings = design(assay, here, rows(), *named)
    assert code == 0
    assert ids(findings["wrong keys"]) == ["q19"]
    assert ids(findings["all wrong"]) == ["q0"]
    assert findings["wrong keys"]["level"] == "note"
    assert 0 < found["detectable"]["by_runs"] < found["detectable"]["with_flips"]
    difficulty = found["runs"]["difficulty"]
    assert difficulty[rows()[1]["question"]] > difficulty[rows()[18]["question"]]


def test_one_run_is_worth_its_spread(assay, here):
    named = system_runs(assay, here, [[0.5, 0.75] * 10])
    _, found, _ = design(assay, here, rows(), *named)
    # Two unrelated systems: sd * sqrt(2), 20 pairs, and (t_.975 + t_.8) about 2.97 for 19 df.
    sd = 0.125 * (20 / 19) ** 0.5
    assert found["detectable"]["by_runs"] == pytest.approx(2.97 * sd * 2**0.5 / 20**0.5, rel=0.01)


def test_one_run_over_groups_is_worth_the_spread_of_their_sums(assay, here):
    named = system_runs(assay, here, [[0.5, 0.75] * 10])
    pairs = [{**row, "group": f"d{n // 2}"} for n, row in enumerate(rows())]
    _, found, _ = design(assay, here, pairs, *named)
    sd = 0.125 * (20 / 19) ** 0.5
    # Ten groups: (t_.975 + t_.8) is about 3.16 for 9 degrees of freedom.
    assert found["detectable"]["by_runs"] == pytest.approx(3.16 * sd * 2**0.5 / 20**0.5, rel=0.01)
    alike = [{**row, "group": row["group"], "score": n // 2 % 2} for n, row in enumerate(pairs)]
    (here / "own_told.py").write_text(METRIC, "utf-8")
    write_rows(here / "alike.jsonl", [{**row, "answer": "a"} for row in alike])
    assert (
        assay("run", "alike.jsonl", "-m", "own_told:told", "--quiet", "--name", "g").exit_code == 0
    )
    _, found, _ = design(assay, here, alike, "--run", "g")
    # What a group has in common counts once: ten pairs of 0 and 1.
    sd = 0.5 * (10 / 9) ** 0.5
    assert found["detectable"]["by_runs"] == pytest.approx(3.16 * sd * 2**0.5 / 10**0.5, rel=0.01)


def test_questions_of_one_group_count_less_and_few_groups_decide_nothing(assay, here):
    def grouped(n):
        return design(assay, here, [{**row, "group": at % n} for at, row in enumerate(rows())])

    _, alone, _ = grouped(20)
    assert alone["groups"] is None
    assert alone["detectable"]["together"] == alone["detectable"]["with_flips"]
    code, ten, findings = grouped(10)
    assert (code, ten["groups"], findings["size"]["level"]) == (0, 10, "note")
    assert "20 different questions in 10 groups" in findings["size"]["text"]
    assert alone["detectable"]["with_flips"] < ten["detectable"]["with_flips"]
    assert ten["detectable"]["with_flips"] < ten["detectable"]["together"] < 0.9
    code, four, findings = grouped(4)
    assert (code, findings["size"]["level"]) == (2, "fault")
    assert "can show no difference" in findings["size"]["text"]
    assert set(four["detectable"].values()) == {None}
    assert "change all together" in ten["decides"][0]


@pytest.mark.slow
@over("sizes", [[2] * 10, [1, 2, 3, 4, 5, 6, 7, 8, 9], [12, *[1] * 12], [3] * 30])
@pytest.mark.parametrize("together", [False, True])
def test_the_difference_named_for_groups_is_found_as_often_as_promised(sizes, together):
    groups = [f"d{group}" for group, size in enumerate(sizes) for _ in range(size)]
    named = check_design(
        [{"question": f"Who keeps lamp {n}?", "group": group} for n, group in enumerate(groups)]
    )
    difference = named.detectable_together if together else named.detectable[1]
    against = min(0.1, (1 - difference) / 2)  # share that changes against it
    chance, found = np.random.default_rng(7), 0
    own = np.repeat(np.arange(len(sizes)), sizes)
    for _ in range(200):
        drawn = chance.random(len(sizes))[own] if together else chance.random(len(own))
        worse, better = drawn < against, (drawn >= against) & (drawn < against * 2 + difference)
        pairs = paired(worse.astype(float), better.astype(float), groups=groups, span=1.0)
        found += pairs.p < 0.05 and pairs.difference > 0
    assert 0.72 < found / 200 < 0.92


def test_a_judge_says_what_is_not_supported_and_the_embedded_one_is_not_asked_for_more(assay, here):
    wrong = {"reference": "Rockets burn kerosene in the desert."}
    code, found, findings = design(assay, here, rows(q7=wrong), "--judge", "embedded")
    assert code == 0
    assert ids(findings["support"]) == ["q7"]
    assert "not known" in findings["leaks"]["text"]
    assert (found["judge"]["checked"], found["judge"]["asked"]) == (17, 0)


@pytest.mark.slow
def test_a_judge_that_writes_tells_what_is_answered_without_retrieval(tmp_path):
    def answers(task):
        return AnswerClosedBook.reply([task.question] if "parcels" not in task.question else [])

    known = [
        row | {"reference": row["question"].replace("How long does the", "The")} for row in rows()
    ]
    script = Scripted({"answer_closed_book": answers})
    judge = Route(backend("embedded"), {"answer_closed_book": script})
    found = check_design(known, judge=judge, store=tmp_path / "d.db")
    assert found.judge.asked == 17
    leaks = next(one for one in found.findings if one.check == "leaks")
    assert len(leaks.rows) == len(found.judge.leaked) > 10
    assert leaks.text.startswith("at least ")
    bare = [{k: v for k, v in row.items() if not k.endswith("contexts")} for row in known]
    alone = check_design(bare, judge=judge, store=tmp_path / "d.db")
    assert (alone.judge.checked, alone.judge.asked) == (0, 17)


def test_guesses_are_counted_where_nobody_was_asked(assay, here):
    changed = {"q5": {"question": "Is the shop in Bonn or in Berlin?", "reference": "In Bonn."}}
    _, _, findings = design(assay, here, rows(**changed))
    assert "on 1 that offer two answers" in findings["leaks"]["text"]


def test_generated_sets_are_told(assay, here):
    made = [row | {"synthesizer_name": "single_hop"} for row in rows()]
    _, found, findings = design(assay, here, made)
    assert found["generated"]
    assert (
        "they may rank retrievers (of those that rules made, keywords alone), but not models"
        in " ".join(found["decides"])
    )
    assert "arXiv 2508.11758" in findings["generated"]["text"]
    assert "generated" not in design(assay, here, rows())[2]


def test_a_set_that_ranks_retrievers_by_chance_is_told(assay, here):
    by_rules = [row | {"template": "number"} for row in rows()]
    note = design(assay, here, by_rules)[2]["retrievers"]
    assert note["text"].startswith("20 of 20 questions are asked by rules")
    assert "keywords" in note["remedy"]
    searches = [row | {"style": "keywords"} for row in by_rules]
    assert "retrievers" not in design(assay, here, searches)[2]
    told = " ".join(f"The shop keeps {s} for {n + 3} days." for n, s in enumerate(SUBJECTS))
    (here / "docs").mkdir()
    (here / "docs" / "shop.md").write_text(f"# Shop\n\n{told}\n", "utf-8")
    _, found, findings = design(assay, here, rows(), "--corpus", "docs")
    assert found["easy"] == 1
    assert "BM25 finds the evidence of 100 %" in findings["retrievers"]["text"]
    vague = [row | {"question": f"What is case {n} about?"} for n, row in enumerate(rows())]
    _, found, findings = design(assay, here, vague, "--corpus", "docs")
    assert found["easy"] < 0.9
    assert "retrievers" not in findings


@over(
    ("text", "is_card"),
    [
        ("Pay with 4111 1111 1111 1111.", True),
        ("Pay with 378282246310005.", True),
        ("Pay with 4111 1111 1111 1112.", False),
        ("Order 1234567890123452 was sent.", False),
    ],
)
def test_card_numbers_are_told_by_their_check_digit(assay, here, text, is_card):
    _, _, findings = design(assay, here, rows(q3={"reference": text}))
    assert ("personal data" in findings) is is_card


def test_the_card_is_one_page_with_what_can_be_decided_first(assay, here):
    hostile = {"question": "What does <script>alert(1)</script> above the text above do?"}
    write_rows(here / "set.jsonl", rows(q5=hostile))
    done = assay("check", "--design", "set.jsonl", "--out", "c.html", "--out", "c.json")
    assert done.exit_code == 2
    page = (here / "c.html").read_text("utf-8")
    first = json.loads((here / "c.json").read_text("utf-8"))["set.jsonl"]["decides"][0]
    assert first.startswith("20 questions can tell two systems apart")
    body = page[page.index("<main") :]
    assert body.index("20 questions can tell") < body.index("Kinds of questions")
    assert "<script" not in page
    assert "script-src" not in page
    assert "default-src 'none'" in page


def test_options_of_the_design_do_nothing_without_it(assay, here):
    for option, value in (("--run", "last"), ("--judge", "embedded"), ("--out", "c.html")):
        result = assay("check", "data.jsonl", option, value)
        assert (result.exit_code, f"{option} is for --design" in result.stderr) == (2, True)
    result = assay("check", "--design", "data.jsonl", "--budget", "5calls")
    assert (result.exit_code, "--budget is for --judge" in result.stderr) == (2, True)
    result = assay("check", "--design", "data.jsonl", "--out", "card.txt")
    assert (result.exit_code, "no report ends in '.txt'" in result.stderr) == (2, True)
