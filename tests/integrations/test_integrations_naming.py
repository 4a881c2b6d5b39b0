"""Does the name of another library's object change with its replies, and hold no secret?"""

from dataclasses import dataclass, field

import assay
from assay.integrations.objects import object_name, plain_settings, text_of


@dataclass
class Inner:
    top_p: float = 1.0


@dataclass
class Model:
    model: str = "m"
    temperature: float = 0.0
    api_key: str = "sk-1"
    max_tokens: int = 10
    max_retries: int = 2
    inner: Inner = field(default_factory=Inner)
    client: object = None


def named(**changed):
    return object_name("langchain", Model(**changed), "m")


class TestTheName:
    def test_it_tells_library_class_and_model(self):
        assert named().startswith("langchain:Model:m@")

    def test_it_changes_with_each_setting_that_changes_replies(self):
        names = {named(), named(temperature=1.0), named(max_tokens=9), named(inner=Inner(0.5))}
        assert len(names) == 4

    def test_it_stays_with_the_key_and_with_how_requests_are_made(self):
        assert named() == named(api_key="sk-2", max_retries=9, client=object())

    def test_no_key_is_among_the_settings(self):
        assert "sk-1" not in repr(plain_settings(Model()))

    def test_it_changes_with_the_code_of_a_class_of_the_users_own(self):
        def made(reply):
            return type("Own", (), {"ask": reply})()

        one = object_name("langchain", made(lambda self: 1), "")
        assert one == object_name("langchain", made(lambda self: 1), "")
        assert one != object_name("langchain", made(lambda self: 2), "")


def test_the_text_of_a_message_is_that_of_its_text_parts():
    parts = [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "a"}, "b"]
    assert (text_of(parts), text_of("c"), text_of(None)) == ("ab", "c", "")


def test_an_object_of_a_known_library_is_recognised_by_where_its_class_comes_from():
    class Base:
        pass

    Base.__module__ = "langchain_core.language_models.chat_models"

    class Own(Base):
        model_name = "own-1"

        def __call__(self, prompt):  # chat models could be called once
            raise AssertionError

    assert assay.backend(Own()).name.startswith("langchain:")
    assert ":own-1@" in assay.backend(Own()).name
