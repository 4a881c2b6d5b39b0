"""The paper's prompts, word for word, and what free-text replies to them mean."""

import pytest

from assay.errors import Unreadable
from assay.tasks import PaperExtraction, PaperQuestion, PaperStatements, PaperVerdicts, Statement
from support.over import over

THREE = tuple(Statement(f"s{n}", f"Claim {n}.") for n in (1, 2, 3))


class TestThePromptsAreThoseOfThePaper:
    def test_statements(self):
        assert PaperStatements("Who?", "She did.").prompt() == (
            "Given a question and answer, create one or more statements from each sentence in the "
            "given answer.\nquestion: Who?\nanswer: She did."
        )

    def test_verdicts(self):
        assert PaperVerdicts(THREE, "The context.").prompt() == (
            "Consider the given context and following statements, then determine whether they are "
            "supported by the information present in the context. Provide a brief explanation for "
            "each statement before arriving at the verdict (Yes/No). Provide a final verdict for "
            "each statement in order at the end in the given format. Do not deviate from the "
            "specified format.\ncontext: The context.\n"
            "statement: Claim 1.\nstatement: Claim 2.\nstatement: Claim 3."
        )

    def test_question(self):
        assert PaperQuestion("In 1932.").prompt() == (
            "Generate a question for the given answer.\nanswer: In 1932."
        )

    def test_extraction(self):
        assert PaperExtraction("When?", "It was in 1932.").prompt() == (
            "Please extract relevant sentences from the provided context that can potentially help "
            "answer the following question. If no relevant sentences are found, or if you believe "
            "the question cannot be answered from the given context, return the phrase "
            '"Insufficient Information". While extracting candidate sentences you\'re not allowed '
            "to make any changes to sentences from given context.\n"
            "question: When?\ncontext: It was in 1932."
        )

    def test_a_text_that_contains_a_placeholder_stays_as_it_is(self):
        prompt = PaperStatements("What is [answer]?", "[question] [answer]").prompt()
        assert prompt.endswith("question: What is [answer]?\nanswer: [question] [answer]")

    def test_no_schema_is_forced_on_free_text(self):
        kinds = (PaperStatements, PaperVerdicts, PaperQuestion, PaperExtraction)
        assert [kind.schema for kind in kinds] == [None] * 4


class TestStatements:
    def read(self, raw):
        return [s.text for s in PaperStatements("Who?", "She did. He did.").read(raw)]

    @over(
        "raw",
        [
            "She did.\nHe did.",
            "1. She did.\n2. He did.",
            "(1) She did.\n(2) He did.",
            "1) She did.\n2) He did.",
            "- She did.\n- He did.",
            "* She did.\n\u2022 He did.",
            "  - She did.\n\n  - He did.\n",
            "Statement 1: She did.\nStatement 2: He did.",
            "statement [1]: She did.\nstatement [2]: He did.",
            "statement: She did.\nstatement: He did.",
            'Here are the statements:\n\n"She did."\n"He did."',
            "Statements:\nShe did.\nHe did.",
            "She did.\nHe did.\nShe did.",
            "<think>\nShe? He?\n</think>\nShe did.\nHe did.",
            "Let me think.\n</think>\nShe did.\nHe did.",
            "<think>\n- What did she do?\n- And he?\n</think>\nShe did. He did.",
            "Sure! Here are the statements:\nShe did.\nHe did.",
            "Sure! Here they are, sentence by sentence.\n- She did.\n- He did.\n\nAsk for more!",
            'From "She did.":\n1. She did.\nFrom "He too did.":\n1. He did.',
            "Sentence 1: She did so.\n- She did.\n\nSentence 2: He did, too.\n- He did.",
            "**Statement 1:** She did.\n**Statement 2**: He did.",
            "a) She did.\n(b) He did.",
            "i) She did.\nii) He did.",
            "**1.** She did.\n**2.** He did.",
            "1. She did.\n   + He did.",
            "1. She did.\n   He did.",
        ],
    )
    def test_each_line_is_one_without_its_bullet(self, raw):
        assert self.read(raw) == ["She did.", "He did."]

    @over(
        "text",
        [
            "3.5 million people live there.",
            "-5 degrees were measured.",
            "1990 was a good year.",
            "2024. was printed on it.",
            "*Hamlet* is a play.",
            "Statements were made.",
        ],
    )
    def test_figures_at_the_beginning_of_a_statement_are_kept(self, text):
        assert self.read(f"{text}\n- {text}\n1. {text}") == [text]

    def test_an_empty_reply_to_an_answer_is_unreadable(self):
        for raw in ("", "\n \n", "<think>never ending"):
            with pytest.raises(Unreadable, match="no statement"):
                self.read(raw)

    def test_an_empty_answer_has_no_statement(self):
        assert PaperStatements("Who?", " ").read("") == ()


class TestVerdicts:
    def read(self, raw, n=3):
        return [v.supported for v in PaperVerdicts(THREE[:n], "c").read(raw)]

    @over(
        "raw",
        [
            "Final verdict for each statement in order: Yes. No. Yes.",
            "Final verdict: Yes, No, Yes",
            "Final verdicts: Yes No Yes",
            "Final verdict: [Yes, No, Yes]",
            "Final verdicts: (Yes), (No), (Yes).",
            "Final verdict: yes, no, and yes.",
            "**Final verdict:** Yes. No. Yes.",
            "Final verdict for each statement in order:\nYes\nNo\nYes",
            "Final verdict for each statement in order:\n1. Yes\n2. No\n3. Yes",
            "Final verdicts:\n1. Yes.\n2. No, it is not there.\n3. Yes.",
            "Final verdicts:\n- Yes\n- No\n- Yes\n",
            "Final verdicts:\n- Statement 1: Yes\n- Statement 2: **No**\n- Statement 3: Yes",
            "Final verdict: 1. Yes 2. No 3. Yes",
            "Final verdict: Statement 1: Yes, Statement 2: No, Statement 3: Yes.",
            "Final verdict: [1] Yes [2] No [3] Yes",
            "Final verdict (Yes/No) for each statement in order: Yes. No. Yes.",
            "Final verdict (Yes/No) for each statement in order\n1. Yes\n2. No\n3. Yes",
            "Statement 1: no doubt, yes.\n2: no.\n3: yes, yes, yes.\nFinal verdict: Yes. No. Yes.",
            "<think>Final verdict: No. No. No.</think>Final verdict: Yes. No. Yes.",
            "1. It says so. Verdict: Yes\n2. It does not. Verdict: No\n3. It says so. Verdict: Yes",
            "There. Verdict (Yes/No): Yes\nNot. Verdict (Yes/No): No\nIs. Verdict (Yes/No): Yes",
            "**Verdict:** Yes\n**Verdict:** No\n**Verdict:** Yes",
            "1. So. Final verdict: Yes\n2. Not. Final verdict: No\n3. So. Final verdict: Yes",
            "Yes. No. Yes.",
            "Yes\nNo\nYes\n",
            "Statement 1: Yes\nIt says so.\n\nStatement 2: No\nIt does not.\n\nStatement 3: Yes",
            "Statement 3: Yes\nStatement 1: Yes\nStatement 2: No\nFinal verdict: mixed.",
            (
                f"Statement: {THREE[0].text}\nYes\nStatement: {THREE[1].text}\nNo, it is not.\n"
                f"Statement: {THREE[2].text}\nYes"
            ),
            (
                f"Final verdicts:\n- {THREE[0].text} - Yes\n- {THREE[1].text} - No\n"
                f"- {THREE[2].text} - Yes"
            ),
            "1. a. Verdict: Yes\n2. b. Verdict: No\n3. c. Verdict: Yes\nFinal verdict: see above.",
        ],
    )
    def test_the_verdicts_of_realistic_replies_are_read_in_order(self, raw):
        assert self.read(raw) == [True, False, True]

    @over(
        "raw",
        [
            "",
            "Yes. No. Yes. Yes.",
            "Statement 1: Yes\nStatement 2: No",
            "Statement 1: Yes\nStatement 2: No\nStatement 2: Yes\nStatement 3: Yes",
            "Final verdict: Yes. No.",
            "Final verdict: Yes. No. Yes. Yes.",
            "Final verdict: Yes.",
            "The context says yes to the first and no to the second; the third, yes.",
            "Verdict: Yes\nVerdict: No",
            "Verdict: Yes\nVerdict: No\nFinal verdict: Yes. No.",
            "Final verdict: 1. Yes 2. No 3. unclear",
            "<think>Final verdict: Yes. No. Yes.</think> I cannot say.",
            "<think>Final verdict: Yes. No. Yes.",
        ],
    )
    def test_a_reply_with_another_number_of_verdicts_is_unreadable(self, raw):
        with pytest.raises(Unreadable, match="of 3 verdicts"):
            self.read(raw)

    @over(
        "raw",
        [
            "Final verdict: 1. Yes, there is no doubt.",
            "Final verdict: Yes - no doubt.",
            "Final verdict: Yes. No doubt about it.",
            "Final verdict: Yes\nNo further statement can be verified.",
            "Final verdict:\n1. Yes, no contradiction was found.",
            "Final verdicts:\nYes (no contradiction)",
        ],
    )
    def test_a_yes_or_no_within_an_explanation_is_no_verdict(self, raw):
        assert self.read(raw, n=1) == [True]
        with pytest.raises(Unreadable, match="1 of 2 verdicts"):
            self.read(raw, n=2)

    def test_the_choice_that_the_prompt_offers_is_no_verdict(self):
        assert self.read("Verdict (Yes/No): No", n=1) == [False]
        assert self.read("Final verdict (yes or no): No.", n=1) == [False]

    def test_explanations_are_kept_where_they_can_be_told_apart(self):
        raw = "1. It says so.\n2. It is silent.\n3. It says so too.\nFinal verdict: Yes. No. Yes."
        reasons = [v.reason for v in PaperVerdicts(THREE, "c").read(raw)]
        assert reasons == ["It says so.", "It is silent.", "It says so too."]
        untold = PaperVerdicts(THREE, "c").read("All is well.\nFinal verdict: Yes. No. Yes.")
        assert [v.reason for v in untold] == ["", "", ""]


class TestQuestion:
    @over(
        "raw",
        [
            "When was it?",
            "Question: When was it?",
            "**Question:** When was it?",
            '"When was it?"',
            "Sure! Here is a question:\n\nWhen was it?",
            "1. When was it?\n2. Where was it?",
            "<think>\nWhere was it?\n</think>\nWhen was it?",
        ],
    )
    def test_it_is_the_first_line_that_asks(self, raw):
        assert PaperQuestion("In 1932.").read(raw) == "When was it?"

    def test_a_question_in_full_width_letters_is_one(self):
        assert PaperQuestion("1932").read("それはいつ？") == "それはいつ？"

    def test_a_single_line_without_a_question_mark_is_taken(self):
        assert PaperQuestion("1932").read("Tell me when it was") == "Tell me when it was"

    @over("raw", ["", "I am sorry.\nThis cannot be done."])
    def test_no_question_is_unreadable(self, raw):
        with pytest.raises(Unreadable, match="no question"):
            PaperQuestion("1932").read(raw)


class TestExtraction:
    def read(self, raw):
        return PaperExtraction("When?", "c").read(raw)

    def test_each_line_is_a_sentence(self):
        assert self.read("- It was in 1932.\n- It was cold.") == ("It was in 1932.", "It was cold.")

    @over(
        "raw",
        [
            "Insufficient Information",
            '"Insufficient Information"',
            "insufficient information.",
            "Insufficient Information - the context names no price.",
            "The context names no price. Insufficient Information",
            'The question cannot be answered: "Insufficient Information".',
        ],
    )
    def test_insufficient_information_means_none(self, raw):
        assert self.read(raw) == ()

    def test_a_sentence_that_mentions_insufficient_information_is_a_sentence(self):
        sentence = "The court cited insufficient information."
        assert self.read(sentence) == (sentence,)
        sentence = "Insufficient information sharing led to the failure."
        assert self.read(sentence) == (sentence,)

    def test_a_line_of_the_context_that_ends_with_these_words_was_copied(self):
        line = "Result: insufficient information."
        assert PaperExtraction("Why?", f"{line} More.").read(line) == (line,)

    def test_an_empty_reply_is_unreadable(self):
        with pytest.raises(Unreadable, match="empty"):
            self.read(" \n")


def test_one_statement_is_judged_by_the_word_the_reply_begins_with():
    read = PaperVerdicts(THREE[:1], "c").read
    assert [v.supported for v in read("No\nThe context says that seven were killed.")] == [False]
    with pytest.raises(Unreadable):
        read("No further statement was given.")


@over(
    ("line", "statement"),
    [
        ('"Plata" is Spanish for silver.', '"Plata" is Spanish for silver.'),
        ('It is called "plata"', 'It is called "plata"'),
        ('"It is silver."', "It is silver."),
        ('"It is silver.', "It is silver."),
    ],
)
def test_quotation_marks_go_where_they_are_around_the_whole_line(line, statement):
    (found,) = PaperStatements("What?", "An answer.").read(f"1. {line}")
    assert found.text == statement
