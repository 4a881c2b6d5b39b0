"""Which real servers do these tests run against? One started here, for the whole session."""

import pytest

from assay.judges.openai.judge import OpenAI, OpenAIEmbedder
from support.llama import llama, missing, smollm


def pytest_collection_modifyitems(items):
    for item in items:
        if "/tests/real/" in item.path.as_posix():
            item.add_marker("llm")


@pytest.fixture(scope="session")
def llm_url():
    """Base URL of a llama.cpp server with SmolLM2-135M-Instruct."""
    if why := missing():
        pytest.skip(why)
    with llama(smollm()) as url:
        yield url


@pytest.fixture
def make_llm(llm_url):
    # A small model writes until it is stopped: the bound keeps a test short.
    return lambda **options: OpenAI("smollm2", base_url=llm_url, **{"max_tokens": 160, **options})


@pytest.fixture
async def llm(make_llm):
    made = make_llm()
    yield made
    await made.aclose()


@pytest.fixture
async def embedder(llm_url):
    made = OpenAIEmbedder("smollm2", base_url=llm_url, api_key="")
    yield made
    await made.aclose()
