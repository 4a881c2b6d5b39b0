"""Is what a sentence before a list states kept, and what only announces the list left out?"""

from assay._text.statements import statement_before_list, statements
from support.over import over


@over(
    ("sentence", "told"),
    [
        ("The dose is 20 g, and you should mind the following:", "The dose is 20 g"),
        ("You can take both, but be careful with these points:", "You can take both"),
        ("The form goes on line 21 as follows:", "The form goes on line 21"),
        ("Here are some tips:", ""),
        ("There are 3 steps:", ""),
        ("Here are 5 tips:", ""),
        ("To reset it, follow these steps:", ""),
        ("The process can be summarized as follows:", ""),
        ("Based on the passages, and as far as they go, these are the steps:", ""),
    ],
)
def test_what_is_stated_before_a_list(sentence, told):
    assert statement_before_list(sentence) == told


def test_a_claim_before_a_list_is_a_statement_where_it_stands():
    answer = "The dose is 20 g, and you should mind the following:\n- Take it with water."
    first, second = statements(answer)
    assert (first.text, second.text) == ("The dose is 20 g", "Take it with water.")
    assert answer[first.start : first.end] == "The dose is 20 g"
