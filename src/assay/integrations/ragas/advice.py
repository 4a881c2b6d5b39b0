"""Advice in the words of a script written for ragas: what is not here, and errors of assay.

It is loaded with the first import, and so loads nothing itself before it is needed.
"""

import importlib
import re
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import Any, NoReturn, TypeVar

from assay.errors import AssayError, InputError, Problem

# What ragas calls the fields of a sample.
FIELDS: Mapping[str, str] = {
    "user_input": "question",
    "response": "answer",
    "retrieved_contexts": "contexts",
    "reference": "reference",
    "reference_contexts": "reference_contexts",
    "retrieved_context_ids": "context_ids",
    "reference_context_ids": "reference_context_ids",
    "multi_responses": "further_answers",
    "rubrics": "rubric",
    "rubric": "rubric",
    "reference_tool_calls": "reference_tool_calls",
    "reference_topics": "reference_topics",
}

# What ragas 0.1 calls them.
OLD_FIELDS: Mapping[str, str] = {
    "question": "question",
    "answer": "answer",
    "contexts": "contexts",
    "ground_truth": "reference",
}

T = TypeVar("T")
_PACKAGE = "assay.integrations.ragas"

_PROMPTS = "the words of a judge are replaced by task: assay's Settings(prompts=...)"
_IMAGES = "assay judges texts: describe the images in words, or keep ragas for this metric"
_DATA = "compare tables with pandas or datacompy; any function is a metric with @assay.metric"
_TESTS = "TestsetGenerator cuts documents and draws passages by itself; see docs/testset.md"
_LABELS = "`assay calibrate` fits a threshold to human labels; see docs/human-labels.md"
_STORE = "every reply is kept in the store and taken from there: no cache is needed"
_RUNS = "evaluate() limits, retries and resumes by itself: give it a RunConfig"
_LOOP = "evaluate() runs inside a running event loop too; elsewhere use asyncio.run and gather"
_CHECKED = "evaluate() checks the data before anything is asked, and takes column_map="
_COLUMNS = "columns of every generation of ragas are recognised: nothing is to be converted"
_TRACES = "result.assay.trace(sample, metric) has every prompt, reply and reason of a score"
_TOKENS = "tokens are counted by the judge's server: result.total_tokens() has them"
_UPLOAD = "result.assay.report('report.html') writes a page to share; nothing is uploaded"
_CHAT = "give a LangChain chat model, or 'openai:MODEL'"
_EMBEDS = "give a LangChain or LlamaIndex embedding object, or 'embedded'"
_SERVER = "give the model of an OpenAI-compatible server: 'openai:MODEL'"
_VECTORS = "texts are embedded in requests of a fitting size by themselves"
_CHAIN = "assay.integrations.langchain has RunEvaluator, which scores runs of any chain"
_OWN = "use the decorators discrete_metric, numeric_metric and ranking_metric"
_DRAWS = "give a metric strictness=3: it is asked for several draws, and the majority counts"
_READ = "replies are read by each task: JSON is found among code fences and prose"
_INSIDE = "it is an aid inside ragas; what evaluate() and the metrics need they have themselves"

# Modules of ragas that share a file here; their names are in that file.
SHARED: Mapping[str, str] = {
    "backends": "dataset",
    "callbacks": "metrics.base",
    "cost": "run_config",
    "embeddings": "llms",
    "embeddings.base": "llms",
    "exceptions": "run_config",
    "experiments": "dataset",
    "integrations.langgraph": "dataset_schema",
    "llms.base": "llms",
    "messages": "dataset_schema",
    "metrics.critique": "metrics.legacy",
    "metrics.quoted_spans": "metrics.collections",
    "testset.evolutions": "testset",
    "testset.generator": "testset",
}
# By module of ragas, all of whose names have one answer. They are no files here.
MODULES: Mapping[str, str] = {
    "async_utils": _LOOP,
    "cache": _STORE,
    "config": _LABELS,
    "executor": _RUNS,
    "experimental": "what it holds is among the metrics of assay.integrations.ragas.metrics",
    "losses": "`assay agree` measures the agreement with human labels",
    "optimizers": _LABELS,
    "prompt": _PROMPTS,
    "sdk": _UPLOAD,
    "tokenizers": _TOKENS,
    "utils": _INSIDE,
    "validation": _CHECKED,
    "llms.adapters": "llm_factory takes any provider with an OpenAI-compatible interface",
    "llms.json_load": _READ,
    "llms.output_parser": _READ,
    "llms.prompt": _PROMPTS,
    "metrics.validators": _OWN,
    "testset.docstore": _TESTS,
    "testset.extractor": _TESTS,
    "testset.filters": _TESTS,
    "testset.graph": _TESTS,
    "testset.persona": _TESTS,
    "testset.prompts": _TESTS,
    "testset.synthesizers": _TESTS,
    "testset.transforms": _TESTS,
}


def _for_each_name(names: str, advice: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), advice)


# By what is imported from `ragas` or a module of it.
WAYS: Mapping[str, str] = {
    "testset": _TESTS,
    **_for_each_name("PydanticPrompt Prompt BasePrompt StringPrompt PromptMixin Example", _PROMPTS),
    **_for_each_name("PromptValue DynamicFewShotPrompt", _PROMPTS),
    **_for_each_name(
        "RagasoutputParser get_json_format_instructions load_as_json json_loader", _READ
    ),
    "adapt": "leave it out: statements and reasons keep the language of the text",
    "BatchEvaluator": "evaluate(..., llm='openai-batch:MODEL') uses the provider's batch API",
    "estimate_batch_cost_savings": "assay.estimate(rows, metrics) says what a run would cost",
    **_for_each_name("EvaluatorChain RagasEvaluatorChain", _CHAIN),
    **_for_each_name(
        "cacher CacheInterface DiskCacheBackend", "every reply is kept: leave cache= out"
    ),
    **_for_each_name("Executor Runner run_async_batch add_retry add_async_retry", _RUNS),
    **_for_each_name(
        "run run_async_tasks is_event_loop_running apply_nest_asyncio as_completed", _LOOP
    ),
    **_for_each_name("run_async_in_current_loop run_sync_in_async async_to_sync", _LOOP),
    **_for_each_name("BaseTokenizer TiktokenWrapper HuggingFaceTokenizer get_tokenizer", _TOKENS),
    **_for_each_name("num_tokens_from_string CostCallbackHandler", _TOKENS),
    "version_experiment": "commit with git; a run's id follows from its content",
    "DataCompyScore": _DATA,
    "LLMSQLEquivalence": "DiscreteMetric with the question 'do both queries return the same rows?'",
    "SQLSemanticEquivalence": "DiscreteMetric with the question 'do both return the same rows?'",
    **_for_each_name("MultiModalFaithfulness MultiModalRelevance", _IMAGES),
    **_for_each_name("multimodal_faithness multimodal_relevance", _IMAGES),
    **_for_each_name(
        "FaithfulnesswithHHEM FaithulnesswithHHEM",
        "Faithfulness(llm='onnx:FOLDER+embedded') takes any NLI model",
    ),
    "FaithfulnessExperimental": "Faithfulness judges each statement with its reason",
    **_for_each_name("GoogleEmbeddings HaystackEmbeddingsWrapper", _EMBEDS),
    **_for_each_name(
        "HuggingFaceEmbeddings HuggingfaceEmbeddings",
        "give 'onnx:FOLDER', that of LangChain, or 'embedded'",
    ),
    **_for_each_name("LiteLLMEmbeddings LiteLLMStructuredLLM", _SERVER),
    **_for_each_name("OCIGenAIWrapper oci_genai_factory HaystackLLMWrapper", _CHAT),
    **_for_each_name("validate_texts batch_texts get_optimal_batch_size", _VECTORS),
    **_for_each_name("Ensember ensembler", _DRAWS),
    **_for_each_name("ModeMetric create_auto_response_model create_metric_decorator", _OWN),
    **_for_each_name("BaseMetricProtocol DiscreteMetricProtocol NumericMetricProtocol", _OWN),
    **_for_each_name(
        "RankingMetricProtocol DiscreteValidator NumericValidator RankingValidator", _OWN
    ),
    **_for_each_name("get_validator_for_allowed_values get_metric_type_name", _OWN),
    "fbeta_score": "the metrics compute their own; sklearn.metrics has fbeta_score",
    **_for_each_name(
        "get_segmenter get_required_columns get_available_metrics is_reproducable", _INSIDE
    ),
    **_for_each_name(
        "new_group new_async_group ChainType ChainRun ChainRunEncoder RagasTracer", _TRACES
    ),
    **_for_each_name("MetricTrace parse_run_traces", _TRACES),
    **_for_each_name(
        "remap_column_names validate_column_dtypes validate_required_columns", _CHECKED
    ),
    **_for_each_name("validate_evaluation_modes validate_supported_metrics", _CHECKED),
    **_for_each_name("get_supported_metric_type handle_deprecated_ground_truths", _CHECKED),
    **_for_each_name(
        "convert_v1_to_v2_dataset convert_v2_to_v1_dataset convert_row_v1_to_v2", _COLUMNS
    ),
    **_for_each_name("get_required_columns_v1 REQUIRED_COLS_v1", _COLUMNS),
    "safe_nanmean": "result[name] acts as the mean of the scores there are; so does numpy.nanmean",
    "is_nan": "math.isnan says so of one score; result.reasons says why",
    "set_logging_level": "call logging.getLogger('assay').setLevel in its place",
    **_for_each_name("DemonstrationConfig InstructionConfig train optimizers", _LABELS),
    **_for_each_name("PromptAnnotation SampleAnnotation MetricAnnotation", _LABELS),
    "SingleMetricAnnotation": _LABELS,
    **_for_each_name("upload upload_packet get_app_token get_app_url get_api_url", _UPLOAD),
    **_for_each_name("build_evaluation_app_url check_api_response UploadException", _UPLOAD),
    **_for_each_name("DuplicateError NotFoundError ResourceNotFoundError", _UPLOAD),
    **_for_each_name("ProjectNotFoundError DatasetNotFoundError ExperimentNotFoundError", _UPLOAD),
    **_for_each_name("DuplicateResourceError DuplicateProjectError", _UPLOAD),
    **_for_each_name("DuplicateDatasetError DuplicateExperimentError", _UPLOAD),
    **_for_each_name(
        "track do_not_track get_userid", "assay reports nothing to anyone: leave it out"
    ),
    **_for_each_name("get_adapter auto_detect_adapter StructuredOutputAdapter", _SERVER),
    **_for_each_name(
        "is_multiple_completion_supported InstructorModelArgs HasSegmentMethod", _INSIDE
    ),
    **_for_each_name("MemorableNames memorable_names safe_import BackendRegistry", _INSIDE),
    **_for_each_name("Distributions QAC QCA Statements Verification ExampleMetric", _INSIDE),
    **_for_each_name(
        "normalize_text extract_quoted_spans count_matched_spans format_rubrics", _INSIDE
    ),
    **_for_each_name("sorted_key_for_tool_call exact_match_args make_hashable", _INSIDE),
    **_for_each_name("tool_call_to_hashable calculate_f1_score", _INSIDE),
    **_for_each_name("is_image_path_or_url process_image_to_base64", _IMAGES),
    **_for_each_name("build_multimodal_message_content", _IMAGES),
    **_for_each_name("build_multimodal_relevance_message_content", _IMAGES),
    **_for_each_name(
        "DEFAULT_REFERENCE_FREE_RUBRICS DEFAULT_WITH_REFERENCE_RUBRICS",
        "leave rubrics= out: the metrics have a rubric of five grades",
    ),
    "GDriveBackend": "write a subclass of BaseBackend, or keep files with 'local/jsonl'",
    **_for_each_name(
        "Evolution SimpleEvolution ComplexEvolution ReasoningEvolution DataRow", _TESTS
    ),
    **_for_each_name(
        "MultiContextEvolution ConditionalEvolution CurrentNodes EvolutionOutput", _TESTS
    ),
    "integrations": "assay.integrations has LangChain, LlamaIndex, Haystack, traces and trackers",
    **MODULES,
}
# Forms that ragas' prompts are made of: inputs, outputs and the prompts themselves.
_FORM = re.compile(
    r"[A-Z]\w*(?:Prompt|Input|Output|Response|Answers?|Verifications?|Classifications?|Feedback"
    r"|List|Statements|Reason|Classifier|Keyphrases|Generated|Questions|WithoutRubric"
    r"|WithRubric|GroundTruth|Type)|[A-Z_]+_INSTRUCTION"
)


def missing(module: str, name: str) -> Any:
    """What `__getattr__` of a module says of a name that ragas has and we have not.

    Raises:
        ImportError: With the assay way, if the name is known to be ragas'.
        AttributeError: For any other name.
    """
    shared = ".".join(filter(None, (module, name)))
    if shared in SHARED or shared == "integrations":
        return sys.modules[f"{_PACKAGE}.{shared}"]
    if name in WAYS:
        raise ImportError(f"assay's ragas has no {name}: {WAYS[name]}")
    if module in WAYS and not name.startswith("_"):
        raise ImportError(f"assay's ragas has no {module}.{name}: {WAYS[module]}")
    if module.startswith("metrics") and _FORM.fullmatch(name):
        raise ImportError(f"assay's ragas has no {name}: {_PROMPTS}")
    module_name = ".".join(filter(None, (_PACKAGE, module)))
    raise AttributeError(f"module '{module_name}' has no attribute '{name}'")


def refuse(what: str, way: str = "") -> NoReturn:
    """Say that something ragas takes is not taken here.

    Raises:
        InputError: Always.
    """
    raise InputError(f"assay's ragas has no {what}", way or WAYS.get(what, ""))


def refusal(what: str, way: str = "") -> Callable[..., Any]:
    """A method that ragas has and that is not here: called, it raises InputError with the way."""

    def refused(*_: Any, **__: Any) -> NoReturn:
        refuse(what, way)

    return refused


def add_modules() -> None:
    """Make the modules of ragas importable that are no files here.

    Those that share a file have its names. A name of any other tells its way.
    """
    finders: dict[str, Callable[[str], Any]] = {
        **{name: partial(_from_file, name, file) for name, file in SHARED.items()},
        **{name: partial(_from_package, name) for name in MODULES},
        "integrations": partial(missing, "integrations"),
    }
    for name, find in finders.items():
        module = ModuleType(f"{_PACKAGE}.{name}", "A module of ragas that is no file here.")
        module.__dict__["__getattr__"] = find
        module.__dict__["__path__"] = []  # what would be below is not here either
        sys.modules.setdefault(module.__name__, module)


def _from_file(module: str, file: str, name: str) -> Any:
    if name.startswith("__") and name != "__all__":  # whoever looks at all modules loads no file
        raise AttributeError(name)
    names = vars(importlib.import_module(f"{_PACKAGE}.{file}"))
    return names[name] if name in names else missing(module, name)


def _from_package(module: str, name: str) -> Any:
    """What the package above has by this name, since modules of ragas are fewer here."""
    if name.startswith("__"):
        raise AttributeError(name)
    above = importlib.import_module(".".join([_PACKAGE, *module.split(".")[:-1]]))
    try:
        return getattr(above, name)
    except AttributeError:
        return missing(module, name)


_COLUMN = {field: column for column, field in reversed(list(FIELDS.items()))}
# As `shlex.quote` writes them: in quotation marks, or of safe letters only.
_MAPPED = re.compile(
    r"--map (?:'(?P<quoted>\w+=[^']*)'|(?P<bare>\w+=[\w@%+:,./-]*))"
    r"(?: \(mapping= of Settings in Python\))?"
)
# What the command line has, by pattern, and what does the same in a script.
_OPTIONS: tuple[tuple[str, str], ...] = (
    (
        r"let the embedded judge do the rest: --judge JUDGE\+embedded",
        "let the embedded judge do the rest: llm='openai:MODEL+embedded'",
    ),
    (
        r"choose another judge \(openai:MODEL\), or mix: .*",
        "give llm= a model that writes: what llm_factory gives, or llm='openai:MODEL'",
    ),
    (
        "name a language model: openai:MODEL, ollama:MODEL or gguf:PATH",
        "give llm= a language model: what llm_factory gives, or 'openai:MODEL', 'ollama:MODEL'",
    ),
    (r"--judge openai:MODEL --base-url URL", "llm_factory('MODEL', base_url='URL')"),
    (
        r"raise --timeout, or lower --concurrency",
        "give run_config=RunConfig(timeout=..., max_workers=...) more time or fewer workers",
    ),
    (r"--map\b", "column_map="),
    (r"no column holds 'turns'", "'user_input' is no conversation"),
    (r"name it with column_map=\{'turns': 'COLUMN'\}", "give MultiTurnSamples"),
    (r"\bragas:(?=\w)", ""),
    (r"\bembedded:v[\w.+:-]+", "the embedded judge"),
    (r"--base-url", "llm_factory('MODEL', base_url='URL')"),
    (r"(?:take )?another --store", "run the script in another folder"),
    (r"name a store, or a run of one .*", "move it away, or run the script in another folder"),
    (r"name a --store on", "run the script in a folder on"),
)


@contextmanager
def reworded() -> Iterator[None]:
    """What is raised inside, said in the words of a script written for ragas.

    Raises:
        AssayError: The same error with other advice, without the traceback of assay's inside.
    """
    try:
        yield
    except AssayError as error:
        raise _in_words(error) from None


def completed(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine; what it raises is reworded, with a short traceback.

    Raises:
        AssayError: What the coroutine raised.
    """
    from assay._runner.event_loop import run_to_completion

    try:
        return run_to_completion(work)
    except AssayError as error:
        raise _in_words(error) from None


def _in_words(error: AssayError) -> AssayError:
    from assay._store.integrity import StoreError

    if isinstance(error, InputError):
        kind = StoreError if isinstance(error, StoreError) else InputError
        return kind([_as_ragas_problem(problem) for problem in error.problems], total=error.total)
    error.args = (_text(str(error)), *error.args[1:])
    return error.with_traceback(None)


def _as_ragas_problem(problem: Problem) -> Problem:
    from assay.data.missing_fields import SKIP_HINT

    remedy = _text(problem.remedy.removesuffix(SKIP_HINT))
    return replace(problem, what=_text(problem.what), remedy=remedy)


def _text(text: str) -> str:
    text = _MAPPED.sub(_by_column_map, text)
    for option, words in _OPTIONS:
        text = re.sub(option, words, text)
    return text


def _by_column_map(option: re.Match[str]) -> str:
    field, _, column = (option["quoted"] or option["bare"]).partition("=")
    return f"column_map={{'{_COLUMN.get(field, field)}': '{column or 'COLUMN'}'}}"
