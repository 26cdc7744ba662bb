# `make up` serves the graph; `make test` checks everything. Only Python 3.11 or newer must be installed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=line)
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Installs a lock file into an environment. uv takes seconds, pip a minute; pip is the fallback where only it can reach the packages.
define install
	@$(BIN)/uv pip install --quiet --python $(1)/bin/python --require-hashes -r $(2) 2>/dev/null || \
		$(1)/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r $(2)
endef
SPEED := $(BIN)/python -m bench.latency
APART := tests/engine/node tests/browser tests/edge
LONG := tests/long
FAULTS := $(LONG)/test_fault_series.py
SLOWEST := --durations=30 --durations-min=3
# Always write compiled modules: without them, every start of Python takes seconds longer.
unexport PYTHONDONTWRITEBYTECODE
PAGES := README.md CONTRIBUTING.md CHANGELOG.md LICENSE docs content/README.md content/sources.csv server.json \
	tests/contract/mcp/expected-failures.yml

.DEFAULT_GOAL := help
.PHONY: help up edge serve build test test-long faults long cases engine apart quick unit unit-api unit-others conformance bench bench-edge chaos scale golden answers docs reference screenshots lint format types audit lock clean purge

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

up: $(VENV)/run ## Start OpenSearch, build the graph if it changed, and serve it (Ctrl-C stops everything)
	@AKG_EDGE_COUNTS="$${AKG_EDGE_COUNTS-127.0.0.1:8082}" $(BIN)/akg up

edge: ## Serve what `make up` serves through nginx, with limits, TLS and a cache, on http://127.0.0.1:8081
	@EDGE_COUNTS="$${EDGE_COUNTS-127.0.0.1:8082}" deploy/edge/start

build: $(VENV)/run ## Build the graph and publish it
	@$(BIN)/akg index build

test: $(VENV)/test ## Run every check and every test, two at a time: the first takes about as long as all others
	@$(MAKE) --no-print-directory --jobs=2 $(SYNC) engine lint types quick apart

engine: $(VENV)/test ## Run the tests that share one OpenSearch node
	@$(BIN)/python -m pytest -m "engine and not conformance" $(APART:%=--ignore=%) --ignore=$(LONG) $(SLOWEST)

apart: $(VENV)/test ## Run the tests that start their own nodes and services, and those in a browser
	@$(BIN)/python -m pytest $(APART) $(SLOWEST)

test-long: $(VENV)/test ## Fail each request of each writing command, interleave commands of several hosts, fuzz all readers, and check larger samples (40 minutes)
	@$(MAKE) --no-print-directory --jobs=2 $(SYNC) faults long cases

faults: $(VENV)/test
	@$(BIN)/python -m pytest $(FAULTS) $(SLOWEST)

long: $(VENV)/test
	@$(BIN)/python -m pytest $(LONG) --ignore=$(FAULTS) $(SLOWEST)

cases: $(VENV)/test
	@FUZZ_FACTOR=50 $(BIN)/python -m pytest -m fuzz tests/contract $(SLOWEST)
	@SAMPLE_FACTOR=3 $(BIN)/python -m pytest -m sampled tests/engine $(SLOWEST)

quick: unit
	@$(BIN)/python -m pytest -m "not engine" $(APART:%=--ignore=%) --ignore=$(LONG) --ignore=tests/unit $(SLOWEST)
	@$(BIN)/akg content check

unit: $(VENV)/test ## Run the tests of single modules, in two processes; they need no engine
	@$(MAKE) --no-print-directory --jobs=2 $(SYNC) unit-api unit-others

unit-api: $(VENV)/test
	@$(BIN)/python -m pytest tests/unit/api tests/unit/schema --quiet

unit-others: $(VENV)/test
	@$(BIN)/python -m pytest tests/unit/indexer tests/unit/akg --quiet

conformance: $(VENV)/test ## Run the official MCP conformance scenarios (needs Node.js 20.18 or newer)
	@$(BIN)/python -m pytest tests/contract/test_mcp_conformance.py -m conformance

chaos: $(VENV)/test ## Inject faults into a cluster of three nodes under load, run a soak test (75 minutes), and render docs/explanation/resilience.md; WITH="--help" lists options
	@$(BIN)/python -m bench.faults $(or $(WITH),--page docs/explanation/resilience.md)

scale: $(VENV)/test $(VENV)/bench/done ## Build and query graphs of 12,000 to 1.2 million entities (45 minutes); WITH="--entities 12000" for one
	@$(BIN)/python -m bench.scale $(WITH)

bench: $(VENV)/run $(VENV)/bench/done ## Compare the service with OpenSearch and other programs (30 minutes), and render docs/explanation/benchmarks.md; BENCH=--help lists options
	@$(SPEED) run $(BENCH)
	@$(if $(BENCH),,$(SPEED) page)

bench-edge: $(VENV)/test ## Compare the edge with nginx and a static file, and count the hostile requests that it holds (2 minutes; needs `make up`, nginx, wrk); WITH="--help" lists options
	@$(BIN)/python -m bench.edge_speed $(WITH)

golden: $(VENV)/test ## Compare responses and documents with a recording; WITH="record --to FILE" records, WITH="compare --to FILE" compares
	@$(BIN)/python -m bench.golden $(or $(WITH),--help)

answers: $(VENV)/test ## Compare the answers of two running services for every entity; WITH="--before URL --after URL", WITH="--help" lists options
	@$(BIN)/python -m bench.answers $(or $(WITH),--help)

docs: $(VENV)/docs/done ## Build the site of the documentation, which the service serves at /docs/; a broken link stops it
	@rm -rf build/pages && mkdir -p build/pages
	@tar -cf - $(PAGES) | tar -xf - -C build/pages
	@# --quiet would suppress the warnings that --strict turns into errors
	@NO_MKDOCS_2_WARNING=1 $(VENV)/docs/bin/mkdocs build --strict
	@! grep -rnoE '<(link|script|img|iframe|source)[^>]*(href|src)="?(https?:)?//[^ >]*|url\(["'"'"']?(https?:)?//[^)]*' api/site --include='*.html' --include='*.css'
	@echo "Read it: $(PYTHON) -m http.server --directory api/site 8000"

reference: $(VENV)/test ## Write the generated parts of the reference pages anew
	@$(BIN)/python -m tests.support.generated_docs

screenshots: $(VENV)/test ## Take the screenshots of README.md from a running service; BASE=http://localhost:8081 for another address
	@$(BIN)/python -m bench.screenshots $(BASE)

lint: $(VENV)/test ## Check style, and which package imports which
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/lint-imports --no-logo

format: $(VENV)/test ## Format the code
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

types: $(VENV)/test ## Check types
	@$(BIN)/mypy

audit: $(VENV)/test ## Audit the dependencies, and write the SBOM to dist/sbom.cdx.json
	@mkdir -p dist
	@$(BIN)/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml --output-reproducible --of JSON -o dist/sbom.cdx.json 2>/dev/null
	@$(BIN)/pip-audit --requirement requirements.lock --require-hashes --disable-pip --strict --progress-spinner off

lock: $(VENV)/test ## Resolve the newest dependencies into the lock files
	$(PIP) install --quiet uv
	$(BIN)/uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate pyproject.toml --group build -o requirements.lock
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate pyproject.toml --group build --group test -c requirements.lock -o requirements-test.lock
	$(BIN)/uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --group conformance -o requirements-conformance.lock
	$(BIN)/uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --group docs -o requirements-docs.lock
	$(BIN)/uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --group bench -o requirements-bench.lock
	$(BIN)/uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --group install -o requirements-uv.lock

clean: ## Remove the environment, caches and built files; the local node's releases, snapshots and imports stay
	rm -rf $(VENV) .import_linter_cache .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build api/site tests/contract/mcp/node_modules

purge: ## Stop the local node and delete its releases, snapshots and imports too, after a typed yes; AKG_YES=1 does not ask
	@if [ "$(AKG_YES)" != 1 ]; then \
		printf 'This deletes .akg with all releases, snapshots and imports. Type yes to go on: '; \
		read -r reply || true; \
		[ "$$reply" = yes ] || { echo 'Nothing was deleted.'; exit 1; }; \
	fi
	@if [ -x $(BIN)/akg ]; then $(BIN)/akg node stop --root .akg; fi
	@$(MAKE) --no-print-directory clean
	rm -rf .akg

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/uv: requirements-uv.lock | $(VENV)/bin/python
	@$(PIP) install --quiet --only-binary :all: --require-hashes -r requirements-uv.lock || true
	@touch $@

$(VENV)/run: requirements.lock pyproject.toml | $(VENV)/uv
	$(call install,$(VENV),requirements.lock)
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/test: requirements-test.lock pyproject.toml | $(VENV)/uv
	$(call install,$(VENV),requirements-test.lock)
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/docs/done: requirements-docs.lock | $(VENV)/uv
	$(PYTHON) -m venv $(VENV)/docs
	$(call install,$(VENV)/docs,requirements-docs.lock)
	@touch $@

$(VENV)/bench/done: requirements-bench.lock | $(VENV)/uv
	$(PYTHON) -m venv $(VENV)/bench
	$(call install,$(VENV)/bench,requirements-bench.lock)
	@touch $@
