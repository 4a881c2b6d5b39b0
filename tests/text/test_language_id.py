"""Languages are told where that is clear."""

from assay._text.language_id import identify_language, is_english
from support.over import over

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


@over(("name", "text"), [(name, text) for name, texts in QUESTIONS.items() for text in texts])
def test_a_question_is_told_by_its_letters_or_its_commonest_words(name, text):
    assert identify_language(text) == name


@over(
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


@over(
    "text",
    [
        "",
        "42",
        "Paris",
        "Eiffel Tower, Paris, France",
        "When was the tower built? It was built from 1887 to 1889 for the World's Fair in Paris.",
        "who got the first nobel prize in physics Wilhelm Conrad Röntgen",
    ],
)
def test_english(text):
    assert is_english(text)


@over(
    "text",
    [
        "Wann wurde der Turm gebaut? Der Turm wurde im Jahr 1889 gebaut und ist das Wahrzeichen.",
        "Quand la tour a-t-elle été construite ? Elle a été construite entre 1887 et 1889.",
        "¿Cuándo se construyó la torre? La torre se construyó entre 1887 y 1889 en París.",
        "När byggdes tornet? Tornet byggdes mellan 1887 och 1889 för att fira revolutionen i landet",
        "埃菲尔铁塔是什么时候建造的？",
        "متى بني برج إيفل؟",
        "Когда построили башню?",
        "東京タワーの高さは333メートルです。",
    ],
)
def test_other_languages(text):
    assert not is_english(text)
