"""Is a refusal told from an answer, and what is said to be absent found?"""

import time

from hypothesis import given
from hypothesis import strategies as st

from assay._text.refusals import absence_claim, answers_after_all, is_plain_refusal, refusal
from support.over import over

REFUSALS = [
    "I don't know.",
    "I'm sorry, but I cannot answer that.",
    "I’m sorry, I can’t help with that.",
    "I am very sorry, but this is not something for me.",
    "The passages do not mention his age.",
    "It cannot be determined from the context.",
    "As an AI language model, I have no opinion.",
    "As an AI, I have never eaten one.",
    "There is not enough information to answer.",
    "There is no information about the price of the ticket.",
    "The provided context does not mention the price, but the hall opens at nine.",
    "It is unclear from the passage whether she ever returned.",
    "Unfortunately, the search results do not provide any details about the engine.",
    "I would need more information to say that.",
    "I have no information on that ship.",
    "Could you please provide more context?",
    "That is beyond the scope of the provided context.",
    "The question cannot be answered.",
    "I won't be able to tell you that.",
    "We do not have access to the figures.",
    "We cannot tell you who built it.",
    "We don't have enough information about the price.",
    "We do not know when the hall was built.",
    "We have no data on that.",
    "We're sorry, but we cannot answer this question.",
    "I am afraid I cannot say.",
    "I'm sorry, but I must decline.",
    "No mention is made of a second bridge.",
    "Not specified.",
    "N/A",
    "No idea, really.",
    "Es tut mir leid, das steht dort nicht.",
    "Je ne sais pas.",
    "Lo siento, no puedo ayudar.",
    "抱歉，我无法回答。",
    "Not mentioned in the context.",
    "Not found in the provided documents.",
    "The information is not available.",
    "The answer is not provided in the context.",
    "It isn't specified.",
    "No answer found.",
    "No information is available in the context.",
    "Sorry, no information found.",
    "There is nothing about this in the documents.",
    "I dont know",
    "I cant help with that",
    "Cannot answer.",
    "It is impossible to find this in the context.",
    "It is impossible to tell who built it.",
    "The year is impossible to determine from the given passages.",
    "This question is impossible to answer.",
    "Unable to determine the age of the hall.",
    "Unable to answer based on given passages.",
    "Based on these passages, unable to answer the question.",
    "Therefore, it is unable to provide an answer based solely on the given passages.",
    'Therefore, I must reply with: "Unable to answer based on given passages."',
    'If they do not say it, the response would be "Unable to answer based on given passages."',
    "Insufficient data to tell when it was built.",
    "Not enough information provided.",
    "We have insufficient data to say.",
    "I have no opinion, as an AI language model.",
    '"I don\'t know."',
    "Answer: “I don’t know.”",
    'I cannot say what "the long hall" means.',
    "Sorry, I can only help with travel.",
    "I'm only able to answer billing questions.",
    "I'm not able to give investment advice.",
    "I cannot advise you on shares.",
    "That topic is outside the scope of what I can discuss.",
    "Shares are beyond my remit.",
    "I'd rather not talk about that.",
]
ANSWERS = [
    "I can only recommend the Hotel Roma.",
    "I can only assume that it was built in 1889.",
    "I can only answer for the year 1990: it had two doors.",
    "We can only help after the trial has ended.",
    "The drug can only help with pain.",
    "The hall lies outside my home town.",
    "We do not offer refunds after 30 days.",
    "We don't provide support on Sundays.",
    "We do not have an office in Berlin.",
    "We did not see a decline in revenue in 2023.",
    "We do not share your data with advertisers.",
    "We cannot give discounts on books.",
    "We do not answer calls at night.",
    "We do not discuss prices by e-mail.",
    "We have no data centre in Europe.",
    "We have no access road from the north.",
    "We are unable to ship batteries by air.",
    "I am afraid that the shop is closed on Mondays.",
    "I'm sorry, but the shop is closed on Mondays.",
    "We are sorry that the lift is out of order.",
    "We are sorry, but we close at six.",
    "He did not know his father.",
    "It is not known who built it.",
    "You can find it in Rome.",
    "The treaty did not mention reparations.",
    "His will does not mention the house.",
    "The article did not mention her name, so she sued the paper.",
    "The constitution does not mention a king.",
    "Police did not have enough evidence.",
    "There was not enough data to convict him.",
    "He had no idea that the train had left.",
    "She works as an AI researcher in Bern.",
    "Such tumours cannot be found by touch.",
    "The cause of the fire could not be determined by the crew.",
    "The doctors were unable to find her pulse before noon.",
    "There is no evidence that the drug helps.",
    "No data are lost when the power fails.",
    "The sender was sorry that it came late.",
    "The text of the law names no sum.",
    "There is no answer to the riddle of the sphinx but man.",
    "The information desk is closed.",
    "Please open the window before noon.",
    "As of my knowledge cutoff in 2021, the hall had two doors.",
    "If the passages do not mention a price, ask the seller.",
    "The town is not mentioned before 1200.",
    "Insufficient data caused the crash of 1990.",
    "Not enough information was collected in 1990 to date it.",
    "Users are unable to provide a second address.",
    "Unable to find work, he moved to Rome in 1910.",
    "It was impossible to find a cure before 1920.",
    "It was impossible to determine the cause before 1920.",
    "It is impossible to find a seat on Sundays.",
    "The fog made it impossible to determine the position of the ship.",
    "As an artificial intelligence company, the firm employs 700 people.",
    "As an artificial intelligence company, we employ 700 people.",
    "As a large language model, it has many parameters.",
    "The information is not available in shops.",
    "Not available in Germany.",
    '"I don\'t know" is a 2003 song.',
    "'I don't know' is a 2003 song.",
    "“I don't know,” he said, “but the treaty was signed in 1919.”",
    'To such questions the model answers "I cannot answer that" in blue.',
]
CLAIMS = {
    "The passages do not mention his age.": "his age",
    "The provided context doesn't specify when the hall was built.": "when the hall was built",
    "The given text does not explicitly state whether it is safe, but it calls it mild.": (
        "whether it is safe"
    ),
    "Unfortunately, the documents do not provide any information about the price.": "the price",
    "The context contains no information about her childhood.": "her childhood",
    "The passage says nothing about the weather.": "the weather",
    "This document is silent on costs.": "costs",
    "There is no mention of a second bridge in the passages.": "a second bridge",
    "There is no information in the given passages about trains.": "trains",
    "No information is given about the crew.": "the crew",
    "The name of the captain is not mentioned in the passages.": "The name of the captain",
    "It is unclear from the passage whether she ever returned.": "whether she ever returned",
    "It is not stated in the text who paid.": "who paid",
    "The length cannot be determined from the provided information.": "The length",
    "I could not find any information about refunds in the documents.": "refunds",
    "Passage 2 does not mention the moon.": "the moon",
    "Based on the passages, there is no information about taxes.": "taxes",
    "The provided context did not answer the question.": "the question",
    "It is old, but its price is not mentioned in the passages.": "its price",
    "The third passage does not name the captain.": "the captain",
    "There is no information.": "",
}
NO_CLAIMS = [
    *ANSWERS,
    "I don't know.",
    "The passages mention his age.",
    "The context does mention it.",
    "Passage 2 is about the moon.",
]


@over("text", REFUSALS)
def test_refusals(text):
    assert refusal(text)


@over("text", ANSWERS)
def test_answers_are_no_refusals(text):
    assert refusal(text) == ""


@over("text", CLAIMS)
def test_what_is_said_to_be_absent(text):
    claim = absence_claim(text)
    assert claim is not None
    assert claim.topic == CLAIMS[text]


@over("text", NO_CLAIMS)
def test_no_claim_of_absence(text):
    assert absence_claim(text) is None


def test_a_refusal_that_goes_on_to_answer_is_not_plain():
    assert is_plain_refusal("I'm sorry, but I cannot answer that.")
    assert is_plain_refusal("Unfortunately, I do not have that information.")
    for bare in ("Not mentioned in the context.", "Not specified.", "N/A", "No answer found."):
        assert is_plain_refusal(bare)
    assert is_plain_refusal("Unable to answer based on given passages.")
    assert is_plain_refusal("Sorry, unable to determine the year.")
    assert not is_plain_refusal("None.")  # how many there were
    assert not is_plain_refusal("Unable to find work, he emigrated.")
    assert not is_plain_refusal("Unable to determine the year, but it was built in Rome.")
    assert not is_plain_refusal("I cannot say when, but it was built in the harbour of Rome.")
    assert not is_plain_refusal("Unfortunately, the passages do not mention the price.")


@over("text", ["I dont know", "idk", "Sorry, no information found."])
def test_what_is_written_carelessly_declines_as_plainly(text):
    assert is_plain_refusal(text)


def test_words_that_somebody_is_quoted_with_are_no_plain_refusal():
    assert not is_plain_refusal("“I don't know,” he said, “but the treaty was signed in 1919.”")
    assert is_plain_refusal("“I don't know.”")


@given(st.text(max_size=200))
def test_nothing_crashes(text):
    refusal(text)
    absence_claim(text)
    is_plain_refusal(text)


@over(
    "piece",
    ["the ", "there is no information ", "the given ", "it is ", " ", "\"I don't know\" ",
     "unable to find ", "as an ai model ", "I "]
)  # fmt: skip
def test_long_texts_take_no_long_time(piece):
    begin = time.process_time()
    refusal(piece * (20_000 // len(piece)))
    assert time.process_time() - begin < 3


@over(
    ("sentence", "answers"),
    [
        ("However, it was built in Rome in 1932.", True),
        ("But the tower is 300 metres high.", True),
        ("However, I can help you with other questions.", False),
        ("However, the passages do not mention it.", False),
        ("It was built in Rome in 1932.", False),
    ],
)
def test_a_sentence_may_take_a_refusal_before_it_back(sentence, answers):
    assert answers_after_all(sentence) is answers


@over(
    "text",
    [
        "Das geht aus den Unterlagen leider nicht hervor.",
        "Je ne trouve pas cette information dans les documents.",
        "Los documentos no contienen información sobre el precio.",
        "无法从提供的资料中得知答案。",
        "この情報は資料に記載されていません。",
        "لا تحتوي الوثائق على هذه المعلومة.",
        "К сожалению, в документах нет информации об этом.",
    ],
)
def test_refusals_in_other_languages_are_found(text):
    assert refusal(text)
    assert is_plain_refusal(text)


@over(
    "text",
    [
        "Es wird keine Gebühr erhoben, und die Kinder zahlen nichts.",
        "La tour a été construite en 1889 et elle est ouverte.",
        "この塔は1889年に建てられました。",
        "No fee is charged, and nobody knows who built the tower.",
    ],
)
def test_answers_in_other_languages_and_denials_are_none(text):
    assert not refusal(text)
    assert not is_plain_refusal(text)
