"""Do metrics work in other languages: sentences, statements and their places, questions?"""

import json
from dataclasses import dataclass

import pytest

import assay
from assay._text.sentences import sentences
from assay.metrics import AnswerRelevancy, PaperAnswerRelevance
from assay.metrics.relevance import OTHER_LANGUAGE
from assay.tasks import TASKS, Choice, SelectSentences, Verdict, VerifyStatements
from support import scripts
from support.over import over
from support.scripts import Watched, plausible, score


@dataclass(frozen=True)
class Case:
    """A row, with what is known of it.

    Attributes:
        contexts: Two contexts of two sentences each.
        answer: Two sentences; the contexts bear out the first only.
        key: Words of the one sentence that answers the question, and of the first of the answer.
        english: The question in English.
    """

    question: str
    contexts: tuple[str, str]
    answer: str
    key: str
    english: str = "When was the bridge over the river opened?"


CASES = {
    "zh": Case(
        "这座大桥是什么时候通车的？",
        ("大桥于1968年通车。它横跨长江！", "每年五月，市场上出售茶叶。游客多不多？"),
        "大桥于1968年通车。它是由外国公司建造的。",
        "1968年通车",
    ),
    "ja": Case(
        "橋はいつ開通しましたか。",
        (
            "橋は1988年に開通した。長さは約九キロである。",
            "五月には市場で茶が売られる。「おいしい。」と人は言う。",
        ),
        "橋は1988年に開通した。設計者は外国人だった。",
        "1988年に開通",
    ),
    "de": Case(
        "Wann wurde die Brücke über den Fluss eröffnet?",
        (
            "Die Brücke wurde am 3. Mai 1932 eröffnet. Sie hat z. B. acht Spuren.",
            "Auf dem Markt wird Tee verkauft. Dr. Weber leitet ihn seit 1990.",
        ),
        "Die Brücke wurde am 3. Mai 1932 eröffnet. Ein Architekt aus Wien hat sie entworfen.",
        "Mai 1932 eröffnet",
    ),
    "fr": Case(
        "Quand le pont sur le fleuve a-t-il été ouvert ?",
        (
            "Le pont a été ouvert en 1932. Il compte huit voies !",
            "Au marché, on vend du thé. M. Petit le dirige depuis 1990.",
        ),
        "Le pont a été ouvert en 1932. Il a été dessiné par un architecte de Vienne.",
        "ouvert en 1932",
    ),
    "es": Case(
        "¿Cuándo se abrió el puente sobre el río?",
        (
            "El puente se abrió en 1932. ¡Tiene ocho carriles!",
            "En el mercado se vende té. ¿Quién lo dirige desde 1990?",
        ),
        "El puente se abrió en 1932. Lo diseñó un arquitecto de Viena.",
        "abrió en 1932",
    ),
    "ru": Case(
        "Когда был открыт мост через реку?",
        (
            "Мост был открыт в 1932 году. На нём восемь полос.",
            "На рынке продают чай. Им руководит г. Петров.",
        ),
        "Мост был открыт в 1932 году. Его спроектировал архитектор из Вены.",
        "открыт в 1932",
    ),
    "ar": Case(
        "متى افتتح الجسر فوق النهر؟",
        ("افتتح الجسر عام 1932. فيه ثمانية مسارات.", "يباع الشاي في السوق. من يديره منذ عام 1990؟"),
        "افتتح الجسر عام 1932. صممه مهندس من فيينا.",
        "الجسر عام 1932",
    ),
    "hi": Case(
        "नदी पर पुल कब खुला था?",
        ("पुल 1932 में खुला था। इस पर आठ लेन हैं।", "बाज़ार में चाय बिकती है। इसे कौन चलाता है?"),
        "पुल 1932 में खुला था। इसे वियना के एक वास्तुकार ने बनाया था।",
        "1932 में खुला",
    ),
}


def row(name):
    case = CASES[name]
    return {
        "id": name,
        "question": case.question,
        "contexts": list(case.contexts),
        "answer": case.answer,
        "language": name,
    }


def judge(key):
    """A judge who takes sentences for statements and finds what holds the key."""

    def split(task):
        return scripts.split(*sentences(task.text))

    def verify(task):
        held = [(n, c) for n, c in enumerate(task.contexts) if key in c]
        return VerifyStatements.reply(
            [
                Verdict(s.id, supported=True, context=held[0][0], quote=key)
                if key in s.text and held
                else Verdict(s.id, supported=False)
                for s in task.statements
            ]
        )

    def select(task):
        return SelectSentences.reply([Choice(s.id, "") for s in task.sentences if key in s.text])

    return plausible(split_statements=split, verify_statements=verify, select_sentences=select)


@pytest.mark.parametrize("name", CASES)
class TestEveryLanguage:
    def test_faithfulness_from_a_file_to_the_evidence(self, name, db, tmp_path):
        path = tmp_path / "data.jsonl"
        path.write_text(json.dumps(row(name), ensure_ascii=False), "utf-8")
        result = assay.evaluate(path, "faithfulness", judge(CASES[name].key), store=db)
        (found,) = result["faithfulness"]
        assert found.value == 0.5
        yes, no = found.parts
        assert (yes.label, yes.context, no.label) == ("supported", 0, "unsupported")
        for part in found.parts:
            start, end = part.span
            assert CASES[name].answer[start:end] == part.text

    def test_context_relevance_counts_the_sentences(self, name, db):
        result = assay.evaluate([row(name)], "context_relevance", judge(CASES[name].key), store=db)
        (found,) = result["context_relevance"]
        assert len(found.parts) == 4, [part.text for part in found.parts]
        assert found.value == 1 / 4
        (chosen,) = [part for part in found.parts if part.value]
        assert CASES[name].key in chosen.text

    async def test_a_question_that_came_back_in_english_is_asked_for_again(self, name):
        case = CASES[name]
        replies = [scripts.questions(case.english), scripts.questions(case.question)]
        asked = Watched(plausible(generate_questions=replies))
        sample = scripts.sample(question=case.question, answer=case.answer)
        found = await score(AnswerRelevancy(n=1), sample, asked)
        assert asked.kinds["generate_questions"] == 2
        assert found.value == pytest.approx(1.0), "the question itself came back"
        assert "other_language" not in found.details

    async def test_one_in_the_language_of_the_sample_is_not(self, name):
        case = CASES[name]
        asked = Watched(plausible(generate_questions=scripts.questions(case.question)))
        sample = scripts.sample(question=case.question, answer=case.answer)
        await score(AnswerRelevancy(n=1), sample, asked)
        assert asked.kinds["generate_questions"] == 1


class TestQuestionsInAnotherLanguage:
    GERMAN = scripts.sample(question=CASES["de"].question, answer=CASES["de"].answer)
    ENGLISH = CASES["de"].english

    async def test_what_stays_in_another_language_is_marked_and_counted(self):
        judge = plausible(generate_questions=scripts.questions(self.ENGLISH, self.GERMAN.question))
        found = await score(AnswerRelevancy(n=2), self.GERMAN, judge)
        assert [part.reason for part in found.parts] == [OTHER_LANGUAGE, ""]
        assert found.details["other_language"] == 1

    async def test_the_better_of_the_two_draws_is_taken(self):
        first = scripts.questions(self.ENGLISH, self.GERMAN.question)
        second = scripts.questions(self.ENGLISH, self.ENGLISH)
        judge = plausible(generate_questions=[first, second])
        found = await score(AnswerRelevancy(n=2), self.GERMAN, judge)
        assert found.details["other_language"] == 1

    async def test_an_english_answer_to_a_german_question_may_give_either(self):
        sample = scripts.sample(question=self.GERMAN.question)
        for text in (self.ENGLISH, self.GERMAN.question):
            asked = Watched(plausible(generate_questions=scripts.questions(text)))
            found = await score(AnswerRelevancy(n=1), sample, asked)
            assert asked.kinds["generate_questions"] == 1
            assert found.parts[0].reason == ""

    async def test_an_answer_in_no_language_in_particular_is_told_by_its_question(self):
        sample = scripts.sample(question=self.GERMAN.question, answer="1932")
        judge = plausible(generate_questions=scripts.questions(self.ENGLISH))
        found = await score(AnswerRelevancy(n=1), sample, judge)
        assert found.details["other_language"] == 1

    async def test_the_papers_questions_are_as_they_come_but_marked(self):
        judge = plausible(paper_question=self.ENGLISH)
        found = await score(PaperAnswerRelevance(n=1), self.GERMAN, judge)
        assert found.parts[0].reason == OTHER_LANGUAGE


@over(
    "kind",
    [
        "split_statements",
        "verify_statements",
        "generate_questions",
        "rate_answer",
        "select_sentences",
        "judge_contexts",
    ],
)
def test_the_prompt_says_in_which_language_to_write(kind):
    prompt = TASKS[kind].template_for("all") or TASKS[kind].template  # where it writes reasons
    assert "language" in prompt.instruction
