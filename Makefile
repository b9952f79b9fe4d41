# `make` without a target lists the targets. Only this folder and the caches of cargo and pip are written.

.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:

PYTHON ?= python3
CARGO ?= cargo
VENV := .venv
# Where a virtual environment keeps its programs: Scripts on Windows, bin elsewhere.
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)

# ccache, if available, compiles the C and C++ code (grammars, SQLite, usearch) once for all checkouts.
ifneq ($(shell command -v ccache 2>/dev/null),)
ifeq ($(origin CC),default)
export CC := ccache cc
endif
ifeq ($(origin CXX),default)
export CXX := ccache c++
endif
endif

# Equal values for cargo and maturin, so that neither rebuilds what the other has built.
export PYO3_PYTHON := $(abspath $(BIN)/python)
export PYO3_BUILD_EXTENSION_MODULE := 1
export PIP_QUIET := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Otherwise every process that a test starts compiles the package again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help
help: ## Show this help
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' Makefile

$(VENV)/ready: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --group dev
	touch $@

.PHONY: dev
dev: $(VENV)/ready ## Build the extension with the dev profile; the package in .venv is this folder
	$(BIN)/maturin develop --quiet --profile dev

.PHONY: test
test: format dev lint-rust test-rust lint-python lint-workflows test-python ## All checks and tests that must pass before a commit

.PHONY: format
format: $(VENV)/ready
	$(CARGO) fmt --all --check
	$(BIN)/ruff format --quiet --check python tests benches .github

.PHONY: lint-rust
lint-rust: dev
	PYO3_CONFIG_FILE="$$(ls -t $(CURDIR)/target/maturin/pyo3-config-*.txt | head -n 1)" \
	  $(CARGO) clippy --quiet --workspace --all-targets --locked -- -D warnings

# The extension has no tests; including it gives dependencies the features that they have in `dev`, so they are not rebuilt.
TESTED := --workspace --exclude codecairn-benches

.PHONY: test-rust
test-rust: dev
	$(CARGO) test --quiet $(TESTED) --locked --tests
	$(CARGO) test --quiet $(TESTED) --locked --doc

.PHONY: lint-python
lint-python: dev
	$(BIN)/ruff check --quiet python tests benches .github
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m mypy.stubtest codecairn._native --mypy-config-file pyproject.toml

.PHONY: lint-workflows
lint-workflows: $(VENV)/ready
	$(BIN)/zizmor --offline --quiet --no-progress .github

# Most tests wait for processes and the disk: one worker for each core; idle workers take tests from the others.
AT_ONCE := --numprocesses=auto --maxprocesses=8 --dist=worksteal

# Thousands of stores are written and synced, which costs nothing in memory if 4 GB of it are free.
IN_MEMORY := $(shell df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 4 * 1024 * 1024 {print "TMPDIR=/dev/shm"}')

.PHONY: test-python
test-python: dev
	$(IN_MEMORY) $(BIN)/python -m pytest -q -m "not slow" $(AT_ONCE)

# Tests of start-up count modules and milliseconds, which measuring itself adds to.
.PHONY: coverage
coverage: export COVERAGE_FILE := $(CURDIR)/target/coverage/data
coverage: dev ## Run the Python tests and report which lines no process of theirs ran; fails below the floor in pyproject.toml
	$(BIN)/python -m pip install --group clients --group integrations
	rm -rf target/coverage && mkdir -p target/coverage
	$(IN_MEMORY) $(BIN)/python -m coverage run -m pytest -q -m "not slow" \
	  --ignore tests/tidy --deselect tests/unit/test_imports.py $(AT_ONCE)
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report --skip-covered

# A build of its own, with counters: what the core's own tests reach, not what Python's reach through the extension.
.PHONY: coverage-rust
coverage-rust: ## Run the Rust tests and report the share of each file that they ran
	$(CARGO) llvm-cov --version > /dev/null 2>&1 || { rustup component add llvm-tools; $(CARGO) install --locked cargo-llvm-cov; }
	$(CARGO) llvm-cov $(TESTED) --exclude codecairn-python --locked --summary-only

# Real hosts, which tests run with a scripted model.
AGENTS := @openai/codex opencode-ai @anthropic-ai/claude-code @google/gemini-cli

# Where Graphiti's repository is: an address, or a folder on a machine without a network.
GRAPHITI ?= https://github.com/getzep/graphiti

.PHONY: graphiti
graphiti: $(VENV)/ready ## Install the Graphiti server and the FalkorDB that slow tests run: needs Python 3.12 (GRAPHITI=folder or address)
	PYTHONPATH=tests $(BIN)/python -m support.graphiti_stack target/graphiti $(GRAPHITI)

.PHONY: test-all
test-all: test graphiti ## Everything in `test`, and the slow tests (500 kills, many processes at once, long random edits, providers' clients, frameworks, real agents, Graphiti, Redis, a browser)
	$(BIN)/python -m pip install --group clients --group browser --group integrations
	test -x target/hermes/$(notdir $(BIN))/python || $(PYTHON) -m venv target/hermes
	target/hermes/$(notdir $(BIN))/python -m pip install hermes-agent || echo "Hermes cannot be installed: its test is skipped"
	$(BIN)/playwright install chromium || echo "the installed Chromium is used, if there is one"
	GOBIN="$(CURDIR)/target/versitygw" go install github.com/versity/versitygw/cmd/versitygw@latest
	npm install --silent --no-audit --no-fund --prefix target/agents $(AGENTS)
	npm install --silent --no-audit --no-fund --prefix target/axe axe-core
	npm install --silent --no-audit --no-fund --prefix target/inspector @modelcontextprotocol/inspector@latest
	$(BIN)/python -m pytest -q -m slow
	$(BIN)/python -m pytest -q -m "not slow" tests/integrations tests/docs/test_integrations_docs.py

.PHONY: bench
bench: $(VENV)/ready ## Measure a release build: the core's hot loops, then whole flows on FOLDERS="dir ..."
	$(BIN)/maturin develop --quiet --profile release
	$(CARGO) bench --package codecairn-benches --locked
	$(CARGO) build --quiet --release --package codecairn-benches --example parse --locked
	$(BIN)/python -m benches.python $(or $(FOLDERS),python)

.PHONY: bench-report
bench-report: ## Compare the results of all runs: one table, a row a measure, a column a run (ONLY=linux, OUT=file)
	@$(BIN)/python -m benches.report $(if $(ONLY),--only "$(ONLY)") $(if $(OUT),--out "$(OUT)")

# SEED=7 repeats a draw, COUNT=40 draws fewer, AREAS="trust paths" selects areas, SINCE=HEAD~1 only changed lines.
.PHONY: mutants
mutants: dev ## Seed faults in the code that decides, and report those that no test notices: SEED, COUNT, MINUTES, AREAS, ONLY, SINCE
	$(CARGO) mutants --version > /dev/null 2>&1 || $(CARGO) install --quiet --locked cargo-mutants
	$(BIN)/python -m benches.mutants $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) \
	  $(if $(MINUTES),--minutes $(MINUTES)) $(if $(AREAS),--areas $(AREAS)) $(if $(ONLY),--language $(ONLY)) \
	  $(if $(SINCE),--since $(SINCE))

.PHONY: docs
docs: $(VENV)/ready ## Build the documentation as a site in target/site; a broken link is an error
	$(BIN)/zensical build --strict --clean

.PHONY: wheel
wheel: $(VENV)/ready ## Build the release wheel (fat LTO) into dist/
	$(BIN)/maturin build --profile dist --out dist --compatibility linux --compression-level 9

# The crates are listed in the wheel itself, and the packages by what a clean environment gets with it.
.PHONY: sbom
sbom: ## List the crates and packages of the wheel in dist/ as CycloneDX documents in dist/sbom
	rm -rf target/sbom dist/sbom
	mkdir -p target/sbom dist/sbom
	$(PYTHON) -m venv target/sbom/tool
	$(PYTHON) -m venv --without-pip target/sbom/package
	target/sbom/tool/bin/python -m pip install cyclonedx-bom==7.5.0
	target/sbom/tool/bin/python -m pip --python target/sbom/package/bin/python install dist/*.whl
	cp target/sbom/package/lib/python3*/site-packages/codecairn-*.dist-info/sboms/codecairn-python.cyclonedx.json dist/sbom/rust.cyclonedx.json
	target/sbom/tool/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible \
	  --output-file dist/sbom/python.cyclonedx.json target/sbom/package/bin/python

SHARE := packaging/data/share

.PHONY: man
man: dev ## Write the manual page and the completion scripts that the wheel installs
	mkdir -p $(SHARE)/man/man1 $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	$(BIN)/codecairn man > $(SHARE)/man/man1/codecairn.1
	$(BIN)/codecairn completion bash > $(SHARE)/bash-completion/completions/codecairn
	$(BIN)/codecairn completion zsh > $(SHARE)/zsh/site-functions/_codecairn
	$(BIN)/codecairn completion fish > $(SHARE)/fish/vendor_completions.d/codecairn.fish

.PHONY: demo
demo: dev ## Index this repository and run three searches
	$(BIN)/codecairn index .
	$(BIN)/codecairn search "refuse to index a home folder" -n 3
	$(BIN)/codecairn search "gitignore of the store" -n 3
	$(BIN)/codecairn define find_root

.PHONY: clean
clean: ## Remove what was built here
	$(CARGO) clean
	rm -rf $(VENV) dist python/codecairn/_native.*.so
