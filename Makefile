# Two promises: `make demo` and `make test` work from a fresh clone with Python 3.11+, make and git.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: demo up test lint bench every-python lock clean

$(STAMP): requirements.lock pyproject.toml clients/python/pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "SimGap needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e clients/python -e .
	touch $@

demo: $(STAMP)            ## the main job on bundled, synthetic traces, through the real service
	$(BIN)/python -m simgap_service.demo

up: $(STAMP)              ## serve on http://127.0.0.1:8765 until Ctrl-C
	$(BIN)/simgap up

test: $(STAMP)            ## every test that this machine can run; what is skipped is said
	$(BIN)/python -m pytest

lint: $(STAMP)            ## ruff and mypy --strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(STAMP)           ## speed as ratios, measured side by side in one run
	$(BIN)/python -m tests.bench.extraction

every-python: $(STAMP)    ## the tests on each Python from 3.11 on that is found; those missing are named
	PYTHON=$(PYTHON) tests/every_python.sh

lock:                     ## renew requirements.lock: names, versions and hashes for every Python from 3.11 on
	$(PYTHON) -m venv .venvs/lock && .venvs/lock/bin/pip install --quiet uv
	.venvs/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-emit-find-links --no-annotate --no-header --no-emit-package simgap-client --extra dev \
	  -o requirements.lock pyproject.toml clients/python/pyproject.toml requirements.build.in

clean:
	rm -rf $(VENV) .venvs .mypy_cache .ruff_cache .pytest_cache .hypothesis
