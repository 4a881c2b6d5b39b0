"""Statements in other languages than English beside contexts in the same language."""

import pytest

from assay.judges.embedded.reader import Reader
from assay.judges.embedded.verification import DENIED, RESTATED, support
from support.over import over

READER = Reader(1)
CASES = {
    "de": (
        (
            "Der Hafen von Ulbeck wurde 1911 gebaut und hat vier Kräne. Ab dem 2. Mai ist der Anleger "
            "geschlossen. Die Reederei Kahl verkaufte die Fähre an die Stadt Ulbeck. Fahrräder werden "
            "nicht befördert."
        ),
        [
            ("Der Hafen von Ulbeck wurde 1911 gebaut.", "Der Hafen von Ulbeck wurde 1913 gebaut."),
            ("Der Anleger ist ab dem 2. Mai geschlossen.", "Der Anleger ist ab dem 2. Mai offen."),
            (
                "Die Reederei Kahl verkaufte die Fähre an die Stadt Ulbeck.",
                "Die Stadt Ulbeck verkaufte die Fähre an die Reederei Kahl.",
            ),
            ("Fahrräder werden nicht befördert.", "Fahrräder werden befördert."),
        ],
    ),
    "fr": (
        (
            "Le marché de Bressac ouvre le mercredi à 7 heures. Les chiens ne sont pas admis dans la "
            "halle. Le loyer a baissé de 3 % en 2020. Le maire a remercié les pompiers."
        ),
        [
            ("Le marché de Bressac ouvre le mercredi.", "Le marché de Bressac ouvre le jeudi."),
            ("Les chiens ne sont pas admis dans la halle.", "Les chiens sont admis dans la halle."),
            ("Le loyer a diminué de 3 % en 2020.", "Le loyer a augmenté de 3 % en 2020."),
            ("Le maire a remercié les pompiers.", "Les pompiers ont remercié le maire."),
        ],
    ),
    "es": (
        (
            "La fábrica de Sotillo produce 900 toneladas de papel al año. Clara Vidal es la directora "
            "de la fábrica. Los camiones no pueden entrar después de las 20:00."
        ),
        [
            (
                "La fábrica de Sotillo produce 900 toneladas de papel.",
                "La fábrica de Sotillo produce 90 toneladas de papel.",
            ),
            (
                "Los camiones no pueden entrar después de las 20:00.",
                "Los camiones no pueden entrar antes de las 20:00.",
            ),
        ],
    ),
    "it": (
        (
            "Il rifugio apre il 15 giugno e chiude a settembre. Nel rifugio è vietato fumare. La cena "
            "costa 22 euro."
        ),
        [
            ("Nel rifugio è vietato fumare.", "Nel rifugio è permesso fumare."),
            ("La cena costa 22 euro.", "La cena costa 12 euro."),
        ],
    ),
    "pt": (
        (
            "O teatro de Maré foi inaugurado em 1962. Os ingressos são vendidos até sexta-feira. "
            "As crianças não pagam entrada."
        ),
        [
            (
                "O teatro de Maré foi inaugurado em 1962.",
                "O teatro de Maré foi inaugurado em 1926.",
            ),
            ("As crianças não pagam entrada.", "As crianças pagam entrada."),
        ],
    ),
    "nl": (
        (
            "De molen van Halder is gebouwd in 1780 en telt drie verdiepingen. De molen is op zondag "
            "gesloten. Roken is er verboden."
        ),
        [
            ("De molen is op zondag gesloten.", "De molen is op zondag open."),
            ("De molen van Halder is gebouwd in 1780.", "De molen van Halder is gebouwd in 1870."),
        ],
    ),
    "ja": (
        "緑山美術館は1987年に開館した。入場料は大人500円である。館内での撮影は禁止されている。",
        [
            ("入場料は大人500円である。", "入場料は大人800円である。"),
            ("館内での撮影は禁止されている。", "館内での撮影は許可されている。"),
        ],
    ),
}


@over(
    ("context", "right", "wrong"),
    [(context, *pair) for context, pairs in CASES.values() for pair in pairs],
)
def test_one_changed_thing_is_seen_in_seven_languages(context, right, wrong):
    good, bad = support([right, wrong], [context], READER)
    assert good.supported
    assert good.probability >= RESTATED
    assert not bad.supported


@over(
    ("context", "wrong", "reason"),
    [
        (CASES["de"][0], "Der Anleger ist ab dem 2. Mai offen.", "It says 'offen' where"),
        (CASES["fr"][0], "Les chiens sont admis dans la halle.", "One of the two is negated"),
        (CASES["fr"][0], "Les pompiers ont remercié le maire.", "the other way round"),
    ],
)
def test_what_denies_says_why(context, wrong, reason):
    (found,) = support([wrong], [context], READER)
    assert (found.supported, found.contradicted) == (False, True)
    assert found.probability <= DENIED
    assert reason in found.reason


@pytest.mark.parametrize(
    ("context", "statement"),
    [
        # Of two things the one that the statement does not name.
        (
            "Hund Rex mag Kinder, kann aber nicht allein bleiben. Katze Mia kann allein bleiben.",
            "Rex kann allein bleiben.",
        ),
        ("Le thé est servi froid, le café chaud.", "Le thé est servi chaud, le café froid."),
        ("Las fechas van en hora local, nunca universal.", "Las fechas van en hora universal, nunca local."),
    ],
)  # fmt: skip
def test_two_parts_are_not_mixed_up(context, statement):
    (found,) = support([statement], [context], READER)
    assert found.probability < RESTATED
