# make audit    audit pipelines/sample, or DATASET=path; writes the tables into OUT (default: audit/)
# make test     tests, lint, types, layers
# Both create the environment in .venv first. Python 3.11 or newer: PYTHON=python3.12 picks another one.

PYTHON ?= python3
BIN := .venv/bin
DATASET ?=
OUT ?= audit
RAY_ENV ?= .venv-ray

.PHONY: audit test lint mutation bench test-network fuzz packaging test-lowest test-pythons docs test-inspector test-ray clean

audit: .venv/.installed
	$(BIN)/python pipelines/audit.py $(if $(DATASET),--dataset "$(DATASET)") --out "$(OUT)"

test: .venv/.installed lint
	$(BIN)/python -m pytest --numprocesses auto

lint: .venv/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Disables the address check in a copy of the package and proves that the suite notices.
mutation: .venv/.installed
	$(BIN)/python tests/mutation.py

# Proves the guard on a network of our own (namespaces, name server, TLS); says so where that is not permitted.
test-network: .venv/.installed
	$(BIN)/python tests/network/run.py

# Feeds made-up input to the parsers of strangers' bytes: PARSER="html url" picks some, SECONDS of CPU for each.
fuzz: .venv/.installed
	$(BIN)/python tests/fuzz/run.py $(PARSER) --cpu-seconds $(or $(SECONDS),600)

# Builds wheel and sdist and runs them in clean environments; lowest versions; every Python found here.
packaging test-lowest test-pythons: .venv/.installed
	$(BIN)/python tests/distributions.py $(subst packaging,wheel,$(subst test-,,$@))

# Prints one table for each question, beside other ways in the same run; peers come with the extra `bench`.
bench: .venv/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python benchmarks/accuracy.py
	$(BIN)/python benchmarks/folding.py
	$(BIN)/python benchmarks/matching.py --quick
	$(BIN)/python benchmarks/extraction.py
	$(BIN)/python benchmarks/fetch_throughput.py
	$(BIN)/python benchmarks/batch_scale.py

# Writes the outputs in README.md, docs/reference.md and the shell completions anew.
docs: .venv/.installed
	$(BIN)/python docs/readme.py
	$(BIN)/python docs/reference.py
	$(BIN)/python docs/completions.py

# Tries the MCP server with the MCP Inspector from npm, a client that shares no code with it.
test-inspector: .venv/.installed
	$(BIN)/python tests/inspector.py

# Audits on a real Ray of this machine and kills parts of it; Ray (800 MB) has an environment of its own.
test-ray: $(RAY_ENV)/.installed
	$(RAY_ENV)/bin/python -m pytest tests/ray_cluster

$(RAY_ENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(RAY_ENV)
	$(RAY_ENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[ray]' pytest pytest-timeout
	touch $@

.venv/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	@echo "installing into .venv, once"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

clean:
	rm -rf .venv .venv-ray build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis audit
