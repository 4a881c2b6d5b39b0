"""Which of our metrics says that it counts as which one of another library."""

_DISTANCES = {
    "LEVENSHTEIN": "levenshtein",
    "HAMMING": "hamming",
    "JARO": "jaro",
    "JARO_WINKLER": "jaro_winkler",
}

PAIRS = {
    "ragas4": {
        "Faithfulness": "ragas:faithfulness",
        "AnswerRelevancy": "ragas:answer_relevancy",
        "ContextPrecisionWithReference": "ragas:context_precision",
        "ContextPrecisionWithoutReference": "ragas:context_precision_without_reference",
        "ContextRecall": "context_recall",
        "ContextEntityRecall": "ragas:context_entity_recall",
        "FactualCorrectness": "ragas:factual_correctness",
        "FactualCorrectness precision": "ragas:factual_correctness(mode=precision)",
        "FactualCorrectness recall": "ragas:factual_correctness(mode=recall)",
        "FactualCorrectness beta 0.5": "ragas:factual_correctness(beta=0.5)",
        "AnswerCorrectness": "ragas:answer_correctness",
        "AnswerCorrectness beta 2": "ragas:answer_correctness(beta=2)",
        "AnswerCorrectness facts only": "ragas:answer_correctness(similarity_weight=0)",
        "NoiseSensitivity relevant": "ragas:noise_sensitivity(mode=relevant)",
        "NoiseSensitivity irrelevant": "ragas:noise_sensitivity(mode=irrelevant)",
        "SemanticSimilarity": "answer_similarity",
        "AnswerAccuracy": "answer_accuracy",
        "ContextRelevance": "nv_context_relevance",
        "ResponseGroundedness": "response_groundedness",
        "ExactMatch": "exact_match",
        "StringPresence": "string_presence",
        **{
            f"NonLLMStringSimilarity {theirs}": f"string_similarity(distance={ours})"
            for theirs, ours in _DISTANCES.items()
        },
        "BleuScore": "bleu",
        "CHRFScore": "chrf",
        **{
            f"RougeScore {kind} {mode}": f"rouge(variant={kind},mode={mode})"
            for kind in ("rouge1", "rougeL")
            for mode in ("fmeasure", "precision", "recall")
        },
        "QuotedSpansAlignment": "ragas:quoted_spans",
    },
    "ragas4_legacy": {
        "Faithfulness": "ragas:faithfulness",
        "ResponseRelevancy": "ragas:answer_relevancy",
        "LLMContextPrecisionWithReference": "ragas:context_precision",
        "LLMContextPrecisionWithoutReference": "ragas:context_precision_without_reference",
        "LLMContextRecall": "context_recall",
        "ContextEntityRecall": "ragas:context_entity_recall(variant=legacy)",
        "FactualCorrectness": "ragas:factual_correctness",
        "FactualCorrectness precision": "ragas:factual_correctness(mode=precision)",
        "FactualCorrectness recall": "ragas:factual_correctness(mode=recall)",
        "AnswerCorrectness": "ragas:answer_correctness",
        "NoiseSensitivity relevant": "ragas:noise_sensitivity(mode=relevant)",
        "NoiseSensitivity irrelevant": "ragas:noise_sensitivity(mode=irrelevant)",
        "SemanticSimilarity": "answer_similarity",
        "NonLLMContextPrecisionWithReference": "non_llm_context_precision",
        "NonLLMContextRecall": "non_llm_context_recall",
        "IDBasedContextPrecision": "id_based_context_precision",
        "IDBasedContextRecall": "id_based_context_recall",
        "ExactMatch": "exact_match",
        "StringPresence": "string_presence",
        "NonLLMStringSimilarity": "string_similarity",
        "BleuScore": "bleu",
        "RougeScore": "rouge",
        "ChrfScore": "chrf",
    },
    "ragas1": {
        "Faithfulness": "ragas:faithfulness",
        "AnswerRelevancy": "ragas:answer_relevancy(noncommittal=any)",
        "ContextPrecision": "ragas:context_precision",
        "ContextUtilization": "ragas:context_precision_without_reference",
        "ContextRecall": "context_recall",
        "ContextEntityRecall": "ragas:context_entity_recall(variant=legacy)",
        "AnswerCorrectness": "ragas:answer_correctness",
        "AnswerSimilarity": "answer_similarity",
        "NoiseSensitivity relevant": "ragas:noise_sensitivity(mode=relevant)",
        "NoiseSensitivity irrelevant": "ragas:noise_sensitivity(mode=irrelevant)",
    },
    "deepeval": {
        "FaithfulnessMetric": "deepeval:faithfulness",
        "AnswerRelevancyMetric": "deepeval:answer_relevancy",
        "ContextualPrecisionMetric": "deepeval:contextual_precision",
        "ContextualRecallMetric": "deepeval:contextual_recall",
        "ContextualRelevancyMetric": "deepeval:contextual_relevancy",
        "HallucinationMetric": "deepeval:hallucination",
    },
    "trulens": {
        "groundedness": "trulens:groundedness",
        "answer_relevance": "trulens:answer_relevance",
        "context_relevance": "trulens:context_relevance",
    },
    "ragchecker": {
        "precision": "ragchecker:precision",
        "recall": "ragchecker:recall",
        "f1": "ragchecker:f1",
        "claim_recall": "ragchecker:claim_recall",
        "context_precision": "ragchecker:context_precision",
        "context_utilization": "ragchecker:context_utilization",
        "noise_sensitivity_in_relevant": "ragchecker:noise_sensitivity_relevant",
        "noise_sensitivity_in_irrelevant": "ragchecker:noise_sensitivity_irrelevant",
        "hallucination": "ragchecker:hallucination",
        "self_knowledge": "ragchecker:self_knowledge",
        "faithfulness": "ragchecker:faithfulness",
    },
}

# Code that names ragas' classes gets ours from the drop-in: each is to find what ragas finds.
PAIRS["drop-in"] = {name: f"drop-in {name}" for name in PAIRS["ragas4_legacy"]}
