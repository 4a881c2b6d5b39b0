"""Is the language of a text told where it is clear, and left open where it is not?"""

import pytest

from assay.text.language_id import identify_language

QUESTIONS = {
    "en": ("When was the tower built?", "How many people live in the city?"),
    "de": ("Wann wurde der Turm gebaut?", "Wie viele Menschen leben in der Stadt?"),
    "fr": ("Quand la tour a-t-elle été construite ?", "Quelle est la hauteur de la tour ?"),
    "es": ("¿Cuándo se construyó la torre?", "¿Cuál es la altura de la torre?"),
    "it": ("Quando è stata costruita la torre?", "Qual è l'altezza della torre?"),
    "pt": ("Quando foi construída a torre?", "Qual é a altura da torre?"),
    "nl": ("Wanneer werd de toren gebouwd?", "Hoe hoog is de toren?"),
    "CJK": ("这座塔是什么时候建成的？", "塔有多高？"),
    "JAPANESE": ("塔はいつ建てられましたか。", "東京タワーの高さは何メートルですか？"),
    "HANGUL": ("탑은 언제 세워졌습니까?",),
    "CYRILLIC": ("Когда построили башню?", "Какова высота башни?"),
    "ARABIC": ("متى بني البرج؟",),
    "DEVANAGARI": ("मीनार कब बनाई गई थी?",),
    "GREEK": ("Πότε χτίστηκε ο πύργος;",),
}


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in QUESTIONS.items() for text in texts]
)
def test_a_question_is_told_by_its_letters_or_its_commonest_words(name, text):
    assert identify_language(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "1889",
        "Paris",
        "330 m (2023)",
        "Eiffel Tower",
        "\U0001f600\U0001f5fc",
        "a\x00b",
        "...",
    ],
)
def test_what_is_in_no_language_in_particular_is_left_open(text):
    assert identify_language(text) == ""


def test_names_in_other_letters_do_not_change_the_language():
    assert identify_language("Wann wurde der Turm von 东京 gebaut?") == "de"
    assert identify_language("Python 3.12 是什么时候发布的版本？") == "CJK"


def test_a_long_text_is_told_by_its_beginning():
    assert identify_language("Der Turm ist hoch und die Stadt ist alt. " * 5000) == "de"
