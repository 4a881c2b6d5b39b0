"""Texts that are surely in another language than English are told; all that is unclear is not."""

from assay._text.language_id import language_name, other_language
from support.over import over

TEXTS = {
    "German": "Der Turm wurde im Jahr 1889 gebaut und ist 330 m hoch.",
    "French": "Elle a été construite entre 1887 et 1889 pour l'exposition.",
    "Spanish": "La torre fue construida en 1889 y también es más alta que la otra.",
    "Italian": "La torre è stata costruita nel 1889 ed è più alta anche di questa.",
    "Portuguese": "A torre não foi construída em 1889, mas também é mais alta.",
    "Dutch": "De toren werd in 1889 gebouwd en wordt ook vandaag nog bezocht.",
    "Polish": "Wieża została zbudowana w 1889 roku i jest bardzo wysoka.",
    "Turkish": "Kule 1889 yılında inşa edildi ve çok yüksek bir yapıdır.",
    "Swedish": "Tornet byggdes 1889 och det är mycket högre än det andra, som inte finns.",
    "Chinese": "这座塔建于1889年，高330米。",
    "Japanese": "東京タワーの高さは333メートルです。",
    "Korean": "탑은 1889년에 세워졌습니다.",
    "a language in Cyrillic letters": "Башню построили в 1889 году.",
    "a language in Arabic letters": "بني البرج عام 1889.",
}


@over(("name", "text"), TEXTS.items())
def test_another_language_is_told(name, text):
    assert language_name(other_language([text])) == name


@over(
    "text",
    [
        "",
        "Paris",
        "1889",
        "Volkswagen",
        "Zum goldenen Hirsch",
        "Łódź Fabryczna",
        "Recep Tayyip Erdoğan met Lech Wałęsa and Søren Kierkegaard in São Paulo.",
        "Les Misérables is a novel by Victor Hugo, who also wrote Notre-Dame de Paris.",
        "The die was cast and so on: a la carte, en route, per se, on the one hand.",
        "def est(de, la): return de + la",
        '{"name": "El Niño", "start": "de facto", "end": null}',
        "no, as I am on my own, do it in an hour",
    ],
)
def test_what_is_english_or_unclear_is_left_open(text):
    assert other_language([text]) == ""


def test_chinese_characters_beside_japanese_are_japanese():
    assert other_language(["東京都港区", TEXTS["Japanese"]]) == "JAPANESE"
    assert other_language(["東京都港区"]) == "CJK"


def test_the_first_text_that_is_surely_in_another_language_decides():
    assert other_language(["Paris", TEXTS["German"], TEXTS["French"]]) == "de"
    assert other_language(["It was built in 1889.", "So it was."]) == ""
