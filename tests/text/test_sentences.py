"""Do sentence spans slice back, keep order and cut where a reader would?"""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay._text.sentences import sentences, spans
from support.over import over

CASES = {
    "See Cal. Code Civ. Proc. § 337. It lasts.": ["See Cal. Code Civ. Proc. § 337.", "It lasts."],
    "It was amended (Pub. L. 118-5). We left.": ["It was amended (Pub. L. 118-5).", "We left."],
    "A book by A. A. Milne. It sold well.": ["A book by A. A. Milne.", "It sold well."],
    "It came (order no. JD01). Done.": ["It came (order no. JD01).", "Done."],
    "No. Parking is not free.": ["No.", "Parking is not free."],
    "No. 5 is alive.": ["No. 5 is alive."],
    "(He lives in Rome. She does not.)": ["(He lives in Rome.", "She does not.)"],
    "✅ one\n👉 two\n1️⃣ three\n・四\n❌ none": ["one", "two", "three", "四", "❌ none"],
    "Dr. Smith met J. K. Rowling. They talked.": ["Dr. Smith met J. K. Rowling.", "They talked."],
    "It cost $3.50 in the U.S. Army shop.": ["It cost $3.50 in the U.S. Army shop."],
    "He moved to the U.S. The rest stayed.": ["He moved to the U.S.", "The rest stayed."],
    "Fruit, e.g. apples, is good. Eat it.": ["Fruit, e.g. apples, is good.", "Eat it."],
    '"Why?" he asked. She left!': ['"Why?" he asked.', "She left!"],
    "See https://a.example/b.c?d=e.f now. Done.": ["See https://a.example/b.c?d=e.f now.", "Done."],
    "It held the record.The next did not.": ["It held the record.", "The next did not."],
    "It began in 2006.The tenth was in 2015.": ["It began in 2006.", "The tenth was in 2015."],
    "It is big.[2] It is old.": ["It is big.[2]", "It is old."],
    "Items:\n- one thing\n* Two. Three.\n2) four": [
        "Items:",
        "one thing",
        "Two.",
        "Three.",
        "four",
    ],
    "A line that\ngoes on here.\n\nNext one": ["A line that\ngoes on here.", "Next one"],
    "(951) 777-3147 is it.\n- (951) 777-3148\n(100) More": [
        "(951) 777-3147 is it.",
        "(951) 777-3148",
        "More",
    ],
    "# Title\nText follows": ["Title", "Text follows"],
    "中文句子。第二句！好吗？": ["中文句子。", "第二句！", "好吗？"],
    "It was 1998. The war began.": ["It was 1998.", "The war began."],
    "Steps: 1. Open it. 2. Close it.": ["Steps: 1. Open it.", "2. Close it."],
    "it is red. it is blue.": ["it is red.", "it is blue."],
    "The fee rose to\n45. The cap stayed.": ["The fee rose to\n45.", "The cap stayed."],
    "The length is\n120. Then\n45. Close it.": ["The length is\n120.", "Then", "Close it."],
    "The steps are\n1. Open it.\n2. Close it.": ["The steps are", "Open it.", "Close it."],
    "Bring it to\n1) Ann,\n2) Bo.": ["Bring it to", "Ann,", "Bo."],
    "Dose:\n> 5 mg is toxic.\n> He said so.": ["Dose:", "> 5 mg is toxic.", "He said so."],
    "It is red.[1, 3] It is old.[2-4] Sold.": ["It is red.[1, 3]", "It is old.[2-4]", "Sold."],
    "Ok. . Fine ...": ["Ok.", "Fine ..."],
    "": [],
    " \n\t- \n...": [],
}

# Our own sentences; each list is one text, joined by blanks but in Chinese and Japanese.
LANGUAGES = {
    "German": [
        ["Sie wurde am 3. Mai 1950 geboren.", "Er kam am 12. Dezember."],
        ["Im 19. Jahrhundert wuchs die Stadt.", "Der 2. Weltkrieg zerstörte sie."],
        ["Er wohnt im 3. Stock.", "Das Haus ist alt."],
        ["Kaiser Karl V. regierte lange.", "Er starb im Kloster."],
        ["Obst, z. B. Äpfel, ist gesund.", "Es kostet ca. 5 Mio. Euro."],
        ["Sie handelt mit Holz, Glas usw. und verdient gut.", "Dr. Kern weiß das u. a. von ihr."],
        ["„Warum?“, fragte er.", "„Komm mit.“", "Dann ging er."],
        ["Vgl. Abb. 3 auf S. 12.", "Er ist 12.", "Maria ist 10."],
    ],
    "French": [
        ["M. Blanc habite av. Foch.", "Il est né le 1er mai."],
        ["« Viens ici. »", "Puis elle partit !", "Pourquoi ?", "Personne ne sait."],
        ["La ville fut fondée vers 50 av. J.-C. par Rome.", "Elle grandit."],
        ["Voir p. ex. l'art. 3 du code.", "C'est clair."],
    ],
    "Spanish": [
        ["El Sr. Vega vive en EE. UU. desde 1990.", "¿Lo conoces?", "¡Claro que sí!"],
        ["La Dra. Ruiz llegó a las 5 p. m. con flores.", "Luego se fue."],
        ["Véase pág. 12 y núm. 3.", "Es todo."],
    ],
    "Italian": [
        ["Il sig. Neri e la dott.ssa Bruni vivono a Roma.", "Sono amici."],
        ["Nacque nel 40 a.C. a Capua.", "Poi visse a Pisa."],
        ["Compra pane, latte ecc. al mercato.", "Lei paga."],
    ],
    "Portuguese": [["O Sr. Lima mora na Av. Central.", "Ele é médico."]],
    "Dutch": [["Dhr. De Wit houdt van fruit, bijv. peren.", "Hij eet er veel."]],
    "Danish": [["Hun blev født den 3. maj 1950.", "Huset er fra det 18. århundrede."]],
    "Czech": [["Narodila se 3. května 1950.", "Žila v Brně, např. u řeky."]],
    "Polish": [["Lubi owoce, np. jabłka itd. i warzywa.", "Potem śpi."]],
    "Russian": [["Он родился в 1950 г. в Омске.", "Он любит чай, кофе и т. д. и спорт."]],
    "Greek": [["Η πόλη είναι παλιά.", "Έχει λιμάνι."]],
    "Chinese": [["这座桥很长。", "它有多高？", "没人知道！", "他说：“你好。”", "然后他走了。"]],
    "Japanese": [
        ["彼は「はい。行きます。」と言った。", "それから出かけた。"],
        ["駅は近い（徒歩五分。）です。", "便利だ！"],
        ["「もう遅い。」", "彼女は帰った。"],
    ],
    "Korean": [["다리는 길다.", "높이는 얼마인가?"]],
    "Hindi": [["यह पुल लंबा है।", "यह पुराना है।"]],
    "Arabic": [["كم عمر الجسر؟", "الجسر قديم."]],
}  # fmt: skip
TEXTS = [(name, text) for name, texts in LANGUAGES.items() for text in texts]


@over(("name", "expected"), TEXTS)
def test_cuts_in_other_languages(name, expected):
    text = ("" if name in {"Chinese", "Japanese"} else " ").join(expected)
    assert sentences(text) == expected


@over(
    "expected",
    [
        ["It ended on July 3.", "August was hot."],
        ["I am 12.", "Dogs are older."],
        ["It followed World War II.", "Germany was split."],
        ["It is 120 m.", "The rest is 5 mm.", "He loved art.", "Paintings hung there."],
        ["They met in Ch. 3.", "The end was near."],
    ],
)
def test_marks_of_other_languages_leave_english_alone(expected):
    assert sentences(" ".join(expected)) == expected


@over("text", CASES)
def test_cuts_where_a_reader_would(text):
    assert sentences(text) == CASES[text]


prose = st.text(st.sampled_from("aB1.?!。 \n\r\t\"')]-•#:,é\u2028"), max_size=80)


@given(st.one_of(st.text(max_size=200), prose))
def test_spans_are_exact_ordered_and_lose_no_word(text):
    found = spans(text)
    end_before = 0
    for start, end in found:
        assert end_before <= start < end <= len(text)
        piece = text[start:end]
        assert piece == piece.strip()
        assert any(char.isalnum() for char in piece)
        end_before = end


@given(st.text(st.sampled_from("ab.?! \n"), max_size=80))
def test_no_letter_is_lost(text):
    kept = "".join(sentences(text))
    assert [c for c in kept if c.isalpha()] == [c for c in text if c.isalpha()]


def test_is_linear():
    text = "This is a sentence of a few words, by Mr. Smith of the U.S. in 1990. " * 3000
    begin = time.process_time()
    assert len(spans(text)) > 2999
    assert time.process_time() - begin < 5
    for hostile in ("." * 50_000, "a" * 50_000, "(" * 50_000, "\n" * 50_000, "- " * 25_000):
        begin = time.process_time()
        spans(hostile)
        assert time.process_time() - begin < 5


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ["word other ", "a\n", "wrapped and\r\n", "it is red. ", "A. ", "「あ。」", "e.g. x ", "» "],
)
def test_time_grows_no_faster_than_the_text(piece):
    """Eight times the text may take sixteen times as long and a second, not sixty-four times."""

    def best(size):
        text = piece * (size // len(piece))
        times = []
        for _ in range(3):
            begin = time.process_time()
            spans(text)
            times.append(time.process_time() - begin)
        return min(times)

    assert best(80_000) < 16 * best(10_000) + 1
