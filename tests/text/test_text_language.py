"""Is English told from other languages?"""

import pytest

from assay.text.language_id import is_english


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
