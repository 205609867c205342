# Every target sets up what it needs: Python 3.11+, make and git are enough.
PYTHON ?= python3
export UV_PYTHON_DOWNLOADS := never
UV := $(or $(shell command -v uv 2>/dev/null),.tools/bin/uv)
BIN := .venv/bin
READY := .venv/.ready
BENCH := .bench/.ready
SITE := .site/.ready
PEERS := .peers/elemm/.ready
SUITE := conformance/node_modules/.ready

.PHONY: help setup demo test check bench bench-search bench-search-1m conformance docs site peers lock clean
help: ## Say what can be made
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

setup: $(READY) ## Set up the environment in .venv

.tools/bin/uv:
	$(PYTHON) -m venv .tools
	.tools/bin/python -m pip install --quiet --disable-pip-version-check uv

$(READY): requirements/dev.txt pyproject.toml | $(if $(filter .tools/bin/uv,$(UV)),.tools/bin/uv)
	test -x $(BIN)/python || $(UV) venv --quiet --python $(PYTHON) .venv
	$(UV) pip sync --quiet --python $(BIN)/python requirements/dev.txt
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	touch $@

# The peers that benchmarks measure beside Periplus live in an environment of their own.
$(BENCH): requirements/bench.txt | $(READY)
	test -x .bench/bin/python || $(UV) venv --quiet --allow-existing --python $(PYTHON) .bench
	$(UV) pip sync --quiet --python .bench/bin/python requirements/bench.txt
	touch $@

$(SITE): requirements/docs.txt | $(filter .tools/bin/uv,$(UV))
	test -x .site/bin/python || $(UV) venv --quiet --python $(PYTHON) .site
	$(UV) pip sync --quiet --python .site/bin/python requirements/docs.txt
	touch $@

# Tests that talk to the real thing make this environment themselves if it is not here yet.
$(PEERS): requirements/elemm.txt | $(READY)
	test -x .peers/elemm/bin/python || $(UV) venv --quiet --python $(PYTHON) .peers/elemm
	$(UV) pip sync --quiet --python .peers/elemm/bin/python requirements/elemm.txt
	touch $@

demo: $(READY) ## Start a small harbour, connect it and look around
	$(BIN)/periplus demo

test: $(READY) ## Run all tests
	$(BIN)/python -m pytest -n 2 --dist worksteal

check: $(READY) ## Run what continuous integration checks: format, lint, types, room borders
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/lint-imports

bench: $(BENCH) $(PEERS) ## Measure, beside the peers, and print tables
	$(BIN)/python -m benchmarks

bench-search: $(BENCH) ## Measure how good and how fast search is, beside the peer's
	$(BIN)/python -m benchmarks.search

bench-search-1m: $(READY) ## Measure how fast search is among a million tools
	$(BIN)/python -m benchmarks.search --no-quality --sizes 1000000

# The suite and the Node it needs come from the npm registry; the lock file says what they have to be.
$(SUITE): conformance/package-lock.json
	npm ci --prefix conformance --no-audit --no-fund --ignore-scripts --loglevel=error
	touch $@

conformance: $(SUITE) $(READY) ## Run the public MCP conformance suite against the gateway, as server and as client
	$(BIN)/python conformance

docs: $(READY) ## Write the reference pages anew from the code
	$(BIN)/python -m tools.reference

site: $(SITE) ## Build these pages as a site in site/
	NO_MKDOCS_2_WARNING=1 .site/bin/mkdocs build --quiet

peers: $(PEERS) ## Set up the peers that tests talk to, each in an environment of its own

lock: | $(filter .tools/bin/uv,$(UV)) ## Pin the requirement files anew
	$(UV) pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 \
		--custom-compile-command "make lock" pyproject.toml --group dev --output-file requirements/dev.txt
	$(UV) pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 \
		--custom-compile-command "make lock" requirements/bench.in --output-file requirements/bench.txt
	$(UV) pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 \
		--custom-compile-command "make lock" requirements/docs.in --output-file requirements/docs.txt
	$(UV) pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 \
		--custom-compile-command "make lock" requirements/elemm.in --output-file requirements/elemm.txt

clean: ## Remove environments and caches
	rm -rf conformance/node_modules .venv .bench .site .peers site .tools .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist
